"""Limits of ball joints: a cone for the swing and a range for the twist, or ranges of Euler angles.

A rotation is split as q = swing * twist: first a twist about the joint's axis, then a swing that turns that
axis the shortest arc to where it ends. Euler angles are those of `model.euler`. All arrays hold one
quaternion for each of the joints, [..., n, 4].
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from limbik.model.euler import EulerRanges
from limbik.model.joints import Joint
from limbik.spatial import (
    Array,
    Quaternion,
    Vector3,
    cross,
    dot,
    perpendicular,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalise,
    swing_twist,
)

# Margin for rounding at the limits, measured as a change of the unit quaternion (about half an angle).
TOLERANCE = 1e-12


class BallLimits:
    """Swing cones, twist ranges and Euler limits of n joints, as arrays."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.axis: Vector3 = np.array([joint.axis for joint in joints]).reshape(-1, 3)
        self.swing: Array = np.array([joint.swing for joint in joints])
        lower = np.array([joint.lower for joint in joints])
        upper = np.array([joint.upper for joint in joints])
        is_free = upper - lower >= 2.0 * math.pi
        self.lower: Array = np.where(is_free, -math.pi, lower)
        self.upper: Array = np.where(is_free, math.pi, upper)
        self.middle: Array = self.lower + 0.5 * (self.upper - self.lower)
        # What a joint that may turn freely gets added to its bounds, so that nothing is beyond them.
        self.swing_margins: Array = np.where(self.swing < math.pi, 0.0, math.inf)
        self.twist_margins: Array = np.where(is_free, math.inf, 0.0)
        self.by_euler = [k for k, joint in enumerate(joints) if joint.euler is not None]  # swing, twist: free
        self.euler = EulerRanges([joint.euler for joint in joints if joint.euler is not None])

    def excess(self, turn: Quaternion, margin: float = 0.0) -> Array:
        """How far unit quaternions are outside the limits [..., n], as a change of them; <= 0 inside.

        The twist loses its meaning as the swing nears half a turn: its excess is weighted by cos(swing / 2).
        """
        along = dot(turn[..., :3], self.axis)
        sideways = turn[..., :3] - self.axis * along[..., None]
        across = np.sqrt(dot(sideways, sideways))
        together = np.hypot(along, turn[..., 3])
        beyond_cone = np.arctan2(across, together) - 0.5 * (self.swing - margin + self.swing_margins)
        twist = self._unwound(2.0 * np.arctan2(along, turn[..., 3]))
        outside = np.maximum(self.lower - twist, twist - self.upper) + margin
        # An infinite margin times a zero weight has no value: the weight is never zero.
        beyond_range = 0.5 * np.maximum(together, 1e-300) * (outside - self.twist_margins)
        excess = np.asarray(np.maximum(beyond_cone, beyond_range))
        if self.by_euler:
            excess[..., self.by_euler] = self.euler.excess(turn[..., self.by_euler, :], margin)
        return excess

    def clip(self, turn: Quaternion) -> Quaternion:
        """Unit quaternions with swing and twist each moved to the nearest allowed value.

        The swing keeps its direction, and a twist that is out of range changes without moving the twist axis.
        Of Euler limits, the nearest allowed turn. A quaternion inside the limits is returned as it is.
        """
        is_inside = self.excess(turn) <= TOLERANCE
        if is_inside.all():
            return turn
        swing_quat, twist_quat = swing_twist(turn, self.axis)
        swing = quat_log(swing_quat)
        angle = np.sqrt(dot(swing, swing))
        is_wide = angle > self.swing
        swing = swing * np.where(is_wide, self.swing / np.where(is_wide, angle, 1.0), 1.0)[..., None]
        twist = self._unwound(dot(quat_log(twist_quat), self.axis))
        twist = np.clip(twist, self.lower, self.upper)
        clipped = quat_normalise(quat_multiply(quat_exp(swing), quat_exp(self.axis * twist[..., None])))
        if self.by_euler:
            clipped[..., self.by_euler, :] = self.euler.clip(turn[..., self.by_euler, :])
        clipped = np.where(dot(clipped, turn)[..., None] < 0.0, -clipped, clipped)
        return np.asarray(np.where(is_inside[..., None], turn, clipped))

    def random(self, rng: np.random.Generator, lead: tuple[int, ...]) -> Quaternion:
        """Each image of the twist axis uniform on its cap of the sphere, each twist uniform in its range; or
        uniform among the rotations within Euler limits.
        """
        shape = (*lead, len(self.swing))
        sine = np.sqrt(rng.uniform(0.0, 1.0, shape)) * np.sin(0.5 * self.swing)  # of half the swing
        around = rng.uniform(-math.pi, math.pi, shape)[..., None]
        twist = rng.uniform(self.lower, self.upper, shape)
        first = perpendicular(self.axis)
        direction = np.cos(around) * first + np.sin(around) * cross(self.axis, first)
        swing = quat_exp(direction * (2.0 * np.arcsin(sine))[..., None])
        turn = quat_multiply(swing, quat_exp(self.axis * twist[..., None]))
        if self.by_euler:
            turn[..., self.by_euler, :] = self.euler.random(rng, lead)
        return quat_normalise(turn)

    def _unwound(self, twist: Array) -> Array:
        """Twists with the revolutions added that bring them nearest to the middle of their ranges."""
        return np.asarray(twist - 2.0 * math.pi * np.round((twist - self.middle) / (2.0 * math.pi)))
