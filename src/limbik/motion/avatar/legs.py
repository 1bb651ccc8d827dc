"""Where the legs of an avatar go: tracked feet, or feet that stand and step."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from limbik.motion.avatar.body import Body
from limbik.motion.avatar.hips import about_z, heading_of, smooth
from limbik.motion.avatar.limbs import Aim
from limbik.motion.avatar.steps import Steps
from limbik.motion.avatar.trackers import Calibration
from limbik.motion.body.roles import LEG, SIDES, Side
from limbik.spatial import Array, Matrix3, Matrix4, norm, rotation_exp, rotation_log

HEAD_SHARE = 0.35  # of the balance that the head has, the hips the rest
STRAIGHT = 0.999  # of a leg: beyond, the heel of a foot that stands leaves the ground
MOST_PITCH = 1.1  # [rad] of it
LYING = (0.8, 1.4)  # [rad] of the hips from upright, from which legs go on along the trunk
KNEE = (0.4, 0.6)  # how much hips and foot say about where the knee is


class Legs:
    """Both legs over time."""

    def __init__(self, body: Body, ground: float) -> None:
        self._body, self._ground = body, ground
        rig, upright = body.rig, body.anatomy.upright
        self._feet = {side: body.place[side + LEG[2]] for side in SIDES}
        self._length = sum(body.limbs["leftLeg"].lengths)
        back = body.heading.T
        offsets = {side: (back @ (rig.places[k] - rig.places[0]))[:2] for side, k in self._feet.items()}
        self._head = (back @ (rig.places[body.spine[-1]] - rig.places[0]))[:2]
        self._heights = {
            side: float(rig.places[k][2]) - body.lowest(rig.links[k], upright) for side, k in self._feet.items()
        }
        self._steps = Steps(offsets, self._length)

    def aims(
        self,
        seen: Mapping[str, Matrix4],
        calibration: Calibration,
        turns: Array,
        hips: Array,
        head: Array,
        dt: float,
    ) -> dict[str, Aim]:
        """The aims of the legs, by limb, for hips and head at places [3]."""
        body = self._body
        axes = turns[0] @ body.axes["hips"]
        steps = {}
        if not all(side + LEG[2] in seen for side in SIDES):
            steps = self._stepped(axes, hips, head, dt)
        origin = body.rig.origin(0, hips, turns[0])
        aims = {}
        for side in SIDES:
            limb = body.limbs[f"{side}Leg"]
            root = body.rig.pivot(limb.root, origin, turns[0])
            if side + LEG[2] in seen:
                pose = seen[side + LEG[2]] @ calibration.offsets[side + LEG[2]]
                target, foot = pose[:3, 3], pose[:3, :3] @ body.axes[side + LEG[2]]
            else:
                target, foot = self._heel(root, *steps[side])
            knee = side + LEG[1]
            if knee in seen:
                pole = (seen[knee] @ calibration.offsets[knee])[:3, 3]
            else:
                pole = root + _forward(axes, foot, root - target)
            carried = turns[0] @ body.rig.turns[0].T
            aims[f"{side}Leg"] = Aim(root, carried, target, foot @ body.axes[side + LEG[2]].T, pole)
        return aims

    def _stepped(
        self, axes: Matrix3, hips: Array, head: Array, dt: float
    ) -> dict[Side, tuple[Array, Matrix3]]:
        """Where the ankles and how the feet are, without a tracker."""
        heading = heading_of(axes)
        lies = smooth(math.acos(min(max(axes[2, 2], -1.0), 1.0)), *LYING)
        over = head[:2] - about_z(heading)[:2, :2] @ self._head
        center = (1.0 - HEAD_SHARE) * hips[:2] + HEAD_SHARE * over
        center = center + lies * (hips[:2] - self._length * axes[:2, 2] - center)
        found = {}
        for side, (place, facing) in self._steps.step(center, heading, dt).items():
            flat = about_z(facing)
            if lies > 0.0:
                flat = rotation_exp(lies * rotation_log(axes @ flat.T)) @ flat
            found[side] = place + [0.0, 0.0, self._ground + self._heights[side]], flat
        return found

    def _heel(self, root: Array, ankle: Array, foot: Matrix3) -> tuple[Array, Matrix3]:
        """A foot whose leg is not long enough stands on its toes."""
        way = ankle - root
        far = float(norm(way))
        if far <= STRAIGHT * self._length:
            return ankle, foot
        reached = root + STRAIGHT * self._length / far * way
        lift = (reached[2] - ankle[2]) / (0.15 * self._length)
        pitch = math.asin(min(max(lift, 0.0), math.sin(MOST_PITCH)))
        return reached, foot @ rotation_exp(np.array([0.0, pitch, 0.0]))


def _forward(hips: Matrix3, foot: Matrix3, up: Array) -> Array:
    """Where a knee is beside the line of its leg, by hips and foot; up [3]: along the leg."""
    up = up / max(float(norm(up)), 1e-9)
    toes = foot[:, 0] - (foot[:, 0] @ up) * foot[:, 2]
    front = hips[:, 0] - (hips[:, 0] @ up) * hips[:, 2]
    return np.asarray(KNEE[0] * front + KNEE[1] * toes)
