"""Of all solutions those that are free of collision."""

from __future__ import annotations

from typing import Any

from limbik.all_solutions import AllSolutions, AnsweredBy, FreeMotion
from limbik.collision.check import checker_of
from limbik.model.model import Model
from limbik.solvers.free_options import FreeOptions
from limbik.spatial import Array


def those_free(model: Model, every: AllSolutions, free: FreeOptions) -> AllSolutions:
    """Those of all solutions that are free of collision."""
    checker = checker_of(model, free.world)
    is_free = checker.are_free(every.q, free.clearance)
    return every.answered_otherwise(every.q[is_free], FreeAnswers(every.answered_by, len(every)))


class FreeAnswers:
    """What found solutions, of which only those that are free of collision are left.

    count: of all. Curves of free motion are not checked for collisions.
    """

    def __init__(self, answered_by: AnsweredBy, count: int) -> None:
        self._by, self._count = answered_by, count

    def is_complete(self, asked: Any, /) -> bool:
        """Whether it is proved that there is no other solution."""
        return self._by.is_complete(asked)

    def method(self, asked: Any, /) -> str:
        """In words."""
        return self._by.method(asked)

    def branches(self, asked: Any, q: Array, /) -> tuple[str, ...]:
        """The name of the branch of each of q [k, nq]."""
        return self._by.branches(asked, q)

    def free(self, asked: Any, q: Array, /) -> tuple[FreeMotion, ...]:
        """How joints may move together at some of q [k, nq]."""
        return self._by.free(asked, q)

    def limit_margins(self, asked: Any, q: Array, /) -> Array:
        """[nq] at q [nq]."""
        return self._by.limit_margins(asked, q)

    def manipulability(self, asked: Any, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""
        return self._by.manipulability(asked, q)

    def remark(self, asked: Any, count: int, /) -> str:
        """Sentences on what is known of so many solutions."""
        said = self._by.remark(asked, self._count)
        return f"{said} {count} of {self._count} are free of collision." if self._count else said
