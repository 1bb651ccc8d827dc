"""`Path`: what `solve_path` returns, with its breaks, their reasons, and stretches that are too fast for a
joint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.errors import number_of
from limbik.locks import cached_property
from limbik.spatial import Array, Matrix4


class BreakReason(Enum):
    """Why a path cannot go on from where it is."""

    NO_SOLUTION = "no solution"  # no configuration reaches the poses that follow
    LIMIT = "limit"  # it would go on beyond joint limits
    BRANCH_ENDS = "branch ends"  # there are configurations ahead, none of which is near: a singularity
    COLLISION = "collision"  # it would collide
    CUT_SHORT = "cut short"  # the time limit, or the number of positions, has ended the search
    OTHER_BRANCH = "other branch"  # it could go on, but does not lead to the end, or within the step allowed


@dataclass(frozen=True, slots=True)
class Break:
    """A pose where the joints have to leave the path and take it up again.

    Positions along the path are counted in poses: 2.5 is midway between poses 2 and 3.
    """

    begin: float  # where the piece before it ends
    end: float  # where the next piece begins; at the last pose where there is no more
    knot: int  # the first knot of the next piece; the number of knots where there is no more
    reason: BreakReason
    ends_at: float  # how far the piece before could at most be followed on its branch
    joints: tuple[str, ...]  # that would go beyond their limits

    @property
    def why(self) -> str:
        """The reason in words: a sentence without its point."""
        return {
            BreakReason.NO_SOLUTION: "no configuration reaches the poses that follow",
            BreakReason.LIMIT: f"{', '.join(map(repr, self.joints))} would go beyond the limits",
            BreakReason.COLLISION: "the robot would collide",
            BreakReason.BRANCH_ENDS: "the branch ends in a singularity",
            BreakReason.CUT_SHORT: "the search was cut short",
            BreakReason.OTHER_BRANCH: "the branch goes on, but does not lead to the end of the path",
        }[self.reason]


class TooFast(NamedTuple):
    """A stretch between two knots on which given times ask too much of a joint."""

    knot: int  # the stretch begins there
    joint: str
    ratio: float  # to the limit


@dataclass(frozen=True, eq=False)
class Path:
    """Configurations along a sequence of poses, joined by straight lines in joint space.

    Between two breaks no joint's step from knot to knot is greater than was allowed, and the frame stays as
    near to the wanted path (straight lines with evenly turning orientation between the poses) as `deviation`
    says, which was measured at and between the knots.
    """

    q: Array  # [M, nq] the knots, within the limits
    position: Array  # [M] where each knot is along the path, counted in poses
    poses: Array  # [M, 4, 4] the wanted pose at each knot
    knots: NDArray[np.intp]  # [N] the knot of each given pose; -1 where nothing reaches it
    times: Array | None  # [M] in seconds
    breaks: tuple[Break, ...]
    followed: float  # how far a path without a break gets, to within a stretch between knots
    deviation: tuple[float, float]  # greatest, [m] and [rad]
    length: float  # [rad or m] of the path in joint space, without the breaks
    too_fast: tuple[TooFast, ...]  # where the given times ask for more than the limits
    branch_of: Callable[[Matrix4, Array], str]  # the name of the branch of q [nq] at a pose

    @cached_property
    def branches(self) -> tuple[str, ...]:
        """[M] the names of the knots' branches, of arms with a closed form; otherwise ""."""
        return tuple(map(self.branch_of, self.poses, self.q))

    @property
    def complete(self) -> bool:
        """Whether it follows all poses without a break."""
        return not self.breaks

    @property
    def _is_cut_short(self) -> bool:
        return any(each.reason is BreakReason.CUT_SHORT for each in self.breaks)

    def __len__(self) -> int:
        return len(self.q)

    def explain(self) -> str:
        """What was found, and where and why it breaks."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        last = len(self.knots) - 1
        if self.complete:
            poses = f"All {last + 1} poses are" if last else "The pose is"
            yield f"{poses} followed without a break, with {number_of(len(self), 'knot')}."
        elif not len(self):
            yield "The search was cut short." if self._is_cut_short else "No pose of the path can be reached."
        else:
            yield f"Of positions 0 to {last} a path without a break gets to {self.followed:.4g}."
            fewest = "" if self._is_cut_short else ", the fewest that were found,"
            breaks, knots = number_of(len(self.breaks), "break"), number_of(len(self), "knot")
            yield f"The best path has {breaks}{fewest} with {knots}."
        for each in self.breaks if len(self) else ():
            yield _said(each)
        if len(self):
            metres, radians = self.deviation
            yield (
                f"At and between the knots it is off by {_or_less(1e3 * metres, 1e-3)} mm and "
                f"{_or_less(radians, 1e-6)} rad. "
                f"The joints move {self.length:.4g} rad or m together."
            )
        if self.too_fast:
            worst = max(self.too_fast, key=lambda each: each.ratio)
            yield (
                f"The times are too fast on {len(self.too_fast)} stretches: {worst.joint!r} would need "
                f"{worst.ratio:.3g} times what its limit allows after knot {worst.knot}."
            )


def _said(each: Break) -> str:
    where = (
        f"at {each.begin:.4g}" if each.end - each.begin < 1e-3 else f"from {each.begin:.4g} to {each.end:.4g}"
    )
    is_later = abs(each.ends_at - each.begin) > 0.01 and each.reason is not BreakReason.OTHER_BRANCH
    later = f" the branch could be followed to {each.ends_at:.4g}, where" if is_later else ""
    return f"Break {where}:{later} {each.why}."


def _or_less(value: float, smallest: float) -> str:
    """A number in words; below the least one worth telling, that it is less."""
    return f"less than {smallest:g}" if value < smallest else f"at most {value:.3g}"
