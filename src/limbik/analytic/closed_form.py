"""Which closed form an arm has, by what is special about its axes."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from limbik.analytic.added_joints import JOINTS, Arrangement, arrangements, with_added_joints
from limbik.analytic.axes import Axes
from limbik.analytic.geometry import (
    EXACT,
    MIN_REGULARITY,
    MIN_REGULARITY_NEAR,
    NEAR,
    are_across,
    are_parallel,
    length,
    meeting,
    meeting_of_three,
    with_points,
)
from limbik.spatial import Array


class Family(enum.Enum):
    """The arms of six joints that have a closed form; see `analytic.families` and `analytic.slides`.

    All but the last have three axes that meet at the end, and the name tells the first three joints:
    revolute, or where there are letters, R or prismatic (P).
    """

    PARALLEL_2_3 = "parallel_2_3"
    PARALLEL_1_2 = "parallel_1_2"
    MEETING_1_2 = "meeting_1_2"
    MEETING_2_3 = "meeting_2_3"
    RRP_PARALLEL = "rrp_parallel"  # the axes of the two revolute joints
    RRP_ACROSS = "rrp_across"  # the slide to the axis before it
    RRP_MEETING = "rrp_meeting"
    RPR_PARALLEL = "rpr_parallel"
    RPR_ACROSS = "rpr_across"  # the slide to the axis behind it
    ACROSS_RPR = "across_rpr"  # and before it
    RPR_ALONG = "rpr_along"  # the slide and the axis before it, which intersects the other
    ALONG_RPR = "along_rpr"  # and the axis behind it
    PRR_PARALLEL = "prr_parallel"
    PRR_ACROSS = "prr_across"
    PRR_MEETING = "prr_meeting"
    RPP = "rpp"
    PRP = "prp"
    PPR = "ppr"
    PPP = "ppp"
    THREE_PARALLEL = "three_parallel"


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """The closed form of an arm of up to six joints; added ones that stand still make it six."""

    family: Family
    axes: Axes  # [6] in the order in which they are solved, the points where axes intersect
    true_axes: Axes  # the same before parallel axes were made so exactly
    indices: tuple[int, ...]  # [6] which of the arm's joints each is; those of added joints are >= count
    count: int  # joints of the arm
    is_backwards: bool  # walked from the tool
    is_exact: bool


def closed_form(axes: Axes) -> ClosedForm | None:
    """The closed form of up to six joints; None where they have none, or where some motion is missing in
    every configuration, so that a pose has no solution or infinitely many.
    """
    if not 0 < axes.size <= JOINTS:
        return None
    for size, regularity in ((EXACT, MIN_REGULARITY), (NEAR, MIN_REGULARITY_NEAR)):
        for arrangement in arrangements(axes):
            best = max(_forms(arrangement, size, length(axes)), key=lambda each: each[0], default=None)
            if best is not None and best[0] > regularity:
                return best[1]
    return None


def _forms(arrangement: Arrangement, size: float, arm: float) -> Iterator[tuple[float, ClosedForm]]:
    """The closed forms of an arrangement, with how regular each is."""
    for six in with_added_joints(arrangement, size * arm):
        match = _family(six.axes, size * arm, size)
        if match is not None:
            family, settled = match
            true = _at(six.axes, settled.points)
            form = ClosedForm(family, settled, true, six.indices, six.count, six.is_backwards, size == EXACT)
            yield six.regularity, form


def _family(axes: Axes, distance: float, sine: float) -> tuple[Family, Axes] | None:
    """Of six joints, and the axes with points where they intersect."""
    if axes.is_prismatic[3:].any():
        return None
    center = meeting_of_three(axes, 3, distance)
    if center is not None:
        return position_family(with_points(axes, {3: center, 4: center, 5: center}), distance, sine)
    parallel = are_parallel(axes, 1, 2, sine) and are_parallel(axes, 1, 3, sine)
    last = meeting(axes, 4, 5, distance)
    if parallel and last is not None and not axes.is_prismatic.any():
        return Family.THREE_PARALLEL, _made_parallel(with_points(axes, {4: last, 5: last}), (1, 2, 3))
    return None


def position_family(axes: Axes, distance: float, sine: float) -> tuple[Family, Axes] | None:
    """Of the first three joints, which bring a point to another one."""
    kinds = "".join("P" if slides else "R" for slides in axes.is_prismatic[:3])
    for family, condition in _CONDITIONS[kinds]:
        match = condition.of(axes, distance, sine)
        if match is not None:
            return family, match
    return None


@dataclass(frozen=True)
class _Condition:
    """What has to be so of the axes of some joints."""

    parallel: tuple[int, int] | None = None
    across: tuple[int, int] | None = None
    meeting: tuple[int, int] | None = None

    def of(self, axes: Axes, distance: float, sine: float) -> Axes | None:
        """The axes made exactly so, but for what is nearly across; None where they are not."""
        if self.across is not None and not are_across(axes, *self.across, sine):
            return None
        if self.parallel is not None:
            if not are_parallel(axes, *self.parallel, sine):
                return None
            axes = _made_parallel(axes, self.parallel)
        if self.meeting is not None:
            point = meeting(axes, *self.meeting, distance)
            if point is None:
                return None
            first, last = self.meeting
            axes = with_points(axes, dict.fromkeys(range(first, last + 1), point))
        return axes


# By the kinds of the first three joints; what comes first has fewer square roots.
_CONDITIONS: dict[str, list[tuple[Family, _Condition]]] = {
    "RRR": [
        (Family.PARALLEL_2_3, _Condition(parallel=(1, 2))),
        (Family.MEETING_1_2, _Condition(meeting=(0, 1))),
        (Family.PARALLEL_1_2, _Condition(parallel=(0, 1))),
        (Family.MEETING_2_3, _Condition(meeting=(1, 2))),
    ],
    "RRP": [
        (Family.RRP_PARALLEL, _Condition(parallel=(0, 1))),
        (Family.RRP_ACROSS, _Condition(across=(1, 2))),
        (Family.RRP_MEETING, _Condition(meeting=(0, 1))),
    ],
    "RPR": [
        (Family.RPR_PARALLEL, _Condition(parallel=(0, 2))),
        (Family.RPR_ACROSS, _Condition(across=(1, 2))),
        (Family.ACROSS_RPR, _Condition(across=(0, 1))),
        (Family.RPR_ALONG, _Condition(parallel=(0, 1), meeting=(0, 2))),
        (Family.ALONG_RPR, _Condition(parallel=(1, 2), meeting=(0, 2))),
    ],
    "PRR": [
        (Family.PRR_PARALLEL, _Condition(parallel=(1, 2))),
        (Family.PRR_ACROSS, _Condition(across=(0, 1))),
        (Family.PRR_MEETING, _Condition(meeting=(1, 2))),
    ],
    "RPP": [(Family.RPP, _Condition())],
    "PRP": [(Family.PRP, _Condition())],
    "PPR": [(Family.PPR, _Condition())],
    "PPP": [(Family.PPP, _Condition())],
}


def _made_parallel(axes: Axes, indices: tuple[int, ...]) -> Axes:
    """The same where these axes are parallel to the first of them."""
    directions = axes.directions.copy()
    first = directions[indices[0]]
    for index in indices[1:]:
        directions[index] = np.copysign(1.0, directions[index] @ first) * first
    return replace(axes, directions=directions)


def _at(axes: Axes, points: Array) -> Axes:
    """The same axes with the points on them that are nearest to these; a prismatic joint is everywhere."""
    along = np.sum((points - axes.points) * axes.directions, axis=1, keepdims=True)
    nearest = axes.points + along * axes.directions
    return replace(axes, points=np.where(axes.is_prismatic[:, None], points, nearest))
