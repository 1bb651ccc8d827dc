"""Parallel, intersecting and coincident axes of an arm, which decide its closed form."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from limbik.analytic.axes import Axes
from limbik.spatial import Array, Vector3, norm

EXACT = 1e-12  # part of the arm's size, and sine, below which a distance and an angle are rounding
NEAR = 1e-5  # below which they are the rounding of a file; the answers are then refined
MIN_REGULARITY = 1e-6  # singular value of a Jacobian below which some motion is missing everywhere
MIN_REGULARITY_NEAR = 1e-3  # the same where rounding of a file alone may have made it as large
MIN_SLIDING = 1.0  # [m] the size of an arm with prismatic joints, at least: they may have no length at zero


def length(axes: Axes) -> float:
    """The arm's size [m]: all distances between neighbouring axes together, and to the tool."""
    threshold = MIN_SLIDING if axes.is_prismatic.any() else 1e-9
    return max(float(norm(axes.steps[1:]).sum()), threshold)


def are_parallel(axes: Axes, i: int, j: int, sine: float) -> bool:
    """Whether two axes are parallel."""
    return float(norm(np.cross(axes.directions[i], axes.directions[j]))) <= sine


def are_across(axes: Axes, i: int, j: int, cosine: float) -> bool:
    """Whether two axes are at right angles."""
    return abs(float(axes.directions[i] @ axes.directions[j])) <= cosine


def meeting(axes: Axes, i: int, j: int, distance: float) -> Vector3 | None:
    """Where two axes intersect, within a distance [m]; None where they do not, or are nearly parallel."""
    u, v = axes.directions[i], axes.directions[j]
    across = np.cross(u, v)
    square = float(across @ across)
    if square < NEAR:
        return None
    between = axes.points[j] - axes.points[i]
    if abs(float(between @ across)) > distance * np.sqrt(square):
        return None
    s, t = np.cross(between, v) @ across / square, np.cross(between, u) @ across / square
    return np.asarray(0.5 * (axes.points[i] + s * u + axes.points[j] + t * v))


def meeting_of_three(axes: Axes, first: int, distance: float) -> Vector3 | None:
    """Where three consecutive axes intersect in one point, within a distance [m]."""
    for i, j, k in itertools.permutations((first, first + 1, first + 2)):
        point = meeting(axes, i, j, distance)
        if point is not None and _off_axis(axes, k, point) <= distance:
            return point
    return None


def with_points(axes: Axes, points: dict[int, Vector3]) -> Axes:
    """The same axes with other points on some of them, by index."""
    changed = axes.points.copy()
    for index, point in points.items():
        changed[index] = point
    return replace(axes, points=changed)


def common_point(axes: Axes, count: int, distance: float) -> Vector3 | None:
    """A point on each of the last axes, up to three revolute ones, within a distance [m]; of none, the
    tool's.
    """
    n = axes.size
    if axes.is_prismatic[n - count :].any():
        return None
    if count == 0:
        return np.asarray(axes.home[:3, 3])
    if count == 1:
        return np.asarray(axes.points[-1])
    return meeting(axes, n - 2, n - 1, distance) if count == 2 else meeting_of_three(axes, n - 3, distance)


def _off_axis(axes: Axes, index: int, point: Vector3) -> float:
    return float(norm(np.cross(point - axes.points[index], axes.directions[index])))


def jacobian(axes: Axes, q: Array) -> Array:
    """[..., 6, n] of the tool at q [..., n], with lengths in units of the arm's."""
    motions = axes.motions(q)
    tool = (motions[..., -1, :, :] @ axes.home)[..., None, :3, 3]
    before = motions[..., :-1, :3, :3]
    h = (before @ axes.directions[..., None])[..., 0]
    points = (before @ axes.points[..., None])[..., 0] + motions[..., :-1, :3, 3]
    is_prismatic = axes.is_prismatic[:, None]
    moved = np.where(is_prismatic, h, np.cross(h, tool - points) / length(axes))
    columns = np.concatenate([moved, np.where(is_prismatic, 0.0, h)], axis=-1)
    return np.asarray(np.swapaxes(columns, -1, -2))
