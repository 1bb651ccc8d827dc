"""The configuration space of a model: steps, differences, limits and random members of it.

Joints with one number in q are treated together as arrays; ball and floating joints one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from limbik.errors import ConfigurationError, shortened
from limbik.model.joints import Joint, JointKind
from limbik.spatial import (
    Array,
    Quaternion,
    Vector3,
    cross,
    dot,
    exp_translation,
    log_translation,
    norm,
    perpendicular,
    quat_conjugate,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalise,
    quat_rotate,
    swing_twist,
)

# Room for rounding at the limits of ball joints, measured as a change of the unit quaternion (half an angle).
TOLERANCE = 1e-12
_SHORTEST_QUATERNION = 1e-6


class ConfigurationSpace:
    """Where the parts of q and v lie, and the operations on them. All arrays may have leading batch axes."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.joints = tuple(joints)
        self.q_starts = _starts([joint.nq for joint in joints])
        self.v_starts = _starts([joint.nv for joint in joints])
        self.nq, self.nv = self.q_starts[-1], self.v_starts[-1]
        scalars = [i for i, joint in enumerate(joints) if joint.nq == 1]
        self.scalar_joints = tuple(joints[i] for i in scalars)
        self.scalar_q = np.array([self.q_starts[i] for i in scalars], dtype=np.intp)
        self.scalar_v = np.array([self.v_starts[i] for i in scalars], dtype=np.intp)
        # (joint, where its unit quaternion starts in q, where its angular part starts in v)
        self.turning = tuple(
            (joint, q_start + joint.nq - 4, v_start + joint.nv - 3)
            for joint, q_start, v_start in zip(joints, self.q_starts, self.v_starts, strict=False)
            if joint.kind in (JointKind.BALL, JointKind.FLOATING)
        )
        self.lower, self.upper = self._limits()
        self.has_limits = any(joint.has_limits for joint in joints)

    def _limits(self) -> tuple[Array, Array]:
        lower, upper = np.full(self.nq, -math.inf), np.full(self.nq, math.inf)
        lower[self.scalar_q] = [joint.lower for joint in self.scalar_joints]
        upper[self.scalar_q] = [joint.upper for joint in self.scalar_joints]
        for _, q_start, _ in self.turning:
            lower[q_start : q_start + 4], upper[q_start : q_start + 4] = -1.0, 1.0
        return lower, upper

    def as_q(self, q: object, name: str = "q") -> Array:
        """`q` as float64 [..., nq] with finite numbers and quaternions that have a direction."""
        array = self._as_array(q, self.nq, name, "nq")
        for joint, start, _ in self.turning:
            length = norm(array[..., start : start + 4])
            if (length < _SHORTEST_QUATERNION).any():
                where = f"{name}[{start}:{start + 4}], the quaternion xyzw of joint {joint.name!r}"
                raise ConfigurationError(f"{where}, needs length 1, found {float(length.min()):.2g}")
        return array

    def as_v(self, v: object, name: str = "v") -> Array:
        """`v` as float64 [..., nv] with finite numbers."""
        return self._as_array(v, self.nv, name, "nv")

    def _as_array(self, value: object, size: int, name: str, size_name: str) -> Array:
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ConfigurationError(
                f"{name} needs an array of {size} numbers, found {shortened(value)}"
            ) from None
        if array.ndim == 0 or array.shape[-1] != size:
            raise ConfigurationError(
                f"{name} needs {size} numbers ({size_name}) along its last axis, found shape {array.shape}"
            )
        if not np.isfinite(array).all():
            place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
            starts = self.q_starts if size_name == "nq" else self.v_starts
            joint = self.joints[int(np.searchsorted(starts, place[-1], side="right")) - 1]
            where = ", ".join(map(str, place))
            raise ConfigurationError(
                f"{name}[{where}] of joint {joint.name!r} needs a finite number, found {array[place]}"
            )
        return array

    def neutral(self) -> Array:
        """Zeros and identity quaternions, moved into the limits."""
        q = np.zeros(self.nq)
        for _, start, _ in self.turning:
            q[start + 3] = 1.0
        return self.clip(q)

    def integrate(self, q: Array, v: Array) -> Array:
        """The configuration reached from q after unit time at the constant velocity v."""
        lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        out = np.empty((*lead, self.nq))
        out[...] = q
        out[..., self.scalar_q] += v[..., self.scalar_v]
        for joint, i, j in self.turning:
            turn, angular = q[..., i : i + 4], v[..., j : j + 3]
            out[..., i : i + 4] = quat_normalise(quat_multiply(quat_normalise(turn), quat_exp(angular)))
            if joint.kind is JointKind.FLOATING:
                step = exp_translation(v[..., j - 3 : j], angular)
                out[..., i - 3 : i] += quat_rotate(quat_normalise(turn), step)
        return out

    def difference(self, q0: Array, q1: Array) -> Array:
        """The velocity that leads from q0 to q1 in unit time; a turn is at most pi."""
        lead = np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1])
        out = np.zeros((*lead, self.nv))
        out[..., self.scalar_v] = q1[..., self.scalar_q] - q0[..., self.scalar_q]
        for joint, i, j in self.turning:
            back = quat_conjugate(quat_normalise(q0[..., i : i + 4]))
            angular = quat_log(quat_multiply(back, quat_normalise(q1[..., i : i + 4])))
            out[..., j : j + 3] = angular
            if joint.kind is JointKind.FLOATING:
                translation = quat_rotate(back, q1[..., i - 3 : i] - q0[..., i - 3 : i])
                out[..., j - 3 : j] = log_translation(translation, angular)
        return out

    def clip(self, q: Array) -> Array:
        """q moved into the limits, with quaternions of length 1."""
        out = np.clip(q, self.lower, self.upper)
        for joint, i, _ in self.turning:
            turn = quat_normalise(q[..., i : i + 4])
            out[..., i : i + 4] = clip_ball(turn, joint) if joint.kind is JointKind.BALL else turn
        return out

    def is_within_limits(self, q: Array, margin: float) -> np.bool_ | np.ndarray:
        """Whether every joint is at least `margin` inside its limits [...]."""
        scalars = q[..., self.scalar_q]
        above = scalars >= self.lower[self.scalar_q] + margin
        below = scalars <= self.upper[self.scalar_q] - margin
        inside = np.asarray((above & below).all(axis=-1))
        for joint, i, _ in self.turning:
            if joint.kind is JointKind.BALL:
                inside = inside & (excess_ball(quat_normalise(q[..., i : i + 4]), joint, margin) <= TOLERANCE)
        return inside

    def random(self, rng: np.random.Generator, lead: tuple[int, ...]) -> Array:
        """Configurations [*lead, nq] drawn uniformly within the limits."""
        out = np.empty((*lead, self.nq))
        ranges = np.array([_range(joint) for joint in self.scalar_joints]).reshape(-1, 2)
        out[..., self.scalar_q] = rng.uniform(ranges[:, 0], ranges[:, 1], (*lead, len(ranges)))
        for joint, i, _ in self.turning:
            if joint.kind is JointKind.FLOATING:
                out[..., i - 3 : i] = rng.uniform(-1.0, 1.0, (*lead, 3))
            out[..., i : i + 4] = _random_ball(joint, rng, lead)
        return self.clip(out)


