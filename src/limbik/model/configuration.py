"""`ConfigurationSpace`: steps, differences, limits and random configurations of a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, count

import numpy as np
from numpy.typing import NDArray

from limbik.errors import ConfigurationError
from limbik.model.ball import TOLERANCE, BallLimits
from limbik.model.followers import Followers
from limbik.model.joints import FARTHEST, Joint, JointKind
from limbik.spatial import (
    SHORTEST_QUATERNION,
    Array,
    as_numbers,
    dot,
    exp_translation,
    log_translation,
    quat_conjugate,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalise,
    quat_rotate,
)


class ConfigurationSpace:
    """Where the parts of q and v lie, and the operations on them. All arrays may have leading batch axes.

    Joints of one number ("scalar"), those with a quaternion ("turning": ball and floating joints), and the
    positions of floating joints are each gathered by an array of indices. Followers (joints with a mimic
    rule) have no part of q and v; their values stand behind q where kinematics needs them, see `values`.
    """

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.joints = tuple(joints)
        self.q_starts = [0, *accumulate(joint.nq for joint in joints)]
        self.v_starts = [0, *accumulate(joint.nv for joint in joints)]
        self.nq, self.nv = self.q_starts[-1], self.v_starts[-1]
        self.followers = Followers(joints, self.q_starts, self.v_starts)
        self.leaders = _leaders(joints)
        self.value_starts = self._value_starts()
        scalar = [k for k, joint in enumerate(joints) if joint.nq == 1]
        turning = [k for k, joint in enumerate(joints) if joint.kind in (JointKind.BALL, JointKind.FLOATING)]
        floating = [k for k in turning if joints[k].kind is JointKind.FLOATING]
        limited = [k for k in turning if joints[k].has_limits]
        self.scalar_q, self.scalar_v = _offsets(self.q_starts, scalar), _offsets(self.v_starts, scalar)
        self.turning_q = _offsets(self.q_starts, turning, 4)  # [n, 4]
        self.turning_v = _offsets(self.v_starts, turning, 3)  # [n, 3]
        self.floating_q = _offsets(self.q_starts, floating, 3, before=4)  # [m, 3]
        self.floating_v = _offsets(self.v_starts, floating, 3, before=3)  # [m, 3]
        self.floating = np.array([turning.index(k) for k in floating], dtype=np.intp)  # among the turning
        self.limited = np.array([turning.index(k) for k in limited], dtype=np.intp)  # among the turning
        self.ball_limits = BallLimits([joints[k] for k in limited])
        self.ball_ranges = BallLimits([joints[k] for k in turning])
        self.scalar_ranges = np.array([_range(joints[k]) for k in scalar]).reshape(-1, 2)
        self.lower, self.upper = self._limits(scalar)
        self.has_limits = any(joint.has_limits for joint in joints)

    def _limits(self, scalar: list[int]) -> tuple[Array, Array]:
        lower, upper = np.full(self.nq, -math.inf), np.full(self.nq, math.inf)
        lower[self.scalar_q] = [self.joints[k].lower for k in scalar]
        upper[self.scalar_q] = [self.joints[k].upper for k in scalar]
        lower[self.turning_q], upper[self.turning_q] = -1.0, 1.0
        return lower, upper

    def _value_starts(self) -> list[tuple[int, int]]:
        """Where each joint's part begins in `values`, and among the columns of a Jacobian with those of the
        followers behind those of v.
        """
        behind = count()
        return [
            (self.nq + (k := next(behind)), self.nv + k) if joint.mimic else (q_start, v_start)
            for joint, q_start, v_start in zip(self.joints, self.q_starts, self.v_starts, strict=False)
        ]

    # --- what callers hand in -------------------------------------------------------------------------------

    def values(self, q: object) -> Array:
        """`q`, checked, with the followers' values behind it [..., nq + followers]."""
        return self.followers.append(self.as_q(q))

    def as_q(self, q: object, name: str = "q") -> Array:
        """`q` as float64 [..., nq] with finite numbers and quaternions that have a direction."""
        array = self._as_array(q, self.nq, name, "nq")
        if self.turning_q.size:
            quaternions = array[..., self.turning_q]
            is_short = dot(quaternions, quaternions) < SHORTEST_QUATERNION**2
            if is_short.any():
                start = int(self.turning_q[np.argwhere(is_short)[0][-1], 0])
                part, joint = _part(name, f"{start}:{start + 4}"), self._joint_at(start)
                raise ConfigurationError(
                    f"{part}, the quaternion xyzw of joint {joint!r}, needs length 1, found 0"
                )
        return array

    def as_near_q(self, q: object, name: str) -> Array:
        """`q` as new float64 [..., nq] with numbers up to 1e9 [rad or m] and quaternions of length 1."""
        array = self._as_array(q, self.nq, name, "nq")
        self._refuse(np.abs(array) > FARTHEST, array, name, "nq", f"a number up to {FARTHEST:g}")
        near = self.as_q(array, name).copy()
        near[..., self.turning_q] = quat_normalise(near[..., self.turning_q])
        return near

    def as_v(self, v: object, name: str = "v") -> Array:
        """`v` as float64 [..., nv] with finite numbers."""
        return self._as_array(v, self.nv, name, "nv")

    def _as_array(self, value: object, size: int, name: str, size_name: str) -> Array:
        if type(value) is np.ndarray and value.dtype == np.float64:
            array = value
        else:
            array = as_numbers(value, name, f"an array of {size} numbers", ConfigurationError)
        if array.ndim == 0 or array.shape[-1] != size:
            raise ConfigurationError(
                f"{name} needs {size} numbers ({size_name}) along its last axis, found shape {array.shape}"
            )
        self._refuse(~np.isfinite(array), array, name, size_name, "a finite number")
        return array

    def _refuse(
        self, is_bad: NDArray[np.bool_], array: Array, name: str, size_name: str, needed: str
    ) -> None:
        """Raise ConfigurationError for the first number that is bad."""
        if is_bad.any():
            index = tuple(int(i) for i in np.argwhere(is_bad)[0])
            joint = self._joint_at(index[-1], size_name)
            where = f"{_part(name, ', '.join(map(str, index)))} of joint {joint!r}"
            raise ConfigurationError(f"{where} needs {needed}, found {array[index]:g}")

    def _finite(self, result: Array, what: str, size_name: str) -> Array:
        if not np.isfinite(result).all():
            joint = self._joint_at(int(np.argwhere(~np.isfinite(result))[0][-1]), size_name)
            raise ConfigurationError(f"{what} is beyond what a number can hold, at joint {joint!r}")
        return result

    def _joint_at(self, index: int, size_name: str = "nq") -> str:
        starts = self.q_starts if size_name == "nq" else self.v_starts
        return self.joints[int(np.searchsorted(starts, index, side="right")) - 1].name

    # --- operations -----------------------------------------------------------------------------------------

    def neutral(self) -> Array:
        """Zeros and identity quaternions, moved into the limits."""
        q = np.zeros(self.nq)
        q[self.turning_q[:, 3]] = 1.0
        return self.clip(q)

    @np.errstate(over="ignore", invalid="ignore")  # see `_finite`
    def integrate(self, q: Array, v: Array) -> Array:
        """The configuration reached from q after unit time at the constant velocity v."""
        out = np.empty((*_common(q, v), self.nq))
        out[...] = q
        out[..., self.scalar_q] += v[..., self.scalar_v]
        if self.turning_q.size:
            quaternions, angular = quat_normalise(q[..., self.turning_q]), v[..., self.turning_v]
            out[..., self.turning_q] = quat_normalise(quat_multiply(quaternions, quat_exp(angular)))
            if self.floating.size:
                step = exp_translation(v[..., self.floating_v], angular[..., self.floating, :])
                out[..., self.floating_q] += quat_rotate(quaternions[..., self.floating, :], step)
        return self._finite(out, "the sum of q and v", "nq")

    def velocity_map(self, q: Array) -> Array:
        """N [..., nq, nv]: a velocity v changes q at the rate N v."""
        N = np.zeros((*q.shape[:-1], self.nq, self.nv))
        N[..., self.scalar_q, self.scalar_v] = 1.0
        quaternions = quat_normalise(q[..., self.turning_q])
        for axis, e in enumerate(np.eye(4)[:3]):
            rate = 0.5 * quat_multiply(quaternions, np.broadcast_to(e, quaternions.shape))
            N[..., self.turning_q, self.turning_v[:, axis, None]] = rate
        for axis, e in enumerate(np.eye(3)):
            moved = quaternions[..., self.floating, :]
            rate = quat_rotate(moved, np.broadcast_to(e, (*moved.shape[:-1], 3)))
            N[..., self.floating_q, self.floating_v[:, axis, None]] = rate
        return N

    @np.errstate(over="ignore", invalid="ignore")  # see `_finite`
    def difference(self, q0: Array, q1: Array) -> Array:
        """The velocity that leads from q0 to q1 in unit time; a turn is at most pi."""
        out = np.zeros((*_common(q0, q1), self.nv))
        out[..., self.scalar_v] = q1[..., self.scalar_q] - q0[..., self.scalar_q]
        if self.turning_q.size:
            back = quat_conjugate(quat_normalise(q0[..., self.turning_q]))
            angular = quat_log(quat_multiply(back, quat_normalise(q1[..., self.turning_q])))
            out[..., self.turning_v] = angular
            if self.floating.size:
                moved = q1[..., self.floating_q] - q0[..., self.floating_q]
                moved = quat_rotate(back[..., self.floating, :], moved)
                out[..., self.floating_v] = log_translation(moved, angular[..., self.floating, :])
        return self._finite(out, "the difference of q0 and q1", "nv")

    def clip(self, q: Array) -> Array:
        """q moved into the limits, with quaternions of length 1."""
        out = np.clip(q, self.lower, self.upper)
        if self.turning_q.size:
            quaternions = quat_normalise(q[..., self.turning_q])
            if self.limited.size:
                quaternions = quaternions.copy()
                quaternions[..., self.limited, :] = self.ball_limits.clip(quaternions[..., self.limited, :])
            out[..., self.turning_q] = quaternions
        return out

    def is_within_limits(self, q: Array, margin: float) -> np.bool_ | np.ndarray:
        """Whether every joint is at least `margin` inside its limits [...]."""
        scalars = q[..., self.scalar_q]
        above = scalars >= self.lower[self.scalar_q] + margin
        below = scalars <= self.upper[self.scalar_q] - margin
        inside = np.asarray((above & below).all(axis=-1))
        if self.limited.size:
            quaternions = quat_normalise(q[..., self.turning_q[self.limited]])
            inside = inside & (self.ball_limits.excess(quaternions, margin) <= TOLERANCE).all(axis=-1)
        return inside

    def random(self, rng: np.random.Generator, lead: tuple[int, ...]) -> Array:
        """Configurations [*lead, nq] drawn uniformly within the limits."""
        out = np.empty((*lead, self.nq))
        low, high = self.scalar_ranges.T
        out[..., self.scalar_q] = rng.uniform(low, high, (*lead, len(low)))
        if self.turning_q.size:
            out[..., self.floating_q] = rng.uniform(-1.0, 1.0, (*lead, *self.floating_q.shape))
            out[..., self.turning_q] = self.ball_ranges.random(rng, lead)
        return self.clip(out)


