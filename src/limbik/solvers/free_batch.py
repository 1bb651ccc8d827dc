"""Solves batches free of collision.

All answers are checked in one call. What collides and cannot but do so is proved to. For all others, further
starts are solved from, ever more of them for those that are still open; the few that are left are solved one
at a time (`FreePlan`), which pushes, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik.collision.check import checker_of
from limbik.collision.checker import Checker
from limbik.collision.free_options import FreeOptions
from limbik.compiler.watch import watch_until
from limbik.goals import Pose
from limbik.model.model import Model
from limbik.numerics.end_codes import SOLVED
from limbik.request import Request, moving_velocities, still_indices
from limbik.solution import STATUSES, BatchSolution
from limbik.solvers.fixed_collisions import blocked_each
from limbik.solvers.free_plan import FreePlan
from limbik.solvers.plan import Problem
from limbik.solvers.plans import plan_for
from limbik.spatial import Array
from limbik.status import Status

ROUNDS = (8, 32, 128, 512)  # starts for each problem that is still open
RESTARTS = sum(ROUNDS)  # unless it is said
ALONE = 168  # starts, where a problem is solved by itself
MAX_AT_ONCE = 1 << 15  # starts

Indices = NDArray[np.intp]

# Answers to some of the problems (indices [n]) from starts [n, nq]: outcomes [n, ...] and q [n, nq].
FromStarts = Callable[[Indices, Array], tuple[Array, Array]]


def batch_made_free(
    model: Model,
    poses: Array,
    first: BatchSolution,
    free: FreeOptions,
    frame: str | None,
    starts: Array | None,
    seed: int,
    options: Mapping[str, Any],
    began: float,
    from_starts: FromStarts,
    deadline: float,
) -> BatchSolution:
    """The answers to poses [N, 4, 4] where they are free of collision, and others where they are not.

    starts [N, nq], seed and options as those were found with; began [s]: when.
    """
    watch, restarts = watch_until(deadline), options.get("restarts")
    options = {**options, "restarts": RESTARTS if restarts is None else restarts}
    checker = checker_of(model, free.world)
    q, outcomes = first.q.copy(), first.outcome.copy()
    left: Indices = np.flatnonzero(outcomes[:, 0] == SOLVED)
    left = left[~checker.are_free(q[left], free.clearance)]
    if left.size:
        goal = Pose(target=np.eye(4), frame=frame)  # of all that matters here, they differ in their targets
        request = Request(model=model, goals=(goal,), solver="lm", options=options)
        outcomes[left, 0] = blocked_each(
            request, checker, free.clearance, q[left], moving_velocities(request)
        )
        left = left[outcomes[left, 0] == SOLVED]
        search = _Starts(request, checker, free.clearance, from_starts, starts, seed)
        for count in search.rounds():
            if left.size == 0 or watch():
                break
            left = search.still_open(left, count, q, outcomes)
    careful = {**options, "restarts": min(options["restarts"], ALONE)}
    alone = FreePlan(plan_for(model, frame, Pose, careful), model, free)
    for k in left:
        if watch():
            outcomes[k, 0] = STATUSES.index(Status.NO_FREE_SOLUTION)
            continue
        goals = (Pose(target=poses[k], frame=frame),)
        start = None if starts is None else starts[k]
        solution = alone.solve(Problem(goals, start, seed, deadline=deadline))
        q[k], outcomes[k] = solution.q, solution.outcome[: outcomes.shape[1]]
    return BatchSolution(q, outcomes, perf_counter() - began, first.solver)


class _Starts:
    """Further starts for the problems of a batch."""

    def __init__(
        self,
        request: Request,
        checker: Checker,
        clearance: float,
        from_starts: FromStarts,
        starts: Array | None,
        seed: int,
    ) -> None:
        self._model: Model = request.model
        self._checker, self._clearance = checker, clearance
        self._from_starts, self._starts = from_starts, starts
        self._random = np.random.default_rng(seed + 1)
        self._still = still_indices(request)
        self._left: int = request.options["restarts"]

    def rounds(self) -> Iterator[int]:
        """How many starts each open problem gets, round by round."""
        for count in ROUNDS:
            count = min(count, self._left)
            self._left -= count
            if count > 0:
                yield count

    def still_open(self, left: Indices, count: int, q: Array, outcomes: Array) -> Indices:
        """Solve from `count` starts for each problem that is left [k]; those that are left then.

        Free answers go into q [N, nq] and outcomes [N, ...].
        """
        at_once = max(1, MAX_AT_ONCE // count)
        parts = [left[k : k + at_once] for k in range(0, len(left), at_once)]
        return np.concatenate([self._of_part(part, count, q, outcomes) for part in parts])

    def _of_part(self, part: Indices, count: int, q: Array, outcomes: Array) -> Indices:
        problems = np.repeat(part, count)
        starts = self._model.random(self._random, len(problems))
        starts[:, self._still] = q[problems][:, self._still]
        new_outcomes, new = self._from_starts(problems, starts)
        costs = np.full(len(problems), np.inf)
        solved = np.flatnonzero(new_outcomes[:, 0] == SOLVED)
        chosen = solved[self._checker.are_free(new[solved], self._clearance)]
        costs[chosen] = 0.0
        if self._starts is not None:
            away = self._model.difference(self._starts[problems[chosen]], new[chosen])
            costs[chosen] = np.linalg.norm(away, axis=1)
        best = costs.reshape(-1, count).argmin(axis=1) + count * np.arange(len(part))
        is_free = np.isfinite(costs[best])
        q[part[is_free]] = new[best[is_free]]
        outcomes[part[is_free], :3] = new_outcomes[best[is_free], :3]
        return part[~is_free]
