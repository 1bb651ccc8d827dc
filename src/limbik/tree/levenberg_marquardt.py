"""Kernel of Levenberg-Marquardt on trees: a descent from the start, then from random configurations.

Of several levels, each is solved for after those above it, which it keeps: the solve of the last one begins
where that of the others ended.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Matrix, compiled, is_stopped
from limbik.numerics.end_codes import CONVERGED, SETTLED, SOLVED, SPENT
from limbik.numerics.linear import copy
from limbik.tree.compromise import descend as descend_to_minimum
from limbik.tree.compromise import search as search_compromise
from limbik.tree.evaluation import (
    CLOSE_TO_BOUND,
    accept,
    begin,
    count_for_watch,
    differentiate,
    evaluate,
    finish,
    is_as_near_as_can_be,
    is_met,
    is_out_of_reach,
    record,
    step_from,
)
from limbik.tree.lower_levels import improve
from limbik.tree.priorities import EASIER, HARDER, HARDEST, LONGEST_STEP, MAX_SLOW, damping_of, propose
from limbik.tree.restarts import FRACTIONS, MAX_AT_LAST, begin_elsewhere
from limbik.tree.settings import BUDGET, DESCENTS, IS_COMPROMISE, ITERATIONS, LENGTH, RESTARTS, USE_LIMITS
from limbik.tree.workspace import Objectives, Tree, Workspace

SLOW = 0.9  # part of the squared error that a slow step leaves


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
    """Solve for tasks of one level from q [nq], which becomes the answer.

    Of several levels q answers all but the last, which is improved while the others are held. roles: of no
    use here, as other methods have it.

    task_errors [tasks]: how far each task is off there [m or rad]. trace_q, trace_error: what every iteration
    left, as far as there is space.
    """
    if not begin(tree, settings, q, answer):
        return
    if objectives.level_rows.size > 2:
        improve(tree, objectives, workspace, settings, q, answer, trace_q, trace_error)
        end = SOLVED
    elif settings[IS_COMPROMISE] > 0.0:
        end = search_compromise(tree, objectives, workspace, settings, q, answer, trace_q, trace_error)
    else:
        end = search(tree, objectives, workspace, settings, q, answer, trace_q, trace_error)
    finish(tree, objectives, workspace, q, end, task_errors, answer)


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
    min_cost = math.inf
    copy(q, workspace.start)
    has_restarts = settings[RESTARTS] > 0.0
    is_far = is_out_of_reach(objectives)
    at_last = min(MAX_AT_LAST, 0.5 * settings[BUDGET]) if has_restarts else 0.0
    budget = settings[BUDGET] - math.floor(at_last)
    while True:
        is_restart = answer[DESCENTS] > 0.0
        came_to = descend(
            tree,
            objectives,
            workspace,
            settings,
            budget,
            has_restarts,
            is_restart,
            q,
            answer,
            trace_q,
            trace_error,
        )
        answer[DESCENTS] += 1.0
        if came_to == SETTLED and is_far:
            came_to = descend_to_minimum(
                tree, objectives, workspace, settings, False, q, answer, trace_q, trace_error
            )
        cost = workspace.costs[0, 0]
        if came_to == SOLVED or cost < min_cost:
            end, min_cost = came_to, cost
            copy(q, workspace.best)
        is_spent = came_to == SPENT or answer[ITERATIONS] >= budget
        if end == SOLVED or is_spent or answer[DESCENTS] > settings[RESTARTS]:
            break
        slack = CLOSE_TO_BOUND * settings[LENGTH]
        if is_far and is_as_near_as_can_be(objectives, workspace.task_errors[0], slack):
            break
        fraction = FRACTIONS[int(answer[DESCENTS]) % 3]
        begin_elsewhere(tree, settings, workspace.start, fraction, q)
    if end != SOLVED:
        copy(workspace.best, q)
        came_to = descend_to_minimum(
            tree, objectives, workspace, settings, False, q, answer, trace_q, trace_error
        )
        end = min(end, SETTLED if came_to == CONVERGED else came_to)
    return end


@compiled(inline=False)
def descend(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    settings: Floats,
    budget: float,
    gives_up: bool,
    is_restart: bool,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """One descent from q, which becomes the nearest configuration of it; returns why it ended. At the
    end `workspace` is that of q.

    gives_up: when progress is slow, because another start may do better. is_restart: whether the trace marks
    where it begins.
    """
    use_limits = settings[USE_LIMITS] > 0.0
    factor = 1.0  # of the damping
    slow = 0
    min_cost = math.inf
    came_to = SETTLED
    evaluate(tree, objectives, workspace, q, 0)
    nearest = workspace.costs[0, 0]
    copy(q, workspace.nearest)
    if answer[DESCENTS] == 0.0:
        record(answer, q, workspace, 1.0, trace_q, trace_error)
    sign = -1.0 if is_restart else 1.0
    is_new, is_held = True, False
    while True:
        if is_met(objectives, workspace.task_errors[0], 0):
            return SOLVED
        if answer[ITERATIONS] >= budget or is_stopped(
            objectives.watch, count_for_watch(workspace, answer[ITERATIONS])
        ):
            came_to = SPENT
            break
        if is_new or is_held:
            differentiate(tree, objectives, workspace, workspace.J)
        damping = damping_of(workspace, 0, factor)
        is_held = propose(tree, workspace, q, damping, use_limits, LONGEST_STEP)
        step_from(tree, workspace, q, 1.0, use_limits)
        evaluate(tree, objectives, workspace, workspace.trial, 1)
        answer[ITERATIONS] += 1.0
        # Where other starts follow, a step may also lead uphill: that is quicker, on the whole.
        is_new = gives_up or workspace.costs[1, 0] < workspace.costs[0, 0]
        if is_new:
            slow = 0 if workspace.costs[1, 0] < SLOW * min_cost else slow + 1
            min_cost = min(min_cost, workspace.costs[1, 0])
            accept(workspace, q)
            if workspace.costs[0, 0] < nearest:
                nearest = workspace.costs[0, 0]
                copy(q, workspace.nearest)
            factor = max(EASIER * factor, 1.0)
        else:
            factor *= HARDER
        record(answer, q, workspace, sign, trace_q, trace_error)
        sign = 1.0
        if slow > MAX_SLOW or factor > HARDEST:
            break
    if nearest < workspace.costs[0, 0]:
        copy(workspace.nearest, q)
        evaluate(tree, objectives, workspace, q, 0)
    return came_to
