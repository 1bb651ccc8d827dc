"""Arms of fewer than six joints extended by fixed joints to six, so that the closed forms of six joints
apply.

A pose that the arm can reach has the same configurations then, with the added joints at zero. They are put
where the six have a closed form: behind the last axes, to make a spherical wrist of them, and before these,
as prismatic ones, to make three joints that bring its center to a point; or behind three parallel axes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from limbik.analytic.axes import Axes
from limbik.analytic.geometry import EXACT, are_parallel, common_point, jacobian, length
from limbik.spatial import Array, Matrix3, Vector3, norm, perpendicular, unit

JOINTS = 6
ARM_PART = WRIST = 3  # joints of each
STEEP, FLAT = math.radians(60.0), math.radians(30.0)
TRIALS = 3


@dataclass(frozen=True, eq=False)
class Arrangement:
    """An order of the joints of an arm."""

    axes: Axes
    indices: tuple[int, ...]  # of the arm's joints, which each is; those of added joints follow on them
    count: int  # joints of the arm itself
    is_backwards: bool  # from the tool

    @property
    def regularity(self) -> float:
        """Smallest singular value of the Jacobian, lengths in the arm's own, in the best of some random
        configurations with the added joints at zero; 0 where some motion is missing in all of them. Of three
        joints, for a point.
        """
        axes, rng = self.axes, np.random.default_rng(0)
        ranges = np.where(axes.is_prismatic, length(axes), 3.0)
        ranges[np.array(self.indices) >= self.count] = 0.0
        trials = ranges * rng.uniform(-1.0, 1.0, (TRIALS, axes.size))
        rows = slice(0, axes.size)  # of six joints all, of three the point's
        return max(float(np.linalg.svd(jacobian(axes, q)[rows], compute_uv=False)[-1]) for q in trials)


def arrangements(axes: Axes) -> Iterator[Arrangement]:
    """From the world and from the tool; and with neighbours swapped of which one slides along the other."""
    count = axes.size
    forward = tuple(range(count))
    for is_backwards in (False, True):
        walked = axes.reversed() if is_backwards else axes
        yield Arrangement(walked, forward[::-1] if is_backwards else forward, count, is_backwards)
        for first in range(count - 1):
            if walked.is_prismatic[first] != walked.is_prismatic[first + 1] and are_parallel(
                walked, first, first + 1, EXACT
            ):
                order = [*forward[:first], first + 1, first, *forward[first + 2 :]]
                indices = tuple(count - 1 - k if is_backwards else k for k in order)
                yield Arrangement(_reordered(walked, order), indices, count, is_backwards)


def with_added_joints(arrangement: Arrangement, distance: float) -> Iterator[Arrangement]:
    """The arrangements that add joints to up to six, those that add fewest to the arm part first.

    distance [m]: within which axes intersect.
    """
    if arrangement.count == JOINTS:
        yield arrangement
        return
    for wrist in range(max(0, arrangement.count - ARM_PART), min(arrangement.count, WRIST) + 1):
        center = common_point(arrangement.axes, wrist, distance)
        if center is not None:
            yield from with_slides(
                _with_wrist(arrangement, wrist, center), ARM_PART - arrangement.count + wrist, center
            )
    if arrangement.count == JOINTS - 1 and not arrangement.axes.is_prismatic.any():
        yield _inserted(
            arrangement,
            arrangement.count,
            [_aslant(*arrangement.axes.directions[-2:])],
            arrangement.axes.points[-1],
            False,
        )


def with_last_joint(axes: Axes) -> Axes:
    """Five revolute joints with a sixth, in general position, for the general elimination."""
    h, length_of_arm = axes.directions, length(axes)
    direction = _aslant(h[-2], h[-1])
    point = axes.points[-1] + length_of_arm * (0.3 * h[-1] + 0.2 * np.cross(h[-1], direction))
    arrangement = Arrangement(axes, tuple(range(axes.size)), axes.size, False)
    return _inserted(arrangement, axes.size, [direction], point, False).axes


def _with_wrist(arrangement: Arrangement, wrist: int, center: Vector3) -> Arrangement:
    """With revolute joints at the end, to three whose axes meet, and which are not singular together."""
    h = arrangement.axes.directions
    if wrist == 0:
        added = list(np.eye(3))
    elif wrist == 1:
        fifth = perpendicular(h[-1])
        added = [fifth, np.cross(h[-1], fifth)]
    else:
        added = [_aslant(h[-2], h[-1])][: WRIST - wrist]
    return _inserted(arrangement, arrangement.axes.size, added, center, False)


def with_slides(arrangement: Arrangement, missing: int, center: Vector3) -> Iterator[Arrangement]:
    """With so many prismatic joints at the end of the arm part, which brings the center to a point [m]."""
    last = ARM_PART - missing - 1  # of the arm part
    frame = (
        np.eye(3)
        if last < 0
        else _frame(arrangement.axes.directions[last], center - arrangement.axes.points[last])
    )
    for chosen in itertools.combinations(frame, missing):
        yield _inserted(arrangement, ARM_PART - missing, list(chosen), center, True)


def _frame(h: Vector3, out: Vector3) -> Matrix3:
    """Rows: along an axis, from it outward, and across both."""
    outward = out - h * float(h @ out)
    e = unit(outward) if norm(outward) > EXACT else perpendicular(h)
    return np.array([h, e, np.cross(h, e)])


def _aslant(a: Vector3, b: Vector3) -> Vector3:
    """A unit vector that no turn about b brings near to a."""
    between = math.acos(min(abs(float(a @ b)), 1.0))
    angle = FLAT if between > 0.5 * (STEEP + FLAT) else STEEP
    return np.asarray(math.cos(angle) * b + math.sin(angle) * perpendicular(b))


def _inserted(
    arrangement: Arrangement, index: int, directions: list[Array], point: Vector3, slide: bool
) -> Arrangement:
    """With joints through one point."""
    axes, count = arrangement.axes, len(directions)
    wider = Axes(
        np.insert(axes.directions, [index] * count, directions, axis=0) if count else axes.directions,
        np.insert(axes.points, [index] * count, point, axis=0),
        np.insert(axes.is_prismatic, [index] * count, slide),
        axes.home,
    )
    new = range(axes.size, axes.size + count)
    return Arrangement(
        wider,
        (*arrangement.indices[:index], *new, *arrangement.indices[index:]),
        arrangement.count,
        arrangement.is_backwards,
    )


def _reordered(axes: Axes, order: list[int]) -> Axes:
    return Axes(axes.directions[order], axes.points[order], axes.is_prismatic[order], axes.home)
