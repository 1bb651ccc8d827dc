"""Filters all solutions: those free of collision, with the count and the reasons of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbik.all_solutions.result import AllSolutions, FreeMotion
from limbik.collision.check import checker_of
from limbik.collision.free_options import FreeOptions
from limbik.collision.still_joints import still_joints
from limbik.goals import Goal
from limbik.model.model import Model
from limbik.request import moving_joints, velocities_of
from limbik.spatial import Array


def those_free(model: Model, every: AllSolutions, goals: Sequence[Goal], free: FreeOptions) -> AllSolutions:
    """Those of all solutions that are free of collision."""
    is_free = checker_of(model, free.world).are_free(every.q, free.clearance)
    answers = FreeAnswers(every, model, free, every.q[~is_free], goals)
    return every.answered_otherwise(every.q[is_free], answers)


class FreeAnswers:
    """The plan of every solution for goals, of which only those free of collision are left.

    blocked [k, nq]: the others. Curves of free motion are not checked for collisions.
    """

    def __init__(
        self,
        every: AllSolutions,
        model: Model,
        free: FreeOptions,
        blocked: Array,
        goals: Sequence[Goal],
    ) -> None:
        self._by, self._count = every.answered_by, len(every)
        self._model, self._free = model, free
        self._blocked, self._goals = blocked, goals

    def is_complete(self, target: Any, /) -> bool:
        """Whether it is proved that there is no other solution."""
        return self._by.is_complete(target)

    def method(self, target: Any, /) -> str:
        """In words."""
        return self._by.method(target)

    def branches(self, target: Any, q: Array, /) -> tuple[str, ...]:
        """The name of the branch of each of q [k, nq]."""
        return self._by.branches(target, q)

    def free(self, target: Any, q: Array, /) -> tuple[FreeMotion, ...]:
        """How joints may move together at some of q [k, nq]."""
        return self._by.free(target, q)

    def limit_margins(self, target: Any, q: Array, /) -> Array:
        """[nq] at q [nq]."""
        return self._by.limit_margins(target, q)

    def manipulability(self, target: Any, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""
        return self._by.manipulability(target, q)

    def remark(self, target: Any, count: int, /) -> str:
        """Sentences on what is known of so many solutions."""
        said = self._by.remark(target, self._count)
        if not self._count:
            return said
        still = self._still_joints()
        joints = f" with {', '.join(map(repr, still))} as in the start" if still else ""
        return f"{said} {count} of {self._count} are free of collision{joints}."

    def _still_joints(self) -> tuple[str, ...]:
        """The joints that move what is in collision, and not what the goals are about."""
        if not len(self._blocked):
            return ()
        checker = checker_of(self._model, self._free.world)
        near = [checker.near_pairs(q, self._free.clearance).pairs for q in self._blocked]
        moving = velocities_of(self._model, moving_joints(self._model, self._goals))
        return still_joints(checker, np.concatenate(near), moving)
