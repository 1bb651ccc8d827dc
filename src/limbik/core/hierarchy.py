"""One step toward goals of several priorities, within joint limits.

Each level takes a damped least-squares step in the null space of the levels above it (Siciliano & Slotine
1991, "A general framework for managing multiple tasks in highly redundant robotic systems", with the damping
of Sugihara 2011). Joints that push against a limit are left out.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.core.desk import Asked, Desk, Tree
from limbik.core.linear import cholesky_solve, dual_matrix, fill, squared_length
from limbik.core.spatial_chain import BALL, SLIDE

ROUNDS = 4  # of the active set in one step
DEPENDENT = 1e-8  # part of a row's length under which what is left of it is rounding


@compiled(inline=False)
def propose(
    tree: Tree,
    asked: Asked,
    desk: Desk,
    q: Floats,
    errors: Floats,
    levels: int,
    use_limits: bool,
    longest: float,
) -> None:
    """The step `desk.dx` [nv] from q on the way to the first level, each velocity in its unit.

    By the Jacobian and the damping on the desk, for the errors [rows] of the first `levels`. No joint turns
    by more than `longest` [rad].
    """
    release(tree.units, desk.free)
    if use_limits:
        freeze(tree.movers, q, desk.J, errors, int(asked.level_rows[1]), desk.free)
    step_of_levels(asked, desk, errors, levels)
    shorten_turns(tree.movers, desk.dx, longest)


@compiled(inline=False)
def propose_within(
    tree: Tree,
    asked: Asked,
    desk: Desk,
    q: Floats,
    errors: Floats,
    levels: int,
    use_limits: bool,
    longest: float,
) -> None:
    """The same where the first level is met, and the others decide which joints push against their limits.

    Which these are is seen from the step itself, which is taken anew without them (an active set).
    """
    release(tree.units, desk.free)
    for _ in range(ROUNDS):
        step_of_levels(asked, desk, errors, levels)
        if not use_limits or not hold_back(tree.movers, q, desk.dx, desk.free):
            break
    shorten_turns(tree.movers, desk.dx, longest)


@compiled
def release(units: Floats, free: Floats) -> None:
    """Every velocity is free that is not locked."""
    for v in range(free.size):
        free[v] = 1.0 if units[v] > 0.0 else 0.0


@compiled(inline=False)
def hold_back(movers: Records, q: Floats, dx: Floats, free: Floats) -> bool:
    """Hold the joints at a limit that a step would push through it; whether there are any."""
    is_held = False
    for j in range(movers.size - 1):
        mover = movers[j]
        if mover.kind == BALL or free[mover.v] == 0.0:
            continue
        value, change = q[mover.q], dx[mover.v]
        if (value >= mover.upper and change > 0.0) or (value <= mover.lower and change < 0.0):
            free[mover.v] = 0.0
            is_held = True
    return is_held


@compiled(inline=False)
def shorten_turns(movers: Records, dx: Floats, longest: float) -> None:
    """Scale the turns of a step so that none is above `longest` [rad]; a step that is not finite becomes
    zero.

    Slides may go any way at once: where they lead does not depend on where they are.
    """
    largest = total = 0.0
    for j in range(movers.size - 1):
        mover = movers[j]
        for v in range(mover.v, mover.v + (3 if mover.kind == BALL else 1)):
            total += abs(dx[v])
            if mover.kind != SLIDE:
                largest = max(largest, abs(dx[v]))
    if not total <= 1e300:
        fill(0.0, dx)
    if not largest > longest:
        return
    for j in range(movers.size - 1):
        mover = movers[j]
        if mover.kind != SLIDE:
            for v in range(mover.v, mover.v + (3 if mover.kind == BALL else 1)):
                dx[v] *= longest / largest


@compiled(inline=False)
def step_of_levels(asked: Asked, desk: Desk, errors: Floats, levels: int) -> None:
    """dx = the damped steps of the free joints for one level after the other, each in the null space of those
    before it.
    """
    fill(0.0, desk.dx)
    held = 0
    for level in range(levels):
        first, last = int(asked.level_rows[level]), int(asked.level_rows[level + 1])
        project(desk.J, desk.free, desk.basis[:held], desk.P, first, last)
        leave(desk.J, errors, desk.dx, desk.rest, first, last)
        damped_step(desk.P[first:last], desk.rest[first:last], desk.damping[level], desk.A, desk.y, desk.dx)
        if level + 1 < levels:
            held = span(desk.P, first, last, desk.basis, held)


@compiled(inline=False)
def freeze(movers: Records, q: Floats, J: Floats, errors: Floats, rows: int, free: Floats) -> None:
    """Hold the joints at a limit that the descent of the first rows would push through it."""
    for j in range(movers.size - 1):
        mover = movers[j]
        at_upper, at_lower = q[mover.q] >= mover.upper, q[mover.q] <= mover.lower
        if mover.kind == BALL or not (at_upper or at_lower):
            continue
        slope = 0.0
        for row in range(rows):
            slope += J[row, mover.v] * errors[row]
        if (at_upper and slope > 0.0) or (at_lower and slope < 0.0):
            free[mover.v] = 0.0


@compiled(inline=False)
def project(J: Floats, free: Floats, basis: Floats, P: Floats, first: int, last: int) -> None:
    """P = the rows of J on the free joints, without what lies along the orthonormal rows of `basis`."""
    for row in range(first, last):
        for v in range(free.size):
            P[row, v] = J[row, v] * free[v]
        for b in range(basis.shape[0]):
            along = 0.0
            for v in range(free.size):
                along += P[row, v] * basis[b, v]
            for v in range(free.size):
                P[row, v] -= along * basis[b, v]


@compiled(inline=False)
def leave(J: Floats, errors: Floats, dx: Floats, rest: Floats, first: int, last: int) -> None:
    """rest = what the step so far leaves of the errors: e - J dx."""
    for row in range(first, last):
        total = errors[row]
        for v in range(dx.size):
            total -= J[row, v] * dx[v]
        rest[row] = total


@compiled(inline=False)
def damped_step(P: Floats, e: Floats, damping: float, A: Floats, y: Floats, dx: Floats) -> None:
    """dx += P^T (P P^T + damping I)^-1 e."""
    m = e.size
    trace = dual_matrix(P, A)
    for i in range(m):
        A[i, i] += damping + 1e-14 * trace
    if cholesky_solve(A, e, y):
        for i in range(m):
            for v in range(dx.size):
                dx[v] += P[i, v] * y[i]


@compiled(inline=False)
def span(P: Floats, first: int, last: int, basis: Floats, held: int) -> int:
    """Add what the projected rows span to the orthonormal rows of the basis; how many these are then.

    By Gram and Schmidt, done twice, which is enough.
    """
    for row in range(first, last):
        if held == basis.shape[0]:
            break
        before = squared_length(P[row])
        if not before > 0.0:
            continue
        for v in range(P.shape[1]):
            basis[held, v] = P[row, v]
        for _ in range(2):
            for b in range(held):
                along = 0.0
                for v in range(P.shape[1]):
                    along += basis[held, v] * basis[b, v]
                for v in range(P.shape[1]):
                    basis[held, v] -= along * basis[b, v]
        after = squared_length(basis[held])
        if after > DEPENDENT * DEPENDENT * before:
            scale = 1.0 / math.sqrt(after)
            for v in range(P.shape[1]):
                basis[held, v] *= scale
            held += 1
    return held
