"""What is special about the axes of an arm, and which closed form that allows."""

from __future__ import annotations

import enum
import itertools
from dataclasses import dataclass, replace

import numpy as np

from limbik.analytic.axes import Axes
from limbik.spatial import Array, Vector3, norm

EXACT = 1e-12  # part of the arm's size, and sine, below which a distance and an angle are rounding
NEAR = 1e-5  # below which they are the rounding of a file; the answers are then refined
LEAST_RANK = (
    1e-6  # singular value of the Jacobian, of the arm's size: below it some motion is missing everywhere
)


class Family(enum.Enum):
    """The arms of six revolute joints that have a closed form; see `analytic.families`."""

    PARALLEL_2_3 = "parallel_2_3"
    PARALLEL_1_2 = "parallel_1_2"
    MEETING_1_2 = "meeting_1_2"
    MEETING_2_3 = "meeting_2_3"
    THREE_PARALLEL = "three_parallel"


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """The closed form of an arm."""

    family: Family
    axes: Axes  # in the order in which they are solved, the points where axes intersect
    true_axes: Axes  # the same before parallel axes were made so exactly
    is_backwards: bool  # walked from the tool
    is_exact: bool


def closed_form(axes: Axes) -> ClosedForm | None:
    """The closed form of six revolute joints; None where they have none, or where some motion is missing in
    every configuration, so that a pose has no solution or infinitely many.
    """
    if axes.size != 6 or axes.is_prismatic.any() or not has_full_rank(axes):
        return None
    for size in (EXACT, NEAR):
        for is_backwards in (False, True):
            walked = axes.reversed() if is_backwards else axes
            found = _family(walked, size * length(axes), size)
            if found is not None:
                family, settled = found
                return ClosedForm(family, settled, _at(walked, settled.points), is_backwards, size == EXACT)
    return None


def has_full_rank(axes: Axes) -> bool:
    """Whether the tool can move in all six directions, in some configuration."""
    rng = np.random.default_rng(0)
    return any(
        np.linalg.svd(jacobian(axes, rng.uniform(-3.0, 3.0, axes.size)), compute_uv=False)[-1] > LEAST_RANK
        for _ in range(3)
    )


def length(axes: Axes) -> float:
    """The arm's size [m]: all ways between neighbouring axes together, and to the tool."""
    return max(float(norm(axes.steps[1:]).sum()), 1e-9)


def are_parallel(axes: Axes, i: int, j: int, sine: float) -> bool:
    """Whether two axes are parallel."""
    return float(norm(np.cross(axes.directions[i], axes.directions[j]))) <= sine


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


def _family(axes: Axes, distance: float, sine: float) -> tuple[Family, Axes] | None:
    center = meeting_of_three(axes, 3, distance)
    if center is not None:
        return _position_family(with_points(axes, {3: center, 4: center, 5: center}), distance, sine)
    parallel = are_parallel(axes, 1, 2, sine) and are_parallel(axes, 1, 3, sine)
    last = meeting(axes, 4, 5, distance)
    if parallel and last is not None:
        return Family.THREE_PARALLEL, _made_parallel(with_points(axes, {4: last, 5: last}), (1, 2, 3))
    return None


def _position_family(axes: Axes, distance: float, sine: float) -> tuple[Family, Axes] | None:
    """Of an arm with a spherical wrist."""
    if are_parallel(axes, 1, 2, sine):
        return Family.PARALLEL_2_3, _made_parallel(axes, (1, 2))
    point = meeting(axes, 0, 1, distance)
    if point is not None:
        return Family.MEETING_1_2, with_points(axes, {0: point, 1: point})
    if are_parallel(axes, 0, 1, sine):
        return Family.PARALLEL_1_2, _made_parallel(axes, (0, 1))
    point = meeting(axes, 1, 2, distance)
    if point is not None:
        return Family.MEETING_2_3, with_points(axes, {1: point, 2: point})
    return None


def with_points(axes: Axes, points: dict[int, Vector3]) -> Axes:
    """The same axes with other points on some of them, by place."""
    changed = axes.points.copy()
    for place, point in points.items():
        changed[place] = point
    return replace(axes, points=changed)


def _made_parallel(axes: Axes, places: tuple[int, ...]) -> Axes:
    """The same where these axes are parallel to the first of them."""
    directions = axes.directions.copy()
    for place in places[1:]:
        directions[place] = (
            np.copysign(1.0, directions[place] @ directions[places[0]]) * directions[places[0]]
        )
    return replace(axes, directions=directions)


def _at(axes: Axes, points: Array) -> Axes:
    """The same axes with the points on them that are nearest to these."""
    along = np.sum((points - axes.points) * axes.directions, axis=1, keepdims=True)
    return replace(axes, points=axes.points + along * axes.directions)


def _off_axis(axes: Axes, place: int, point: Vector3) -> float:
    return float(norm(np.cross(point - axes.points[place], axes.directions[place])))


def jacobian(axes: Axes, q: Array) -> Array:
    """[6, n] of the tool at q [n], with lengths in units of the arm's."""
    columns = []
    tool = axes.pose(q)[:3, 3]
    for i in range(axes.size):
        before = replace(
            axes,
            directions=axes.directions[:i],
            points=axes.points[:i],
            is_prismatic=axes.is_prismatic[:i],
            home=np.eye(4),
        ).pose(q[:i])
        h = before[:3, :3] @ axes.directions[i]
        point = before[:3, :3] @ axes.points[i] + before[:3, 3]
        columns.append(np.concatenate([np.cross(h, tool - point) / length(axes), h]))
    return np.array(columns).T
