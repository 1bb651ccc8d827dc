"""Kernel of the classical methods on any tree: iterations, restarts, several goals.

A method is bound into it as one kernel, which makes one iteration and changes q [nq] in place, within limits:

    improve(tree, objectives, workspace, roles, settings, q) -> None

When it is called, the workspace holds what `tree.evaluation.evaluate` saw at q: frames, errors[0],
wrenches, task_errors[0], costs[0]. It may leave anything in the workspace except in `nearest`, `before`,
`rest_q`, `best` and `start`, which are the loop's. The error may rise for a while: the loop keeps the best
configuration, and that is what it answers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from limbik.compiler.kernel import Floats, Matrix, compiled, is_stopped, to_be_bound
from limbik.goals.task import MASS
from limbik.numerics import dead_points, extrapolation
from limbik.numerics.end_codes import SETTLED, SOLVED, SPENT
from limbik.numerics.linear import copy, fill
from limbik.tree.evaluation import (
    CLOSE_TO_BOUND,
    begin,
    count_for_watch,
    differentiate,
    evaluate,
    finish,
    is_as_near_as_can_be,
    is_met,
    is_out_of_reach,
    record,
)
from limbik.tree.joints import SPHERICAL, advance, blend
from limbik.tree.restarts import FRACTIONS, MAX_AT_LAST, begin_elsewhere
from limbik.tree.settings import BUDGET, DESCENTS, ITERATIONS, LENGTH, RANDOM, RESTARTS, USE_LIMITS
from limbik.tree.workspace import Objectives, Tree, Workspace

__all__ = [
    "ANNEAL",
    "AS_IT_IS",
    "DAMPING",
    "GAIN",
    "IS_EVALUATED",
    "LENGTH",
    "LONGEST_ERROR",
    "MANIPULABILITY",
    "MEMORY",
    "METHOD",
    "RANDOM",
    "REST_BIAS",
    "SETTINGS_SIZE",
    "USE_LIMITS",
    "improve",
    "solve",
]  # fmt: skip

# Settings, by index, after those of every solve (`tree.settings`).
METHOD = 5  # which of several methods in one kernel
DAMPING = 6  # the method's: factor on every step
GAIN = 7  # the method's
LONGEST_ERROR = 8  # the method's; errors count in lengths of the model
ANNEAL = (
    9  # the method's: size of the first random offset, as a fraction of the change to a random q; 0 for none
)
AS_IT_IS = 10  # 1: the method alone, without bends and extrapolation by the loop
MEMORY = 11  # what a method keeps from one iteration to the next: 0 where a descent begins
IS_EVALUATED = 12  # a method sets it to 1 where it leaves the workspace as an evaluation at the new q would
REST_BIAS = 13  # fraction of the change to `workspace.rest_q` that the first iteration begins with
MANIPULABILITY = 14  # the method's: below it the gain fades in; 0: it is constant
SETTINGS_SIZE = 15

PATIENCE = 0.01  # part of the squared error that a window has to gain, where a new start may do better
PATIENCE_AT_LAST = 1e-6  # and where none follows
STRICT_PATIENCE = 1e-8  # and where a goal is proved out of reach, to settle for good
WINDOW = 24  # iterations over which progress is judged
REST_FADING = 0.9  # per iteration: the pull toward the rest pose fades, so that the goals win in the end
REST_FADED = 1e-5
COOLING = 0.95  # of the size of random offsets, from one to the next
AT_BOUND = 1e-9  # of the model's length: as near as a goal out of reach allows
STILL = 1e-12  # part of the squared error under which an iteration has changed nothing

improve = to_be_bound()


@compiled
def merit(objectives: Objectives, workspace: Workspace, at: int) -> float:
    """What the loop wants small: of q (at = 0) or of the trial (1). A method may bind another measure."""
    return workspace.costs[at, 0]


@compiled
def solve(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    roles: Floats,
    settings: Floats,
    q: Floats,
    task_errors: Floats,
    answer: Floats,
    trace_q: Matrix,
    trace_error: Floats,
) -> None:
    """Solve for all tasks from q [nq], which becomes the answer, never worse than the start within limits.

    roles [links]: which joints serve directions, for methods that care. task_errors [tasks]: how far each
    task is off at the answer [m or rad]. trace_q, trace_error: what every iteration left, as far as there is
    room.
    """
    if not begin(tree, settings, q, answer):
        return
    copy(q, workspace.start)
    copy(q, workspace.best)
    has_restarts = settings[RESTARTS] > 0.0
    at_last = min(MAX_AT_LAST, 0.5 * settings[BUDGET]) if has_restarts else 0.0
    budget = settings[BUDGET] - math.floor(at_last)
    patience = PATIENCE if has_restarts else PATIENCE_AT_LAST
    if is_out_of_reach(objectives):
        patience = STRICT_PATIENCE
    is_nearest = False
    amplitude = settings[ANNEAL]
    end = SETTLED
    evaluate(tree, objectives, workspace, q, 0)
    min_cost = merit(objectives, workspace, 0)
    while True:
        is_restart = answer[DESCENTS] > 0.0
        came_to = descend(
            tree,
            objectives,
            workspace,
            roles,
            settings,
            budget,
            patience,
            is_restart,
            q,
            answer,
            trace_q,
            trace_error,
        )
        answer[DESCENTS] += 1.0
        is_better = came_to == SOLVED or merit(objectives, workspace, 0) < min_cost
        if is_better or answer[DESCENTS] == 1.0:
            end = came_to
        if is_better:
            min_cost = merit(objectives, workspace, 0)
            copy(q, workspace.best)
        slack = CLOSE_TO_BOUND * settings[LENGTH]
        is_nearest |= is_as_near_as_can_be(objectives, workspace.task_errors[0], slack)
        is_spent = came_to == SPENT or answer[ITERATIONS] >= budget
        if end == SOLVED or is_spent or is_nearest or answer[DESCENTS] > settings[RESTARTS]:
            break
        if settings[ANNEAL] > 0.0:
            begin_elsewhere(tree, settings, workspace.best, amplitude, q)
            amplitude *= COOLING
        else:
            fraction = FRACTIONS[int(answer[DESCENTS]) % 3]
            begin_elsewhere(tree, settings, workspace.start, fraction, q)
        keep_what_is_met(tree, objectives, workspace, q)
        evaluate(tree, objectives, workspace, q, 0)
    copy(workspace.best, q)
    if end != SOLVED and has_restarts and not is_nearest:
        evaluate(tree, objectives, workspace, q, 0)
        budget, patience = settings[BUDGET], PATIENCE_AT_LAST
        settings[REST_BIAS] = 0.0
        end = descend(
            tree,
            objectives,
            workspace,
            roles,
            settings,
            budget,
            patience,
            False,
            q,
            answer,
            trace_q,
            trace_error,
        )
    finish(tree, objectives, workspace, q, end, task_errors, answer)


@compiled(inline=False)
def keep_what_is_met(tree: Tree, objectives: Objectives, workspace: Workspace, q: Floats) -> None:
    """Give the joints that serve no goal but those met at `workspace.best` their numbers there.

    Limbs without a common joint are problems of their own, each of which is solved only once.
    """
    evaluate(tree, objectives, workspace, workspace.best, 0)
    fill(0.0, workspace.dx)  # 1: for a goal that is not met
    for k in range(objectives.tasks.size):
        task = objectives.tasks[k]
        if workspace.task_errors[0, k] <= task.met_within:
            continue
        if task.kind == MASS:
            return
        for end in range(2):
            j = task.link if end == 0 else task.reference
            while j >= 0:
                workspace.dx[tree.links[j].v] = 1.0
                j = tree.links[j].parent
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if workspace.dx[mover.v] == 0.0:
            for i in range(mover.q, mover.q + (4 if mover.kind == SPHERICAL else 1)):
                q[i] = workspace.best[i]


@compiled(inline=False)
def descend(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    roles: Floats,
    settings: Floats,
    budget: float,
    patience: float,
    is_restart: bool,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """One descent from q, which becomes the best configuration on its path; returns why it ended.

    To gain less than the part `patience` of the squared error in a window is a stall. The workspace is that
    of q, before and after. is_restart: whether the trace marks where it begins.
    """
    settings[MEMORY] = 0.0
    min_cost = at_window = merit(objectives, workspace, 0)
    copy(q, workspace.nearest)
    copy(q, workspace.before)
    sign = -1.0 if is_restart else 1.0
    if answer[DESCENTS] == 0.0:
        record(answer, q, workspace, 1.0, trace_q, trace_error)
    bias = settings[REST_BIAS]
    in_window = 0
    came_to = SETTLED
    while True:
        if is_met(objectives, workspace.task_errors[0], 0):
            return SOLVED
        if answer[ITERATIONS] >= budget or is_stopped(
            objectives.watch, count_for_watch(workspace, answer[ITERATIONS])
        ):
            came_to = SPENT
            break
        is_at_rest_bias = bias > REST_FADED
        if is_at_rest_bias:
            blend_to_rest(tree, settings, bias, workspace, q)
            evaluate(tree, objectives, workspace, q, 0)
            bias *= REST_FADING
            min_cost = at_window = math.inf
        then = merit(objectives, workspace, 0)
        settings[IS_EVALUATED] = 0.0
        improve(tree, objectives, workspace, roles, settings, q)
        if settings[IS_EVALUATED] == 0.0:
            evaluate(tree, objectives, workspace, q, 0)
        answer[ITERATIONS] += 1.0
        in_window += 1
        now = merit(objectives, workspace, 0)
        is_stuck = not now < math.inf
        if settings[AS_IT_IS] == 0.0:
            if abs(now - then) <= STILL * then and not is_at_rest_bias:
                slack = AT_BOUND * settings[LENGTH]
                is_nearest = is_as_near_as_can_be(objectives, workspace.task_errors[0], slack)
                is_stuck = is_nearest or not bend(tree, objectives, workspace, settings, q)
            if in_window == WINDOW:
                extrapolate(tree, objectives, workspace, settings, q)
            now = merit(objectives, workspace, 0)
        if now < min_cost:
            min_cost = now
            copy(q, workspace.nearest)
        record(answer, q, workspace, sign, trace_q, trace_error)
        sign = 1.0
        if in_window == WINDOW:
            is_stuck |= not min_cost <= at_window * (1.0 - patience) and not is_at_rest_bias
            at_window, in_window = min_cost, 0
            copy(q, workspace.before)
        if is_stuck and not is_met(objectives, workspace.task_errors[0], 0):
            break
    copy(workspace.nearest, q)
    evaluate(tree, objectives, workspace, q, 0)
    return came_to


@compiled(inline=False)
def blend_to_rest(tree: Tree, settings: Floats, bias: float, workspace: Workspace, q: Floats) -> None:
    """Move q by a fraction of the change to the rest configuration; locked joints, and joints of no goal,
    stay.
    """
    copy(q, workspace.trial)
    blend(tree.movers, q, workspace.rest_q, bias, settings[USE_LIMITS] > 0.0)
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if tree.units[mover.v] == 0.0:
            for i in range(mover.q, mover.q + (4 if mover.kind == SPHERICAL else 1)):
                q[i] = workspace.trial[i]


class ErrorContext(NamedTuple):
    """What the error depends on beside q."""

    tree: Tree
    objectives: Objectives
    workspace: Workspace
    use_limits: bool


@compiled
def error_at(problem: ErrorContext, q: Floats) -> float:
    """What the loop wants small, at q, as the workspace's second evaluation."""
    evaluate(problem.tree, problem.objectives, problem.workspace, q, 1)
    return merit(problem.objectives, problem.workspace, 1)


