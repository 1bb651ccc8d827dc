"""Solves goals of lower priorities while the levels above are held.

The step is taken in the null space of the levels above. That null space knows the first order only: where the
levels above are not met, their curvature counts too (Hessian of the Lagrangian; Nocedal & Wright 2006,
section 18.1).
"""

from __future__ import annotations

from limbik.compiler.kernel import NOW, Floats, compiled, is_stopped
from limbik.numerics.linear import (
    cholesky_solve,
    copy,
    dot,
    dual_matrix,
    fill,
    normal_matrix,
    squared_length,
    transpose_times,
)
from limbik.tree.curvature import fill_hessian as fill_curvature
from limbik.tree.evaluation import accept, differentiate, evaluate, is_met, record, step_from
from limbik.tree.priorities import (
    EASIER,
    HARDER,
    HARDEST,
    LONGEST_STEP,
    MAX_SLOW,
    MIN_DAMPING,
    damping_of,
    freeze,
    project,
    propose_within,
    release,
    shorten_rotations,
)
from limbik.tree.settings import BUDGET, ITERATIONS, USE_LIMITS
from limbik.tree.workspace import Objectives, Tree, Workspace

MAX_ITERATIONS = 200  # in which a level gains while those above it are held
RESTORATIONS = 4  # steps that bring the levels above back where a lower one has disturbed them
UNMET = 1e-10  # squared error of levels from which their curvature matters
DIFFERENCE = 1e-5  # [rad or lengths] of a finite difference
SLOW = 1.0 - 1e-6  # part of the squared error that a slow step leaves
SOFT = 1e-9  # part of the trace of a Hessian that makes directions without effect stiff
SAME = 1e-6  # part of a level's squared error, which counts as 1 at most, that gains below it may add


