"""Forward kinematics and geometric Jacobian of a tree of joints, vectorised over leading axes of q.

The joints of one kind are treated together as arrays; one loop over the tree then multiplies the placements.
Inside, the axis of joints leads, before the batch axes: it makes the pose of one link a plain index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from limbik.model.joints import Joint, JointKind
from limbik.spatial import Array, Matrix4, cross, quat_to_matrix, skew


class Member(NamedTuple):
    """One joint of a tree."""

    joint: Joint
    parent: int  # 0: the root link; otherwise 1 + the index of the joint whose child is the parent link
    origin: Matrix4  # pose_parent_joint
    q_start: int
    v_start: int


class Kinematics:
    """A tree of joints as arrays. members: in topological order."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.parents = tuple(member.parent for member in members)
        self.size = len(members)
        of_kind: dict[JointKind, list[int]] = {kind: [] for kind in JointKind}
        for k, member in enumerate(members):
            of_kind[member.joint.kind].append(k)
        revolute = sorted(of_kind[JointKind.REVOLUTE] + of_kind[JointKind.CONTINUOUS])
        groups = [
            _Fixed(members, of_kind[JointKind.FIXED]),
            _Revolute(members, revolute),
            _Prismatic(members, of_kind[JointKind.PRISMATIC]),
            _Balls(members, of_kind[JointKind.BALL]),
            _Floating(members, of_kind[JointKind.FLOATING]),
        ]
        self.groups = [group for group in groups if group.indices.size]

    def links(self, q: Array, extra: int = 0) -> Array:
        """pose_root_link [1 + size + extra, ..., 4, 4] of the root link and of each joint's child.

        The last `extra` entries are left for the caller to fill.
        """
        lead = q.shape[:-1]
        placements = self._placements(q)
        out = np.empty((1 + self.size + extra, *lead, 4, 4))
        out[0] = np.eye(4)
        for k, parent in enumerate(self.parents):
            if parent == 0:
                out[k + 1] = placements[k]
            else:
                np.matmul(out[parent], placements[k], out=out[k + 1])
        return out

    def _placements(self, q: Array) -> Array:
        """pose_parent_child [size, ..., 4, 4]."""
        if len(self.groups) == 1:
            return self.groups[0].placements(q)
        out = np.empty((self.size, *q.shape[:-1], 4, 4))
        for group in self.groups:
            out[group.indices] = group.placements(q)
        return out

    def jacobian(self, links: Array, point: Array, nv: int) -> Array:
        """Geometric Jacobian [..., 6, nv] in world axes, of a point [..., 3] that all the joints move."""
        out = np.zeros((*point.shape[:-1], 6, nv))
        for group in self.groups:
            group.fill(out, links[group.indices + 1], point)
        return out

    def velocities(self, links: Array, points: Array, fractions: Array, nv: int) -> Array:
        """Jacobian [..., 3, nv] of the sum of points in world axes, where each joint moves only its own.

        points [size, ..., 3] [m], fractions [size]: weight of each point.
        """
        out = np.zeros((*points.shape[1:-1], 6, nv))
        of_columns = np.zeros(nv)
        for group in self.groups:
            group.fill(out, links[group.indices + 1], points[group.indices])
            of_columns[group.columns] = fractions[group.indices, None]
        return np.asarray(out[..., :3, :] * of_columns)


class _Fixed:
    """Joints that do not move, and what all groups share."""

    def __init__(self, members: Sequence[Member], indices: Iterable[int]) -> None:
        self.indices = np.array(list(indices), dtype=np.intp)
        mine = [members[k] for k in self.indices]
        self.origins = np.array([member.origin for member in mine]).reshape(-1, 4, 4)
        self.axes = np.array([member.joint.axis for member in mine]).reshape(-1, 3)
        self.q = np.array([member.q_start for member in mine], dtype=np.intp)
        self.v = np.array([member.v_start for member in mine], dtype=np.intp)
        self.columns = self.v[:, None] + np.arange(mine[0].joint.kind.nv if mine else 0)  # [n, nv of one]
        self.prepare()

    def prepare(self) -> None:
        """Constants of the kind of joint."""

    def placements(self, q: Array) -> Array:
        """pose_parent_child [n, ..., 4, 4]."""
        return np.broadcast_to(_wide(self.origins, q), (len(self.indices), *q.shape[:-1], 4, 4))

    def fill(self, out: Array, links: Array, point: Array) -> None:
        """Write the columns of these joints, whose child links stand at `links` [n, ..., 4, 4]."""


