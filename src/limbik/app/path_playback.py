"""Solves a path of poses for the page: joints over time, lengths, breaks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from limbik.app.protocol.path import MAX_POSES, FollowPathReply, FollowPathRequest
from limbik.errors import GoalError
from limbik.formats.path_csv import path_csv, read_poses
from limbik.formats.source import Source
from limbik.goals import Pose
from limbik.joint_path import Break, Path
from limbik.model import JointKind, Model
from limbik.motion.layers import APART, APART_ROTATION
from limbik.motion.paths import DEVIATION, solve_path
from limbik.motion.rates import rate_limits
from limbik.motion.task_space import apart, steps
from limbik.spatial import Array, pose_from, quat_from_matrix, quat_normalise, quat_to_matrix

MAX_STRETCHES = 600  # of a path: what is longer takes too long for a page
VELOCITY = {True: 1.0, False: 0.25}  # of a joint that turns, or slides [rad/s or m/s]
MIN_CHANGE = 1e-3  # [rad or m] of a joint's change
ACCELERATION = 3.0  # times the velocity, in a second


def followed_path(model: Model, request: FollowPathRequest) -> FollowPathReply:
    """The path. Raises LimbikError for a file that is malformed and for what `solve_path` does not take."""
    poses, when = _wanted(request)
    _refuse_long(model, request.frame, poses)
    rates = _Rates(model)
    metres, radians = apart(poses[0], poses[-1])
    is_loop = len(poses) > 1 and bool(metres <= DEVIATION[0] and radians <= DEVIATION[1])
    path, is_elsewhere = _planned(model, request, poses, when, rates.velocity, request.is_closed and is_loop)
    return FollowPathReply(
        id=request.id,
        arm=request.arm,
        frame=request.frame,
        poses=np.column_stack([poses[:, :3, 3], quat_from_matrix(poses[:, :3, :3])]).tolist(),
        q=path.q.tolist(),
        times=[] if path.times is None else path.times.tolist(),
        breaks=[_told(path, each) for each in path.breaks],
        complete=path.complete,
        text=path.explain(),
        pace=_pace(path, when, rates),
        ends=_ends(model, request, path, is_loop, is_elsewhere),
        closed=request.is_closed and is_loop and path.complete,
        csv=path_csv(model, path),
    )


def _planned(
    model: Model,
    request: FollowPathRequest,
    poses: Array,
    when: Array | None,
    velocity: Array,
    is_cycle: bool,
) -> tuple[Path, bool]:
    """The path from the posture in which the arm stands, or from another if it then has fewer breaks; and
    whether it is from another.
    """

    def path(first: Array | None) -> Path:
        return solve_path(
            model,
            poses,
            times=when,
            start=request.q,
            frame=request.frame,
            first=first,
            last=first if is_cycle else None,
            velocity_limits=velocity,
            acceleration_limits=ACCELERATION * velocity,
        )

    begin = model.solve(Pose(target=poses[0], frame=request.frame), start=request.q)
    if not begin.success:
        return path(None), False
    planned = path(begin.q)
    if planned.complete:
        return planned, False
    other = path(None)
    if is_cycle and other.complete:
        other = path(other.q[0])
    return (other, True) if len(other.breaks) < len(planned.breaks) else (planned, False)


def _wanted(request: FollowPathRequest) -> tuple[Array, Array | None]:
    """Poses [N, 4, 4] and times [N]."""
    if request.poses is not None:
        rotations = quat_to_matrix(quat_normalise(request.poses[:, 3:]))
        return pose_from(rotations, request.poses[:, :3]), None
    poses, times = read_poses(Source(request.name, request.csv or ""))
    if len(poses) > MAX_POSES:
        raise GoalError(f"the page follows at most {MAX_POSES} poses, found {len(poses)} in {request.name}")
    return poses, times


def _ends(model: Model, request: FollowPathRequest, path: Path, is_loop: bool, is_elsewhere: bool) -> str:
    """How far the joints are from the arm's at the beginning, and from there at the end of a loop."""
    if not len(path):
        return ""
    change = _largest_change(model, request.q, path.q[0])
    said = f"To its beginning {change}." if change else "It begins as the arm stands."
    if is_elsewhere:
        said = f"As the arm stands it would break more often: to its beginning {change}."
    if not (is_loop and path.complete):
        return f"{said} Its ends do not meet, so that it is no cycle." if request.is_closed else said
    change = _largest_change(model, path.q[0], path.q[-1])
    if not change:
        return f"{said} It ends as it begins."
    return f"{said} From its beginning to its end, at the same pose, {change}."


def _largest_change(model: Model, before: Array, after: Array) -> str:
    """Which joint moves farthest between two configurations, and how far; "" where none moves to be seen."""
    change = np.abs(model.difference(before, after))
    index = int(np.argmax(change))
    if change[index] < MIN_CHANGE:
        return ""
    joint = model.joint(model.coordinates[index].joint)
    if joint.kind is JointKind.PRISMATIC:
        return f"{joint.name!r} slides by {change[index]:.3g} m"
    return f"{joint.name!r} turns by {math.degrees(change[index]):.3g}°"


def _refuse_long(model: Model, frame: str, poses: Array) -> None:
    metres, radians = steps(poses)
    count = int((metres / max(APART * model.reach(frame), 1e-9) + radians / APART_ROTATION).sum())
    if count > MAX_STRETCHES:
        raise GoalError(
            f"the path is too long for the page: it moves {metres.sum():.3g} m and turns {radians.sum():.3g} "
            f"rad, which is {count} stretches of {APART:.0%} of the reach or {APART_ROTATION:g} rad; at most "
            f"{MAX_STRETCHES} are followed here, any number by model.solve_path()"
        )


def _told(path: Path, each: Break) -> Mapping[str, Any]:
    """A break for the page. begin, end: counted in poses. knots: of the joints before and after."""
    is_inside = 0 < each.knot < len(path)
    return {
        "begin": each.begin,
        "end": each.end,
        "knots": [each.knot - 1, each.knot] if is_inside else None,
        "reason": each.reason.value,
        "text": each.why,
        "joints": list(each.joints),
    }


class _Rates:
    """How fast the joints of a model move on the page: as it says itself, else as is usual."""

    def __init__(self, model: Model) -> None:
        own = rate_limits(model, None, "velocity_limits")
        kinds = [joint.kind for joint in model.joints for _ in range(joint.nv)]
        is_rotation = [kind is not JointKind.PRISMATIC for kind in kinds]
        self.velocity = np.where(np.isfinite(own), own, [VELOCITY[each] for each in is_rotation])
        usual = sorted({each for each, rate in zip(is_rotation, own, strict=True) if math.isinf(rate)})
        self._usual = " and ".join(f"{VELOCITY[each]:g} {'rad' if each else 'm'}/s" for each in usual)
        self._has_own = bool(np.isfinite(own).any())

    def __str__(self) -> str:
        if not self._has_own:
            return f"The joints move at {self._usual} at most."
        others = f", the others at {self._usual} at most" if self._usual else ""
        return f"The joints move as fast as the robot's description lets them{others}."


def _pace(path: Path, when: Array | None, rates: _Rates) -> str:
    if when is None or path.times is None:
        return str(rates)
    if not path.too_fast:
        return "Times are those of the file."
    worst = max(path.too_fast, key=lambda each: each.ratio)
    return (
        f"Times are those of the file; at {path.times[worst.knot]:.3g} s {worst.joint!r} would move "
        f"{worst.ratio:.3g} times as fast as it may."
    )
