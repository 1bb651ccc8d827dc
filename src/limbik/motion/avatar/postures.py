"""The postures for calibration ("T", "standing", or a configuration), as a body takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from limbik.motion.avatar.body import AvatarBody, RigLimb
from limbik.motion.body.roles import LEG, SIDES
from limbik.spatial import Array, Matrix3, Matrix4, pose_from, rotation_between

Posture = Literal["T", "standing"]


@dataclass(frozen=True, eq=False)
class Posed:
    """Poses [4, 4] of a body's links by role, each where its joint is; and what it stands on."""

    poses: Mapping[str, Matrix4]
    floor: float  # [m]
    eyes: float  # [m] height of the eyes, or else of the head's joint
    hips: Matrix3  # their anatomical axes
    balls: Mapping[str, float]  # [m] by side how far the toes are in front of the ankle


def posed(body: AvatarBody, posture: Posture | Array) -> Posed:
    """The body in a posture: "T" with arms to the sides, "standing" with arms down, or at q [nq]."""
    q = body.anatomy.upright if isinstance(posture, str) else posture
    rig = body.rig
    link_poses = body.lift @ body.model.poses(q, rig.links)
    rotations = link_poses[:, :3, :3].copy()
    positions = link_poses[:, :3, 3] + (rotations @ rig.centers[..., None])[..., 0]
    feet = [body.link_indices[side + LEG[2]] for side in SIDES]
    soles = [float(positions[k, 2]) - body.lowest(rig.links[k], q) for k in feet]
    if isinstance(posture, str):
        down = np.array([0.0, 0.0, -1.0])
        for side in SIDES:
            _straighten(body.limbs[f"{side}Leg"], rotations, positions, down)
        for side in body.sides:
            aside = body.heading[:, 1] * (1.0 if side == "left" else -1.0)
            arm = body.limbs[f"{side}Arm"]
            rotations[arm.tip] = (
                _straighten(arm, rotations, positions, aside if posture == "T" else down) @ rotations[arm.tip]
            )
    floor = min(float(positions[k, 2]) - sole for k, sole in zip(feet, soles, strict=True))
    poses = {role: pose_from(rotations[k], positions[k]) for role, k in body.link_indices.items()}
    hips = body.anatomy.rotations(q[None], "hips")[0]
    balls: dict[str, float] = {side: float(body.toes(side, q) @ hips[:, 0]) for side in SIDES}
    return Posed(poses, floor, body.eyes(q), hips, balls)


def _straighten(limb: RigLimb, rotations: Array, positions: Array, direction: Array) -> Matrix3:
    """Let both bones point along a direction [3]; returns the rotation of the lower one."""
    rotations[limb.root] = (
        rotation_between(rotations[limb.root] @ limb.upper, direction) @ rotations[limb.root]
    )
    straight = rotation_between(rotations[limb.mid] @ limb.lower, direction)
    rotations[limb.mid] = straight @ rotations[limb.mid]
    positions[limb.mid] = positions[limb.root] + rotations[limb.root] @ limb.upper
    positions[limb.tip] = positions[limb.mid] + rotations[limb.mid] @ limb.lower
    return np.asarray(straight)
