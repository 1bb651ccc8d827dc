"""Targets of the legs of an avatar: tracked feet, or feet that stand and step."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping

import numpy as np

from limbik.motion.avatar.angles import about, about_z, heading_of, smooth, tilt_of
from limbik.motion.avatar.body import AvatarBody
from limbik.motion.avatar.limbs import LimbTarget, Swivel, direction
from limbik.motion.avatar.postures import Posed
from limbik.motion.avatar.steps import Footsteps
from limbik.motion.body.roles import LEG, SIDES, Side
from limbik.spatial import Array, Matrix3, Matrix4, rotation_exp, rotation_log

HEAD_WEIGHT = 0.35  # of the balance that the head has, the hips the rest
STRAIGHT = 0.999  # of a leg: beyond, the heel of a foot that stands leaves the ground
MAX_PITCH = 1.1  # [rad] of it
SHORTEST_FOOT = 0.1  # of the leg's length, from the ankle to the ball
LYING = (0.6, 1.1)  # [rad] of hips and head from upright, from which legs go on along the trunk
SITTING = (1.05, 1.8)  # of the height of hips on the ground: where they sit, and where they do not yet
SAT_KNEES = 0.6  # of the legs' length: how far the feet of who sits are from the hips
SWING_SETTLING = 0.05  # [s] over which the swing of the arms is taken
KNEE_HEIGHT = 0.06  # of the leg's length, of a knee on the ground
UP = np.array([0.0, 0.0, 1.0])
KNEE = (0.4, 0.6)  # how much hips and foot say about where the knee is


class Legs:
    """Both legs over time."""

    def __init__(self, body: AvatarBody, stands: Posed, ground: float) -> None:
        """stands: the body in the posture in which the feet stand at ease."""
        self._body, self._ground = body, ground
        self._length = sum(body.limbs["leftLeg"].lengths)
        back = about_z(-heading_of(stands.hips))
        at = {role: back @ (pose[:3, 3] - stands.poses["hips"][:3, 3]) for role, pose in stands.poses.items()}
        self._head = complex(*at["head"][:2])
        feet = {side: stands.poses[side + LEG[2]] for side in SIDES}
        self._heights = {side: float(pose[2, 3]) - stands.floor for side, pose in feet.items()}
        self._flat = {side: back @ pose[:3, :3] @ body.axes[side + LEG[2]] for side, pose in feet.items()}
        self._balls = {side: max(stands.balls[side], SHORTEST_FOOT * self._length) for side in SIDES}
        self._steps = Footsteps({side: complex(*at[side + LEG[2]][:2]) for side in SIDES}, self._length)
        self._knees = {side: Swivel() for side in SIDES}
        self._apart: float | None = None  # [m] the hands
        self._swing = 0.0  # [m/s]
        self._round = 0.0  # [rad] from before the hips of who lies to where the feet are, while they rest

    def aims(
        self, bones: Mapping[str, Matrix4], rotations: Array, positions: Array, dt: float
    ) -> dict[str, LimbTarget]:
        """The aims of the legs, by limb.

        bones: targets of bones with trackers, by role. positions [k, 3]: of the joints of hips and trunk.
        """
        body = self._body
        axes = rotations[0] @ body.axes["hips"]
        steps = {}
        if not all(side + LEG[2] in bones for side in SIDES):
            tilt = tilt_of(axes)
            if "hips" not in bones:  # they may lean below a head that is upright: who sits so does not lie
                tilt = min(tilt, tilt_of(bones["head"][:3, :3] @ body.axes["head"]))
            lies = smooth(tilt, *LYING)
            steps = self._stepped(axes, positions, lies, self._swing_of(bones, axes, dt), dt)
        carried = rotations[0] @ body.rig.rest_rotations[0].T
        aims = {}
        for side in SIDES:
            limb, role = body.limbs[f"{side}Leg"], side + LEG[2]
            root = positions[0] + rotations[0] @ limb.hangs
            if role in bones:
                target, turn = bones[role][:3, 3], bones[role][:3, :3]
                foot = turn @ body.axes[role]
            else:
                target, foot = self._heel(side, root, *steps[side])
                turn = foot @ body.axes[role].T
            if side + LEG[1] in bones:
                pole = bones[side + LEG[1]][:3, 3]
            else:
                line = target - root
                wanted = self._over_ground(side, root, line, _forward(axes, foot, -line))
                across = self._knees[side].turn(line, wanted, carried, dt)
                pole = root + self._length * across
            aims[f"{side}Leg"] = LimbTarget(root, carried, target, turn, pole)
        return aims

    def _stepped(
        self, axes: Matrix3, positions: Array, lies: float, swing: float, dt: float
    ) -> dict[Side, tuple[Array, Matrix3]]:
        """Where the ankles and how the feet are, without a tracker; lies: 0 to 1, whether the body does."""
        heading = heading_of(axes)
        facing = cmath.rect(1.0, heading)
        hips, head = complex(*positions[0, :2]), complex(*positions[-1, :2])
        center = (1.0 - HEAD_WEIGHT) * hips + HEAD_WEIGHT * (head - facing * self._head)
        sits = 1.0 - smooth(
            float(positions[0, 2]) - self._ground, *(part * self._body.seat for part in SITTING)
        )
        rests = max(sits, lies)
        if rests > 0.0:
            # From before who sits to behind who lies prone they go round: a leg does not fit below the hips.
            behind = math.remainder(cmath.phase(-complex(*axes[:2, 2])) - heading, 2.0 * math.pi)
            if 0.0 < lies < 1.0:  # by the same side as before
                behind = self._round + math.remainder(behind - self._round, 2.0 * math.pi)
            self._round = behind if lies > 0.0 else 0.0
            stretched = self._length * (SAT_KNEES + (1.0 - SAT_KNEES) * lies)
            center += rests * (hips + cmath.rect(stretched, heading + lies * self._round) - center)
        feet = {}
        for side, stood in self._steps.step(center, heading, swing, rests, dt).items():
            foot = about_z(stood.heading) @ self._flat[side]
            if lies > 0.0:
                foot = rotation_exp(lies * rotation_log(axes @ foot.T)) @ foot
            height = self._ground + self._heights[side] + stood.height
            feet[side] = np.array([stood.position.real, stood.position.imag, height]), foot
        return feet

    def _swing_of(self, bones: Mapping[str, Matrix4], axes: Matrix3, dt: float) -> float:
        """[m/s] of the left hand forward beside the right one."""
        if "leftHand" not in bones or "rightHand" not in bones or dt == 0.0:
            return 0.0
        apart = float((bones["leftHand"] - bones["rightHand"])[:3, 3] @ axes[:, 0])
        speed = 0.0 if self._apart is None else (apart - self._apart) / dt
        self._apart = apart
        self._swing = speed + (self._swing - speed) * math.exp(-dt / SWING_SETTLING)
        return self._swing

    def _over_ground(self, side: Side, root: Array, line: Array, wanted: Array) -> Array:
        """A direction [3] across the line [3] of a leg, near `wanted` [3], with the knee over the ground."""
        upper, lower = self._body.limbs[f"{side}Leg"].lengths
        lowest = self._ground + KNEE_HEIGHT * self._length
        if root[2] - upper > lowest:
            return wanted
        distance = min(max(math.sqrt(line @ line), abs(upper - lower), 1e-6), upper + lower)
        along = direction(line)
        down = (upper**2 + distance**2 - lower**2) / (2.0 * distance)  # of the knee, along the line
        out = math.sqrt(max(upper**2 - down**2, 0.0))
        across, up = (direction(each - (each @ along) * along) for each in (wanted, UP))
        needed = lowest - float(root[2] + down * along[2])
        if out * across[2] >= needed or out * up[2] < 1e-6:
            return across
        cosine = min(needed / (out * up[2]), 1.0)
        beside = direction(across - (across @ up) * up)
        return np.asarray(cosine * up + math.sqrt(1.0 - cosine**2) * beside)

    def _heel(self, side: Side, root: Array, ankle: Array, foot: Matrix3) -> tuple[Array, Matrix3]:
        """A foot whose leg is not long enough stands on its ball: the heel goes up until the leg reaches.

        In the plane of the foot, the ankle on its circle about the ball meets that of the leg about the hip.
        """
        reach = STRAIGHT * self._length
        to_root = root - ankle
        if to_root @ to_root <= reach**2:
            return ankle, foot
        facing = about_z(heading_of(foot))
        ball = ankle + facing @ [self._balls[side], 0.0, -self._heights[side]]
        up, to_hip = facing.T @ (ankle - ball), facing.T @ (root - ball)
        radius, far = math.hypot(up[0], up[2]), math.hypot(to_hip[0], to_hip[2])
        across = math.sqrt(max(reach**2 - to_hip[1] ** 2, 0.0))
        cosine = (radius**2 + far**2 - across**2) / (2.0 * radius * far)
        between = math.atan2(to_hip[0], to_hip[2]) - math.atan2(up[0], up[2])
        pitch = min(max(between - math.acos(min(max(cosine, -1.0), 1.0)), 0.0), MAX_PITCH)
        turn = about(facing[:, 1], pitch)
        return ball + turn @ (ankle - ball), turn @ foot


def _forward(hips: Matrix3, foot: Matrix3, up: Array) -> Array:
    """Where a knee is beside the line of its leg, by hips and foot; up [3]: along the leg."""
    up = up / max(math.sqrt(up @ up), 1e-9)
    toes = foot[:, 0] - (foot[:, 0] @ up) * foot[:, 2]
    front = hips[:, 0] - (hips[:, 0] @ up) * hips[:, 2]
    return np.asarray(KNEE[0] * front + KNEE[1] * toes)
