"""Converts serial chains to Denavit-Hartenberg form (Denavit & Hartenberg 1955; the standard convention).

Frames between joints may be chosen freely, so every chain of revolute and prismatic joints can be written as

    pose_world_tool = base * A_1(x_1) ... A_n(x_n) * tool,    A(x) = Rz(theta) Tz(d) Tx(a) Rx(alpha)

with x = q + offset instead of theta (revolute joint) or d (prismatic joint). One kernel for each n then
serves every robot. The last row ends at the tool's origin, so what remains as `tool` is a rotation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from limbik.errors import ModelError
from limbik.model.chain import Chain
from limbik.model.joints import JointKind
from limbik.spatial import Array, Matrix4, Vector3, pose_from

PARALLEL = 1e-14  # sine of the angle under which axes are taken as parallel
NEARLY_PARALLEL = 0.05  # and under which their common normal lies too far away to be used
COINCIDENT = 1e-13  # [m]
LOCKED = -1


@dataclass(frozen=True, eq=False)
class CanonicalChain:
    """A chain in Denavit-Hartenberg form; rows and values are in the order of the joints.

    A pair of nearly parallel axes needs one more row between them, whose x is fixed ("locked").
    """

    base: Matrix4  # pose_world of the first row's frame
    d: Array  # [n, m]; 0 for a prismatic joint
    a: Array  # [n, m]
    cos_alpha: Array  # [n]
    sin_alpha: Array  # [n]
    theta: Array  # [n, rad]; 0 for a revolute joint
    tool: Matrix4  # rotation from the last row's frame to the tool's
    is_prismatic: np.ndarray  # [n] of bool
    joints: np.ndarray  # [n] of int: the index of the row's joint in the chain, or LOCKED
    offset: Array  # [n, rad or m]: x = q + offset
    q_lower: Array  # [n, rad or m] the joint's limits; of a locked row 0
    q_upper: Array

    @property
    def lower(self) -> Array:
        """[n, rad or m] smallest x."""
        return np.asarray(self.q_lower + self.offset)

    @property
    def upper(self) -> Array:
        """[n, rad or m] greatest x."""
        return np.asarray(self.q_upper + self.offset)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.d)

    def values(self, q: Array) -> Array:
        """x [..., n] for the chain's q [..., nq]."""
        x = np.broadcast_to(self.offset, (*np.shape(q)[:-1], self.size)).copy()
        moving = self.joints != LOCKED
        x[..., moving] += np.asarray(q)[..., self.joints[moving]]
        return x

    def configuration(self, x: Array) -> Array:
        """The chain's q [..., nq] for x [..., n]."""
        moving = self.joints != LOCKED
        return np.asarray((x - self.offset)[..., moving])

    def with_tool_in_rows(self) -> CanonicalChain:
        """The same chain with two more rows, locked, instead of the tool's rotation."""
        first, across, last = euler_zxz(self.tool[:3, :3])
        locked, nothing = np.array([first, last]), np.zeros(2)
        return replace(
            self,
            d=np.append(self.d, nothing),
            a=np.append(self.a, nothing),
            cos_alpha=np.append(self.cos_alpha, [math.cos(across), 1.0]),
            sin_alpha=np.append(self.sin_alpha, [math.sin(across), 0.0]),
            theta=np.append(self.theta, nothing),
            tool=np.eye(4),
            is_prismatic=np.append(self.is_prismatic, [False, False]),
            joints=np.append(self.joints, [LOCKED, LOCKED]),
            offset=np.append(self.offset, locked),
            q_lower=np.append(self.q_lower, nothing),
            q_upper=np.append(self.q_upper, nothing),
        )

    def pose(self, x: Array) -> Matrix4:
        """pose_world_tool [..., 4, 4] at x [..., n]: the definition, for reference."""
        pose = self.base
        for i in range(self.size):
            theta, d = (self.theta[i], x[..., i]) if self.is_prismatic[i] else (x[..., i], self.d[i])
            pose = pose @ row_pose(d, self.a[i], self.cos_alpha[i], self.sin_alpha[i], theta)
        return np.asarray(pose @ self.tool)


