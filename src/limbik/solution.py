"""What is answered."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import Array


class Status(enum.Enum):
    """Why a solve ended."""

    SOLVED = "solved"
    UNREACHABLE = (
        "unreachable"  # proved: farther away, or nearer, than the links can reach, or off the arm's plane
    )
    STALLED = (
        "stalled"  # every descent settled without meeting the goal: likely out of reach within the limits
    )
    BUDGET_SPENT = "budget spent"  # still descending when the iterations ran out

    @property
    def meaning(self) -> str:
        """One sentence for a person."""
        return _MEANINGS[self]


_MEANINGS = {
    Status.SOLVED: "the goal is met within tolerance and every limit is kept",
    Status.UNREACHABLE: "the goal is out of reach, whatever the joints do",
    Status.STALLED: "every attempt settled away from the goal; it is likely out of reach within the limits",
    Status.BUDGET_SPENT: "the iterations ran out while the error was still falling",
}


class Facts(NamedTuple):
    """How a solve ended, in numbers; the fast core writes them as the first ones of an array."""

    status: float  # place in `STATUSES`
    error: float  # [m]
    chord: float  # of the rotation error: twice the sine of half the angle
    iterations: float
    restarts: float
    start_was_moved: float  # 1 or 0


STATUSES = (Status.SOLVED, Status.UNREACHABLE, Status.STALLED, Status.BUDGET_SPENT)


class Solution:
    """The configuration that a solver found, and how good it is.

    `success` was checked by forward kinematics at `q`. Where it is False, `q` is the nearest legal
    configuration found.
    """

    # Made a million times a second: what is derived waits until it is asked for.
    __slots__ = ("_facts", "_q", "_solver", "_start", "_time")

    def __init__(
        self, q: Array, facts: Facts | Array, time: float, solver: str, start: Array | bytes | None
    ) -> None:
        self._q = q
        self._facts = facts
        self._time = time
        self._solver = solver
        self._start = start

    @property
    def q(self) -> Array:
        """[nq]"""
        return self._q

    @property
    def facts(self) -> Facts | Array:
        """The numbers from which status, errors and counts are read."""
        return self._facts

    @property
    def status(self) -> Status:
        """Why the solve ended."""
        return STATUSES[int(self._facts[0])]

    @property
    def success(self) -> bool:
        """Whether the goal is met within tolerance, and within limits unless these were switched off."""
        return bool(self._facts[0] == 0.0)

    @property
    def error(self) -> float:
        """[m] distance of the frame from the goal; 0 where no position was asked for."""
        return float(self._facts[1])

    @property
    def error_rotation(self) -> float:
        """[rad] angle between the frame and the goal; 0 where no rotation was asked for."""
        return 2.0 * math.asin(min(0.5 * self._facts[2], 1.0))

    @property
    def iterations(self) -> int:
        """Over all restarts."""
        return int(self._facts[3])

    @property
    def restarts(self) -> int:
        """How often a descent began again elsewhere."""
        return int(self._facts[4])

    @property
    def start_was_moved(self) -> bool:
        """The start was outside the limits, many turns away, or held a quaternion not of length 1."""
        return bool(self._facts[5])

    @property
    def time(self) -> float:
        """[s]"""
        return self._time

    @property
    def solver(self) -> str:
        """Name of the method."""
        return self._solver

    @property
    def start(self) -> Array | None:
        """[nq] as it was given; None where the method chose its own."""
        return np.frombuffer(self._start) if isinstance(self._start, bytes) else self._start

    def __bool__(self) -> bool:
        return self.success

    def __repr__(self) -> str:
        return (
            f"Solution(q={self.q!r}, status={self.status!s}, error={self.error!r}, "
            f"error_rotation={self.error_rotation!r}, iterations={self.iterations}, "
            f"restarts={self.restarts}, time={self.time!r}, solver={self.solver!r})"
        )


@dataclass(frozen=True, slots=True, eq=False)
class BatchSolution:
    """The answers to many goals, in their order; see `Solution` for what each means."""

    q: Array  # [N, nq]
    facts: Array  # [N, 6] of `Facts`
    time: float  # [s] of the whole batch
    solver: str  # name

    @property
    def success(self) -> NDArray[np.bool_]:
        """[N] whether each goal is met within tolerance and limits."""
        return np.asarray(self.facts[:, 0] == 0.0)

    @property
    def status(self) -> list[Status]:
        """[N] why each solve ended."""
        return [STATUSES[int(code)] for code in self.facts[:, 0]]

    @property
    def error(self) -> Array:
        """[N, m] distances of the frame from the goals."""
        return np.asarray(self.facts[:, 1])

    @property
    def error_rotation(self) -> Array:
        """[N, rad] angles between the frame and the goals."""
        return np.asarray(2.0 * np.arcsin(np.minimum(0.5 * self.facts[:, 2], 1.0)))

    @property
    def iterations(self) -> NDArray[np.intp]:
        """[N]"""
        return self.facts[:, 3].astype(np.intp)

    def __len__(self) -> int:
        return len(self.q)


@dataclass(frozen=True, slots=True, eq=False)
class Iterate:
    """What one iteration left."""

    iteration: int  # 0: the start
    q: Array  # [nq]
    error: float  # [m]; for goals with a rotation, metres and weighted radians together
    note: str  # "start", "step", "restart" or "end"


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Every iteration of one solve: k + 1 configurations and errors, the start first.

    After restarts the last row need not be the best one: the answer is in `solution`.
    """

    q: Array  # [k + 1, nq]
    error: Array  # [k + 1], as in `Iterate`
    restarted_at: tuple[int, ...]  # rows that are the first iterations after a restart
    solution: Solution

    @property
    def iterations(self) -> int:
        """Number of iterations k."""
        return len(self.error) - 1

    def __len__(self) -> int:
        return len(self.error)

    def __iter__(self) -> Iterator[Iterate]:
        last = len(self.error) - 1
        for k, (q, error) in enumerate(zip(self.q, self.error, strict=True)):
            if k == 0:
                note = "start"
            elif k in self.restarted_at:
                note = "restart"
            else:
                note = "end" if k == last else "step"
            yield Iterate(k, q, float(error), note)
