"""Goals with a tolerance in a tracker: rows as inequalities, by an active set.

Inside, a row pulls at nothing. Where a step would take it out, it is brought to that edge of its tolerance,
as any other row of its level, and the step is made again (an active set of inequalities: Nocedal & Wright
2006, section 16.5). Each step begins with the rows that are outside alone, so that an edge is left as soon as
the lower levels lead back inside.

A direction within a cone is a row along its error, and one across it, which has the same tolerance: both
together are a square about the cone, and what a step leaves of its corners is taken off with that row held.
"""

from __future__ import annotations

from limbik.compiler.kernel import Floats, compiled
from limbik.motion.state import PLANS, TrackerState
from limbik.numerics.linear import copy, dot, fill

OUTSIDE = 1e-9  # [lengths or half radians] beyond the edge that counts as outside
LEFT = 0.01  # part of a tolerance beyond the edge that a second iteration takes off
HELD = 2.0  # instead of an edge: a row across a cone, which stays as it is


@compiled
def measure(motion: TrackerState, errors: Floats) -> None:
    """Note the whole errors [rows] that have been evaluated, and replace them by how far the rows are from
    the edge that they are brought to; 0 of those that are free.
    """
    for row in range(errors.size):
        if motion.tolerance[row] == 0.0:
            continue
        value = motion.values[row] = errors[row]
        if motion.is_across[row] > 0.0:
            motion.edge[row] = 0.0  # the cone is seen from elsewhere
        if motion.edge[row] == 0.0 and abs(value) > motion.tolerance[row] + OUTSIDE:
            motion.edge[row] = 1.0 if value > 0.0 else -1.0
        errors[row] = error_at_edge(motion, row)


@compiled
def error_at_edge(motion: TrackerState, row: int) -> float:
    """How far a row is from the edge that it is brought to; 0 of one that is free."""
    edge = motion.edge[row]
    if edge == 0.0:
        return 0.0
    return motion.values[row] - (edge * motion.tolerance[row] if edge != HELD else 0.0)


@compiled
def is_outside(motion: TrackerState) -> bool:
    """Whether some row is outside its tolerance."""
    for row in range(motion.tolerance.size):
        if abs(motion.values[row]) > (1.0 + LEFT) * motion.tolerance[row] + OUTSIDE:
            return True
    return False


@compiled
def hold_across(motion: TrackerState, errors: Floats) -> None:
    """Hold the rows across cones whose edge is reached."""
    for row in range(1, errors.size):
        if motion.is_across[row] > 0.0 and motion.edge[row - 1] != 0.0:
            motion.edge[row] = HELD
            errors[row] = error_at_edge(motion, row)


@compiled
def squared_excess(motion: TrackerState, errors: Floats, first: int, last: int) -> float:
    """Sum of the squared errors of some rows, without those inside their tolerance that go to its edge."""
    total = 0.0
    for row in range(first, last):
        if motion.edge[row] * errors[row] >= 0.0:
            total += errors[row] * errors[row]
    return total


@compiled
def free_rows(motion: TrackerState, J: Floats) -> None:
    """Take the rows that are free out of J [rows, nv]."""
    for row in range(J.shape[0]):
        if motion.tolerance[row] > 0.0:
            copy(J[row], motion.slopes[row])
            if motion.edge[row] == 0.0:
                fill(0.0, J[row])


@compiled
def leave_motion(motion: TrackerState, errors: Floats) -> None:
    """Leave the target's own motion since the last step out of the residuals, to `motion.left`."""
    for row in range(errors.size):
        if motion.tolerance[row] > 0.0:
            motion.left[row] = motion.values[row] - motion.values_before[row]
            motion.residuals[row] = errors[row] - motion.left[row] if motion.edge[row] != 0.0 else 0.0


@compiled(inline=False)
def keep_one_more(motion: TrackerState, dx: Floats, errors: Floats, J: Floats) -> bool:
    """Bring one more row to an edge, the one that a step dx [nv, in units] takes farthest out; whether there
    is one.
    """
    farthest, farthest_out = -1, 0.0
    for row in range(errors.size):
        excess = excess_after(motion, row, dx)
        if excess > farthest_out:
            farthest, farthest_out = row, excess
    return farthest >= 0 and keep(motion, farthest, dx, errors, J)


@compiled(inline=False)
def keep(motion: TrackerState, row: int, dx: Floats, errors: Floats, J: Floats) -> bool:
    """Bring a row to the edge over which a step takes it; whether it does."""
    if excess_after(motion, row, dx) == 0.0:
        return False
    put_to_edge(motion, row, 1.0 if value_after(motion, row, dx) > 0.0 else -1.0, errors, J)
    return True


@compiled
def excess_after(motion: TrackerState, row: int, dx: Floats) -> float:
    """How far a step takes a free row out of its tolerance; 0 inside, and for other rows."""
    if motion.tolerance[row] == 0.0 or motion.edge[row] != 0.0:
        return 0.0
    if motion.is_across[row] > 0.0 and motion.settings[PLANS] > 0.0:
        return 0.0  # the arc around a cone is long
    excess = abs(value_after(motion, row, dx)) - motion.tolerance[row]
    return excess if excess > OUTSIDE else 0.0


@compiled
def is_at_edge(motion: TrackerState, errors: Floats, row: int, near: float) -> bool:
    """Whether a row is brought to an edge that it is inside of, or nearly so."""
    edge = motion.edge[row]
    return edge != 0.0 and edge != HELD and edge * errors[row] <= near


@compiled
def count_at_edges(motion: TrackerState, errors: Floats, near: float) -> int:
    """How many rows are at an edge."""
    count = 0
    for row in range(errors.size):
        if is_at_edge(motion, errors, row, near):
            count += 1
    return count


@compiled
def value_after(motion: TrackerState, row: int, dx: Floats) -> float:
    """The whole error of a row after a step."""
    slope = motion.slopes[row]
    return motion.values[row] - dot(slope, motion.planned) - dot(slope, dx)


@compiled(inline=False)
def put_to_edge(motion: TrackerState, row: int, edge: float, errors: Floats, J: Floats) -> None:
    """Bring a row to an edge of its tolerance, or free it: edge 0."""
    motion.edge[row] = edge
    errors[row] = error_at_edge(motion, row)
    fill(0.0, J[row])
    if edge != 0.0:
        copy(motion.slopes[row], J[row])
    motion.wanted[row] = errors[row] - motion.left[row] - dot(J[row], motion.planned) if edge != 0.0 else 0.0
    motion.residuals[row] = motion.wanted[row]