@compiled(inline=False)
def improve(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    settings: Floats,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> None:
    """Bring the last level as far as it comes from q, while those above it are held.

    A step in the null space disturbs the levels above, because levers turn with it: they are restored before
    it is judged.
    """
    last = objectives.level_rows.size - 2
    first_row = int(objectives.level_rows[last])
    use_limits = settings[USE_LIMITS] > 0.0
    factor = 1.0
    slow = 0
    evaluate(tree, objectives, workspace, q, 0)
    above = workspace.work[0, :first_row]  # the errors of the levels above
    copy(workspace.errors[0, :first_row], above)
    budget = min(MAX_ITERATIONS, settings[BUDGET])
    while answer[ITERATIONS] < budget and not is_met(objectives, workspace.task_errors[0], last):
        if is_stopped(objectives.watch, NOW):  # a step takes a millisecond on a humanoid
            break
        differentiate(tree, objectives, workspace, workspace.J)
        hessian = workspace.history[: fill_hessian(tree, objectives, workspace, q, above.size, last)]
        damping = damping_of(workspace, last, factor)
        errors = workspace.errors[0, first_row:]
        propose_within(tree, workspace, q, errors, first_row, hessian, damping, use_limits, LONGEST_STEP)
        step_from(tree, workspace, q, 1.0, use_limits)
        evaluate(tree, objectives, workspace, workspace.trial, 1)
        restore(tree, objectives, workspace, use_limits, above, last)
        answer[ITERATIONS] += 1.0
        before, after = workspace.costs[0, last], workspace.costs[1, last]
        if after < before and are_above_unchanged(objectives, workspace, above, last):
            slow = slow + 1 if after > SLOW * before else 0
            accept(workspace, q)
            factor = EASIER * factor
        else:
            factor *= HARDER
            evaluate(tree, objectives, workspace, q, 0)
        record(answer, q, workspace, 1.0, trace_q, trace_error)
        if slow > MAX_SLOW or factor > HARDEST:
            break


@compiled(inline=False)
def restore(
    tree: Tree, objectives: Objectives, workspace: Workspace, use_limits: bool, above: Floats, levels: int
) -> None:
    """Bring the trial back to where the errors of the first levels are as they were, or where those of one
    level that is not met are smallest.
    """
    rows = above.size
    disturbed = workspace.work[1, :rows]
    is_stretched = levels == 1 and squared_length(above) >= UNMET
    for _ in range(RESTORATIONS):
        if are_above_unchanged(objectives, workspace, above, levels):
            break
        if is_stretched and approach(tree, objectives, workspace, use_limits, rows):
            continue
        for row in range(rows):
            disturbed[row] = workspace.errors[1, row] - above[row]
        differentiate(tree, objectives, workspace, workspace.J)
        none = workspace.history[:0]
        propose_within(
            tree, workspace, workspace.trial, disturbed, 0, none, MIN_DAMPING, use_limits, LONGEST_STEP
        )
        step_from(tree, workspace, workspace.trial, 1.0, use_limits)
        evaluate(tree, objectives, workspace, workspace.trial, 1)


@compiled(inline=False)
def approach(tree: Tree, objectives: Objectives, workspace: Workspace, use_limits: bool, rows: int) -> bool:
    """Newton's step of the trial toward the smallest error of the first rows, which has no slope to first
    order where an arm is stretched; whether there is one.
    """
    nv = workspace.dx.size
    differentiate(tree, objectives, workspace, workspace.J)
    J, errors = workspace.J[:rows], workspace.errors[1, :rows]
    fill_curvature(tree, objectives, workspace, errors)
    release(tree.units, workspace.free)
    if use_limits:
        freeze(tree.movers, workspace.trial, J, errors, workspace.free)
    gradient, free = workspace.work[2, :nv], workspace.free
    transpose_times(J, errors, gradient)
    trace = 0.0
    for v in range(nv):
        trace += abs(workspace.hessian[v, v])
    for v in range(nv):
        gradient[v] *= free[v]
        for w in range(nv):
            workspace.basis[v, w] = free[v] * free[w] * workspace.hessian[v, w]
        workspace.basis[v, v] += SOFT * trace + 1.0 - free[v]
    if not cholesky_solve(workspace.basis, gradient, workspace.dx):
        return False
    shorten_rotations(tree.movers, workspace.dx, LONGEST_STEP)
    before = squared_length(errors)
    step_from(tree, workspace, workspace.trial, 1.0, use_limits)
    evaluate(tree, objectives, workspace, workspace.trial, 1)
    return squared_length(errors) < before


@compiled(inline=False)
def fill_hessian(
    tree: Tree, objectives: Objectives, workspace: Workspace, q: Floats, rows: int, levels: int
) -> int:
    """Fill rows of `workspace.history` with the Hessian of the Lagrangian of the first levels, which have so
    many rows, for the joints that no limit stops; how many joints these are. None where these levels are met.

    An arm stretched toward a point out of reach leaves directions in its null space in which the error grows,
    at second order: no row of the Jacobian tells of them.
    """
    if squared_length(workspace.errors[0, :rows]) < UNMET:
        return 0
    nv, size = workspace.dx.size, 0
    release(tree.units, workspace.free)
    freeze(tree.movers, q, workspace.J[:rows], workspace.errors[0, :rows], workspace.free)
    forces = workspace.work[1, :rows]
    fill_forces(objectives, workspace, levels, forces)
    for v in range(nv):
        if size == workspace.history.shape[0] or workspace.free[v] == 0.0:
            continue
        fill(0.0, workspace.dx)
        workspace.dx[v] = DIFFERENCE
        step_from(tree, workspace, q, 1.0, False)
        evaluate(tree, objectives, workspace, workspace.trial, 1)
        differentiate(tree, objectives, workspace, workspace.P)
        change = workspace.history[size]
        fill(0.0, change)
        for row in range(rows):
            there = forces[row] + workspace.errors[1, row] - workspace.errors[0, row]
            for w in range(nv):
                change[w] += (forces[row] * workspace.J[row, w] - there * workspace.P[row, w]) / DIFFERENCE
        size += 1
    return size


@compiled(inline=False)
def fill_forces(objectives: Objectives, workspace: Workspace, levels: int, forces: Floats) -> None:
    """With what force the error of each row pulls at the joints; less the multiplier with which it holds
    against the errors of the levels below it (Lagrange).
    """
    copy(workspace.errors[0], forces)
    for level in range(1, levels):
        first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
        P, multipliers = workspace.P[:first], workspace.y[:first]
        project(workspace.J[:first], workspace.free, workspace.basis[:0], P)
        transpose_times(workspace.J[first:last], workspace.errors[0, first:last], workspace.dq)
        nv = workspace.dq.size
        if first > nv:  # of many goals P (P^T P)^-1, which is the same and smaller
            solved = workspace.work[2, :nv]
            trace = normal_matrix(P, workspace.A)
            for v in range(nv):
                workspace.A[v, v] += MIN_DAMPING * (1.0 + trace)
            fill(0.0, solved)
            cholesky_solve(workspace.A, workspace.dq, solved)
            for row in range(first):
                multipliers[row] = dot(P[row], solved)
        else:
            for row in range(first):
                workspace.rest[row] = dot(P[row], workspace.dq)
            trace = dual_matrix(P, workspace.A)
            for row in range(first):
                workspace.A[row, row] += MIN_DAMPING * (1.0 + trace)
            fill(0.0, multipliers)
            cholesky_solve(workspace.A, workspace.rest[:first], multipliers)
        for row in range(first):
            forces[row] -= multipliers[row]


@compiled
def are_above_unchanged(objectives: Objectives, workspace: Workspace, above: Floats, levels: int) -> bool:
    """Whether the trial meets those of the first levels that are met, and is as near to the others."""
    for level in range(levels):
        if is_met(objectives, workspace.task_errors[1], level):
            continue
        first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
        before = squared_length(above[first:last])
        is_as_before = workspace.costs[1, level] <= before + SAME * min(before, 1.0)
        if is_met(objectives, workspace.task_errors[0], level) or not is_as_before:
            return False
    return True
