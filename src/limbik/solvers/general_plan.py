"""Levenberg-Marquardt on any tree, for any number of goals of any priorities (`tree.levenberg_marquardt`).

Goals of several priorities are solved for one priority after the other: the lowest one begins where the solve
for the others has ended, in the core that came nearer, and keeps what that has achieved.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, TypeAlias

from limbik.compiler.watch import time_watch
from limbik.goals import Goal, Orientation, Pose, Position, is_plain
from limbik.model.chain import chain_to
from limbik.model.model import Model
from limbik.solution import Outcome, Solution
from limbik.solvers.checked_options import Options
from limbik.solvers.plan import Observer, Plan, Problem
from limbik.solvers.tasks import METRES_PER_RADIAN
from limbik.solvers.tree_plan import NO_TRACE, Trace, TreePlan
from limbik.tree.programs import general
from limbik.tree.settings import GENERAL_SIZE, IS_COMPROMISE, ITERATIONS

PlanOf: TypeAlias = Callable[[Model, Sequence[Goal], dict[str, Any]], Plan]  # `solvers.plans.plan_of`


METRE_AS_RADIAN = 1.0 / METRES_PER_RADIAN  # [m] the unit of errors in which a metre counts as a radian


class GeneralPlan(TreePlan):
    """Everything about a solve that does not depend on targets or start.

    With `mode="best"` the smallest weighted errors of goals that need not be met (`tree.compromise`): those
    of several priorities are taken as by the others, and the status is that of the first one.

    plan_of: gives the plan of goals that are alone; without it those of upper priorities are solved for here.
    """

    program = general()

    def __init__(
        self,
        model: Model,
        goals: Sequence[Goal],
        options: Options,
        solver: str = "lm",
        plan_of: PlanOf | None = None,
    ) -> None:
        self.engine = f"in the general core, for {_kind(model, goals)}"
        self._lowest = max(goal.priority for goal in goals)
        self._plan_of = plan_of
        above, self.above = self._above(goals), None
        if above:
            self.above = GeneralPlan(model, above, _for_some(model, above, options), solver, plan_of)
        is_compromise = options.mode == "best"
        length = self.above.length if self.above else METRE_AS_RADIAN if is_compromise else None
        super().__init__(model, goals, options, solver, GENERAL_SIZE, length)
        self.settings[IS_COMPROMISE] = is_compromise
        if is_compromise:  # goals that are out of reach are no reason to end
            self.first_look = math.inf

    def _solve(self, problem: Problem, trace: Trace) -> Solution:
        """As `TreePlan._solve`; goals of the lowest priority come after the solve for the others."""
        if self.above is None:
            return super()._solve(problem, trace)
        began = perf_counter()
        watch = time_watch(self.options.time_limit)
        above = self._above_alone(problem, trace)
        work = self._work_for(problem.goals, above.q)
        spent = above.iterations
        rows = trace if trace is NO_TRACE else (trace[0][spent:], trace[1][spent:])
        self._attempt(work, self.options.budget - spent, rows, watch)
        iterations = spent + work.answer[ITERATIONS]
        outcome = Outcome(above.outcome[0], *self._errors(work.task_errors), iterations, *above.outcome[4:6])
        return self._solution(work, outcome, problem, began)

    def _above_alone(self, problem: Problem, trace: Trace) -> Solution:
        """The answer for the goals that are not of the lowest priority: of this core, or of the one that
        takes them where they are alone, if that comes nearer.
        """
        above = problem._replace(goals=self._above(problem.goals))
        assert self.above is not None, "only then is it called"
        solution = self.above._solve(above, trace)
        if solution.success or self._plan_of is None:
            return solution
        plan = self._plan_of(self.model, above.goals, self.above.options.explicit)
        observer = None if trace is NO_TRACE else Observer()
        alone = plan.solve(above, observer)
        if not (alone.success or self._off(alone) < self._off(solution)):
            return solution
        if observer is not None:
            first = 0
            for q, errors in observer.descents:
                rows = slice(first, first + len(errors))
                trace[0][rows], trace[1][rows] = q, errors / self.length
                if 0 < first <= alone.iterations and len(errors):
                    trace[1][first] *= -1.0  # as `tree.evaluation.record` marks where one begins
                first = rows.stop
        return alone

    def _off(self, solution: Solution) -> float:
        """How far the first goals are from being met, in sizes of the model and half radians."""
        return math.hypot(solution.error / self.length, 0.5 * solution.error_rotation)

    def _above(self, goals: Sequence[Goal]) -> tuple[Goal, ...]:
        """The goals that are not of the lowest priority."""
        return tuple(goal for goal in goals if goal.priority < self._lowest)


def _kind(model: Model, goals: Sequence[Goal]) -> str:
    """What of the goals asks for the general core."""
    goal = goals[0]
    if len(goals) > 1:
        return "several goals"
    if not is_plain(goal):
        name = type(goal).__name__
        is_common = isinstance(goal, Position | Orientation | Pose)
        return f"a {name} with weights, a tolerance or a priority" if is_common else f"a {name}"
    return "joints that follow others" if chain_to(model, goal.frame).has_mimic else "any tree"


def _for_some(model: Model, goals: Sequence[Goal], options: Options) -> Options:
    """The options for some of the goals: a tool is for those of the end effector, even if there are none."""
    has_tool = any(goal.frame in (None, model.end_effector) for goal in goals)
    return options if has_tool else dataclasses.replace(options, tool=None)
