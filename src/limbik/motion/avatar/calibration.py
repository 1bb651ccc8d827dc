"""Calibration of an avatar: the person's size, arm length and tracker offsets, from one known posture."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from limbik.errors import GoalError
from limbik.motion.avatar.angles import about_z, heading_of
from limbik.motion.avatar.body import AvatarBody
from limbik.motion.avatar.postures import Posed
from limbik.motion.avatar.trackers import TrackerCalibration, lifted
from limbik.motion.body.roles import ARM
from limbik.spatial import Matrix4, norm, pose_inverse

SCALES = (0.05, 20.0)
ARM_RATIOS = (0.5, 2.0)
ODD_ARMS = (0.45, 4.0)  # beyond which they are of another posture
APART = 0.06  # of the height of the eyes: of trackers on the ground, from which on they show where it faces


def calibrated(
    body: AvatarBody, stands: Posed, poses: Mapping[str, Matrix4], scale: float | None, ground: float
) -> TrackerCalibration:
    """The calibration for trackers [4, 4] by role; stands: the body in the posture of the person.

    Raises GoalError where the head is not above the ground, for a scale without a meaning, and for hands that
    are not where the posture has them.
    """
    upward = body.anatomy.upward
    height = float(upward[2] @ poses["head"][:3, 3]) - ground
    size = height / (stands.eyes - stands.floor) if scale is None else scale
    if scale is not None and not SCALES[0] < scale < SCALES[1]:
        raise GoalError(f"scale needs a number between {SCALES[0]:g} and {SCALES[1]:g}, found {scale:g}")
    if not SCALES[0] < size < SCALES[1]:
        raise GoalError(
            f"the tracker 'head' is {height:.3g} m above the ground, so that the person is {size:.3g} "
            "times as large as the character; `ground` is its height, and `scale` says the size"
        )
    seen = lifted(poses, upward, size, ground)
    offset = _standing_pose(stands, seen, ground)
    bones = {role: offset @ pose for role, pose in stands.poses.items()}
    ratio, mapped = 1.0, dict(seen)
    hands = [side + ARM[2] for side in body.sides if side + ARM[2] in seen]
    if hands:
        ratio = float(np.mean([_reach(seen, bones, hand) / _reach(bones, bones, hand) for hand in hands]))
        if not ODD_ARMS[0] < ratio < ODD_ARMS[1]:
            raise GoalError(
                f"the trackers of the hands are {ratio:.2g} times as far from the shoulders as the "
                "character's hands: they need a person who stands as `posture` says"
            )
        ratio = min(max(ratio, ARM_RATIOS[0]), ARM_RATIOS[1])
    for hand in hands:
        root = bones[_shoulder(hand)][:3, 3]
        mapped[hand] = seen[hand].copy()
        mapped[hand][:3, 3] = root + (seen[hand][:3, 3] - root) / ratio
    offsets = {role: pose_inverse(pose) @ bones[role] for role, pose in mapped.items()}
    return TrackerCalibration(size, ratio, offsets, float(bones["head"][2, 3]) - ground)


def _standing_pose(stands: Posed, seen: Mapping[str, Matrix4], ground: float) -> Matrix4:
    """The pose [4, 4] that brings the body in its posture to where the person stands.

    On the ground, by the least squares of the trackers; a headset may be in front of the head, so that it
    counts where there are not two others. By itself it says forward by its -z.
    """
    roles = [role for role in seen if role in stands.poses]
    others = [role for role in roles if role != "head"]
    apart = APART * (stands.eyes - stands.floor)
    for chosen in (others, roles):
        there = np.array([seen[role][:2, 3] for role in chosen]).reshape(-1, 2) @ [1.0, 1.0j]
        here = np.array([stands.poses[role][:2, 3] for role in chosen]).reshape(-1, 2) @ [1.0, 1.0j]
        if len(chosen) > 1 and np.ptp(here.real) + np.ptp(here.imag) > apart:
            turn = np.vdot(here - here.mean(), there - there.mean())
            heading = math.atan2(turn.imag, turn.real)
            break
    else:
        x, y = -seen["head"][:2, 2]
        heading = math.atan2(y, x) - heading_of(stands.hips)
    shift = there.mean() - here.mean() * np.exp(1.0j * heading)
    pose = np.eye(4)
    pose[:3, :3] = about_z(heading)
    pose[:3, 3] = shift.real, shift.imag, ground - stands.floor
    return pose


def _shoulder(hand: str) -> str:
    return hand.replace(ARM[2], ARM[0])


def _reach(hands: Mapping[str, Matrix4], bones: Mapping[str, Matrix4], hand: str) -> float:
    return float(norm(hands[hand][:3, 3] - bones[_shoulder(hand)][:3, 3]))
