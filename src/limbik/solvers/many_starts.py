"""`ManyStarts`: draws solutions of the same goals by solving from random starts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from limbik import measure
from limbik.compiler.watch import watch_until
from limbik.goals import Goal, Posture
from limbik.goals.base import PRIORITIES
from limbik.model.joints import JointKind
from limbik.request import Request, free_to_move
from limbik.solution import Solution
from limbik.solvers.batch_job import from_starts
from limbik.solvers.plan import Problem
from limbik.solvers.plans import plan_of
from limbik.solvers.serial_plan import SerialPlan
from limbik.spatial import Array

NEAR = 0.5  # of the starts of models with a floating base: they are near the first solution
SPREAD = 0.5  # [rad or m] how near


class ManyStarts:
    """Draws solutions of the goals of a solution. Joints that move nothing that is requested, and those that
    are locked, stay as the solution has them. deadline: [s of `perf_counter`].
    """

    def __init__(self, first: Solution, request: Request, seed: int, deadline: float = math.inf) -> None:
        self.request = request
        self.model = request.model
        self._first = first
        self._deadline, self._watch = deadline, watch_until(deadline)
        self._random = np.random.default_rng(seed + 1)
        self.moving = np.zeros(self.model.nv, dtype=bool)
        is_moving = np.zeros(self.model.nq, dtype=bool)
        self._has_base = False
        for name in free_to_move(request):
            is_base = self.model.joint(name).kind is JointKind.FLOATING
            self._has_base |= is_base
            self.moving[self.model.v_slice(name)] = True
            is_moving[self.model.q_slice(name)] = not is_base
        self._still = np.flatnonzero(~is_moving)
        self._plan = first.question if isinstance(first.question, SerialPlan) else None

    @property
    def is_quick(self) -> bool:
        """Whether many are drawn in the time of a few."""
        return self._plan is not None

    def draw(self, count: int) -> Array:
        """[k, nq] solutions, as many as that many starts lead to."""
        starts = self._starts(count)
        if isinstance(self._plan, SerialPlan):
            return from_starts(
                self._plan, np.frombuffer(self._first.target).reshape(4, 4), starts, self._deadline
            )
        solutions = map(self._one, self._in_time(starts))
        return np.array([q for q in solutions if q is not None]).reshape(-1, self.model.nq)

    def from_near(self, q: Array) -> Array | None:
        """The solution next to a configuration [nq]; None where there is none."""
        return self._one(q)

    def nearer(self, q: Array, to: Array) -> Array:
        """[k, nq] where solutions q [n, nq], one or more, come to as they move toward a configuration [nq] in
        the null space of the goals; nothing where these take all joints.
        """
        goals = self.request.goals
        priority = max(goal.priority for goal in goals) + 1
        rows = len(measure.residual(self.request, q[0], 1.0)[0])
        if rows >= self.moving.sum() or priority not in PRIORITIES or self.request.solver != "lm":
            return q[:0]
        closer = (*goals, Posture(q=to, priority=priority))
        moved = [self._one(each, closer) for each in self._in_time(q)]
        return np.array([each for each in moved if each is not None]).reshape(-1, self.model.nq)

    def _in_time(self, starts: Array) -> Iterator[Array]:
        """Each of starts [k, nq], until the time is up."""
        return itertools.takewhile(lambda _: not self._watch(), starts)

    def _one(self, start: Array, goals: Sequence[Goal] | None = None) -> Array | None:
        options = {**self.request.options, "restarts": 0, "solver": self.request.solver}
        goals = tuple(goals or self.request.goals)
        plan = plan_of(self.model, goals, options)
        solution = plan.solve(Problem(goals, start, deadline=self._deadline))
        return solution.q if solution.success else None

    def _starts(self, count: int) -> Array:
        starts = self.model.random(self._random, count)
        if self._has_base:
            near = self._random.random(count) < NEAR
            change = SPREAD * self._random.standard_normal((count, self.model.nv)) * self.moving
            starts[near] = self.model.clip(self.model.integrate(self._first.q, change[near]))
        starts[:, self._still] = self._first.q[self._still]
        return starts
