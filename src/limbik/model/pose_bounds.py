"""`PoseBounds`: the range of the distance between an arm's shoulder and its wrist, which a pose has to allow.

The shoulder is where the axes of the first joints meet, the wrist where those of the last do. The pose of a
frame says where the wrist is, up to a circle about the last axis where this one passes it by; the joints
between shoulder and wrist say how far apart both can be. Where the two do not agree there is no solution.
Of the poses that an arm of six or seven joints does not reach, nine in ten are proved so (`docs/answers.md`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from limbik.model.chain import Chain
from limbik.model.joints import HINGES, Joint, JointKind
from limbik.model.reach_bounds import poses_at_zero
from limbik.model.wrist import MEET, common_normal
from limbik.spatial import Array, Matrix4, Vector3, norm, pose_inverse, rotation_exp

NEARLY_PARALLEL = 1e-3  # sine of the angle under which axes do not meet
MAX_BETWEEN = 3  # joints between shoulder and wrist
GAP = 1e-3  # of the arm's size, squared: how near to the ends of squared distances their bounds are
ROUNDING = 1e-12  # [m^2]
MAX_BOXES = 4_000  # of joint values, at a time


class PoseBounds(NamedTuple):
    """Range of the distance of shoulder and wrist, one of which may go round a circle or along a line."""

    shoulder: Vector3  # [m, world] the point, or the centre of its circle, or the middle of its line
    shoulder_axis: Vector3  # of the circle, or along the line; 0 where there is none
    wrist: Vector3  # [m] likewise, in the frame
    wrist_axis: Vector3
    radius: float  # [m] of the circle; 0 where there is none
    half_length: float  # [m] of the line; 0 where there is none
    min_distance: float  # [m] that the joints between them allow
    max_distance: float  # [m]
    joints: tuple[str, str]  # the last whose axis passes the shoulder, the first whose passes the wrist

    @property
    def lever(self) -> float:
        """How far from the frame's origin the wrist can be, and so how far a radian moves it [m]."""
        return float(norm(self.wrist)) + self.radius + self.half_length

    def distances(self, poses: Array) -> tuple[Array, Array]:
        """The smallest and the greatest distance [..., m] of the two for poses [..., 4, 4] of the frame."""
        rotation = poses[..., :3, :3]
        between = rotation @ self.wrist + poses[..., :3, 3] - self.shoulder
        axis = rotation @ self.wrist_axis + self.shoulder_axis
        along = (between * axis).sum(axis=-1)
        aside = np.linalg.norm(between - along[..., None] * axis, axis=-1)
        nearest = np.hypot(np.maximum(np.abs(along) - self.half_length, 0.0), aside - self.radius)
        return nearest, np.hypot(np.abs(along) + self.half_length, aside + self.radius)

    def seen_from(self, tool: Matrix4) -> PoseBounds:
        """The bounds of the poses of another frame, whose own pose in this one is `tool`."""
        to_tool = pose_inverse(tool)
        wrist = to_tool[:3, :3] @ self.wrist + to_tool[:3, 3]
        return self._replace(wrist=wrist, wrist_axis=to_tool[:3, :3] @ self.wrist_axis)

    def exclude(self, poses: Array, slack: float = 0.0) -> Array:
        """Whether poses [..., 4, 4] are out of reach, also where the wrist may be `slack` [m] elsewhere."""
        nearest, farthest = self.distances(poses)
        return np.asarray((nearest > self.max_distance + slack) | (farthest < self.min_distance - slack))


