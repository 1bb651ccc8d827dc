"""`AllSolutions`, `AllSolutionsBatch`, `FreeMotion`: what `solve_all` and `solve_all_batch` return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from limbik.errors import SolverError, members_of, shortened
from limbik.spatial import Array

AT_LIMIT = 1e-6  # [rad or m] of a joint that a curve has followed to its limit


@dataclass(frozen=True, slots=True, eq=False)
class FreeMotion:
    """Joints that may move together while the goal stays met: a curve through one of the solutions, or
    another piece that limits leave of it.
    """

    solution: int  # which of them it goes through, or the piece beside it
    joints: tuple[str, ...]  # those that move
    q: Array  # [m, nq] along the curve
    parameter: str  # what `along` is: "swivel angle [rad]", or the length of the path in joint space
    along: Array  # [m] what grows along the curve, from one end to the other
    closed: bool  # it comes back to where it began
    ends: tuple[
        str, str
    ]  # what each end meets, such as "joint_4 at its upper limit"; "" where it is no limit

    def interval(self, joint_index: int) -> tuple[float, float]:
        """Smallest and greatest value [rad or m] of the number of q at an index, along the curve."""
        values = self.q[:, joint_index]
        return float(values.min()), float(values.max())


class AnsweredBy(Protocol):
    """The plan of all solutions; `target` is what they solved."""

    def is_complete(self, target: Any, /) -> bool:
        """Whether it is proved that there is no other solution."""

    def method(self, target: Any, /) -> str:
        """In words."""

    def branches(self, target: Any, q: Array, /) -> tuple[str, ...]:
        """The name of the branch of each of q [k, nq]."""

    def free(self, target: Any, q: Array, /) -> tuple[FreeMotion, ...]:
        """How joints may move together at some of q [k, nq]."""

    def limit_margins(self, target: Any, q: Array, /) -> Array:
        """[nq] at q [nq]."""

    def manipulability(self, target: Any, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""

    def remark(self, target: Any, count: int, /) -> str:
        """Sentences on what is known of so many solutions."""


class AllSolutions:
    """Every configuration found that meets a goal, each checked by forward kinematics.

    `complete` says whether the method proves that there is no other. Revolutions of a joint make no other
    one, unless they were requested.
    """

    # Made a hundred thousand times a second: what is derived waits until it is requested.
    __slots__ = ("_answered_by", "_free", "_q", "_request", "_time")

    def __init__(self, q: Array, answered_by: AnsweredBy, target: Any, time: float) -> None:
        self._q = q
        self._answered_by = answered_by
        self._request = target
        self._time = time

    def __reduce__(self) -> tuple[Any, ...]:
        return AllSolutions, (self._q, self._answered_by, self._request, self._time)

    @property
    def q(self) -> Array:
        """[k, nq] by distance to the start, the nearest first; without a start, by branch."""
        return self._q

    @property
    def time(self) -> float:
        """[s]"""
        return self._time

    @property
    def complete(self) -> bool:
        """Whether it is proved that there is no other solution."""
        return self._answered_by.is_complete(self._request)

    @property
    def method(self) -> str:
        """How they were found, in words."""
        return self._answered_by.method(self._request)

    @property
    def branches(self) -> tuple[str, ...]:
        """[k] the branch of each, such as "shoulder left, elbow up, wrist flipped"."""
        return self._answered_by.branches(self._request, self._q)

    @property
    def free(self) -> tuple[FreeMotion, ...]:
        """The joints that may move together while the goal stays met: in a singular configuration, and of an
        arm with more joints than the goal needs. Looked for at the first call, which takes milliseconds.
        """
        try:
            return self._free
        except AttributeError:
            self._free: tuple[FreeMotion, ...] = self._answered_by.free(self._request, self._q)
            return self._free

    @property
    def limit_margins(self) -> Array:
        """[k, nq] how far each joint is from its nearer limit [rad or m]; infinite where it has none."""
        margins = [self._answered_by.limit_margins(self._request, q) for q in self._q]
        return np.array(margins).reshape(self._q.shape)

    @property
    def manipulability(self) -> Array:
        """[k] Yoshikawa's measure; see `Solution.manipulability`."""
        return np.array([self._answered_by.manipulability(self._request, q) for q in self._q])

    def some(self, indices: Sequence[int]) -> AllSolutions:
        """Those at some indices, so that what is derived is derived for them alone.

        Raises SolverError for indices beyond the last.
        """
        chosen = members_of(indices, "`indices`", SolverError, "a list of whole numbers")
        first, last = -len(self), len(self) - 1
        if not all(isinstance(each, int | np.integer) and first <= each <= last for each in chosen):
            raise SolverError(f"`indices` needs whole numbers below {len(self)}, found {shortened(indices)}")
        return AllSolutions(self._q[list(chosen)], self._answered_by, self._request, self._time)

    def answered_otherwise(self, q: Array, answered_by: AnsweredBy) -> AllSolutions:
        """Others [k, nq] for the same question, and their answers."""
        return AllSolutions(q, answered_by, self._request, self._time)

    @property
    def answered_by(self) -> AnsweredBy:
        """Their plan, for what goes on from there."""
        return self._answered_by

    def explain(self) -> str:
        """What was found, how, and what is known of the rest."""
        return self._answered_by.remark(self._request, len(self._q))

    def __len__(self) -> int:
        return len(self._q)

    def __iter__(self) -> Iterator[Array]:
        return iter(self._q)

    def __repr__(self) -> str:
        return f"AllSolutions({len(self)} solutions, complete={self.complete}, method={self.method!r})"


@dataclass(frozen=True, slots=True, eq=False)
class AllSolutionsBatch:
    """All solutions of many poses, in their order."""

    q: Array  # [N, m, nq]; NaN behind the last of each
    count: NDArray[np.intp]  # [N] how many each has
    complete: bool  # whether it is proved that there are no others
    method: str  # in words
    time: float  # [s] of the whole batch

    @staticmethod
    def of_each(
        each_q: Sequence[Array], nq: int, complete: bool, method: str, time: float
    ) -> AllSolutionsBatch:
        """The solutions [k, nq] of each pose, put together."""
        count = np.array([len(q) for q in each_q], dtype=np.intp)
        q = np.full((len(each_q), int(count.max(initial=0)), nq), np.nan)
        for k, each in enumerate(each_q):
            q[k, : len(each)] = each
        return AllSolutionsBatch(q, count, complete, method, time)

    def of(self, k: int) -> Array:
        """[count, nq] those of one pose."""
        return self.q[k, : self.count[k]]

    def __len__(self) -> int:
        return len(self.q)


def ends_in_words(names: Sequence[str], q: Array, lower: Array, upper: Array) -> str:
    """Which of the joints is at a limit at q, such as "joint_4 at its upper limit"; "" where none is."""
    margins = np.minimum(q - lower, upper - q)
    index = int(np.argmin(margins))
    if margins[index] > AT_LIMIT:
        return ""
    side = "lower" if q[index] - lower[index] < upper[index] - q[index] else "upper"
    return f"{names[index]} at its {side} limit"
