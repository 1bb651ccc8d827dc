"""Forward kinematics and geometric Jacobian of a tree of joints, vectorised over leading axes of q.

A joint's placement in its parent link is affine in (cos q, sin q) for hinges and in q for sliders:

    pose_parent_child = constant + a * first + b * second,   (a, b) = (cos q, sin q) or (q, 0)

so that the placements of all such joints are one array expression (Rodrigues' formula, multiplied out with
the origin). Inside, the axis of joints leads: it makes the pose of one link a plain index.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.model.joints import Joint, JointKind
from limbik.spatial import Array, Matrix4, cross, quat_to_matrix, skew


class Kinematics:
    """A tree of joints as arrays.

    joints: in topological order. parents[k]: 0 for the root link, otherwise 1 + the place of the joint whose
    child is the parent link of joint k. origins: pose_parent_joint [4, 4] for each. q_starts, v_starts: where
    each joint's part begins.
    """

    def __init__(
        self,
        joints: Sequence[Joint],
        parents: Sequence[int],
        origins: Sequence[Matrix4],
        q_starts: Sequence[int],
        v_starts: Sequence[int],
    ) -> None:
        self.parents = tuple(parents)
        self.size = len(joints)
        self.constant = np.zeros((self.size, 4, 4))
        first, second = np.zeros((self.size, 4, 4)), np.zeros((self.size, 4, 4))
        hinges: list[int] = []
        sliders: list[int] = []
        self.turning: list[tuple[int, Joint, Matrix4, int, int]] = []
        for k, (joint, origin) in enumerate(zip(joints, origins, strict=True)):
            self.constant[k] = origin
            if joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS):
                along = np.outer(joint.axis, joint.axis)
                self.constant[k, :3, :3] = origin[:3, :3] @ along
                first[k, :3, :3] = origin[:3, :3] @ (np.eye(3) - along)
                second[k, :3, :3] = origin[:3, :3] @ skew(joint.axis)
                hinges.append(k)
            elif joint.kind is JointKind.PRISMATIC:
                first[k, :3, 3] = origin[:3, :3] @ joint.axis
                sliders.append(k)
            elif joint.kind is not JointKind.FIXED:
                self.turning.append((k, joint, origin, q_starts[k], v_starts[k]))
        self.hinges, self.sliders = np.array(hinges, dtype=np.intp), np.array(sliders, dtype=np.intp)
        self.first_hinges, self.second_hinges = first[self.hinges], second[self.hinges]
        self.first_sliders = first[self.sliders]
        self.constant_hinges, self.constant_sliders = self.constant[self.hinges], self.constant[self.sliders]
        self.q_hinges = np.array([q_starts[k] for k in hinges], dtype=np.intp)
        self.q_sliders = np.array([q_starts[k] for k in sliders], dtype=np.intp)
        self.v_hinges = np.array([v_starts[k] for k in hinges], dtype=np.intp)
        self.v_sliders = np.array([v_starts[k] for k in sliders], dtype=np.intp)
        self.axes_hinges = np.array([joints[k].axis for k in hinges]).reshape(-1, 3)
        self.axes_sliders = np.array([joints[k].axis for k in sliders]).reshape(-1, 3)

    def links(self, q: Array, room: int = 0) -> Array:
        """pose_root_link [1 + size + room, ..., 4, 4] of the root link and of each joint's child; `room` more
        stay empty.
        """
        lead = q.shape[:-1]
        placements = self._placements(q)
        out = np.empty((1 + self.size + room, *lead, 4, 4))
        out[0] = np.eye(4)
        for k, parent in enumerate(self.parents):
            if parent == 0:
                out[k + 1] = placements[k]
            else:
                np.matmul(out[parent], placements[k], out=out[k + 1])
        return out

    def _placements(self, q: Array) -> Array:
        """pose_parent_child [size, ..., 4, 4]."""
        lead = q.shape[:-1]
        wide = (-1, *(1,) * len(lead), 4, 4)
        out = np.empty((self.size, *lead, 4, 4))
        if self.hinges.size < self.size:
            out[...] = self.constant.reshape(wide)
        if self.hinges.size:
            angles = np.moveaxis(q[..., self.q_hinges], -1, 0)[..., None, None]
            moved = np.cos(angles) * self.first_hinges.reshape(wide)
            moved += np.sin(angles) * self.second_hinges.reshape(wide)
            moved += self.constant_hinges.reshape(wide)
            if self.hinges.size == self.size:
                return moved
            out[self.hinges] = moved
        if self.sliders.size:
            travels = np.moveaxis(q[..., self.q_sliders], -1, 0)[..., None, None]
            out[self.sliders] = self.constant_sliders.reshape(wide) + travels * self.first_sliders.reshape(
                wide
            )
        for k, joint, origin, i, _ in self.turning:
            start = i + joint.nq - 4
            out[k, ..., :3, :3] = origin[:3, :3] @ quat_to_matrix(q[..., start : start + 4])
            if joint.kind is JointKind.FLOATING:
                out[k, ..., :3, 3] = (origin[:3, :3] @ q[..., i : i + 3, None])[..., 0] + origin[:3, 3]
        return out

    def jacobian(self, links: Array, point: Array, nv: int) -> Array:
        """Geometric Jacobian [..., 6, nv] in world axes, of a point [..., 3] that all the joints move."""
        out = np.zeros((*point.shape[:-1], 6, nv))
        if self.hinges.size:
            moved = links[self.hinges + 1]
            axes = np.einsum("k...ij,kj->k...i", moved[..., :3, :3], self.axes_hinges)
            out[..., :3, self.v_hinges] = np.moveaxis(cross(axes, point - moved[..., :3, 3]), 0, -1)
            out[..., 3:, self.v_hinges] = np.moveaxis(axes, 0, -1)
        if self.sliders.size:
            turned = links[self.sliders + 1][..., :3, :3]
            axes = np.einsum("k...ij,kj->k...i", turned, self.axes_sliders)
            out[..., :3, self.v_sliders] = np.moveaxis(axes, 0, -1)
        for k, joint, _, _, j in self.turning:
            rotation = links[k + 1][..., :3, :3]
            arm = point - links[k + 1][..., :3, 3]
            angular = j + joint.nv - 3
            out[..., :3, angular : angular + 3] = -skew(arm) @ rotation
            out[..., 3:, angular : angular + 3] = rotation
            if joint.kind is JointKind.FLOATING:
                out[..., :3, j : j + 3] = rotation
        return out