def pose_bounds(chain: Chain) -> PoseBounds | None:
    """The bounds of an arm's poses within its limits, by the points with the fewest joints between them.

    None for a chain with ball joints or joints that follow others, with more than three joints between the
    two, or with a prismatic one among these that has no limits.
    """
    if chain.has_mimic or any(joint.kind is JointKind.BALL for joint in chain.joints):
        return None
    *poses, tool = poses_at_zero(chain)
    axes = [
        _JointAxis(pose[:3, 3], pose[:3, :3] @ joint.axis)
        for pose, joint in zip(poses, chain.joints, strict=True)
    ]
    travels = [None if joint.kind in HINGES else (joint.lower, joint.upper) for joint in chain.joints]
    # The frame moves with the last joint, so the wrist moves backward in the frame.
    back = [None if travel is None else (-travel[1], -travel[0]) for travel in travels[::-1]]
    shoulder, wrist = max(
        itertools.product(_ends(axes, travels), _ends(axes[::-1], back)),
        key=lambda pair: (not all(end.axis.any() for end in pair), sum(end.joints for end in pair)),
    )
    if shoulder.axis.any() and wrist.axis.any():
        return None
    between = slice(shoulder.joints, max(len(axes) - wrist.joints, shoulder.joints))
    distance = _Distance(shoulder.point, wrist.point, axes[between], chain.joints[between])
    if len(distance.axes) > MAX_BETWEEN or not np.isfinite(distance.limits).all():
        return None
    size = sum(float(norm(b.point - a.point)) for a, b in itertools.pairwise(axes))
    gap, slack = (GAP * size) ** 2 + ROUNDING, shoulder.miss + wrist.miss
    bounds = PoseBounds(
        shoulder.center,
        shoulder.axis,
        wrist.center,
        wrist.axis,
        shoulder.radius + wrist.radius,
        shoulder.half_length + wrist.half_length,
        max(math.sqrt(max(-distance.greatest(gap, sign=-1.0), 0.0)) - slack, 0.0),
        math.sqrt(distance.greatest(gap)) + slack,
        (chain.joints[max(between.start - 1, 0)].name, chain.joints[min(between.stop, len(axes) - 1)].name),
    )
    return bounds.seen_from(tool)


class _JointAxis(NamedTuple):
    """The axis of a joint in the world, all joints at zero."""

    point: Vector3  # [m]
    direction: Vector3

    def foot(self, point: Vector3) -> Vector3:
        """The point [m] of the axis that is nearest to another."""
        return np.asarray(self.point + (point - self.point) @ self.direction * self.direction)

    def nearest(self, other: _JointAxis) -> Vector3:
        """The point [m] of the axis that is nearest to another axis."""
        if norm(np.cross(self.direction, other.direction)) < NEARLY_PARALLEL:
            return self.point
        return common_normal(other.point, other.direction, self.point, self.direction)[1]


class _End(NamedTuple):
    """A point that joints at one end of a chain do not move, unless the outermost takes it round a circle or
    along a line.
    """

    point: Vector3  # [m, world] all joints at zero
    joints: int  # how many
    center: Vector3  # [m, world] of the circle or the line; the point itself where there is none
    axis: Vector3  # of the circle or the line; 0 where there is none
    radius: float  # [m]
    miss: float  # [m] how far the joints move it, by what the axes pass it
    half_length: float = 0.0  # [m]


def _ends(axes: Sequence[_JointAxis], travels: Sequence[tuple[float, float] | None]) -> Iterator[_End]:
    """The points at the end of a chain whose joints come from there: on the first axis, and on the second; or
    behind a prismatic joint.

    travels: of prismatic joints [m]; None for the others.
    """
    count = sum(1 for _ in itertools.takewhile(lambda travel: travel is None, travels))
    if count == 0:
        yield _End(axes[0].point, 0, axes[0].point, np.zeros(3), 0.0, 0.0)
        if travels[0] is not None and np.isfinite(travels[0]).all() and len(axes) > 1:
            yield from _behind_prismatic(axes, travels, *travels[0])
    for first in range(min(count, 2)):
        axis = axes[first]
        point = axis.nearest(axes[first + 1]) if first + 1 < len(axes) else axis.point
        misses = [float(norm(axis.foot(point) - point)) for axis in axes[:count]]
        joints = first + sum(1 for _ in itertools.takewhile(lambda miss: miss <= MEET, misses[first:]))
        miss = 2.0 * sum(miss for miss in misses[:joints] if miss <= MEET)
        if misses[0] > MEET:
            yield _End(point, joints, axes[0].foot(point), axes[0].direction, misses[0], miss)
        else:
            yield _End(point, joints, point, np.zeros(3), 0.0, miss)


