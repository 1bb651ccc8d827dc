"""Bounded variable least squares by an active set (Stark & Parker 1995), damped, and below other tasks.

Which joints stay at a bound is found one exchange at a time. Below tasks of a higher priority every step is
taken in their null space (Kanoun et al. 2011; Escande et al. 2014). The active set of one problem is a good
guess for the next one, which then takes an exchange or none.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.linear import add, damped_solve, squared_length, transpose_times
from limbik.tree.priorities import JITTER, leave, project, remove, span, split
from limbik.tree.workspace import Workspace

NO_GAIN = 1e-9  # part of the gradient under which what is left of it is rounding
EXCHANGES = 4  # for each joint, at most

AT_LOWER, FREE, AT_UPPER = -1.0, 0.0, 1.0  # where a joint is in an active set


@compiled(inline=False)
def begin_at(active: Floats, lower: Floats, upper: Floats, x: Floats) -> None:
    """x [n] at the bounds of an active set, and elsewhere as near to 0 as the bounds allow."""
    for v in range(x.size):
        if active[v] == FREE:
            x[v] = min(max(0.0, lower[v]), upper[v])
        else:
            x[v] = upper[v] if active[v] > FREE else lower[v]


@compiled(inline=False)
def solve_within(
    workspace: Workspace,
    errors: Floats,
    first: int,
    damping: float,
    lower: Floats,
    upper: Floats,
    active: Floats,
    x: Floats,
) -> None:
    """Bring x [n] to where |J x - errors|^2 + damping |x|^2 is least within bounds, with the rows of J from
    `first` on, while what those before them make of x stays as it is.

    errors [rows from `first` on]. lower, upper [n]: bounds, between which x begins. active [n]: the joints
    that are held at a bound, where x has them; at the end those of the solution.
    """
    rows = slice(first, first + errors.size)
    J, P, rest = workspace.J[rows], workspace.P[rows], workspace.rest[rows]
    particular, change = workspace.work[2, : x.size], workspace.dq
    for v in range(x.size):
        workspace.free[v] = 1.0 if active[v] == FREE else 0.0
    for _ in range(EXCHANGES * x.size):
        size = span(workspace.J[:first], workspace.free, 0.0, workspace.basis, 0)
        basis = workspace.basis[:size]
        project(J, workspace.free, basis, P)
        split(workspace.free, basis, x, particular)
        leave(J, errors, particular, rest)
        damped_solve(P, rest, damping, JITTER, workspace.A, workspace.y, change)
        for v in range(x.size):
            change[v] += particular[v] - x[v]
        if go_to_bound(change, lower, upper, workspace.free, active, x):
            continue
        leave(J, errors, x, rest)
        if not leave_bound(J, rest, damping, basis, lower, upper, change, workspace.free, active, x):
            break


@compiled(inline=False)
def go_to_bound(
    change: Floats, lower: Floats, upper: Floats, free: Floats, active: Floats, x: Floats
) -> bool:
    """Change x as far as the bounds allow; whether one has cut it short, whose joint is then held there."""
    share = 1.0
    stopped = -1
    for v in range(x.size):
        if free[v] > 0.0:
            room = upper[v] - x[v] if change[v] > 0.0 else lower[v] - x[v]
            if abs(change[v]) * share > abs(room):
                share = room / change[v]
                stopped = v
    for v in range(x.size):
        x[v] = min(max(x[v] + share * free[v] * change[v], lower[v]), upper[v])
    if stopped < 0:
        return False
    active[stopped] = AT_UPPER if change[stopped] > 0.0 else AT_LOWER
    x[stopped] = upper[stopped] if change[stopped] > 0.0 else lower[stopped]
    free[stopped] = 0.0
    return True


@compiled(inline=False)
def leave_bound(
    J: Floats,
    rest: Floats,
    damping: float,
    basis: Floats,
    lower: Floats,
    upper: Floats,
    slope: Floats,
    free: Floats,
    active: Floats,
    x: Floats,
) -> bool:
    """Free the joint at a bound that gains most by leaving it; whether there is one.

    What it would gain is Lagrange's multiplier of its bound: the gradient, without what lies along the rows
    of higher priorities.
    """
    transpose_times(J, rest, slope)
    least = NO_GAIN * (math.sqrt(squared_length(slope)) + damping * math.sqrt(squared_length(x)))
    add(-damping, x, slope)
    remove(basis, free, slope)
    best = -1
    for v in range(x.size):
        inward = -active[v] * slope[v]
        if inward > least and lower[v] < upper[v]:
            best, least = v, inward
    if best >= 0:
        free[best] = 1.0
        active[best] = FREE
    return best >= 0
