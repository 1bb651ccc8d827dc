"""What is answered."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The configuration that a solver found, and how good it is.

    `success` was checked by forward kinematics at `q`. Where it is False, `q` is the nearest legal
    configuration found.
    """

    q: Array  # [nq]
    status: Status
    error: float  # [m] distance of the frame from the goal
    error_rotation: float  # [rad] angle between the frame and the goal; 0 where no rotation was asked for
    iterations: int  # over all restarts
    restarts: int
    time: float  # [s]
    solver: str  # name
    start: Array  # [nq] as it was given
    start_was_moved: bool  # it was outside the limits, many turns away, or a quaternion was not of length 1

    @property
    def success(self) -> bool:
        """Whether the goal is met within tolerance, and within limits unless these were switched off."""
        return self.status is Status.SOLVED

    def __bool__(self) -> bool:
        return self.success


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
