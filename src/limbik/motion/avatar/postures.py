"""The postures in which a person is calibrated, as a body stands in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from limbik.motion.avatar.body import Body
from limbik.motion.body.roles import LEG, SIDES
from limbik.spatial import Array, Matrix4, pose_from, rotation_between

Posture = Literal["T", "standing"]


@dataclass(frozen=True, eq=False)
class Posed:
    """Poses [4, 4] of a body's links by role, each with its place where its joint is; and what it stands on."""

    poses: Mapping[str, Matrix4]
    floor: float  # [m]
    eyes: float  # [m] height of the eyes, or else of the head's joint


def posed(body: Body, posture: Posture | Array) -> Posed:
    """The body in a posture: "T" with arms to the sides, "standing" with arms down, or at q [nq]."""
    q = body.anatomy.upright if isinstance(posture, str) else posture
    rig = body.rig
    found = body.lift @ body.model.poses(q, rig.links)
    turns = found[:, :3, :3].copy()
    places = found[:, :3, 3] + (turns @ rig.centers[..., None])[..., 0]
    floor = min(body.lowest(body.role_links[side + LEG[2]], q) for side in SIDES)
    if isinstance(posture, str):
        for side in body.sides:
            aside = body.heading[:, 1] * (1.0 if side == "left" else -1.0)
            _straighten(body, side, turns, places, aside if posture == "T" else np.array([0.0, 0.0, -1.0]))
    poses = {role: pose_from(turns[k], places[k]) for role, k in body.place.items()}
    return Posed(poses, floor, body.eyes(q))


def _straighten(body: Body, side: str, turns: Array, places: Array, way: Array) -> None:
    """Let an arm point along a way [3]."""
    arm = body.limbs[f"{side}Arm"]
    upper, lower = turns[arm.root] @ arm.upper, turns[arm.mid] @ arm.lower
    turns[arm.root] = rotation_between(upper, way) @ turns[arm.root]
    straight = rotation_between(lower, way)
    turns[arm.mid], turns[arm.tip] = straight @ turns[arm.mid], straight @ turns[arm.tip]
    places[arm.mid] = places[arm.root] + turns[arm.root] @ arm.upper
    places[arm.tip] = places[arm.mid] + turns[arm.mid] @ arm.lower
