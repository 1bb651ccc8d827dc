"""Bounds of each joint's step from its limits of position, velocity and acceleration.

Velocities are constant during a step. A joint that stays in these intervals can always stop before its limit
without more than its acceleration: the interval of the next step is never empty.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import compiled
from limbik.motion.ball_limits import LONGEST_TURN, is_aligned, longest_turn
from limbik.motion.state import DT, TrackerState
from limbik.numerics.linear import fill
from limbik.tree.joints import PRISMATIC, SPHERICAL
from limbik.tree.workspace import Tree


@compiled
def braking_step(distance: float, change: float) -> float:
    """The longest step [rad or m] from which a joint comes to rest within a distance, this step included, if
    each step may be shorter by `change` than the one before it.

    Steps of s, s - change, s - 2 change and so on, n + 1 of them, sum up to (n + 1) (s - n change / 2).
    """
    if not (change < math.inf and distance < math.inf):
        return distance
    if change <= 0.0:
        return 0.0
    ratio = distance / change
    n = math.floor(0.5 * (math.sqrt(8.0 * ratio + 1.0) - 1.0))
    return change * (ratio / (n + 1.0) + 0.5 * n)


@compiled(inline=False)
def fill_bounds(tree: Tree, motion: TrackerState) -> None:
    """The interval of every joint for the step from q, in units."""
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        for v in range(mover.v, mover.v + (3 if mover.kind == SPHERICAL else 1)):
            unit = tree.units[v]
            motion.lower[v] = motion.upper[v] = 0.0
            if unit == 0.0:
                continue
            below, above = position_margins(tree, motion, j, v)
            if is_aligned(motion, mover):
                longest = longest_turn(motion, mover.v)
                low, high = max(-below, -longest), min(above, longest)
            else:
                low, high = interval(motion, v, below, above)
                if mover.kind != PRISMATIC:
                    low, high = max(low, -LONGEST_TURN), min(high, LONGEST_TURN)
            if low > high:  # by rounding
                low = high = 0.5 * (low + high)
            motion.lower[v], motion.upper[v] = low / unit, high / unit


@compiled(inline=False)
def fill_margins(tree: Tree, motion: TrackerState) -> None:
    """The interval of every joint up to its limits of position, in units; 0 for those that stand still."""
    fill(0.0, motion.margin_below)
    fill(0.0, motion.margin_above)
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        for v in range(mover.v, mover.v + (3 if mover.kind == SPHERICAL else 1)):
            unit = tree.units[v]
            if unit > 0.0:
                below, above = position_margins(tree, motion, j, v)
                motion.margin_below[v], motion.margin_above[v] = -below / unit, above / unit


@compiled
def position_margins(tree: Tree, motion: TrackerState, j: int, v: int) -> tuple[float, float]:
    """How far a joint is from its lower and upper limit [rad or m], along its velocity at v; infinite for a
    ball joint that is not near a limit.
    """
    mover = tree.movers[j]
    if mover.kind == SPHERICAL:
        return motion.below[v], motion.above[v]
    return motion.q[mover.q] - mover.lower, mover.upper - motion.q[mover.q]


@compiled
def interval(motion: TrackerState, v: int, below: float, above: float) -> tuple[float, float]:
    """How far a joint may go in this step [rad or m], with such margins to its limits; from beyond one it
    has to return as far as it can.
    """
    dt = motion.settings[DT]
    fastest, max_change = dt * motion.velocity_limits[v], dt * dt * motion.acceleration_limits[v]
    last = dt * motion.v[v]
    low = max(-fastest, last - max_change, -braking_step(max(below, 0.0), max_change))
    high = min(fastest, last + max_change, braking_step(max(above, 0.0), max_change))
    if above < 0.0:
        high = max(low, min(high, above))
    elif below < 0.0:
        low = min(high, max(low, -below))
    return low, high
