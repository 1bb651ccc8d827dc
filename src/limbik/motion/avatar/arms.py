"""Where the arms of an avatar go: shoulders, hands and elbows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from limbik.motion.avatar.body import Body
from limbik.motion.avatar.limbs import Aim
from limbik.motion.avatar.trackers import Calibration
from limbik.motion.body.roles import ARM
from limbik.spatial import Array, Matrix3, Matrix4, norm, rotation_between, rotation_exp, unit

ELBOW = np.array([-0.5, 0.3, -1.0])  # where it is beside the shoulder: back, outward and down
SURE = 0.2  # of the arm's length: how much that counts beside what the hand says
SHRUG = 0.4  # [rad] at most, of a shoulder toward a hand out of reach
REACH = 0.98  # of the arm's length, beyond which shoulders follow
HANGING = 0.97  # of the arm's length, of a hand without a tracker


def arm_aims(
    body: Body,
    seen: Mapping[str, Matrix4],
    calibration: Calibration,
    turns: Array,
    places: Array,
    hips: Array,
) -> dict[str, Aim]:
    """The aims of the arms, by limb; turns [n, 3, 3] of the shoulders are written.

    places [k, 3]: of the trunk's joints, and hips [3] that of the hips.
    """
    return {f"{side}Arm": _aim(body, side, seen, calibration, turns, places, hips) for side in body.sides}


def _aim(
    body: Body,
    side: str,
    seen: Mapping[str, Matrix4],
    calibration: Calibration,
    turns: Array,
    places: Array,
    hips: Array,
) -> Aim:
    rig, limb = body.rig, body.limbs[f"{side}Arm"]
    carrier = body.carrier
    pivot = places[body.spine.index(carrier)] if carrier else hips
    origin = rig.origin(carrier, pivot, turns[carrier])
    carried = turns[carrier] @ rig.turns[carrier].T
    clavicle = body.place.get(side + "Shoulder")
    root = _root(body, limb.root, clavicle, origin, turns[carrier], carried)
    hand, reach = side + ARM[2], sum(limb.lengths)
    if hand in seen:
        pose = seen[hand].copy()
        pose[:3, 3] = root + (pose[:3, 3] - root) / calibration.arm_ratio
        pose = pose @ calibration.offsets[hand]
        target, turn = pose[:3, 3], pose[:3, :3]
    else:
        down = np.array([0.0, 0.0, -1.0])
        target = root + HANGING * reach * down
        rest = carried @ rig.turns[limb.tip]
        turn = rotation_between(rest @ limb.forearm, down) @ rest
    if clavicle is not None:
        carried = _shrug(root, places_of(body, clavicle, origin, turns[carrier]), target, REACH * reach) @ carried
        turns[clavicle] = carried @ rig.turns[clavicle]
        start = places_of(body, clavicle, origin, turns[carrier])
        root = rig.pivot(limb.root, rig.origin(clavicle, start, turns[clavicle]), turns[clavicle])
    elbow = side + ARM[1]
    if elbow in seen:
        pole = (seen[elbow] @ calibration.offsets[elbow])[:3, 3]
    else:
        mirrored = ELBOW * [1.0, 1.0 if side == "left" else -1.0, 1.0]
        aside = turns[carrier] @ rig.turns[carrier].T @ body.heading @ unit(mirrored)
        pole = target - limb.lengths[1] * (turn @ limb.forearm) + SURE * reach * aside
    return Aim(root, carried, target, turn, pole)


def places_of(body: Body, clavicle: int, origin: Array, turn: Matrix3) -> Array:
    """Where a shoulder is on the trunk."""
    return body.rig.pivot(clavicle, origin, turn)


def _root(
    body: Body, root: int, clavicle: int | None, origin: Array, turn: Matrix3, carried: Matrix3
) -> Array:
    """Where an arm hangs while its shoulder is as at rest."""
    rig = body.rig
    if clavicle is None:
        return rig.pivot(root, origin, turn)
    turned = carried @ rig.turns[clavicle]
    return rig.pivot(root, rig.origin(clavicle, rig.pivot(clavicle, origin, turn), turned), turned)


def _shrug(root: Array, start: Array, target: Array, reach: float) -> Matrix3:
    """The turn of a shoulder toward a hand that is out of reach."""
    way = target - root
    beyond = float(norm(way)) - reach
    bone = root - start
    if beyond <= 0.0:
        return np.eye(3)
    axis = unit(np.cross(bone, way))
    return rotation_exp(min(beyond / float(norm(bone)), SHRUG) * axis)