class _Revolute(_Fixed):
    """Rodrigues' formula, multiplied out with the origin: constant + cos(q) cosine + sin(q) sine."""

    def prepare(self) -> None:
        rotation = self.origins[:, :3, :3]
        along = self.axes[:, :, None] * self.axes[:, None, :]
        self.constant = self.origins.copy()
        self.constant[:, :3, :3] = rotation @ along
        self.cosine, self.sine = np.zeros_like(self.origins), np.zeros_like(self.origins)
        self.cosine[:, :3, :3] = rotation @ (np.eye(3) - along)
        self.sine[:, :3, :3] = rotation @ skew(self.axes)

    def placements(self, q: Array) -> Array:
        angles = _first(q[..., self.q])[..., None, None]
        out = np.cos(angles) * _wide(self.cosine, q)
        out += np.sin(angles) * _wide(self.sine, q)
        out += _wide(self.constant, q)
        return out

    def fill(self, out: Array, links: Array, point: Array) -> None:
        axes = np.einsum("k...ij,kj->k...i", links[..., :3, :3], self.axes)
        out[..., :3, self.v] = _last(cross(axes, point - links[..., :3, 3]))
        out[..., 3:, self.v] = _last(axes)


class _Prismatic(_Fixed):
    def prepare(self) -> None:
        self.along = np.zeros_like(self.origins)
        self.along[:, :3, 3] = (self.origins[:, :3, :3] @ self.axes[:, :, None])[..., 0]

    def placements(self, q: Array) -> Array:
        travels = _first(q[..., self.q])[..., None, None]
        return np.asarray(_wide(self.origins, q) + travels * _wide(self.along, q))

    def fill(self, out: Array, links: Array, point: Array) -> None:
        axes = np.einsum("k...ij,kj->k...i", links[..., :3, :3], self.axes)
        out[..., :3, self.v] = _last(axes)


class _Balls(_Fixed):
    quaternion = 0  # where it begins in the joint's part of q
    angular = 0  # where it begins in the joint's part of v

    def prepare(self) -> None:
        self.q_turn = self.q[:, None] + self.quaternion + np.arange(4)
        self.v_turn = self.v[:, None] + self.angular + np.arange(3)

    def placements(self, q: Array) -> Array:
        quaternions = np.moveaxis(q[..., self.q_turn], -2, 0)
        out = np.empty((len(self.indices), *q.shape[:-1], 4, 4))
        out[...] = _wide(self.origins, q)
        out[..., :3, :3] = _wide(self.origins, q)[..., :3, :3] @ quat_to_matrix(quaternions)
        return out

    def fill(self, out: Array, links: Array, point: Array) -> None:
        rotation = links[..., :3, :3]
        out[..., :3, self.v_turn] = _before_last(-skew(point - links[..., :3, 3]) @ rotation)
        out[..., 3:, self.v_turn] = _before_last(rotation)


class _Floating(_Balls):
    quaternion = 3
    angular = 3

    def placements(self, q: Array) -> Array:
        out = super().placements(q)
        position = np.moveaxis(q[..., self.q[:, None] + np.arange(3)], -2, 0)
        out[..., :3, 3] += (_wide(self.origins, q)[..., :3, :3] @ position[..., None])[..., 0]
        return out

    def fill(self, out: Array, links: Array, point: Array) -> None:
        super().fill(out, links, point)
        out[..., :3, self.v[:, None] + np.arange(3)] = _before_last(links[..., :3, :3])


def _wide(constants: Array, q: Array) -> Array:
    """[n, 4, 4] with space for the batch axes of q after the first: [n, ..., 4, 4]."""
    return constants if q.ndim == 1 else constants.reshape(-1, *(1,) * (q.ndim - 1), 4, 4)


def _first(array: Array) -> Array:
    """[..., n] as [n, ...]."""
    return array if array.ndim == 1 else np.moveaxis(array, -1, 0)


def _last(array: Array) -> Array:
    """[n, ..., 3] as [..., 3, n]."""
    return np.moveaxis(array, 0, -1)


def _before_last(array: Array) -> Array:
    """[n, ..., 3, 3] as [..., 3, n, 3]."""
    return np.moveaxis(array, 0, -2)
