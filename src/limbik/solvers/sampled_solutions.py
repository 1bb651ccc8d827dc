"""The solutions that are found from many starts: for every goal and every model, and never all for sure."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from limbik.all_solutions import AllSolutions, FreeMotion
from limbik.goals import Goal
from limbik.model.joints import HINGES
from limbik.model.margins import limit_margins
from limbik.model.model import Model
from limbik.solvers import measure
from limbik.solvers.request import Request
from limbik.spatial import Array, nearest_turns

STARTS = 200
DISTINCT = 0.01  # [rad or m] of some joint; below it, two solutions are one


class Sampled(NamedTuple):
    """What was asked, and how the search went."""

    goals: Any
    solves: int  # that ended at a solution
    once: int  # solutions that only one of them ended at
    starts: int


class SampledPlan:
    """Distinct solutions from random starts.

    Whole turns of a joint make no other solution. How likely one more start leads to a solution that is not
    known yet is estimated by how many solutions only one start has led to (I. J. Good, "The Population
    Frequencies of Species and the Estimation of Population Parameters", 1953).
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    def solve(
        self, goals: Any, start: Array | None, *, starts: int = STARTS, seed: int = 0, **options: Any
    ) -> AllSolutions:
        """Distinct solutions, in the order in which they were found, or by distance to a start [nq].

        None where a solve without a start finds none.
        """
        began = perf_counter()
        first = self.model.solve(goals, start=start, seed=seed, **options)
        found, seen = ([first.q], [1]) if first.success else ([], [])
        for each in _without_turns(self.model, self.model.random(seed, starts)) if found else ():
            solution = self.model.solve(goals, start=each, **options)
            if not solution.success:
                continue
            known = next((k for k, q in enumerate(found) if not _differ(self.model, solution.q, q)), None)
            if known is None:
                found.append(solution.q)
                seen.append(1)
            else:
                seen[known] += 1
        q = np.array(found).reshape(-1, self.model.nq)
        if start is not None:
            distances = [np.linalg.norm(self.model.difference(start, each)) for each in q]
            q = q[np.argsort(distances, kind="stable")]
        asked = Sampled(goals, sum(seen), seen.count(1), starts)
        return AllSolutions(q, self, asked, perf_counter() - began)

    def is_complete(self, asked: Sampled, /) -> bool:
        """False: one may exist that no start led to."""
        return False

    def method(self, asked: Sampled, /) -> str:
        """In words."""
        return f"from {asked.starts} random starts"

    def branches(self, asked: Sampled, q: Array, /) -> tuple[str, ...]:
        """Numbers: without a closed form the branches have no names."""
        return tuple(f"solution {k + 1}" for k in range(len(q)))

    def free(self, asked: Sampled, q: Array, /) -> tuple[FreeMotion, ...]:
        """None that is known."""
        return ()

    def limit_margins(self, asked: Sampled, q: Array, /) -> Array:
        """[nq] at q [nq]."""
        return limit_margins(self.model, q)

    def manipulability(self, asked: Sampled, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""
        goals: tuple[Goal, ...] = asked.goals if isinstance(asked.goals, tuple) else (asked.goals,)
        return measure.manipulability(Request(model=self.model, goals=goals, solver="auto", options={}), q)

    def remark(self, asked: Sampled, count: int, /) -> str:
        """What is known of so many solutions."""
        if not count:
            return "No solution was found. " + " ".join(self.model.solve(asked.goals).explain().sentences)
        share = asked.once / asked.solves
        return (
            f"{count} distinct solutions {self.method(asked)}. There may be more: of {asked.solves} solves, "
            f"{asked.once} ended at a solution that no other one found, so that about {share:.0%} of further "
            "starts would find a new one."
        )


def _without_turns(model: Model, q: Array) -> Array:
    """Configurations [N, nq] with the angles nearest to 0 that mean the same, where limits allow these."""
    for joint in model.joints:
        if joint.kind in HINGES and joint.mimic is None:
            place = model.q_slice(joint.name).start
            near = nearest_turns(q[:, place])
            is_legal = (near >= model.lower[place]) & (near <= model.upper[place])
            q[:, place] = np.where(is_legal, near, q[:, place])
    return q


def _differ(model: Model, q0: Array, q1: Array) -> bool:
    """Whether two configurations differ in more than whole turns."""
    change = model.difference(q0, q1)
    for joint in model.joints:
        if joint.kind in HINGES and joint.mimic is None:
            v = model.v_slice(joint.name)
            change[v] = [math.remainder(angle, 2.0 * math.pi) for angle in change[v]]
    return bool(np.abs(change).max(initial=0.0) > DISTINCT)
