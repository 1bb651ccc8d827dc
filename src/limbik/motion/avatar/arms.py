"""Targets of the arms of an avatar: shoulders, hands and elbows."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from limbik.motion.avatar.angles import about
from limbik.motion.avatar.body import AvatarBody
from limbik.motion.avatar.limbs import LimbTarget, Swivel, direction
from limbik.motion.body.roles import ARM
from limbik.spatial import Array, Matrix3, Matrix4, cross, rotation_between

ELBOW = np.array([-0.43, 0.26, -0.86])  # where it is beside the shoulder: back, outward and down
ELBOWS = {"left": ELBOW, "right": ELBOW * [1.0, -1.0, 1.0]}
SURE = 0.2  # of the arm's length: how much that counts beside what the hand says
SHRUG = 0.4  # [rad] at most, of a shoulder toward a hand out of reach
REACH = 0.98  # of the arm's length, beyond which shoulders follow
HANGING = 0.97  # of the arm's length, of a hand without a tracker
DOWN = np.array([0.0, 0.0, -1.0])


class Arms:
    """Both arms over time."""

    def __init__(self, body: AvatarBody) -> None:
        self._body = body
        self._elbows = {side: Swivel() for side in body.sides}

    def aims(
        self,
        seen: Mapping[str, Matrix4],
        bones: Mapping[str, Matrix4],
        arm_ratio: float,
        rotations: Array,
        positions: Array,
        dt: float,
    ) -> dict[str, LimbTarget]:
        """The aims of the arms, by limb; rotations [n, 3, 3] of the shoulders are written.

        seen: trackers, and bones: where their bones are to be, both by role. arm_ratio: length of the
        person's arms beside the body's. positions [k, 3]: of the joints of hips and trunk.
        """
        body, aims = self._body, {}
        rig, on = body.rig, rotations[body.carrier]
        trunk = on @ rig.rest_rotations[body.carrier].T
        for side in body.sides:
            carried, limb = trunk, body.limbs[f"{side}Arm"]
            reach = sum(limb.lengths)
            root = positions[body.carrier] + on @ limb.hangs
            target, turn = _hand(body, side, seen, bones, arm_ratio, root, carried)
            clavicle = body.link_indices.get(side + "Shoulder")
            if clavicle is not None:
                start = rig.pivot(clavicle, rig.origin(body.carrier, positions[body.carrier], on), on)
                shrug = _shrug(root - start, target - root, REACH * reach)
                if shrug is not None:
                    carried = shrug @ carried
                    root = start + shrug @ (root - start)
                rotations[clavicle] = carried @ rig.rest_rotations[clavicle]
            if side + ARM[1] in bones:
                pole = bones[side + ARM[1]][:3, 3]
            else:
                to_hand = target - root
                behind = to_hand - limb.lengths[1] * (turn @ limb.forearm)
                elbow = _elbow(to_hand, behind, trunk @ (body.heading @ ELBOWS[side]), reach)
                pole = root + reach * self._elbows[side].turn(to_hand, elbow, trunk, dt)
            aims[f"{side}Arm"] = LimbTarget(root, carried, target, turn, pole)
        return aims


def _hand(
    body: AvatarBody,
    side: str,
    seen: Mapping[str, Matrix4],
    bones: Mapping[str, Matrix4],
    arm_ratio: float,
    root: Array,
    carried: Matrix3,
) -> tuple[Array, Matrix3]:
    """Position [3] and rotation [3, 3] of a hand whose arm hangs at `root`."""
    limb, hand = body.limbs[f"{side}Arm"], side + ARM[2]
    if hand in bones:
        target = bones[hand][:3, 3]
        if arm_ratio != 1.0:
            target = target + (1.0 / arm_ratio - 1.0) * (seen[hand][:3, 3] - root)
        return target, bones[hand][:3, :3]
    rest = carried @ body.rig.rest_rotations[limb.tip]
    return root + HANGING * sum(limb.lengths) * DOWN, rotation_between(rest @ limb.forearm, DOWN) @ rest


def _elbow(to_hand: Array, elbow: Array, aside: Array, reach: float) -> Array:
    """Where an elbow is beside the line [3] from shoulder to hand, all as seen from the shoulder.

    elbow [3]: where it would be behind a straight wrist, which counts as far as it is not on the other side
    than elbows bend to, `aside` [3].
    """
    along = direction(to_hand)
    across = aside - (aside @ along) * along
    across = across / max(math.sqrt(across @ across), 1e-3)
    return np.asarray(elbow + (max(0.0, -float(elbow @ across)) + SURE * reach) * across)


def _shrug(bone: Array, to_hand: Array, reach: float) -> Matrix3 | None:
    """The rotation of a shoulder, a bone [3], that brings a hand at `to_hand` [3] within reach."""
    far = to_hand @ to_hand
    if far <= reach**2:
        return None
    whole = bone + to_hand
    long, short = math.sqrt(whole @ whole), math.sqrt(bone @ bone)
    if long == 0.0 or short == 0.0:
        return None
    cosines = [(long**2 + short**2 - each) / (2.0 * long * short) for each in (far, reach**2)]
    is_at, wanted = (math.acos(min(max(each, -1.0), 1.0)) for each in cosines)
    return about(cross(bone, to_hand), min(is_at - wanted, SHRUG))
