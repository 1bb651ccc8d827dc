"""Closed forms of arms of up to three joints for a point: two links of a planar arm, a leg or a finger, the
first three joints of an arm without its wrist, a gantry.

They are the arm parts of `analytic.families` and `analytic.slides`, with prismatic joints added where there
are fewer than three, which stand still.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from limbik.analytic.added_joints import ARM_PART, Arrangement, arrangements, with_slides
from limbik.analytic.axes import Axes
from limbik.analytic.closed_form import Family, position_family
from limbik.analytic.families import BranchSigns, SixAxes, difference
from limbik.analytic.geometry import EXACT, MIN_REGULARITY, length
from limbik.analytic.programs import POSITIONS
from limbik.analytic.subproblems import amount, may_be_free
from limbik.spatial import Array, Vector3, norm

SIGNS = (1.0, -1.0)
LEVEL = 1e-9  # cosine or sine: all joints move in a plane


@dataclass(frozen=True, eq=False)
class PointForm:
    """The closed form of an arm for a point."""

    family: Family
    axes: Axes  # of three joints
    indices: tuple[int, ...]  # [3] which of the arm's joints each is, as in `Arrangement`
    count: int  # joints of the arm

    def branches(self, point: Vector3) -> Iterator[tuple[Array, bool]]:
        """The values [count, rad or m] that bring the tool nearest to a point [m], and whether a joint may
        have any, for each branch.
        """
        steps = self.axes.steps.tolist()
        arm = SixAxes(self.axes.directions.tolist(), steps, [])
        left = difference(point.tolist(), steps[0])
        for shoulder, elbow in itertools.product(SIGNS, SIGNS):
            motions = POSITIONS[self.family](arm, left, BranchSigns(shoulder, elbow, 1.0))
            values = np.empty(ARM_PART)
            values[list(self.indices)] = [amount(motion) for motion in motions]
            yield values[: self.count], may_be_free(motions) >= 1.0


def point_form(axes: Axes) -> PointForm | None:
    """The closed form of up to three joints for a point; None where they have none, or one joint too many."""
    if not 0 < axes.size <= ARM_PART:
        return None
    for arrangement in arrangements(axes):
        if not arrangement.is_backwards:
            best = max(_forms(arrangement, EXACT * length(axes)), key=lambda each: each[0], default=None)
            if best is not None and best[0] > MIN_REGULARITY:
                return best[1]
    return None


def moving(axes: Axes) -> int:
    """Number of joints that move the tool's position, which lies on the axes of the others, the last."""
    count = axes.size
    while count and not axes.is_prismatic[count - 1]:
        out = np.cross(axes.directions[count - 1], axes.home[:3, 3] - axes.points[count - 1])
        if norm(out) > EXACT * length(axes):
            break
        count -= 1
    return count


def moves_in_plane(axes: Axes, normal: Vector3) -> bool:
    """Whether all joints move in planes across a unit vector."""
    cosines = np.abs(axes.directions @ normal)
    return bool((np.where(axes.is_prismatic, cosines, 1.0 - cosines) < LEVEL).all())


def _forms(arrangement: Arrangement, distance: float) -> Iterator[tuple[float, PointForm]]:
    """The closed forms of an arrangement, with how regular each is."""
    for three in with_slides(arrangement, ARM_PART - arrangement.count, arrangement.axes.home[:3, 3]):
        family = position_family(three.axes, distance, EXACT)
        if family is not None:
            yield three.regularity, PointForm(*family, three.indices, three.count)
