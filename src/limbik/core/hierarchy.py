"""One step toward goals of several priorities, within joint limits.

Each level takes a damped least-squares step in the null space of the levels above it (Siciliano & Slotine
1991, "A general framework for managing multiple tasks in highly redundant robotic systems", with the damping
of Sugihara 2011). Joints that push against a limit are left out (an active set of one pass).
"""

from __future__ import annotations

import math

from limbik.core.compiled import Floats, Records, compiled
from limbik.core.linear import cholesky_solve, shorten, squared_length
from limbik.core.spatial_chain import BALL

DEPENDENT = 1e-8  # part of a row's length under which what is left of it is rounding


@compiled(inline=False)
def propose(
    movers: Records,
    q: Floats,
    units: Floats,
    use_limits: bool,
    J: Floats,
    errors: Floats,
    level_rows: Floats,
    levels: int,
    damping: Floats,
    longest: float,
    free: Floats,
    P: Floats,
    A: Floats,
    basis: Floats,
    y: Floats,
    rest: Floats,
    dx: Floats,
) -> None:
    """The step dx [nv], each velocity in its unit, shortened so that none is above `longest`.

    damping [levels]: added to J J^T. free, P, A, basis, y, rest: room for [nv], [rows, nv], [rows, rows],
    [nv, nv], [rows], [rows] numbers.
    """
    for v in range(dx.size):
        free[v] = 1.0 if units[v] > 0.0 else 0.0
        dx[v] = 0.0
    if use_limits:
        freeze(movers, q, J, errors, int(level_rows[1]), free)
    held = 0
    for level in range(levels):
        first, last = int(level_rows[level]), int(level_rows[level + 1])
        project(J, free, basis[:held], P, first, last)
        leave(J, errors, dx, rest, first, last)
        damped_step(P[first:last], rest[first:last], damping[level], A, y, dx)
        if level + 1 < levels:
            held = span(P, first, last, basis, held)
    shorten(dx, longest)


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
    trace = 0.0
    for i in range(m):
        for k in range(i + 1):
            total = 0.0
            for v in range(dx.size):
                total += P[i, v] * P[k, v]
            A[i, k] = total
        trace += A[i, i]
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