def _part(name: str, index: str) -> str:
    """A part of what has that name, which may stand in backquotes."""
    return f"{name[:-1]}[{index}]`" if name.endswith("`") else f"{name}[{index}]"


def _leaders(joints: Sequence[Joint]) -> list[int]:
    """For each joint the index of the one whose part of q it reads: itself, or the one it follows."""
    indices = {joint.name: k for k, joint in enumerate(joints)}
    return [indices[joint.mimic.joint] if joint.mimic else k for k, joint in enumerate(joints)]


def _offsets(starts: list[int], members: list[int], width: int = 0, before: int = 0) -> np.ndarray:
    """Indices of the last `width` numbers of some joints' parts, `before` numbers from their ends, [n,
    width].

    Without a width: of the first number of each part, [n].
    """
    if not width:
        return np.array([starts[k] for k in members], dtype=np.intp)
    ends = np.array([starts[k + 1] - before for k in members], dtype=np.intp).reshape(-1, 1)
    return ends + np.arange(-width, 0)


def _range(joint: Joint) -> tuple[float, float]:
    """The limits, with finite ones instead of infinite ones: a full turn or two metres."""
    half = 1.0 if joint.kind is JointKind.PRISMATIC else math.pi
    if math.isinf(joint.lower) and math.isinf(joint.upper):
        return -half, half
    if math.isinf(joint.lower):
        return joint.upper - 2.0 * half, joint.upper
    if math.isinf(joint.upper):
        return joint.lower, joint.lower + 2.0 * half
    return joint.lower, joint.upper


def _common(first: Array, second: Array) -> tuple[int, ...]:
    """The shape of two batches of rows together. Raises ConfigurationError where they do not go together."""
    try:
        return np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
    except ValueError:
        raise ConfigurationError(
            f"two batches need the same shape, or one row for all, found {first.shape} and {second.shape}"
        ) from None
