"""Tracker poses by role of bone: checks them and scales them to the body; `TrackerCalibration` holds scale,
arm ratio and offsets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from limbik.errors import GoalError, did_you_mean, is_one_of, mapping_of, shortened
from limbik.motion.body.roles import SIDES
from limbik.spatial import Array, Matrix4, as_pose

FARTHEST = 1e6  # [m] of a tracker
ENDS = ("head", "hips", *(side + part for part in ("Hand", "Foot") for side in SIDES))
MIDDLES = tuple(side + part for part in ("LowerArm", "LowerLeg") for side in SIDES)
TRACKED = (*ENDS, *MIDDLES)
"""The roles that a tracker may have: ends, and elbows and knees by the bones that begin there."""


@dataclass(frozen=True, eq=False)
class TrackerCalibration:
    """What is found while a person stands in a known posture."""

    scale: float  # size of the person beside that of the body
    arm_ratio: float  # length of the arms beside that of the body's, after the scale
    offsets: Mapping[str, Matrix4]  # pose_tracker_bone [4, 4] by role, in the measure of the body
    head_height: float  # [m] of the head's joint over the ground, in the measure of the body


def read(trackers: Any, needed: tuple[str, ...]) -> dict[str, Matrix4]:
    """Poses [4, 4] by role. Raises GoalError for what is missing, unknown, or no pose."""
    for role in mapping_of(trackers, "trackers", GoalError, "a mapping of roles to poses"):
        if not is_one_of(role, TRACKED):
            raise GoalError(f"there is no tracker {shortened(role)}; {did_you_mean(role, TRACKED)}")
    missing = [role for role in needed if role not in trackers]
    if missing:
        raise GoalError(f"the tracker {missing[0]!r} is missing")
    by_role = {}
    for role, pose in trackers.items():
        by_role[role] = checked = as_pose(pose, f"the pose of tracker {role!r}", error=GoalError)
        if np.abs(checked[:3, 3]).max() > FARTHEST:
            position = checked[:3, 3].tolist()
            raise GoalError(f"the tracker {role!r} needs a position up to {FARTHEST:g} m, found {position}")
    return by_role


def lifted(poses: Mapping[str, Matrix4], upward: Array, scale: float, ground: float) -> dict[str, Matrix4]:
    """Poses of the person's world in one with z up, and in the measure of the body, on the same ground."""
    stacked = np.array(list(poses.values()))
    stacked[:, :3] = upward @ stacked[:, :3]
    stacked[:, 2, 3] -= ground
    stacked[:, :3, 3] /= scale
    stacked[:, 2, 3] += ground
    return dict(zip(poses, stacked, strict=True))
