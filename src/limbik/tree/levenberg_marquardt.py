"""The solve of a tree: Levenberg-Marquardt from a start, and from random configurations after it.

Of several levels, each is solved for after those above it, which it keeps: the solve of the last one begins
where that of the others ended.
"""

from __future__ import annotations

import math

from limbik.chain.joints import PRISMATIC, SPHERICAL, admit, advance, set_spherical
from limbik.compiler.kernel import Floats, compiled, is_stopped
from limbik.numerics.ended import BAD_START, SETTLED, SOLVED, SPENT
from limbik.numerics.linear import (
    cholesky_solve,
    copy,
    dot,
    dual_matrix,
    fill,
    squared_length,
    transpose_times,
)
from limbik.numerics.random_numbers import uniform
from limbik.numerics.rotation import exponential, product
from limbik.numerics.start_check import INVALID
from limbik.numerics.start_check import MOVED as MOVED_INSIDE
from limbik.tree.kinematics import place_links, place_masses, place_screws
from limbik.tree.priorities import freeze, project, propose, propose_within, release
from limbik.tree.residuals import fill_jacobian, fill_residuals
from limbik.tree.workspace import Objectives, Tree, Workspace

# Settings, by place.
BUDGET = 0  # iterations in all
RESTARTS = 1
USE_LIMITS = 2
RANDOM = 3  # state of the random numbers
LENGTH = 4  # [m] size of the model: prismatic joints without limits begin within it

SETTINGS_SIZE = 5

# Answer, by place.
END = 0
ITERATIONS = 1
DESCENTS = 2
MOVED = 3  # 1: the start was not within its limits
ANSWER_SIZE = 4

DAMPING = 0.03  # per squared error, which counts as 1 at most
LEAST_DAMPING = 1e-12
HARDER, EASIER, HARDEST = 10.0, 0.2, 1e8  # what a step that fails, or gains, does to the damping
LONGEST_STEP = 1.0  # [rad] of any revolute joint
SHARES = (1.0, 0.3, 0.6)  # of the way to anywhere, for one new start after the other
SLOW = 0.9  # part of the squared error that a slow step leaves
MOST_SLOW = 4  # in a row, before another start is tried
SLOW_AT_LAST = 1.0 - 1e-9  # where no other start follows
MOST_AT_LAST = 500  # iterations to settle the best of all descents for good
MOST_BELOW = 200  # iterations in which a level gains while those above it are kept
RESTORATIONS = 4  # steps that bring the levels above back where a lower one has disturbed them
UNMET = 1e-10  # squared error of levels from which their curvature matters
DIFFERENCE = 1e-5  # [rad or lengths] of a finite difference
SLOW_BELOW = 1.0 - 1e-6  # part of the squared error that a slow step leaves there
SAME = 1e-6  # part of a level's squared error, which counts as 1 at most, that gains below it may add


