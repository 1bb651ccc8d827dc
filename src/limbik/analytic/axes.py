"""A serial chain as axes in space, in which closed forms are written.

By the product of exponentials (Brockett 1984; Lynch & Park, "Modern Robotics", section 4.1), with a point on
each axis: the tool stands at

    R = R_1 ... R_n R_home,    p = p_0 + R_1 (p_1 + R_2 (p_2 + ... R_n p_n)),    R_i = rot(h_i, q_i)

h_i is the axis of joint i in the world where all joints are at zero, p_i leads from the point on axis i to
the one on axis i + 1. Of a prismatic joint R_i is the identity, and p_i is longer by h_i q_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.model.chain import Chain
from limbik.model.joints import SCALAR, JointKind
from limbik.spatial import Array, Matrix4, pose_inverse, rotation_exp


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes of a chain of revolute and prismatic joints, where all are at zero."""

    directions: Array  # h [n, 3], unit vectors in the world
    points: Array  # [n, 3] a point on each axis [m], in the world
    is_prismatic: np.ndarray  # [n] of bool
    home: Matrix4  # pose_world_tool at zero

    @property
    def size(self) -> int:
        """Number of joints."""
        return len(self.directions)

    @property
    def steps(self) -> Array:
        """p [n + 1, 3]: from the world's origin to the first point, from each to the next, to the tool."""
        return np.diff(self.points, axis=0, prepend=np.zeros((1, 3)), append=self.home[None, :3, 3])

    def without(self, index: int) -> Axes:
        """The axes where one joint stays at zero."""
        remaining = np.delete(np.arange(self.size), index)
        return Axes(
            self.directions[remaining], self.points[remaining], self.is_prismatic[remaining], self.home
        )

    def pose(self, q: Array) -> Matrix4:
        """pose_world_tool [..., 4, 4] at q [..., n]: the definition, for reference."""
        return np.asarray(self.motions(q)[..., -1, :, :] @ self.home)

    def motions(self, q: Array) -> Matrix4:
        """[..., n + 1, 4, 4] how the joints before each one have moved it at q [..., n], and all of them."""
        angles = np.where(self.is_prismatic, 0.0, q)[..., None] * self.directions
        each = np.zeros((*q.shape, 4, 4))
        each[..., 3, 3] = 1.0
        each[..., :3, :3] = rotation_exp(angles)
        turned = (each[..., :3, :3] @ self.points[..., None])[..., 0]
        slid = q[..., None] * self.directions
        each[..., :3, 3] = np.where(self.is_prismatic[:, None], slid, self.points - turned)
        motions = np.empty((*q.shape[:-1], self.size + 1, 4, 4))
        motions[..., 0, :, :] = np.eye(4)
        for i in range(self.size):
            motions[..., i + 1, :, :] = motions[..., i, :, :] @ each[..., i, :, :]
        return motions

    def reversed(self) -> Axes:
        """The chain walked from the tool to the world: for the inverse pose, joints in the other order."""
        back = pose_inverse(self.home)
        return Axes(
            directions=-(self.directions[::-1] @ back[:3, :3].T),
            points=self.points[::-1] @ back[:3, :3].T + back[:3, 3],
            is_prismatic=self.is_prismatic[::-1],
            home=back,
        )


def axes_of(chain: Chain) -> Axes | None:
    """The axes of a chain; None where a joint is a ball joint or follows another."""
    if not chain.joints or chain.has_mimic:
        return None
    if any(joint.kind not in SCALAR for joint in chain.joints):
        return None
    pose, frames = np.eye(4), []
    for joint in chain.joints:
        pose = pose @ joint.origin
        frames.append(pose)
    return Axes(
        directions=np.array([f[:3, :3] @ j.axis for f, j in zip(frames, chain.joints, strict=True)]),
        points=np.array([frame[:3, 3] for frame in frames]),
        is_prismatic=np.array([joint.kind is JointKind.PRISMATIC for joint in chain.joints]),
        home=pose @ chain.tool,
    )