# --- ball joints: q = swing * twist -------------------------------------------------------------------------


def excess_ball(turn: Quaternion, joint: Joint, margin: float = 0.0) -> Array:
    """How far a unit quaternion is outside a ball joint's limits [...], as its change; <= 0 inside.

    The twist loses its meaning as the swing nears half a turn, so its excess is weighted by cos(swing / 2).
    """
    swing, twist = _swing_and_twist(turn, joint)
    angle = norm(swing)
    out = np.full(angle.shape, -math.inf)
    if joint.swing < math.pi:
        out = 0.5 * (angle - (joint.swing - margin))
    if joint.upper - joint.lower < 2.0 * math.pi:
        twist = _unwound(twist, joint)
        beyond = np.maximum(joint.lower + margin - twist, twist - (joint.upper - margin))
        out = np.maximum(out, 0.5 * np.cos(0.5 * angle) * beyond)
    return out


def clip_ball(turn: Quaternion, joint: Joint) -> Quaternion:
    """The unit quaternion with swing and twist each moved to the nearest allowed value.

    The swing keeps its direction, and a twist that is out of range changes without moving the twist axis. A
    quaternion inside the limits is returned as it is.
    """
    if not joint.has_limits:
        return turn
    swing, twist = _swing_and_twist(turn, joint)
    angle = norm(swing)
    is_wide = angle > joint.swing
    swing = swing * np.where(is_wide, joint.swing / np.where(is_wide, angle, 1.0), 1.0)[..., None]
    if joint.upper - joint.lower < 2.0 * math.pi:
        twist = np.clip(_unwound(twist, joint), joint.lower, joint.upper)
    clipped = quat_normalise(quat_multiply(quat_exp(swing), quat_exp(joint.axis * twist[..., None])))
    clipped = np.where(dot(clipped, turn)[..., None] < 0.0, -clipped, clipped)
    is_inside = excess_ball(turn, joint) <= TOLERANCE
    return np.asarray(np.where(is_inside[..., None], turn, clipped))


def _swing_and_twist(turn: Quaternion, joint: Joint) -> tuple[Vector3, Array]:
    """Rotation vector of the swing [..., 3] and angle of the twist [...], -pi to pi [rad]."""
    swing, twist = swing_twist(turn, joint.axis)
    return quat_log(swing), dot(quat_log(twist), joint.axis)


def _unwound(twist: Array, joint: Joint) -> Array:
    """The twist with the whole turns added that bring it nearest to the middle of its range."""
    middle = joint.lower + 0.5 * (joint.upper - joint.lower)
    return np.asarray(twist - 2.0 * math.pi * np.round((twist - middle) / (2.0 * math.pi)))


def _random_ball(joint: Joint, rng: np.random.Generator, lead: tuple[int, ...]) -> Quaternion:
    """The image of the twist axis uniform on its cap of the sphere, the twist uniform in its range."""
    sine = np.sqrt(rng.uniform(0.0, 1.0, lead)) * math.sin(0.5 * joint.swing)  # of half the swing
    around = rng.uniform(-math.pi, math.pi, lead)
    twist = rng.uniform(*_range(joint), lead)
    first = perpendicular(joint.axis)
    second = cross(joint.axis, first)
    direction = np.cos(around)[..., None] * first + np.sin(around)[..., None] * second
    swing = quat_exp(direction * (2.0 * np.arcsin(sine))[..., None])
    return quat_normalise(quat_multiply(swing, quat_exp(joint.axis * twist[..., None])))


def _range(joint: Joint) -> tuple[float, float]:
    """The limits, with finite ones in place of infinite ones: a full turn or two metres."""
    half = 1.0 if joint.kind is JointKind.PRISMATIC else math.pi
    if joint.kind is JointKind.BALL and joint.upper - joint.lower >= 2.0 * half:
        return -half, half
    if math.isinf(joint.lower) and math.isinf(joint.upper):
        return -half, half
    if math.isinf(joint.lower):
        return joint.upper - 2.0 * half, joint.upper
    if math.isinf(joint.upper):
        return joint.lower, joint.lower + 2.0 * half
    return joint.lower, joint.upper


def _starts(sizes: Sequence[int]) -> list[int]:
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts
