"""One step toward goals of one priority, in the null space of those above it and within joint limits.

A level takes a damped least-squares step (Sugihara 2011) in the null space of the levels above it (Nakamura
et al. 1987; Siciliano & Slotine 1991). Which joints stay at their limits is decided together with that step,
by an active set (Kanoun et al. 2011; Escande et al. 2014).
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.linear import add, copy, damped_solve, dot, fill, squared_length, transpose_times
from limbik.tree.ball_limits import FREEDOM_OF_BALL, hold_stuck_rotations
from limbik.tree.joints import PRISMATIC, SPHERICAL
from limbik.tree.workspace import Tree, Workspace

DAMPING = 0.03  # per squared error, which counts as 1 at most
MIN_DAMPING = 1e-12
HARDER, EASIER, HARDEST = 10.0, 0.2, 1e8  # what a step that fails, or gains, does to the damping
LONGEST_STEP = 1.0  # [rad] of any revolute joint
MAX_SLOW = 4  # steps in a row, before a descent ends
ROUNDS = 5  # of the active set in one step
NO_GAIN = 1e-9  # part of the gradient under which what is left of it is rounding
DEPENDENT = 1e-8  # part of a row's length under which what is left of it is rounding
NOISE = 1e-13  # length of a row, or part of the longest one, that is rounding itself
JITTER = 1e-14  # of the trace: only enough to factorise
FLAT = 1e-3  # part of the largest curvature that does not count


@compiled(inline=False)
def propose(
    tree: Tree, workspace: Workspace, q: Floats, damping: float, use_limits: bool, longest: float
) -> bool:
    """The step `workspace.dx` [nv] from q on the path to a level that is the only one, each velocity in its
    unit.

    By the Jacobian and the errors in the workspace. Joints that push against a limit are left out. None turns
    by more than `longest` [rad]. Returns whether the Jacobian has lost rotations to the limits of balls.
    """
    release(tree.units, workspace.free)
    if use_limits:
        freeze(tree.movers, q, workspace.J, workspace.errors[0], workspace.free)
    errors, is_held = workspace.errors[0], False
    for _ in range(FREEDOM_OF_BALL):
        project(workspace.J, workspace.free, workspace.basis[:0], workspace.P)
        damped_solve(workspace.P, errors, damping, JITTER, workspace.A, workspace.y, workspace.dx)
        shorten_rotations(tree.movers, workspace.dx, longest)
        if not (use_limits and hold_stuck_rotations(tree, workspace, q)):
            return is_held
        is_held = True
    return is_held


@compiled(inline=False)
def propose_within(
    tree: Tree,
    workspace: Workspace,
    q: Floats,
    errors: Floats,
    first: int,
    hessian: Floats,
    damping: float,
    use_limits: bool,
    longest: float,
) -> None:
    """The step `workspace.dx` [nv] from q that closes the errors of the rows of J from `first` on, in the
    null space of those before them and of the rows of a Hessian [any number, nv or more].

    errors [rows from `first` on]. Joints that come to a limit stay there, unless they gain by leaving it.
    """
    rows = slice(first, first + errors.size)
    J, P, rest, particular = (
        workspace.J[rows],
        workspace.P[rows],
        workspace.rest[rows],
        workspace.work[2, : workspace.dx.size],
    )
    release(tree.units, workspace.free)
    fill(0.0, workspace.dx)
    for _ in range(ROUNDS):
        size = span(workspace.J[:first], workspace.free, 0.0, workspace.basis, 0)
        size = span(hessian, workspace.free, FLAT, workspace.basis, size)
        basis = workspace.basis[:size]
        project(J, workspace.free, basis, P)
        split(workspace.free, basis, workspace.dx, particular)
        leave(J, errors, particular, rest)
        damped_solve(P, rest, damping, JITTER, workspace.A, workspace.y, workspace.dq)
        for v in range(workspace.dx.size):
            workspace.dq[v] += particular[v] - workspace.dx[v]
        if use_limits and step_to_limit(tree, q, workspace.dq, workspace.dx, workspace.free):
            continue
        add(1.0, workspace.dq, workspace.dx)
        leave(J, errors, workspace.dx, rest)
        if not (
            use_limits and release_one(tree, q, J, rest, basis, workspace.dq, workspace.dx, workspace.free)
        ):
            break
    shorten_rotations(tree.movers, workspace.dx, longest)


@compiled(inline=False)
def split(free: Floats, basis: Floats, dx: Floats, particular: Floats) -> None:
    """What of a step stays as it is: the other joints, and the free ones along the basis."""
    for v in range(free.size):
        particular[v] = free[v] * dx[v]
    remove(basis, free, particular)
    for v in range(free.size):
        particular[v] = dx[v] - free[v] * particular[v]


@compiled
def fraction_within(mover: Records, unit: float, q: Floats, dx: float, change: float) -> float:
    """Which part of a change to its step a joint can make within its limits; 1 or more: all of it."""
    if mover.kind == SPHERICAL or change == 0.0:
        return math.inf
    bound = mover.upper if change > 0.0 else mover.lower
    return max(((bound - q[mover.q]) / unit - dx) / change, 0.0)


@compiled(inline=False)
def step_to_limit(tree: Tree, q: Floats, change: Floats, dx: Floats, free: Floats) -> bool:
    """Whether a change to the step would lead through a limit; then it is made up to there, and the joint
    held.
    """
    fraction = 1.0
    for j in range(tree.movers.size - 1):
        v = tree.movers[j].v
        if free[v] > 0.0:
            fraction = min(fraction, fraction_within(tree.movers[j], tree.units[v], q, dx[v], change[v]))
    if fraction >= 1.0:
        return False
    for j in range(tree.movers.size - 1):
        v = tree.movers[j].v
        if free[v] > 0.0 and fraction_within(tree.movers[j], tree.units[v], q, dx[v], change[v]) <= fraction:
            free[v] = 0.0
    add(fraction, change, dx)
    return True


@compiled(inline=False)
def release_one(
    tree: Tree, q: Floats, J: Floats, rest: Floats, basis: Floats, slope: Floats, dx: Floats, free: Floats
) -> bool:
    """Free the joint at a limit with the largest gain from leaving it; whether there is one.

    What it would gain is the gradient without what lies along the basis: Lagrange's multiplier of its limit.
    """
    transpose_times(J, rest, slope)
    threshold = NO_GAIN * math.sqrt(squared_length(slope))
    remove(basis, free, slope)
    best = -1
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        v = mover.v
        if mover.kind == SPHERICAL or free[v] > 0.0 or tree.units[v] == 0.0:
            continue
        at = q[mover.q] + tree.units[v] * dx[v]
        inward = slope[v] if at - mover.lower < mover.upper - at else -slope[v]
        if inward > threshold:
            best, threshold = v, inward
    if best >= 0:
        free[best] = 1.0
    return best >= 0


@compiled
def release(units: Floats, free: Floats) -> None:
    """Every velocity is free that is not locked."""
    for v in range(free.size):
        free[v] = 1.0 if units[v] > 0.0 else 0.0


@compiled(inline=False)
def shorten_rotations(movers: Records, dx: Floats, longest: float) -> None:
    """Scale the rotations of a step so that none is above `longest` [rad]; a step that is not finite becomes
    zero.

    Prismatic joints may go in any direction at once: where they lead does not depend on where they are.
    """
    largest = total = 0.0
    for j in range(movers.size - 1):
        mover = movers[j]
        for v in range(mover.v, mover.v + (3 if mover.kind == SPHERICAL else 1)):
            total += abs(dx[v])
            if mover.kind != PRISMATIC:
                largest = max(largest, abs(dx[v]))
    if not total <= 1e300:
        fill(0.0, dx)
    if not largest > longest:
        return
    for j in range(movers.size - 1):
        mover = movers[j]
        if mover.kind != PRISMATIC:
            for v in range(mover.v, mover.v + (3 if mover.kind == SPHERICAL else 1)):
                dx[v] *= longest / largest


@compiled(inline=False)
def freeze(movers: Records, q: Floats, J: Floats, errors: Floats, free: Floats) -> None:
    """Hold the joints at a limit that the descent would push through it."""
    for j in range(movers.size - 1):
        mover = movers[j]
        at_upper, at_lower = q[mover.q] >= mover.upper, q[mover.q] <= mover.lower
        if mover.kind == SPHERICAL or not (at_upper or at_lower):
            continue
        slope = 0.0
        for row in range(J.shape[0]):
            slope += J[row, mover.v] * errors[row]
        if (at_upper and slope > 0.0) or (at_lower and slope < 0.0):
            free[mover.v] = 0.0


@compiled(inline=False)
def project(J: Floats, free: Floats, basis: Floats, P: Floats) -> None:
    """P = J on the free joints, without what lies along the rows of the basis."""
    for row in range(J.shape[0]):
        copy(J[row], P[row])
        remove(basis, free, P[row])
        for v in range(free.size):
            P[row, v] *= free[v]


@compiled(inline=False)
def remove(basis: Floats, free: Floats, row: Floats) -> None:
    """Take from a row what lies along the rows of the basis, which are orthonormal on the free joints."""
    for b in range(basis.shape[0]):
        along = 0.0
        for v in range(free.size):
            along += free[v] * row[v] * basis[b, v]
        add(-along, basis[b], row)


@compiled(inline=False)
def leave(J: Floats, errors: Floats, dx: Floats, rest: Floats) -> None:
    """rest = what a step leaves of the errors: e - J dx."""
    for row in range(errors.size):
        rest[row] = errors[row] - dot(J[row], dx)


@compiled(inline=False)
def span(rows: Floats, free: Floats, threshold: float, basis: Floats, size: int) -> int:
    """Add what some rows span to the first `size` rows of the basis, which are orthonormal on the free
    joints; how many these are then.

    By Gram and Schmidt, done twice, which is enough. threshold: part of the longest row; above
    it, what is left of a row counts.
    """
    longest = 0.0
    for row in range(rows.shape[0]):
        longest = max(longest, length_on(free, rows[row]))
    for row in range(rows.shape[0]):
        if size == basis.shape[0]:
            break
        copy(rows[row], basis[size])
        for _ in range(2):
            remove(basis[:size], free, basis[size])
        length = length_on(free, basis[size])
        shortest = max(DEPENDENT * length_on(free, rows[row]), threshold * longest, NOISE * max(longest, 1.0))
        if length > shortest:
            for v in range(free.size):
                basis[size, v] /= length
            size += 1
    return size


@compiled
def length_on(free: Floats, row: Floats) -> float:
    """The length of a row on the free joints."""
    total = 0.0
    for v in range(free.size):
        total += free[v] * row[v] * row[v]
    return math.sqrt(total)


@compiled
def damping_of(workspace: Workspace, level: int, factor: float) -> float:
    """Sugihara's damping of a level, times a factor."""
    return factor * DAMPING * min(workspace.costs[0, level], 1.0) + MIN_DAMPING
