"""`EvenPlan`: solves goals of uneven weights; where that fails, the same goals with weights of 1 and 0."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from limbik.goals import evenly
from limbik.locks import cached_property
from limbik.solution import Solution
from limbik.solvers.plan import Observer, Plan, Problem


class EvenPlan(Plan):
    """Solves by one plan, and where that fails by another one for the same goals with weights of 1 and 0.

    Of a limited time the first has half. A solution is one of the plan that has found it. make_even: makes
    the other plan, when it is needed first.
    """

    def __init__(self, plan: Plan, make_even: Callable[[], Plan]) -> None:
        self.model, self.options = plan.model, plan.options
        self._plan, self._make_even = plan, make_even

    def solve(self, problem: Problem, observer: Observer | None = None) -> Solution:
        """As `Plan.solve`."""
        began = perf_counter()
        first = self._plan.solve(problem.in_half_the_time(), observer)
        if first.success:
            return first
        second = None if observer is None else Observer(observer.wants_lanes)
        even = tuple(map(evenly, problem.goals))
        again = self._even.solve(problem._replace(goals=even), second)
        if again.success and observer is not None and second is not None:
            observer.descents, observer.lanes = second.descents, second.lanes
        best = again if again.success else first
        return Solution(best.q, best.outcome, perf_counter() - began, best.question, best.start, best.target)

    @cached_property
    def _even(self) -> Plan:
        return self._make_even()
