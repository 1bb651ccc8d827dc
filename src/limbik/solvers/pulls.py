"""Finds goals that conflict, by solving without each of them."""

from __future__ import annotations

from limbik.diagnosis import Pull
from limbik.request import Request
from limbik.solution import Solution
from limbik.status import PoseError

MAX_NAMED = 3  # goals, the worst first
SEEN = 1e-5  # [m and rad] of what a goal is off
EASED = 0.5  # part of what a goal is off that is left without the goal that pulls against it, at most


def pulls(request: Request, solution: Solution) -> tuple[Pull, ...]:
    """For the goals that are farthest off the other one without which each comes nearest, if that helps."""
    errors = solution.goal_errors
    worst = sorted(range(len(errors)), key=lambda k: -sum(errors[k]))[:MAX_NAMED]
    worst = [k for k in worst if sum(errors[k]) > SEEN]
    if len(errors) < 2 or not worst:
        return ()
    without = [_errors_without(request, solution, k) for k in range(len(errors))]
    result = []
    for goal in worst:
        others = [k for k in range(len(errors)) if k != goal]
        against = min(others, key=lambda k: sum(without[k][goal]))
        left = without[against][goal]
        if sum(left) <= EASED * sum(errors[goal]):
            result.append(Pull(goal=goal, against=against, error=errors[goal], error_without=left))
    return tuple(result)


def _errors_without(request: Request, solution: Solution, index: int) -> tuple[PoseError, ...]:
    """How far each goal is off where one is left out, whose own entry is what it is off now."""
    goals = [goal for k, goal in enumerate(request.goals) if k != index]
    options = {**request.options, "restarts": 0}
    without = request.model.solve(goals, start=solution.q, **options)
    errors = list(without.goal_errors)
    errors.insert(index, solution.goal_errors[index])
    return tuple(errors)
