"""Second-order model of a level of goals that a tracker cannot meet.

The Hessian of its Lagrangian (Nocedal & Wright 2006, section 18.1) has the second derivatives of its own
rows, times the errors that no step takes off, and those of the rows above, times the multipliers with which
they hold against it. Gauss and Newton leave that out, and steps without it overshoot, for ever.

An arm stretched toward a point out of reach leaves directions in the null space of its Jacobian in which the
error grows, at second order. Lower levels keep from them by that same curvature (Pfeiffer, Escande & Kheddar
2018), which they have as a penalty: no rank has to be decided, which would come and go.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled, empty
from limbik.goals.task import AIM, AXIS
from limbik.motion.active_set import FREE, BoundedScratch
from limbik.motion.dense import damped_minimum, fill_null_space, gather, project, reduce
from limbik.motion.limits import position_margins
from limbik.motion.state import FIRST_FACTOR, LOWER_FACTOR, TrackerState
from limbik.motion.tolerances import squared_excess
from limbik.numerics.linear import (
    add,
    cholesky_solve,
    copy,
    dot,
    dual_matrix,
    fill,
    orthogonalise_rows,
    squared_length,
    transpose_times,
)
from limbik.tree.curvature import fill_hessian
from limbik.tree.joints import SPHERICAL
from limbik.tree.workspace import Objectives, Tree, Workspace

UNMET = 1e-5  # [lengths or half radians] that no step takes off, from which on a level has a model of its own
FIRST_LEFT, LOWER_LEFT = 0.03, 0.5  # damping per residual for what a step of a level leaves
SINGULAR = 0.01  # per residual: squared length of a row under which it is no first-order constraint
SHIFT = 1e-3  # per residual, of the Hessian
GROWTH = 8.0  # of a shift that was not enough
SHIFTS = 4
STRICTNESS = 1e6  # weight of the curvature of upper levels in lower ones
MULTIPLIER = 1e-9  # damping of multipliers, of their trace
AT_LIMIT = 1e-6  # [rad or lengths]


@compiled
def find_movable(
    tree: Tree, motion: TrackerState, scratch: BoundedScratch, active: Floats, free: Floats
) -> int:
    """Mark the joints that neither a limit of position nor a level above holds [nv]; how many there are, at
    `scratch.columns`.
    """
    count = 0
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        for v in range(mover.v, mover.v + (3 if mover.kind == SPHERICAL else 1)):
            below, above = position_margins(tree, motion, j, v)
            margin = above if active[v] > FREE else below
            is_held = motion.held[v] > 0.0 or (active[v] != FREE and margin <= AT_LIMIT)
            free[v] = 0.0 if is_held or tree.units[v] == 0.0 else 1.0
    for v in range(free.size):
        if free[v] > 0.0:
            scratch.columns[count] = v
            count += 1
    return count


@compiled(inline=False)
def fill_model(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    errors: Floats,
    active: Floats,
    level: int,
    damping: float,
    is_curved: bool,
) -> bool:
    """Fill `workspace.hessian` and `scratch.gradient` with the model of a level that cannot be met, or has
    levels above it that cannot (`motion.curvature`); whether it is the former.

    Then the model is Newton's, and its curvature goes to `workspace.basis`; else, and where that has no
    minimum, it is that of Gauss and Newton. What the levels above have moved is not damped again.
    """
    first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
    J, H, nv = workspace.J[first:last], workspace.hessian, workspace.dx.size
    length = math.sqrt(squared_excess(motion, errors, first, last))
    is_newton, count, n = False, 0, 0
    if length >= UNMET:
        n = count = find_movable(tree, motion, scratch, active, workspace.free)
        if first > 0:
            n -= fill_null_space(scratch, workspace.J[:first], count)
        is_newton = is_unmet(objectives, workspace, scratch, errors, level, n, count)
    if not (is_newton or is_curved):
        return False
    transpose_times(J, motion.wanted[first:last], scratch.gradient)
    if is_curved:
        for v in range(nv):
            scratch.gradient[v] += STRICTNESS * dot(motion.curvature[v], motion.upper_dx)
    shift = 0.0
    if is_newton:
        fill_newton(tree, objectives, workspace, scratch, errors, level)
        add_curvature(motion, is_curved, H)
        if level + 2 < objectives.level_rows.size:
            transpose_times(J, errors[first:last], scratch.slope)
            for v in range(nv):
                scratch.slope[v] /= length
            fill_positive_part(scratch, H, n, count, workspace.basis)
        factor = motion.settings[FIRST_FACTOR if level == 0 else LOWER_FACTOR]
        shift = convexify(scratch, H, n, count, SHIFT * factor * length)
    if shift == 0.0:
        fill_gauss_newton(J, damping, H)
        add_curvature(motion, is_curved, H)
        shift = damping
    if level > 0:
        add(shift, motion.upper_dx, scratch.gradient)
    return is_newton


@compiled(inline=False)
def fill_bounded_model(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    level: int,
    factor: float,
    damping: float,
) -> None:
    """Fill `workspace.hessian` and `scratch.gradient` with the model of a level of which the bounds of a step
    leave `scratch.rest`.

    It is that of Gauss and Newton, with each joint damped by at least `factor` times half of the sum of its
    row of second derivatives (Gershgorin): with less, joints that the rest pulls alike go to and fro.
    """
    first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
    forces, H, J = workspace.work[0, :last], workspace.hessian, workspace.J[:last]
    fill(0.0, forces[:first])
    copy(scratch.rest[: last - first], forces[first:])
    fill_hessian(tree, objectives, workspace, forces)
    for v in range(H.shape[0]):
        scratch.slope[v] = 0.0
        for w in range(H.shape[0]):
            second = H[v, w]
            for row in range(last):
                second -= J[row, v] * J[row, w]
            scratch.slope[v] += abs(second)
    fill_gauss_newton(J[first:], 0.0, H)
    for v in range(H.shape[0]):
        H[v, v] += max(damping, 0.5 * factor * scratch.slope[v])
    transpose_times(J[first:], motion.wanted[first:last], scratch.gradient)


@compiled(inline=False)
def is_unmet(
    objectives: Objectives,
    workspace: Workspace,
    scratch: BoundedScratch,
    errors: Floats,
    level: int,
    n: int,
    count: int,
) -> bool:
    """Whether no step along the n rows of Z takes off the errors of a level, at first order; what is left of
    them goes to its rows of `workspace.work[0]`.

    The error of a direction counts whole: its Hessian is exact however large it is, and its Jacobian is not.
    """
    first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
    e, left = errors[first:last], workspace.work[0, first:last]
    K = scratch.K[: e.size]
    gather(workspace.J[first:last], scratch.columns[:count], K)
    if first > 0:
        D = scratch.D[: e.size]
        project(K, scratch.Z[:n], count, D)
        K = D
    damping = (FIRST_LEFT if level == 0 else LOWER_LEFT) * math.sqrt(squared_length(e))
    damped_minimum(scratch, K, e, damping, n)
    trust = 1.0 / (1.0 + squared_length(scratch.z[:n]))  # a long step says little of where it would end
    for row in range(e.size):
        left[row] = trust * (e[row] - dot(K[row, :n], scratch.z[:n]))
    if squared_length(left) < UNMET * UNMET:
        return False
    for k in range(int(objectives.level_tasks[level]), int(objectives.level_tasks[level + 1])):
        task = objectives.tasks[k]
        if task.kind == AXIS or task.kind == AIM:
            for row in range(task.row, task.row + 2):
                left[row - first] = errors[row]
    return True


@compiled
def add_curvature(motion: TrackerState, is_curved: bool, H: Floats) -> None:
    """Add that of the levels above, if there is some."""
    if is_curved:
        for v in range(H.shape[0]):
            add(STRICTNESS, motion.curvature[v], H[v])


@compiled(inline=False)
def fill_gauss_newton(J: Floats, damping: float, H: Floats) -> None:
    """H = J^T J + damping I."""
    for v in range(H.shape[0]):
        fill(0.0, H[v])
        H[v, v] = damping
    for row in range(J.shape[0]):
        for v in range(H.shape[0]):
            if J[row, v] != 0.0:
                add(J[row, v], J[row], H[v])


@compiled(inline=False)
def fill_newton(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    scratch: BoundedScratch,
    errors: Floats,
    level: int,
) -> None:
    """`workspace.hessian`: that of the Lagrangian of a level, after `is_unmet`."""
    first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
    forces = workspace.work[0, :last]
    if first > 0:
        multipliers, P = forces[:first], workspace.P[:first]
        transpose_times(workspace.J[first:last], forces[first:], scratch.slope)
        for row in range(first):
            for v in range(scratch.slope.size):
                P[row, v] = workspace.free[v] * workspace.J[row, v]
            workspace.rest[row] = -dot(P[row], scratch.slope)
        damping = SINGULAR * math.sqrt(squared_length(errors[:first]))
        damping += MULTIPLIER * (1.0 + dual_matrix(P, workspace.A))
        for row in range(first):
            workspace.A[row, row] += damping
        fill(0.0, multipliers)
        cholesky_solve(workspace.A, workspace.rest[:first], multipliers)
    fill_hessian(tree, objectives, workspace, forces)


@compiled(inline=False)
def fill_positive_part(scratch: BoundedScratch, H: Floats, n: int, count: int, to: Floats) -> None:
    """The positive part [nv, nv] of a Hessian on the free joints, along the n rows of Z: (A + |A|) / 2, where
    |A| = U S U^T by the singular values of A; and s s^T for `scratch.slope` s, so that a level on its way
    over a ridge keeps its own gain.
    """
    A, W, U, s = empty(n, n), empty(n, n), empty(n, n), empty(n)
    reduce(scratch, H, count, A)
    orthogonalise_rows(A, W, U)
    for k in range(n):
        size = math.sqrt(squared_length(W[k]))
        for a in range(n):
            for b in range(n):
                A[a, b] += size * U[a, k] * U[b, k]
    for a in range(n):
        s[a] = 0.0
        for k in range(count):
            s[a] += (scratch.Z[a, k] if n < count else 1.0 if a == k else 0.0) * scratch.slope[
                int(scratch.columns[k])
            ]
    for a in range(n):
        for b in range(n):
            A[a, b] += 2.0 * s[a] * s[b]
    for v in range(to.shape[0]):
        fill(0.0, to[v])
    along = empty(n, count)
    for a in range(n):
        for k in range(count):
            along[a, k] = 0.0
            for b in range(n):
                along[a, k] += 0.5 * A[a, b] * (scratch.Z[b, k] if n < count else 1.0 if b == k else 0.0)
    for i in range(count):
        for a in range(n):
            along_i = scratch.Z[a, i] if n < count else 1.0 if a == i else 0.0
            for k in range(count):
                to[int(scratch.columns[i]), int(scratch.columns[k])] += along_i * along[a, k]


@compiled(inline=False)
def convexify(scratch: BoundedScratch, H: Floats, n: int, count: int, shift: float) -> float:
    """Add a little to the diagonal of a model, until it has a minimum along the n rows of Z; how much it was,
    0 where a little is not enough.
    """
    A, total = empty(n, n), 0.0
    for _ in range(SHIFTS):
        for v in range(H.shape[0]):
            H[v, v] += shift
        total += shift
        reduce(scratch, H, count, A)
        if cholesky_solve(A, scratch.right[:n], scratch.z[:n]):
            return total
        shift *= GROWTH
    return 0.0