@compiled
def solve(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    settings: Floats,
    q: Floats,
    task_errors: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> None:
    """Solve for tasks of one level from q [nq], which becomes the answer.

    Of several levels q answers all but the last, which is improved while the others are kept.

    task_errors [tasks]: how far each task is off there [m or rad]. trace_q, trace_error: what every iteration
    left, as far as there is room.
    """
    answer[ITERATIONS] = 0.0
    answer[DESCENTS] = 0.0
    admitted = admit(tree.movers, settings[USE_LIMITS] > 0.0, q)
    answer[MOVED] = 1.0 if admitted == MOVED_INSIDE else 0.0
    if admitted == INVALID:
        answer[END] = BAD_START
        return
    if objectives.level_rows.size > 2:
        improve(tree, objectives, workspace, settings, q, answer, trace_q, trace_error)
        end = SOLVED
    else:
        end = search(tree, objectives, workspace, settings, q, answer, trace_q, trace_error)
    evaluate(tree, objectives, workspace, q, 0)
    copy(workspace.task_errors[0], task_errors)
    if end == SOLVED and not is_met(objectives, task_errors, 0):
        end = SETTLED
    answer[END] = end


@compiled(inline=False)
def search(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    settings: Floats,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """Descend from q, and from random configurations after it; q becomes the best. Returns why it ended."""
    end = SETTLED
    least = math.inf
    copy(q, workspace.start)
    has_restarts = settings[RESTARTS] > 0.0
    at_last = min(MOST_AT_LAST, 0.5 * settings[BUDGET]) if has_restarts else 0.0
    budget = settings[BUDGET] - math.floor(at_last)
    while True:
        came_to = descend(
            tree, objectives, workspace, settings, budget, has_restarts, q, answer, trace_q, trace_error
        )
        answer[DESCENTS] += 1.0
        cost = workspace.costs[0, 0]
        if came_to == SOLVED or cost < least:
            end, least = came_to, cost
            copy(q, workspace.best)
        if end == SOLVED or came_to == SPENT or answer[DESCENTS] > settings[RESTARTS]:
            break
        share = SHARES[int(answer[DESCENTS]) % 3]
        begin_elsewhere(tree, settings, workspace.start, share, q)
    if end != SOLVED and has_restarts:
        copy(workspace.best, q)
        came_to = descend(
            tree, objectives, workspace, settings, settings[BUDGET], False, q, answer, trace_q, trace_error
        )
        answer[DESCENTS] += 1.0
        end = min(end, came_to)
    return end


@compiled(inline=False)
def descend(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    settings: Floats,
    budget: float,
    gives_up: bool,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """One descent from q, which is changed in place; returns why it ended. At the end `workspace` is that of
    q.

    gives_up: when progress is slow, because another start may do better.
    """
    use_limits = settings[USE_LIMITS] > 0.0
    patience = SLOW if gives_up else SLOW_AT_LAST
    factor = 1.0  # of the damping
    slow = 0
    least = math.inf
    evaluate(tree, objectives, workspace, q, 0)
    if answer[DESCENTS] == 0.0:
        record(answer, q, workspace, 1.0, trace_q, trace_error)
    sign = 1.0 if answer[DESCENTS] == 0.0 else -1.0
    is_new = True
    while True:
        if is_met(objectives, workspace.task_errors[0], 0):
            return SOLVED
        if answer[ITERATIONS] >= budget or is_stopped(objectives.watch, int(answer[ITERATIONS])):
            return SPENT
        if is_new:
            differentiate(tree, objectives, workspace)
        propose(tree, workspace, q, damping_of(workspace, 0, factor), use_limits, LONGEST_STEP)
        step_from(tree, workspace, q, 1.0, use_limits)
        evaluate(tree, objectives, workspace, workspace.trial, 1)
        answer[ITERATIONS] += 1.0
        # Where other starts follow, a step may also lead uphill: that is quicker, on the whole.
        is_new = gives_up or workspace.costs[1, 0] < workspace.costs[0, 0]
        if is_new:
            slow = 0 if workspace.costs[1, 0] < patience * least else slow + 1
            least = min(least, workspace.costs[1, 0])
            accept(workspace, q)
            factor = max(EASIER * factor, 1.0)
        else:
            factor *= HARDER
        record(answer, q, workspace, sign, trace_q, trace_error)
        sign = 1.0
        if slow > MOST_SLOW or factor > HARDEST:
            return SETTLED


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
    """Bring the last level as far as it comes from q, while those above it are kept.

    A step in the null space disturbs the levels above, because levers turn with it: they are restored before
    it is judged.
    """
    last = objectives.level_rows.size - 2
    first_row = int(objectives.level_rows[last])
    use_limits = settings[USE_LIMITS] > 0.0
    factor = 1.0
    slow = 0
    evaluate(tree, objectives, workspace, q, 0)
    kept = workspace.work[0, :first_row]  # the errors of the levels above
    copy(workspace.errors[0, :first_row], kept)
    budget = min(MOST_BELOW, settings[BUDGET])
    while answer[ITERATIONS] < budget and not is_met(objectives, workspace.task_errors[0], last):
        if is_stopped(objectives.watch, int(answer[ITERATIONS])):
            break
        differentiate(tree, objectives, workspace)
        hessian = workspace.history[: fill_hessian(tree, objectives, workspace, q, kept.size, last)]
        damping = damping_of(workspace, last, factor)
        errors = workspace.errors[0, first_row:]
        propose_within(tree, workspace, q, errors, first_row, hessian, damping, use_limits, LONGEST_STEP)
        step_from(tree, workspace, q, 1.0, use_limits)
        evaluate(tree, objectives, workspace, workspace.trial, 1)
        restore(tree, objectives, workspace, use_limits, kept, last)
        answer[ITERATIONS] += 1.0
        before, after = workspace.costs[0, last], workspace.costs[1, last]
        if after < before and are_kept(objectives, workspace, kept, last):
            slow = slow + 1 if after > SLOW_BELOW * before else 0
            accept(workspace, q)
            factor = EASIER * factor
        else:
            factor *= HARDER
            evaluate(tree, objectives, workspace, q, 0)
        record(answer, q, workspace, 1.0, trace_q, trace_error)
        if slow > MOST_SLOW or factor > HARDEST:
            break


@compiled(inline=False)
def restore(
    tree: Tree, objectives: Objectives, workspace: Workspace, use_limits: bool, kept: Floats, levels: int
) -> None:
    """Bring the trial back to where the errors of the first levels are as they were."""
    rows = kept.size
    disturbed = workspace.work[1, :rows]
    for _ in range(RESTORATIONS):
        if are_kept(objectives, workspace, kept, levels):
            break
        for row in range(rows):
            disturbed[row] = workspace.errors[1, row] - kept[row]
        differentiate(tree, objectives, workspace)
        none = workspace.history[:0]
        propose_within(
            tree, workspace, workspace.trial, disturbed, 0, none, LEAST_DAMPING, use_limits, LONGEST_STEP
        )
        step_from(tree, workspace, workspace.trial, 1.0, use_limits)
        evaluate(tree, objectives, workspace, workspace.trial, 1)


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
        place_screws(tree.links, workspace.frames, workspace.screws)
        fill_jacobian(
            tree.links,
            objectives.tasks,
            tree.units,
            workspace.screws,
            workspace.sums,
            workspace.total,
            workspace.wrenches,
            workspace.P,
        )
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
        for row in range(first):
            workspace.rest[row] = dot(P[row], workspace.dq)
        trace = dual_matrix(P, workspace.A)
        for row in range(first):
            workspace.A[row, row] += LEAST_DAMPING * (1.0 + trace)
        fill(0.0, multipliers)
        cholesky_solve(workspace.A, workspace.rest[:first], multipliers)
        for row in range(first):
            forces[row] -= multipliers[row]


@compiled
def are_kept(objectives: Objectives, workspace: Workspace, kept: Floats, levels: int) -> bool:
    """Whether the trial meets those of the first levels that are met, and is as near to the others."""
    for level in range(levels):
        if is_met(objectives, workspace.task_errors[1], level):
            continue
        first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
        before = squared_length(kept[first:last])
        is_as_before = workspace.costs[1, level] <= before + SAME * min(before, 1.0)
        if is_met(objectives, workspace.task_errors[0], level) or not is_as_before:
            return False
    return True


@compiled
def differentiate(tree: Tree, objectives: Objectives, workspace: Workspace) -> None:
    """The Jacobian where the tree was evaluated last."""
    place_screws(tree.links, workspace.frames, workspace.screws)
    fill_jacobian(
        tree.links,
        objectives.tasks,
        tree.units,
        workspace.screws,
        workspace.sums,
        workspace.total,
        workspace.wrenches,
        workspace.J,
    )


@compiled
def damping_of(workspace: Workspace, level: int, factor: float) -> float:
    """Sugihara's damping of a level, times a factor."""
    return factor * DAMPING * min(workspace.costs[0, level], 1.0) + LEAST_DAMPING


@compiled
def step_from(tree: Tree, workspace: Workspace, q: Floats, scale: float, use_limits: bool) -> None:
    """The trial: q [nq] after the step, times a scale."""
    for v in range(workspace.dx.size):
        workspace.dq[v] = tree.units[v] * workspace.dx[v]
    advance(tree.movers, q, workspace.dq, scale, use_limits, workspace.trial)


@compiled(inline=False)
def evaluate(tree: Tree, objectives: Objectives, workspace: Workspace, q: Floats, to: int) -> None:
    """Where everything is at q, and how far every task is from being met; into errors[to] and so on."""
    place_links(tree.links, q, workspace.frames)
    if tree.fixed_mass[3] >= 0.0:
        for k in range(4):
            workspace.total[k] = tree.fixed_mass[k]
        place_masses(tree.links, workspace.frames, workspace.sums)
        for j in range(tree.links.size):
            if tree.links[j].parent < 0:
                for k in range(4):
                    workspace.total[k] += workspace.sums[j, k]
    fill_residuals(tree.links, objectives.tasks, objectives.targets, q, workspace.frames, workspace.total,
    workspace.resolved, workspace.errors[to],
           workspace.wrenches, workspace.task_errors[to])  # fmt: skip
    for level in range(objectives.level_rows.size - 1):
        first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
        workspace.costs[to, level] = squared_length(workspace.errors[to, first:last])


@compiled
def is_met(objectives: Objectives, task_errors: Floats, level: int) -> bool:
    """Whether every task of a level is within its tolerance."""
    for k in range(int(objectives.level_tasks[level]), int(objectives.level_tasks[level + 1])):
        if not task_errors[k] <= objectives.tasks[k].met_within:
            return False
    return True


@compiled
def accept(workspace: Workspace, q: Floats) -> None:
    """The trial becomes q."""
    copy(workspace.trial, q)
    copy(workspace.errors[1], workspace.errors[0])
    copy(workspace.task_errors[1], workspace.task_errors[0])
    copy(workspace.costs[1], workspace.costs[0])


@compiled(inline=False)
def begin_elsewhere(tree: Tree, settings: Floats, start: Floats, share: float, q: Floats) -> None:
    """A random configuration within the limits, a share of the way from the start to anywhere; what is locked
    stays.
    """
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        i = mover.q
        if tree.units[mover.v] == 0.0:
            continue
        if mover.kind == SPHERICAL:
            turn = exponential(*random_turn(settings, share * math.pi))
            set_spherical(mover, product((start[i], start[i + 1], start[i + 2], start[i + 3]), turn),
                     settings[USE_LIMITS] > 0.0, q)  # fmt: skip
            continue
        half = settings[LENGTH] if mover.kind == PRISMATIC else math.pi
        lower, upper = mover.lower, mover.upper
        if lower == -math.inf:
            lower = start[i] - half
        if upper == math.inf:
            upper = start[i] + half
        q[i] = start[i] + share * (lower + (upper - lower) * uniform(settings, RANDOM) - start[i])


@compiled
def random_turn(settings: Floats, longest: float) -> tuple[float, float, float]:
    """A rotation vector [rad] in a random direction, by up to an angle."""
    x, y, z = normal(settings), normal(settings), normal(settings)
    scale = longest * uniform(settings, RANDOM) / math.sqrt(x * x + y * y + z * z + 1e-12)
    return scale * x, scale * y, scale * z


@compiled
def normal(settings: Floats) -> float:
    """About normally distributed: a sum of uniform numbers."""
    total = -3.0
    for _ in range(6):
        total += uniform(settings, RANDOM)
    return total


@compiled
def record(
    answer: Floats, q: Floats, workspace: Workspace, sign: float, trace_q: Floats, trace_error: Floats
) -> None:
    """Keep what an iteration left, where a trace was asked for; its error negative for the first of a
    restart."""
    row = int(answer[ITERATIONS])
    if row < trace_error.size:
        trace_error[row] = sign * math.sqrt(workspace.costs[0, 0])
        for i in range(q.size):
            trace_q[row, i] = q[i]
