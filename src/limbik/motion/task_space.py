"""Paths of poses: straight lines, polylines, arcs and circles.

Between two poses the position moves on a straight line and the orientation turns evenly about one axis
(Shoemake 1985, slerp).
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError, is_one_of, shortened
from limbik.spatial import (
    Array,
    Matrix4,
    as_number,
    as_pose,
    as_poses,
    as_rows_of_poses,
    as_vector,
    as_whole,
    norm,
    pose_from,
    rotation_exp,
    rotation_log,
    unit,
)

FARTHEST = 1e12  # [m or rad]
MAX_COUNT = 1_000_000  # poses of a path


def straight_line(start: Any, end: Any, count: int = 50) -> Array:
    """Poses [count, 4, 4] evenly on a straight line between two poses.

    Raises GoalError for what is no pose, or a count below 2.
    """
    ends = np.stack([as_pose(start, "`start`", error=GoalError), as_pose(end, "`end`", error=GoalError)])
    return interpolated(ends, np.linspace(0.0, 1.0, _count(count)))


def polyline(poses: ArrayLike, count: int = 50) -> Array:
    """Poses [count, 4, 4] evenly, by distance, on the straight lines through poses [N, 4, 4].

    Corners are cut to a count's next pose. Poses at one position are passed by the angle between them.

    Raises GoalError for fewer than two poses, for poses that are all the same, or a count below 2.
    """
    corners = poses_of(poses, "`poses`")
    if len(corners) < 2:
        raise GoalError(f"`poses` needs at least 2 poses, found {len(corners)}")
    metres, radians = steps(corners)
    lengths = metres if metres.any() else radians
    if not lengths.any():
        raise GoalError("`poses` needs poses that are not all the same")
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.interp(np.linspace(0.0, along[-1], _count(count)), along, np.arange(len(corners)))
    return interpolated(corners, at)


def arc(
    start: Any,
    center: ArrayLike,
    axis: ArrayLike,
    angle: float,
    count: int = 73,
    orientation: Literal["turn", "keep"] = "turn",
) -> Array:
    """Poses [count, 4, 4] on an arc from a pose, about an axis [3] through a center [3] [m], by an angle
    [rad].

    orientation: "turn" with the arc, or "keep" that of the start.

    Raises GoalError for numbers that are not finite, an axis of length 0, or a count below 2.
    """
    begin = as_pose(start, "`start`", error=GoalError)
    middle = as_vector(center, 3, "`center`", error=GoalError)
    direction = unit(as_vector(axis, 3, "`axis`", error=GoalError))
    turned = as_number(angle, "`angle`", "a finite number", GoalError)
    farthest = max(abs(turned), float(np.abs(begin[:3, 3] - middle).max()))
    if farthest > FARTHEST:
        raise GoalError(f"an arc needs lengths [m] and an angle [rad] up to {FARTHEST:g}, found {farthest:g}")
    if not direction.any():
        raise GoalError("`axis` needs numbers that are not all 0")
    if not is_one_of(orientation, ("turn", "keep")):
        raise GoalError(f"`orientation` needs 'turn' or 'keep', found {shortened(orientation)}")
    rotations = rotation_exp(np.linspace(0.0, turned, _count(count))[:, None] * direction)
    positions = middle + rotations @ (begin[:3, 3] - middle)
    orientations = np.broadcast_to(begin[:3, :3], rotations.shape)
    return pose_from(rotations @ begin[:3, :3] if orientation == "turn" else orientations, positions)


def circle(
    start: Any,
    center: ArrayLike,
    axis: ArrayLike,
    count: int = 73,
    orientation: Literal["turn", "keep"] = "keep",
) -> Array:
    """Poses [count, 4, 4] once around: an `arc` of a revolution. Keeps the orientation by default."""
    return arc(start, center, axis, 2.0 * math.pi, count, orientation)


def interpolated(poses: Array, position: Array) -> Matrix4:
    """Poses [M, 4, 4] at positions [M] along poses [N, 4, 4], counted in these."""
    if len(poses) == 1:
        return np.repeat(poses, len(position), axis=0)
    before = np.clip(np.floor(position).astype(int), 0, len(poses) - 2)
    part = (position - before)[:, None]
    a, b = poses[before], poses[before + 1]
    turn = rotation_log(np.swapaxes(a[:, :3, :3], 1, 2) @ b[:, :3, :3])
    out = pose_from(
        a[:, :3, :3] @ rotation_exp(part * turn), a[:, :3, 3] + part * (b[:, :3, 3] - a[:, :3, 3])
    )
    is_corner = part[:, 0] == 0.0
    out[is_corner] = a[is_corner]
    return out


def steps(poses: Array) -> tuple[Array, Array]:
    """[N - 1] distances [m] and [N - 1] angles [rad] between neighbours of poses [N, 4, 4]."""
    return apart(poses[:-1], poses[1:])


def apart(a: Matrix4, b: Matrix4) -> tuple[Array, Array]:
    """[...] distances [m] and [...] angles [rad] between poses [..., 4, 4]."""
    turn = rotation_log(np.swapaxes(a[..., :3, :3], -1, -2) @ b[..., :3, :3])
    return norm(b[..., :3, 3] - a[..., :3, 3]), norm(turn)


def poses_of(value: Any, name: str) -> Array:
    """New poses [N, 4, 4], N at least 1; anything else raises GoalError, which names it."""
    poses = as_rows_of_poses(value, name, GoalError)
    if not len(poses):
        raise GoalError(f"{name} needs at least one pose, found none")
    poses = as_poses(poses, [f"{name}[{k}]" for k in range(len(poses))], error=GoalError)
    far = np.flatnonzero(np.abs(poses[:, :3, 3]).max(axis=1) > FARTHEST)
    if far.size:
        raise GoalError(
            f"{name}[{far[0]}] needs positions up to {FARTHEST:g} m, found {poses[far[0], :3, 3].tolist()}"
        )
    return poses


def _count(count: int) -> int:
    if as_whole(count, "`count`", 2, GoalError) > MAX_COUNT:
        raise GoalError(f"`count` needs a whole number from 2 to {MAX_COUNT:,}, found {shortened(count)}")
    return int(count)