def row_pose(d: Any, a: float, cos_alpha: float, sin_alpha: float, theta: Any) -> Matrix4:
    """Rz(theta) Tz(d) Tx(a) Rx(alpha) as a pose [..., 4, 4]; d and theta may be arrays [...]."""
    c, s = np.cos(theta), np.sin(theta)
    pose = np.zeros((*np.broadcast_shapes(np.shape(d), np.shape(theta)), 4, 4))
    pose[..., 0, :] = np.stack([c, -s * cos_alpha, s * sin_alpha, a * c], axis=-1)
    pose[..., 1, :] = np.stack([s, c * cos_alpha, -c * sin_alpha, a * s], axis=-1)
    pose[..., 2, 1], pose[..., 2, 2], pose[..., 2, 3] = sin_alpha, cos_alpha, d
    pose[..., 3, 3] = 1.0
    return pose


@dataclass(frozen=True, eq=False)
class _Axis:
    direction: Vector3
    point: Vector3
    joint: int
    is_prismatic: bool


def canonical(chain: Chain) -> CanonicalChain:
    """The chain in Denavit-Hartenberg form. Raises ModelError for joints other than revolute and prismatic
    joints.
    """
    axes, tool = _axes(chain)
    frame = _Frame(_across(axes[0].direction), axes[0].direction, axes[0].point)
    base = frame.pose
    rows = []
    for axis, after in zip(axes, [*axes[1:], None], strict=True):
        following = frame.toward_point(tool[:3, 3]) if after is None else frame.toward_axis(after)
        rows.append(_Row.between(frame, following, axis))
        frame = following
    return _assemble(chain, base, rows, pose_from(frame.pose[:3, :3].T @ tool[:3, :3]))


def _axes(chain: Chain) -> tuple[list[_Axis], Matrix4]:
    """The joints' axes in the world at zero, locked ones between them where needed; and the tool's pose."""
    axes: list[_Axis] = []
    pose = np.eye(4)
    for k, joint in enumerate(chain.joints):
        if joint.kind is JointKind.BALL:
            raise ModelError(
                f"joint {joint.name!r} is a ball joint: Denavit-Hartenberg form is for revolute and "
                "prismatic joints"
            )
        if joint.mimic:
            raise ModelError(
                f"joint {joint.name!r} follows {joint.mimic.joint!r}: Denavit-Hartenberg form is for joints "
                "that move on their own"
            )
        pose = pose @ joint.origin
        axis = _Axis(pose[:3, :3] @ joint.axis, pose[:3, 3], k, joint.kind is JointKind.PRISMATIC)
        if axes and PARALLEL < _sine(axes[-1].direction, axis.direction) < NEARLY_PARALLEL:
            axes.append(_Axis(_across(axis.direction), axis.point, LOCKED, False))
        axes.append(axis)
    return axes, pose @ chain.tool


@dataclass(frozen=True, eq=False)
class _Frame:
    """A frame by its x and z axes and its origin, in the world."""

    x: Vector3
    z: Vector3
    origin: Vector3

    @property
    def pose(self) -> Matrix4:
        return pose_from(np.column_stack([self.x, np.cross(self.z, self.x), self.z]), self.origin)

    def toward_axis(self, axis: _Axis) -> _Frame:
        """The next frame: z along the axis, x along the common normal of this z and that one."""
        normal = np.cross(self.z, axis.direction)
        sine = float(np.linalg.norm(normal))
        if sine <= PARALLEL:
            # A prismatic joint's axis may be shifted: leave it where this frame is.
            point = self.origin if axis.is_prismatic else axis.point
            return self._toward(point, axis.direction, keep_height=True)
        normal /= sine
        if axis.is_prismatic:
            return _Frame(self._signed(normal), axis.direction, self.origin)
        # Feet of the common normal, on this axis and on that one.
        between = axis.point - self.origin
        foot = self.origin + self.z * float(np.cross(between, axis.direction) @ normal) / sine
        other = axis.point + axis.direction * float(np.cross(between, self.z) @ normal) / sine
        distance = float((other - foot) @ normal)
        if abs(distance) < COINCIDENT:
            return _Frame(self._signed(normal), axis.direction, foot)
        return _Frame(normal, axis.direction, other)

    def toward_point(self, point: Vector3) -> _Frame:
        """The last frame: its origin at the point, its z as this one's."""
        return self._toward(point, self.z, keep_height=False)

    def _toward(self, point: Vector3, z: Vector3, keep_height: bool) -> _Frame:
        """A frame with a z parallel to this one's, through a point; at this frame's height or the point's."""
        between = point - self.origin
        height = float(between @ self.z)
        across = between - height * self.z
        across -= float(across @ self.z) * self.z  # once more: the first leaves rounding of the height's size
        distance = float(np.linalg.norm(across))
        x = across / distance if distance > COINCIDENT else self.x
        origin = (
            self.origin + distance * x * (distance > COINCIDENT) + (0.0 if keep_height else height) * self.z
        )
        return _Frame(x, z, origin)

    def _signed(self, normal: Vector3) -> Vector3:
        """Of the two directions of a normal without length, the one nearer to x."""
        return normal if normal @ self.x >= 0.0 else -normal


