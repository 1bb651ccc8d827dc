"""SciPy's optimisers on the goals and options of a solve (`solvers.methods.optimize`).

A solve goes down from the start, and is ended by Levenberg-Marquardt in the general core, without restarts:
it takes off what an optimiser leaves of the constraints (1e-6 of them is little to an optimiser, and all to a
goal), and it is the judge whose word on success is that of every other solver. Where it had to move far, the
costs are minimised once more from there. What fails begins again elsewhere.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from limbik.compiler.watch import watch_until
from limbik.errors import ConfigurationError, SolverError
from limbik.goals import Goal
from limbik.measure import half_reach, residual
from limbik.model.model import Model
from limbik.numerics.end_codes import SETTLED, SOLVED, SPENT, UNREACHABLE
from limbik.numerics.start_check import ROUNDING
from limbik.request import Request, indices_of, moving_joints
from limbik.solution import Outcome, Solution
from limbik.solvers.bounds import refuted
from limbik.solvers.checked_options import Options
from limbik.solvers.methods.optimize import Optimize
from limbik.solvers.plan import Descents, Observer, Plan, Problem
from limbik.solvers.scipy_problem import Constrained, minimise
from limbik.solvers.tree_plan import GeneralPlan
from limbik.spatial import Array

FINISH = 100  # iterations of the last step at most
ROUNDS = 3  # minimisations from one start
NEAR = 1e-4  # [rad or m] that the last step may move a joint without another round
IMPROVED = 1e-9  # of a cost: less is none


class OptimizePlan(Plan):
    """Everything about a solve that does not depend on targets or start."""

    def __init__(self, model: Model, goals: Sequence[Goal], options: Options, solver: Optimize) -> None:
        if options.rest_bias:
            raise SolverError(f"{solver.name} knows no `rest_bias`: give it a cost of its own")
        self.model = model
        self.options = options
        self.method = solver
        self._free = _free(model, goals, options, bool(solver.costs))
        finish = min(FINISH, options.budget)
        last = dataclasses.replace(options, solver="lm", restarts=0, iterations=finish)
        self._last = GeneralPlan(model, goals, last)
        self.restarts = options.restarts_over(self._last.set.free_joints())

    def request(self, goals: tuple[Goal, ...], /) -> Request:
        """The goals and the options of a solve."""
        return Request(model=self.model, goals=goals, solver=self.method.name, options=self.options.explicit)

    def solve(self, problem: Problem, observer: Observer | None = None) -> Solution:
        """As `Plan.solve`, without a rest configuration.

        Raises FunctionError for a cost that gives no number or has no derivative.
        """
        began = perf_counter()
        goals, start, seed, rest, deadline = problem
        if rest is not None:
            raise SolverError(f"{self.method.name} knows no `rest`: give it a cost of its own")
        self._last.check(goals)
        first = self.model.neutral if start is None else start
        if not np.isfinite(first).all():
            raise ConfigurationError(f"`start` needs finite numbers, found {first.tolist()}")
        inside = self.model.clip(first) if self.options.limits else self._normal(first)
        search = _OptimizeSearch(self, self.request(goals), inside, deadline)
        is_proved = search.run(seed)
        q, outcome = search.best
        was_moved = bool((np.abs(inside - first) > ROUNDING).any())
        end = UNREACHABLE if is_proved else search.end(outcome)
        restarts = len(search.descents) - 1
        final = Outcome(end, outcome[1], outcome[2], search.iterations, restarts, was_moved)
        if observer is not None:
            observer.descents = search.rows()
        return Solution(q, final, perf_counter() - began, self, start, goals)

    def last(self, goals: tuple[Goal, ...], q: Array, seed: int) -> Solution:
        """What Levenberg-Marquardt makes of q."""
        return self._last.solve(Problem(goals, q, seed))

    def problem(
        self, request: Request, q: Array, deadline: float = math.inf, unit: float = 1.0
    ) -> Constrained:
        """What is to be minimised from q on; deadline: [s of `perf_counter`]; unit: of the costs."""
        return Constrained(self.method, request, q, self._free, self.options.limits, deadline, unit)

    def random(self, rng: np.random.Generator, q: Array) -> Array:
        """Somewhere else, with what is not free as in q."""
        elsewhere = q.copy()
        elsewhere[self._free] = self.model.random(rng)[self._free]
        return elsewhere

    def _normal(self, q: Array) -> Array:
        return self.model.integrate(q, np.zeros(self.model.nv))


class _OptimizeSearch:
    """One solve: the best answer so far, and the path there."""

    def __init__(self, plan: OptimizePlan, request: Request, q: Array, deadline: float) -> None:
        self._plan, self._request, self._start = plan, request, q
        self._is_over, self._deadline = watch_until(deadline), deadline
        self.descents: list[list[Array]] = []  # what each iteration left
        self.iterations = 0
        self._unit = 1.0  # of the costs
        self._best: tuple[float, float, Solution] | None = None

    @property
    def best(self) -> tuple[Array, Outcome | Array]:
        """The answer, and what the last step said of it."""
        assert self._best is not None, "a search has made a first descent"
        return self._best[2].q, self._best[2].outcome

    def run(self, seed: int) -> bool:
        """Descend, and restart until the goals are met; whether they are proved out of reach."""
        rng = np.random.default_rng(seed)
        q = self._start
        as_it_is = self._plan.last(self._request.goals, q, seed)
        units = [self._plan.problem(self._request, each).unit_of_costs() for each in (q, as_it_is.q)]
        self._unit = max(units) or 1.0
        if as_it_is.success and not as_it_is.iterations:
            self._keep(as_it_is)  # of which an optimiser may make less
        while True:
            self._descend(q, seed)
            if self.best[1][0] == SOLVED:
                return False
            if len(self.descents) == 1 and refuted(self._request):
                return True
            if len(self.descents) > self._plan.restarts or self._is_spent():
                return False
            q = self._plan.random(rng, self._start)

    def end(self, outcome: Outcome | Array) -> int:
        """Why the search ended."""
        if outcome[0] == SOLVED:
            return SOLVED
        return SPENT if self._is_spent() else SETTLED

    def rows(self) -> Descents:
        """The configurations and errors of each descent; the answer is the last of all."""
        descents = [list(rows) for rows in self.descents]
        descents[0].insert(0, self._start)
        last = next(rows for rows in reversed(descents) if rows)
        last[-1] = self.best[0]
        return [(np.array(rows).reshape(-1, self._start.size), self._errors(rows)) for rows in descents]

    def _errors(self, rows: list[Array]) -> Array:
        length = half_reach(self._request)
        errors = (residual(self._request, q, length)[0] for q in rows)
        return np.array([length * float(np.linalg.norm(each)) for each in errors])

    def _descend(self, q: Array, seed: int) -> None:
        """Minimise from q, and end; again where the end was far, or while the cost still falls. Where a
        method stalls twice beside goals that can be met, it goes on with these as penalties.
        """
        self.descents.append([])
        stalls = 0
        for _ in range(ROUNDS):
            moved, is_done = self._minimised(q, by_multipliers=stalls > 1)
            stalls += not is_done
            answer = self._plan.last(self._request.goals, moved, seed)
            if answer.iterations:
                self._note(answer.q)
            is_better = self._keep(answer)
            is_near = bool((np.abs(answer.q - moved) <= NEAR).all())
            if not answer.success or (is_done and (not is_better or is_near)) or self._is_spent():
                break
            q = answer.q
        if not answer.success and not self.descents[-1]:
            self._note(answer.q)  # so that a search that cannot move comes to an end, too

    def _minimised(self, q: Array, *, by_multipliers: bool) -> tuple[Array, bool]:
        """Where that leads, and whether it came to its end."""
        problem = self._plan.problem(self._request, q, self._deadline, self._unit)
        budget = self._plan.options.budget - self.iterations - 1
        is_done = minimise(problem, budget, self._note, by_multipliers=by_multipliers)
        return problem.inside(problem.last), is_done

    def _keep(self, answer: Solution) -> bool:
        """Keep it if it is the best; whether it was."""
        problem = self._plan.problem(self._request, answer.q, unit=self._unit)
        cost = problem.cost(problem.start)[0] if answer.success else 0.0
        missed = 0.0 if answer.success else problem.missed(problem.start)
        margin = IMPROVED * abs(self._best[1]) if self._best else 0.0
        if self._best is None or (missed, cost) < (self._best[0], self._best[1] - margin):
            self._best = missed, cost, answer
            return True
        return False

    def _note(self, q: Array) -> None:
        self.iterations += 1
        self.descents[-1].append(q)

    def _is_spent(self) -> bool:
        return self._is_over() or self.iterations >= self._plan.options.budget


def _free(model: Model, goals: Sequence[Goal], options: Options, has_costs: bool) -> NDArray[np.intp]:
    """The indices in q that may change [n]: of joints that move what goals ask for; of all with costs, which
    may ask for any.
    """
    joints = set(model.joint_names) if has_costs else moving_joints(model, goals)
    return indices_of(model, joints - set(options.locked))
