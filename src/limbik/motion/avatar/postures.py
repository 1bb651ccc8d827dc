"""The postures in which a person is calibrated, as a body stands in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from limbik.motion.avatar.body import Body, Limb
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


def posed(body: Body, posture: Posture | Array) -> Posed:
    """The body in a posture: "T" with arms to the sides, "standing" with arms down, or at q [nq]."""
    q = body.anatomy.upright if isinstance(posture, str) else posture
    rig = body.rig
    found = body.lift @ body.model.poses(q, rig.links)
    turns = found[:, :3, :3].copy()
    places = found[:, :3, 3] + (turns @ rig.centers[..., None])[..., 0]
    feet = [body.place[side + LEG[2]] for side in SIDES]
    soles = [float(places[k, 2]) - body.lowest(rig.links[k], q) for k in feet]
    if isinstance(posture, str):
        down = np.array([0.0, 0.0, -1.0])
        for side in SIDES:
            _straighten(body.limbs[f"{side}Leg"], turns, places, down)
        for side in body.sides:
            aside = body.heading[:, 1] * (1.0 if side == "left" else -1.0)
            arm = body.limbs[f"{side}Arm"]
            turns[arm.tip] = (
                _straighten(arm, turns, places, aside if posture == "T" else down) @ turns[arm.tip]
            )
    floor = min(float(places[k, 2]) - sole for k, sole in zip(feet, soles, strict=True))
    poses = {role: pose_from(turns[k], places[k]) for role, k in body.place.items()}
    hips = body.anatomy.turns(q[None], "hips")[0]
    balls: dict[str, float] = {side: float(body.toes(side, q) @ hips[:, 0]) for side in SIDES}
    return Posed(poses, floor, body.eyes(q), hips, balls)


def _straighten(limb: Limb, turns: Array, places: Array, way: Array) -> Matrix3:
    """Let both bones point along a way [3]; returns by how much the lower one has turned."""
    turns[limb.root] = rotation_between(turns[limb.root] @ limb.upper, way) @ turns[limb.root]
    straight = rotation_between(turns[limb.mid] @ limb.lower, way)
    turns[limb.mid] = straight @ turns[limb.mid]
    places[limb.mid] = places[limb.root] + turns[limb.root] @ limb.upper
    places[limb.tip] = places[limb.mid] + turns[limb.mid] @ limb.lower
    return np.asarray(straight)