@dataclass(frozen=True)
class _Row:
    axis: _Axis
    d: float
    a: float
    cos_alpha: float
    sin_alpha: float
    theta: float

    @staticmethod
    def between(frame: _Frame, following: _Frame, axis: _Axis) -> _Row:
        """The row that leads from one frame to the next, whose x is across this one's z."""
        step = following.origin - frame.origin
        return _Row(
            axis,
            d=_clean(step @ frame.z),
            a=_clean(step @ following.x),
            cos_alpha=_clean(frame.z @ following.z),
            sin_alpha=_clean(np.cross(frame.z, following.z) @ following.x),
            theta=_clean(math.atan2(np.cross(frame.x, following.x) @ frame.z, frame.x @ following.x)),
        )


def _assemble(chain: Chain, base: Matrix4, rows: list[_Row], tool: Matrix4) -> CanonicalChain:
    is_prismatic = np.array([row.axis.is_prismatic for row in rows])
    indices = np.array([row.axis.joint for row in rows])
    d, theta = np.array([row.d for row in rows]), np.array([row.theta for row in rows])
    offset = np.where(is_prismatic, d, theta)
    joints = [None if index == LOCKED else chain.joints[index] for index in indices]
    return CanonicalChain(
        base=base,
        d=np.where(is_prismatic, 0.0, d),
        a=np.array([row.a for row in rows]),
        cos_alpha=np.array([row.cos_alpha for row in rows]),
        sin_alpha=np.array([row.sin_alpha for row in rows]),
        theta=np.where(is_prismatic, theta, 0.0),
        tool=tool,
        is_prismatic=is_prismatic,
        joints=indices,
        offset=offset,
        q_lower=np.array([0.0 if joint is None else joint.lower for joint in joints]),
        q_upper=np.array([0.0 if joint is None else joint.upper for joint in joints]),
    )


def euler_zxz(rotation: Array) -> tuple[float, float, float]:
    """Angles [rad] with rotation = Rz(first) Rx(across) Rz(last)."""
    sine = math.hypot(rotation[0, 2], rotation[1, 2])
    if sine < 1e-12:  # one rotation about z, or about -z
        first, across = 0.0, math.pi if rotation[2, 2] < 0.0 else 0.0
    else:
        first, across = math.atan2(rotation[0, 2], -rotation[1, 2]), math.atan2(sine, rotation[2, 2])
    # Where `across` is tiny, `first` is mostly rounding: `last` is read from Rz(-first) rotation, to make up.
    c, s = math.cos(first), math.sin(first)
    x, y = c * rotation[0, :2] + s * rotation[1, :2]
    return first, across, math.atan2(-y, x)


def _sine(u: Vector3, v: Vector3) -> float:
    return float(np.linalg.norm(np.cross(u, v)))


def _across(z: Vector3) -> Vector3:
    """A unit vector across z: from the world axis that is farthest from it."""
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    return np.asarray(x / np.linalg.norm(x))


def _clean(value: Any) -> float:
    """Without the rounding of an exact 0, 1 or -1, so that kernels may rely on them."""
    return float(round(value)) if abs(value - round(value)) < COINCIDENT else float(value)
