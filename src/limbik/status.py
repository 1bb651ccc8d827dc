"""`Status`: why a solve ended; and `PoseError`: how far a goal is from being met."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Status(enum.Enum):
    """Why a solve ended."""

    SOLVED = "solved"
    CONVERGED = "converged"  # mode="best": no small move makes the weighted errors less
    UNREACHABLE = "unreachable"  # proved: by distance, the arm's plane, or shoulder and wrist
    LIKELY_UNREACHABLE = "likely unreachable"  # every descent settled without meeting the goal
    LOCKED = "locked"  # a solution was found, but only with locked joints moved
    LIMITS_BIND = "limits bind"  # a solution was found, but beyond the limits
    ORIENTATION_UNAVAILABLE = "orientation unavailable"  # the position alone can be met within the limits
    BUDGET_SPENT = "budget spent"  # a solution exists, or the error was still falling
    GOAL_IN_COLLISION = "goal in collision"  # proved: what is rigid with the goal's frame collides there
    BASE_IN_COLLISION = "base in collision"  # proved: what no joint moves collides
    NO_FREE_SOLUTION = "no free solution"  # the goal can be met, but all solutions found collide

    @property
    def meaning(self) -> str:
        """One sentence for a person."""
        return _MEANINGS[self]


_MEANINGS = {
    Status.SOLVED: "the goal is met within tolerance and every limit holds",
    Status.CONVERGED: "the goals cannot all be met from there; no small move makes their errors less",
    Status.UNREACHABLE: "the goal is out of reach, whatever the joints do within their limits",
    Status.LIKELY_UNREACHABLE: "every attempt settled away from the goal; it is likely out of reach",
    Status.LOCKED: "the goal could be met if joints that are locked were free",
    Status.LIMITS_BIND: "the goal could be met beyond the limits, and no solution was found within them",
    Status.ORIENTATION_UNAVAILABLE: "the position can be reached, but not with this orientation",
    Status.BUDGET_SPENT: "the search was cut short: more iterations or restarts may find a solution",
    Status.GOAL_IN_COLLISION: "whatever the joints do, the frame is in collision at its goal",
    Status.BASE_IN_COLLISION: "what no joint moves is in collision",
    Status.NO_FREE_SOLUTION: "the goal can be met, but every configuration that was found is in collision",
}


class PoseError(NamedTuple):
    """How far one goal is from being met; 0 where nothing of the kind was requested."""

    position: float  # [m]
    rotation: float  # [rad]