@compiled
def turn(problem: ErrorContext, q: Floats, dx: Floats, scale: float, trial: Floats) -> None:
    """The trial: q after a part of a velocity, in its units."""
    tree, dq = problem.tree, problem.workspace.dq
    for v in range(dq.size):
        dq[v] = tree.units[v] * dx[v]
    advance(tree.movers, q, dq, scale, problem.use_limits, trial)


@compiled
def go_on(problem: ErrorContext, q: Floats, before: Floats, factor: float, trial: Floats) -> None:
    """The trial: q + factor (q - before)."""
    movers, dq = problem.tree.movers, problem.workspace.dq
    fill(0.0, dq)
    copy(q, trial)
    blend(movers, trial, before, -factor, problem.use_limits)
    advance(movers, trial, dq, 0.0, problem.use_limits, trial)


bend_any = dead_points.bend.bind(error_at=error_at, turn=turn)
extrapolate_any = extrapolation.extrapolate.bind(error_at=error_at, go_on=go_on)


@compiled(inline=False)
def bend(tree: Tree, objectives: Objectives, workspace: Workspace, settings: Floats, q: Floats) -> bool:
    """`numerics.dead_points.bend`; whether the error falls. The workspace is that of q in both cases."""
    rows, nv = workspace.J.shape
    before = merit(objectives, workspace, 0)
    differentiate(tree, objectives, workspace, workspace.J)
    W, U = workspace.work[:rows, :nv], workspace.work[rows : 2 * rows, :rows]
    problem = ErrorContext(tree, objectives, workspace, settings[USE_LIMITS] > 0.0)
    after = bend_any(problem, workspace.J, q, before, W, U, workspace.dx, workspace.trial)
    evaluate(tree, objectives, workspace, q, 0)
    return after < before


@compiled(inline=False)
def extrapolate(
    tree: Tree, objectives: Objectives, workspace: Workspace, settings: Floats, q: Floats
) -> None:
    """`numerics.extrapolation.extrapolate` from `workspace.before`; the workspace is that of q afterwards."""
    problem = ErrorContext(tree, objectives, workspace, settings[USE_LIMITS] > 0.0)
    error = merit(objectives, workspace, 0)
    extrapolate_any(problem, q, workspace.before, error, workspace.trial)
    evaluate(tree, objectives, workspace, q, 0)
