"""A solve by closed form or elimination: the solution nearest to the start (`solvers.methods.analytic`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from limbik.all_solutions.solve_all import is_plain_target, kind_of, plan_for_all, pose_of
from limbik.analytic.axes import axes_of
from limbik.errors import SolverError
from limbik.goals import Goal
from limbik.model.chain import chain_to
from limbik.model.model import Model
from limbik.request import Request
from limbik.solution import Solution
from limbik.solvers.checked_options import Options
from limbik.solvers.plan import Observer, Plan, Problem
from limbik.solvers.tree_plan import GeneralPlan
from limbik.spatial import Array

USE_LM = "use 'lm'"


class ClosedPlan(Plan):
    """Everything about a solve that does not depend on the target or the start."""

    def __init__(self, model: Model, goals: Sequence[Goal], options: Options) -> None:
        self.model = model
        self.options = options
        if len(goals) > 1 or not is_plain_target(goals[0]):
            raise SolverError(f"analytic solves for one plain Pose or Position; for other goals {USE_LM}")
        unknown = [name for name in ("rest_bias", "locked", "tool", "prefer") if name in options.explicit]
        if unknown:
            raise SolverError(f"analytic knows no `{unknown[0]}`; {USE_LM}")
        goal = goals[0]
        plan = plan_for_all(model, goal.frame, bool(options.limits), kind_of(goal))
        if plan is None:
            raise SolverError(f"analytic has no closed form for {_lacking(model, goal)}; {USE_LM}")
        self._all = plan
        # It judges the answer, and answers where there is none, as for every other solver.
        self._judge = GeneralPlan(model, goals, replace(options, solver="lm"))

    def request(self, goals: tuple[Goal, ...], /) -> Request:
        """The goals and the options of a solve."""
        return Request(model=self.model, goals=goals, solver="analytic", options=self.options.explicit)

    def solve(self, problem: Problem, observer: Observer | None = None) -> Solution:
        """The solution nearest to the start [nq] or the neutral configuration, or why there is none; there is
        nothing to be seen between the start and the answer.
        """
        goals, start, seed, rest, deadline = problem
        if rest is not None:
            raise SolverError(f"analytic knows no `rest`; {USE_LM}")
        self._judge.check(goals)
        begin = self.model.neutral if start is None else start
        nearest = self._nearest(goals[0], begin)
        judged = self._judge.solve(
            Problem(goals, start if nearest is None else nearest, seed, deadline=deadline)
        )
        solution = Solution(judged.q, judged.outcome, judged.time, self, start, goals)
        if observer is not None:
            inside = self.model.clip(begin)
            first = Observer()
            self._judge.solve(Problem(goals, inside, seed), first)
            errors = np.array([first.descents[0][1][0], solution.error])
            observer.descents = [(np.array([inside, solution.q]), errors)]
        return solution

    def _nearest(self, goal: Goal, start: Array) -> Array | None:
        if not np.isfinite(start).all():
            return None
        answers = self._all.solve(pose_of(goal), start)
        return answers.q[0] if len(answers) else None


def _lacking(model: Model, goal: Goal) -> str:
    """An arm without a closed form, and what it lacks."""
    frame = model.end_effector if goal.frame is None else goal.frame
    axes = axes_of(chain_to(model, frame))
    of = f"a {type(goal).__name__} of frame {frame!r}"
    if axes is None:
        return f"{of}: not all joints before it are revolute or prismatic joints that move on their own"
    count = int(axes.is_prismatic.sum())
    joints = f"there are {axes.size} joints before it, {count or 'none'} prismatic"
    return f"{of}: {joints}, and for their axes none is known"
