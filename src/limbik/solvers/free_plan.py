"""`FreePlan`: solves goals free of collision: candidates from all solutions and many starts, then pushes.

A solve without regard to collisions comes first; mostly its answer is free, and it is checked to be. Where it
is not, what cannot depend on the joints is looked at: what is rigid with the goal's frame, and what hangs on
the base. If that collides, no configuration will do. Otherwise solutions from other starts are checked, ever
more of them, and after each round those of minimal depth in collision are pushed out (`push_out`), as IK
with many seeds and null-space motion are combined elsewhere. Whatever is answered has been checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from time import perf_counter

import numpy as np

from limbik import measure
from limbik.all_solutions.solve_all import is_plain_target, kind_of, plan_for_all, pose_of
from limbik.collision.check import checker_of
from limbik.collision.checker import Checker
from limbik.collision.free_options import FreeOptions
from limbik.compiler.watch import watch_until
from limbik.locks import cached_property
from limbik.model.model import Model
from limbik.request import Request
from limbik.solution import STATUSES, Solution
from limbik.solvers.diagnose_free import Seen
from limbik.solvers.fixed_collisions import Blocked, blocked_by
from limbik.solvers.free_question import FreeQuestion
from limbik.solvers.many_starts import ManyStarts
from limbik.solvers.plan import Observer, Plan, Problem
from limbik.solvers.push_out import PushOut
from limbik.solvers.tree_plan import chord_of
from limbik.spatial import Array
from limbik.status import Status

# Starts, and how many of the solutions they lead to are pushed: in the fast core, and where each start is
# solved for by itself.
ROUNDS = ((8, 0), (32, 0), (128, 2), (512, 8), (2048, 16), (8192, 32))
SLOW_ROUNDS = ((0, 1), (2, 1), (8, 4), (32, 8), (64, 16), (256, 32))
FIRST_MEASURED = 64  # configurations; others are measured if no pair is as deep
MAX_AFTER_TIME = 256  # configurations that are compared after the time limit
PIECE = 16  # configurations that are measured between two looks at the clock
SLID = 8  # solutions that come as near to the start as the goals allow, of arms with joints to spare
CHOICE = 64  # of which the nearest or the most clear one is taken, at least
PLAIN = {"limits", "iterations", "restarts", "tolerance", "tolerance_rotation", "solver"}


class FreePlan(Plan):
    """Solves by another plan, and makes its solutions free of collision.

    model: with its shapes; that of the plan may be another one of the same kinematics.
    """

    def __init__(self, plan: Plan, model: Model, free: FreeOptions) -> None:
        self.model, self.options = model, plan.options
        self._plan, self._free = plan, free

    def solve(self, problem: Problem, observer: Observer | None = None) -> Solution:
        """As `Plan.solve`; the observer sees the solve without regard to collisions."""
        began = perf_counter()
        first = self._plan.solve(problem, observer)
        return made_free(self.model, first, self._free, problem.seed, began, problem.deadline)


def made_free(
    model: Model, first: Solution, free: FreeOptions, seed: int, began: float, deadline: float = math.inf
) -> Solution:
    """A solution of the same goals that is free of collision; itself where that is.

    first: of a solve with that seed, begun at a time [s]. deadline: [s of `perf_counter`].
    """
    inner = first.question
    question = FreeQuestion(inner, model, free)
    if not first.success:
        return Solution(first.q, first.outcome, perf_counter() - began, question, first.start, first.target)
    checker = checker_of(model, free.world)
    if free.prefer == "first" and checker.is_free(first.q, free.clearance):
        return Solution(first.q, first.outcome, perf_counter() - began, question, first.start, first.target)
    request = question.request_without_world(first.target)
    search = _FreeSearch(first, request, free, checker, seed, deadline)
    q = search.run()
    if q is None:
        question = FreeQuestion(inner, model, free, search.seen())
        q = search.shallowest()
    outcome = _outcome_of(first, request, q, search.status)
    return Solution(q, outcome, perf_counter() - began, question, first.start, first.target)


def _outcome_of(first: Solution, request: Request, q: Array, status: Status) -> Array:
    outcome = np.array(first.outcome[:6])
    outcome[0] = STATUSES.index(status)
    if q is not first.q:
        metres, radians = measure.largest_errors(request, q)
        outcome[1], outcome[2] = metres, chord_of(radians)
    return outcome


class _FreeSearch:
    """The search where the first solution is not free, or not what is preferred."""

    def __init__(
        self,
        first: Solution,
        request: Request,
        free: FreeOptions,
        checker: Checker,
        seed: int,
        deadline: float,
    ) -> None:
        self._first, self._free, self._checker = first, free, checker
        self._request = request
        self._watch = watch_until(deadline)
        self._many = ManyStarts(first, request, seed, deadline)
        self._seen = [first.q[None]]
        self._samples = np.empty((0, request.model.nq))  # of all solutions, where these are on curves
        self._is_complete = False
        self._blocked: Blocked | None = None
        self.status = Status.SOLVED

    def run(self) -> Array | None:
        """A free solution [nq]; where there is none, or none is found, the status says why."""
        self._blocked = blocked_by(
            self._request, self._checker, self._free.clearance, self._first.q, self._many.moving
        )
        if self._blocked is not None:
            self.status = self._blocked.status
            return None
        best = self._find()
        if best is None and self._is_choice and self._checker.is_free(self._first.q, self._free.clearance):
            best = self._first.q  # there was no time for others
        self.status = Status.NO_FREE_SOLUTION if best is None else Status.SOLVED
        return best

    def seen(self) -> Seen:
        """What was looked at, all of it in collision."""
        is_cut_short = not self._is_complete and self._watch()
        return Seen(np.concatenate(self._seen), self._is_complete, is_cut_short, self._blocked)

    def shallowest(self) -> Array:
        """[nq] of what was looked at, what comes nearest to being free."""
        if len(self._seen) == 1:
            return self._first.q
        seen = np.concatenate(self._seen)
        return self._by_depth(seen[:MAX_AFTER_TIME] if self._watch() else seen, 1)[0]

    def _find(self) -> Array | None:
        every = self._every_solution()
        if every is not None:
            best = self._best(every)
            if best is not None or self._is_complete:
                return best
        left = self._request.options.get("restarts")
        if left == 0:
            return self._best(self._first.q[None]) if self._is_choice else self._push(self._first.q[None])
        for index, (count, pushes) in enumerate(ROUNDS if self._many.is_quick else SLOW_ROUNDS):
            count = max(count, CHOICE) if self._is_choice else count
            count = count if left is None else min(count, left)
            if self._watch() or (count == 0 and index > 0):
                return None
            left = None if left is None else left - count
            drawn = self._many.draw(count)
            if index == 0:
                drawn = np.concatenate([self._first.q[None], self._samples, drawn])
            best = self._best(drawn)
            if best is None and not self._watch():
                best = self._push(self._by_depth(drawn, pushes))
            if best is not None:
                return best
        return None

    @property
    def _is_choice(self) -> bool:
        return self._free.prefer != "first"

    def _every_solution(self) -> Array | None:
        """[k, nq] where it is proved that there are no others, but for joints that do not move the goals;
        None else.
        """
        goal, options = self._request.goals[0], self._request.options
        if len(self._request.goals) > 1 or not is_plain_target(goal) or not set(options) <= PLAIN:
            return None
        if self._many.moving.sum() > (7 if self._is_choice else 6):
            return None
        plan = plan_for_all(self._request.model, goal.frame, bool(options.get("limits", True)), kind_of(goal))
        if plan is None:
            return None
        start = self._first.start  # to which revolutions are near
        answers = plan.solve(pose_of(goal), self._first.q if start is None else start)
        self._samples = answers.q
        if not answers.complete or answers.free:
            return None
        self._is_complete = len(plan.indices) == self._many.moving.sum()
        return np.concatenate([self._first.q[None], answers.q])

    def _best(self, q: Array) -> Array | None:
        """Of configurations [k, nq] the free one that is preferred, of as many as there is time for."""
        if self._free.prefer == "clearance":
            distances = self._distances(q)
            q = q[: len(distances)]
            self._seen.append(q)
            best = int(distances.argmax()) if len(q) else -1
            return q[best] if len(q) and distances[best] > self._free.clearance else None
        start = self._first.start
        if start is not None and len(q):
            q = self._by_distance(q, start)
            if self._free.prefer == "nearest" and set(self._request.options) <= PLAIN:
                q = self._by_distance(np.concatenate([q, self._many.nearer(q[:SLID], start)]), start)
        for some in self._pieces(q):
            self._seen.append(some)
            first = self._checker.first_free(some, self._free.clearance)
            if first is not None:
                return some[first]
        return None

    def _by_distance(self, q: Array, start: Array) -> Array:
        """Configurations [k, nq], the nearest to the start first."""
        away = np.linalg.norm(self._request.model.difference(start, q), axis=1)
        return q[np.argsort(away, kind="stable")]

    def _distances(self, q: Array) -> Array:
        """The distances [m] of the nearest pairs at the first of configurations [k, nq], as many as there is
        time for, and a piece at least.
        """
        distances = [self._checker.distances(some) for some in self._pieces(q)]
        return np.concatenate(distances) if distances else np.empty(0)

    def _pieces(self, q: Array) -> Iterator[Array]:
        """Configurations [k, nq] in pieces, until the time is up; the first one in any case."""
        for begin in range(0, len(q), PIECE):
            if begin > 0 and self._watch():
                return
            yield q[begin : begin + PIECE]

    @cached_property
    def _push_out(self) -> PushOut:
        return PushOut(self._request, self._checker, self._free.clearance, self._many.moving)

    def _push(self, q: Array) -> Array | None:
        """A free solution to which one of q [k, nq] is pushed."""
        for each in q:
            if self._watch():
                return None
            pushed = self._push_out.push(each, self._watch)
            solved = None if pushed is None else self._many.from_near(pushed)
            if solved is not None and self._checker.is_free(solved, self._free.clearance):
                return solved
        return None

    def _by_depth(self, q: Array, count: int) -> Array:
        """The `count` configurations of q [k, nq] with the smallest penetration, in ascending order."""
        if count == 0:
            return q[:0]
        some = q[: max(FIRST_MEASURED, count)]
        depths = self._distances(some)
        if len(depths) < len(some):
            some = some[: len(depths)]
        elif len(q) > len(some) and not self._watch():
            deep = float(np.partition(depths, -count)[-count])
            pieces = [each[self._checker.are_free(each, deep)] for each in self._pieces(q[len(some) :])]
            others = np.concatenate(pieces)
            more = self._distances(others)
            some, depths = np.concatenate([some, others[: len(more)]]), np.append(depths, more)
        return some[np.argsort(-depths, kind="stable")[:count]]
