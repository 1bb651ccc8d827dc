"""Evaluates a tree at a configuration: errors, Jacobian, trial steps; checks whether goals are met or out of
reach; records trace and answer.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import NOW, Floats, Records, compiled
from limbik.numerics.end_codes import BAD_START, SETTLED, SOLVED
from limbik.numerics.linear import copy, squared_length
from limbik.numerics.start_check import INVALID
from limbik.numerics.start_check import MOVED as MOVED_INSIDE
from limbik.tree.joints import admit, advance
from limbik.tree.kinematics import pose_links, pose_screws, sum_masses
from limbik.tree.residuals import fill_jacobian, fill_residuals
from limbik.tree.settings import DESCENTS, END, ITERATIONS, MOVED, USE_LIMITS
from limbik.tree.workspace import Objectives, Tree, Workspace

LARGE = 32  # velocities or rows
CLOSE_TO_BOUND = (
    1e-4  # of the model's length: near enough to the smallest error that a goal out of reach allows
)


@compiled
def begin(tree: Tree, settings: Floats, q: Floats, answer: Floats) -> bool:
    """Nothing is done yet, and q [nq] comes within its limits; whether a solve can begin there."""
    answer[ITERATIONS] = 0.0
    answer[DESCENTS] = 0.0
    admitted = admit(tree.movers, settings[USE_LIMITS] > 0.0, q)
    answer[MOVED] = 1.0 if admitted == MOVED_INSIDE else 0.0
    if admitted == INVALID:
        answer[END] = BAD_START
        return False
    return True


@compiled(inline=False)
def evaluate(tree: Tree, objectives: Objectives, workspace: Workspace, q: Floats, to: int) -> None:
    """Where everything is at q, and how far every task is from being met; into errors[to] and so on."""
    pose_links(tree.links, q, workspace.frames)
    evaluate_posed(tree, objectives, workspace, q, to)


@compiled(inline=False)
def evaluate_posed(tree: Tree, objectives: Objectives, workspace: Workspace, q: Floats, to: int) -> None:
    """The same where the frames of the links are those of q."""
    if tree.fixed_mass[3] >= 0.0:
        for k in range(4):
            workspace.total[k] = tree.fixed_mass[k]
        sum_masses(tree.links, workspace.frames, workspace.sums)
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
def differentiate(tree: Tree, objectives: Objectives, workspace: Workspace, J: Floats) -> None:
    """The Jacobian J [rows, nv] where the tree was evaluated last."""
    pose_screws(tree.links, workspace.frames, workspace.screws)
    fill_jacobian_of(tree, objectives, workspace, J)


@compiled
def fill_jacobian_of(tree: Tree, objectives: Objectives, workspace: Workspace, J: Floats) -> None:
    """The Jacobian J [rows, nv] along the screws in the workspace."""
    fill_jacobian(
        tree.links,
        objectives.tasks,
        tree.units,
        workspace.screws,
        workspace.sums,
        workspace.total,
        workspace.wrenches,
        J,
    )


@compiled
def step_from(tree: Tree, workspace: Workspace, q: Floats, scale: float, use_limits: bool) -> None:
    """The trial: q [nq] after the step, times a scale."""
    for v in range(workspace.dx.size):
        workspace.dq[v] = tree.units[v] * workspace.dx[v]
    advance(tree.movers, q, workspace.dq, scale, use_limits, workspace.trial)


@compiled
def count_for_watch(workspace: Workspace, iterations: float) -> int:
    """The count with which a loop asks its watch: at each iteration where one takes long, of a large tree or
    many goals.
    """
    return NOW if max(workspace.dx.size, workspace.J.shape[0]) > LARGE else int(iterations)


@compiled
def is_met(objectives: Objectives, task_errors: Floats, level: int) -> bool:
    """Whether every task of a level is within its tolerance."""
    for k in range(int(objectives.level_tasks[level]), int(objectives.level_tasks[level + 1])):
        if not task_errors[k] <= objectives.tasks[k].met_within:
            return False
    return True


@compiled
def min_error(task: Records, target: Floats) -> float:
    """How far [m] a task's frame stays from its target, whatever the joints do; 0 where that is not known."""
    along = squared = 0.0
    for k in range(3):
        offset = target[k] - task.center[k]
        along += task.normal[k] * offset
        squared += offset * offset
    distance = math.sqrt(max(squared - along * along, 0.0))
    beyond = max(distance - task.max_reach, task.min_reach - distance, 0.0)
    return math.sqrt(beyond * beyond + along * along)


@compiled(inline=False)
def is_out_of_reach(objectives: Objectives) -> bool:
    """Whether a task of the first level cannot be met."""
    for k in range(int(objectives.level_tasks[1])):
        task = objectives.tasks[k]
        if min_error(task, objectives.targets[k]) > task.met_within:
            return True
    return False


@compiled(inline=False)
def is_as_near_as_can_be(objectives: Objectives, task_errors: Floats, slack: float) -> bool:
    """Whether every task of the first level is met, or off by no more than it has to be, to a slack [m]: no
    other start can do better.
    """
    for k in range(int(objectives.level_tasks[1])):
        task = objectives.tasks[k]
        if not task_errors[k] <= task.met_within:
            nearest = min_error(task, objectives.targets[k])
            if not (nearest > task.met_within and task_errors[k] <= nearest + slack):
                return False
    return True


@compiled
def accept(workspace: Workspace, q: Floats) -> None:
    """The trial becomes q."""
    copy(workspace.trial, q)
    copy(workspace.errors[1], workspace.errors[0])
    copy(workspace.task_errors[1], workspace.task_errors[0])
    copy(workspace.costs[1], workspace.costs[0])


@compiled
def record(
    answer: Floats, q: Floats, workspace: Workspace, sign: float, trace_q: Floats, trace_error: Floats
) -> None:
    """Keep what an iteration left, where a trace was requested; its error negative for the first of a
    restart."""
    row = int(answer[ITERATIONS])
    if row < trace_error.size:
        trace_error[row] = sign * math.sqrt(workspace.costs[0, 0])
        for i in range(q.size):
            trace_q[row, i] = q[i]


@compiled
def finish(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    q: Floats,
    end: int,
    task_errors: Floats,
    answer: Floats,
) -> None:
    """What the answer says is what q itself says: errors are evaluated there once more, and so is success."""
    evaluate(tree, objectives, workspace, q, 0)
    copy(workspace.task_errors[0], task_errors)
    if end == SOLVED and not is_met(objectives, task_errors, 0):
        end = SETTLED
    answer[END] = end
