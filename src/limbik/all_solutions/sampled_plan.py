"""All solutions by search from many starts: for every goal and model, without proof."""

from __future__ import annotations

import math
from collections.abc import Iterator
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik import measure
from limbik.all_solutions.result import AllSolutions, FreeMotion
from limbik.goals import Goal
from limbik.model.margins import limit_margins
from limbik.model.model import Model
from limbik.model.periodic import periodic
from limbik.request import Request, still_indices, time_left
from limbik.solution import Solution
from limbik.spatial import Array, nearest_angles

STARTS = 200
DISTINCT = 0.01  # [rad or m] of some joint; below it, two solutions are one


class SampledSearch(NamedTuple):
    """The request, and how the search went."""

    goals: Any
    first: Solution  # which says why, where there is none
    solves: int  # that ended at a solution
    once: int  # solutions that only one of them ended at
    starts: int  # that there was time for


class SampledPlan:
    """Distinct solutions from random starts.

    Revolutions of a joint make no other solution. How likely one more start leads to a solution that is not
    known yet is estimated by how many solutions only one start has led to (I. J. Good, "The Population
    Frequencies of Species and the Estimation of Population Parameters", 1953).
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        is_periodic = periodic(model)
        hinges = [joint.name for joint in model.joints if is_periodic[model.q_slice(joint.name)].any()]
        self._turning = np.array([model.v_slice(hinge).start for hinge in hinges], dtype=np.intp)

    def solve(
        self,
        goals: Any,
        start: Array | None,
        *,
        starts: int = STARTS,
        seed: int = 0,
        deadline: float = math.inf,
        **options: Any,
    ) -> AllSolutions:
        """Distinct solutions, in the order in which they were found, or by distance to a start [nq]: none
        where a solve from there finds none. Joints that the goals do not move stay as it has them.
        deadline: [s of `perf_counter`].
        """
        began = perf_counter()
        first = self.model.solve(goals, start=start, seed=seed, time_limit=time_left(deadline), **options)
        solutions, seen = ([first.q], [1]) if first.success else ([], [])
        tried = 0
        for each in self._samples(first, starts, seed) if solutions else ():
            if perf_counter() >= deadline:
                break
            tried += 1
            solution = self.model.solve(goals, start=each, time_limit=time_left(deadline), **options)
            if not solution.success:
                continue
            known = self._same(solution.q, np.array(solutions))
            if known.size:
                seen[known[0]] += 1
            else:
                solutions.append(solution.q)
                seen.append(1)
        q = np.array(solutions).reshape(-1, self.model.nq)
        if start is not None:
            distances = [np.linalg.norm(self.model.difference(start, each)) for each in q]
            q = q[np.argsort(distances, kind="stable")]
        sampled = SampledSearch(goals, first, sum(seen), seen.count(1), tried if solutions else starts)
        return AllSolutions(q, self, sampled, perf_counter() - began)

    def _samples(self, first: Solution, count: int, seed: int) -> Iterator[Array]:
        """Random configurations [nq], with the joints that goals do not move as a first solution has them."""
        rng, still = np.random.default_rng(seed), still_indices(first.request)
        for begin in range(0, count, STARTS):
            samples = _unwound(self.model, self.model.random(rng, min(STARTS, count - begin)))
            samples[:, still] = first.q[still]
            yield from samples

    def _same(self, q: Array, others: Array) -> NDArray[np.intp]:
        """Which of some configurations [k, nq] differ from q [nq] by no more than revolutions."""
        change = self.model.difference(q, others)
        change[:, self._turning] = nearest_angles(change[:, self._turning])
        return np.flatnonzero(np.abs(change).max(axis=1, initial=0.0) <= DISTINCT)

    def is_complete(self, sampled: SampledSearch, /) -> bool:
        """False: one may exist that no start led to."""
        return False

    def method(self, sampled: SampledSearch, /) -> str:
        """In words."""
        return f"from {sampled.starts} random starts"

    def branches(self, sampled: SampledSearch, q: Array, /) -> tuple[str, ...]:
        """Numbers: without a closed form the branches have no names."""
        return tuple(f"solution {k + 1}" for k in range(len(q)))

    def free(self, sampled: SampledSearch, q: Array, /) -> tuple[FreeMotion, ...]:
        """None that is known."""
        return ()

    def limit_margins(self, sampled: SampledSearch, q: Array, /) -> Array:
        """[nq] at q [nq]."""
        return limit_margins(self.model, q)

    def manipulability(self, sampled: SampledSearch, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""
        goals: tuple[Goal, ...] = sampled.goals if isinstance(sampled.goals, tuple) else (sampled.goals,)
        return measure.manipulability(Request(model=self.model, goals=goals, solver="auto", options={}), q)

    def remark(self, sampled: SampledSearch, count: int, /) -> str:
        """What is known of so many solutions."""
        if not count:
            return "No solution was found. " + " ".join(sampled.first.explain().sentences)
        fraction = sampled.once / sampled.solves
        plural = "s" if count > 1 else ""
        return (
            f"{count} distinct solution{plural} {self.method(sampled)}. There may be more: "
            f"of {sampled.solves} solves, {sampled.once} ended at a solution that no other one found: "
            f"about {fraction:.0%} of further starts would find a new one."
        )


def _unwound(model: Model, q: Array) -> Array:
    """Configurations [N, nq] with the angles nearest to 0 that mean the same, where limits allow these."""
    near = nearest_angles(q)
    is_legal = periodic(model) & (near >= model.lower) & (near <= model.upper)
    return np.where(is_legal, near, q)