def _behind_prismatic(
    axes: Sequence[_JointAxis], travels: Sequence[tuple[float, float] | None], lower: float, upper: float
) -> Iterator[_End]:
    """The points that the joints behind a prismatic one do not move, as this takes them along a line."""
    for end in _ends(axes[1:], travels[1:]):
        if not end.axis.any() and end.joints > 0:
            center = end.point + 0.5 * (lower + upper) * axes[0].direction
            along, half = axes[0].direction, 0.5 * (upper - lower)
            yield end._replace(joints=end.joints + 1, center=center, axis=along, half_length=half)


def _limits(joint: Joint) -> tuple[float, float]:
    """The values of a joint [rad or m], one turn of them at most."""
    if joint.kind is JointKind.PRISMATIC or joint.upper - joint.lower < 2.0 * math.pi:
        return joint.lower, joint.upper
    return -math.pi, math.pi


class _Distance:
    """The square of the distance between two points, over the values of the joints between them."""

    def __init__(
        self, begin: Vector3, end: Vector3, axes: Sequence[_JointAxis], joints: Sequence[Joint]
    ) -> None:
        self.begin, self.end, self.axes = begin, end, axes
        self.is_hinge = [joint.kind in HINGES for joint in joints]
        self.limits = np.array([_limits(joint) for joint in joints], dtype=np.float64).reshape(-1, 2)

    def greatest(self, gap: float, sign: float = 1.0) -> float:
        """An upper bound of sign times the square [m^2] within the limits, too large by `gap` at most unless
        that takes more than `MAX_BOXES`. Boxes that cannot hold a greater one are dropped, the others halved.
        """
        if not self.axes:
            return sign * float(self._square(np.empty((1, 0)))[0][0])
        curvature = self._curvature()
        low, high = self.limits.T[:, None]
        best = closed = -math.inf
        while len(low):
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            square, slopes = self._square(middle)
            changes = np.abs(slopes) * half + 0.5 * (half @ curvature) * half
            bound = sign * square + changes.sum(axis=1)
            best = max(best, float((sign * square).max()))
            rows, widest = np.arange(len(low)), changes.argmax(axis=1)
            cut = middle[rows, widest]
            # A box of a long slide may be as narrow as numbers are before it is closed.
            can_be_halved = (low[rows, widest] < cut) & (cut < high[rows, widest])
            is_open = (bound > best + gap) & can_be_halved
            if 2 * is_open.sum() > MAX_BOXES:
                return max(closed, float(bound.max()))
            closed = max(closed, float(bound[~is_open].max(initial=-math.inf)))
            low, high, widest, cut = low[is_open], high[is_open], widest[is_open], cut[is_open]
            rows = np.arange(len(low))
            low, high = np.concatenate([low, low]), np.concatenate([high, high])
            high[rows, widest] = low[rows.size + rows, widest] = cut
        return closed

    def _square(self, values: Array) -> tuple[Array, Array]:
        """The square [N, m^2] at values [N, joints], and its derivatives [N, joints]."""
        n = len(self.axes)
        point, moves = np.broadcast_to(self.end, (len(values), 3)), np.zeros((len(values), n, 3))
        for k in reversed(range(n)):
            origin, direction = self.axes[k]
            if self.is_hinge[k]:
                rotation = rotation_exp(values[:, k, None] * direction)
                point = origin + (rotation @ (point - origin)[..., None])[..., 0]
                moves[:, k + 1 :] = moves[:, k + 1 :] @ np.swapaxes(rotation, 1, 2)
                moves[:, k] = np.cross(direction, point - origin)
            else:
                point = point + values[:, k, None] * direction
                moves[:, k] = direction
        between = point - self.begin
        return (between * between).sum(axis=1), 2.0 * (moves @ between[..., None])[..., 0]

    def _curvature(self) -> Array:
        """Upper bounds [joints, joints] of the second derivatives' absolute values."""
        levers, point, length = np.ones(len(self.axes)), self.end, 0.0  # of the end about each axis
        for k in reversed(range(len(self.axes))):
            if self.is_hinge[k]:
                foot = self.axes[k].foot(point)
                levers[k] = length = length + float(norm(foot - point))
                point = foot
            else:
                length += float(np.abs(self.limits[k]).max())
        length += float(norm(self.begin - point))
        outer = np.maximum.outer(np.arange(len(levers)), np.arange(len(levers)))
        return 2.0 * (np.outer(levers, levers) + length * levers[outer])
