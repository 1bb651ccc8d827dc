"""Levenberg-Marquardt on any tree, for any number of goals of any priorities (`tree.levenberg_marquardt`).

Goals of several priorities are solved for one priority after the other: the lowest one begins where the solve
for the others has ended, and keeps what that has achieved.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from time import perf_counter

from limbik.goals import Goal
from limbik.model.model import Model
from limbik.solution import Facts, Solution
from limbik.solvers.checked_options import Options
from limbik.solvers.tree_plan import NO_TRACE, Trace, TreePlan, Work
from limbik.solvers.watch import time_watch
from limbik.spatial import Array
from limbik.tree import levenberg_marquardt
from limbik.tree.programs import general
from limbik.tree.settings import ITERATIONS, SETTINGS_SIZE
from limbik.tree.workspace import Objectives, Tree


class GeneralPlan(TreePlan):
    """Everything about a solve that does not depend on targets or start."""

    program = general()
    kernel = levenberg_marquardt.solve  # of the program, for Python to run
    metres: float | None = None  # in which errors of position are counted; None: the size of the model

    def __init__(self, model: Model, goals: Sequence[Goal], options: Options, solver: str = "lm") -> None:
        self._lowest = max(goal.priority for goal in goals)
        above = self._above(goals)
        self.above = type(self)(model, above, _for_some(model, above, options), solver) if above else None
        length = self.above.length if self.above else self.metres
        super().__init__(model, goals, options, solver, SETTINGS_SIZE, length)

    def interpret(self, tree: Tree, objectives: Objectives, work: Work, trace: Trace) -> None:
        """What the program does, run by Python itself."""
        self.kernel.interpreted(
            tree, objectives, work.workspace, work.settings, work.q, work.task_errors, work.answer, *trace
        )

    def solve(
        self,
        goals: Sequence[Goal],
        start: Array | None,
        seed: int,
        trace: Trace = NO_TRACE,
        rest: Array | None = None,
    ) -> Solution:
        """As `TreePlan.solve`; goals of the lowest priority come after the solve for the others."""
        if self.above is None:
            return super().solve(goals, start, seed, trace, rest)
        began = perf_counter()
        watch = time_watch(self.options.time_limit)
        found = self.above.solve(self._above(goals), start, seed, trace)
        work = self._work_for(goals, found.q)
        spent = found.iterations
        rows = trace if trace is NO_TRACE else (trace[0][spent:], trace[1][spent:])
        self._attempt(work, self.options.budget - spent, rows, watch)
        iterations = spent + work.answer[ITERATIONS]
        facts = Facts(found.facts[0], *self._errors(work.task_errors), iterations, *found.facts[4:])
        return self._solution(work, facts, goals, start, began)

    def _above(self, goals: Sequence[Goal]) -> tuple[Goal, ...]:
        """The goals that are not of the lowest priority."""
        return tuple(goal for goal in goals if goal.priority < self._lowest)


def _for_some(model: Model, goals: Sequence[Goal], options: Options) -> Options:
    """The options for some of the goals: a tool is for those of the end effector, even if there are none."""
    has_tool = any(goal.frame in (None, model.end_effector) for goal in goals)
    return options if has_tool else dataclasses.replace(options, tool=None)
