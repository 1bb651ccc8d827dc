"""Solves a robot's leg whose hip axes do not meet in one point, or with limits, by a serial chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from limbik.errors import ModelError
from limbik.goals import Orientation, Position
from limbik.model import Joint, JointKind, Model
from limbik.model.joints import HINGES
from limbik.motion.feet.soles import Sole
from limbik.spatial import Array, Matrix3, cross, dot, norm, pose_from, pose_inverse

HIP = 3  # hinges
MIN_HINGES = 6  # with which a foot takes any pose
RESTARTS = 3  # for a pose that is not reached from where the leg is
STRETCHED = 0.35  # [rad] of a knee beyond straight, up to which it bends as elsewhere


class LegChain:
    """The hinges of a leg, from the link that carries it to the foot: three of the hip, a knee, the ankle.

    Raises ModelError for a leg of fewer than six hinges, or with other joints.
    """

    def __init__(self, model: Model, sole: Sole) -> None:
        joints = _leg_joints(model, sole.ankle)
        hinges = [joint for joint in joints if joint.kind is not JointKind.FIXED]
        if len(hinges) < MIN_HINGES or any(each.kind not in HINGES or each.mimic for each in hinges):
            names = ", ".join(repr(joint.name) for joint in hinges)
            raise ModelError(
                f"the leg of foot {sole.ankle!r} needs a hip that turns about three axes in one point, or "
                f"six hinges of its own; it has {names or 'none'}"
            )
        self.parent = joints[0].parent
        self.bones = (hinges[HIP - 1].child, hinges[HIP].child, sole.ankle)
        self._knee = hinges[HIP]
        self._swing, self._hip = _swing(model, hinges)
        self.frames = (self.parent, self._swing, *self.bones)
        self._leg = Model("leg", joints, root=self.parent, end_effector=sole.ankle)
        self._q_indices = np.array([model.q_slice(joint.name).start for joint in hinges], dtype=np.intp)

    @property
    def has_limits(self) -> bool:
        """Whether a hinge has."""
        return any(joint.has_limits for joint in self._leg.joints)

    def stretch(self, poses: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        """The point about which the hip swings forward [T, 3] [m], the length of the straight leg from there
        to the ankle [T] [m], and how far the knee is bent [T] [rad]; poses: of `frames`.

        The hip's hinges need not meet in a point, nor a knee's joint at 0 be a straight leg.
        """
        knee, ankle, swing = poses[self._knee.child], poses[self.bones[2]][:, :3, 3], poses[self._swing]
        axis, hip = knee[:, :3, :3] @ self._knee.axis, swing[:, :3, 3] + swing[:, :3, :3] @ self._hip
        thigh, shank = knee[:, :3, 3] - hip, ankle - knee[:, :3, 3]
        beside = dot(thigh + shank, axis)
        thigh, shank = (bone - dot(bone, axis)[:, None] * axis for bone in (thigh, shank))
        bend = np.arctan2(dot(axis, cross(thigh, shank)), dot(thigh, shank))
        return hip, np.hypot(norm(thigh) + norm(shank), beside), bend

    def stand(self, poses: dict[str, Array], q: Array, target: Array, rotation: Matrix3) -> None:
        """Change q [T, nq] in place, for targets [T, 3] and rotations [T, 3, 3] of the foot; poses: of
        `frames` at q. Where limits do not leave a pose, its position comes first. A knee that the animation
        stretches past straight is bent as in the other frames: between the two it would jump.
        """
        wanted = pose_inverse(poses[self.parent]) @ pose_from(rotation, target)
        start = q[:, self._q_indices]
        _, _, bend = self.stretch(poses)
        is_stretched = (bend * (bend @ np.abs(bend)) < 0.0) & (np.abs(bend) < STRETCHED)
        start[is_stretched, HIP] -= 2.0 * bend[is_stretched]
        batch = self._leg.solve_batch(wanted, start=start, restarts=RESTARTS)
        solved = batch.q.copy()
        for k in np.flatnonzero(~batch.success):
            turned = Orientation(target=wanted[k, :3, :3], priority=1)
            goals = [Position(target=wanted[k, :3, 3]), turned]
            solved[k] = self._leg.solve(goals, start=start[k], restarts=0).q
        q[:, self._q_indices] = solved


def _swing(model: Model, hinges: Sequence[Joint]) -> tuple[str, Array]:
    """The link of that hinge of a hip which is nearest to parallel with its knee where all joints are at 0,
    and in it the point of the axis that is nearest to the knee [3] [m].
    """
    poses = model.poses(model.neutral, [hinge.child for hinge in hinges[: HIP + 1]])
    axes = np.array([pose[:3, :3] @ hinge.axis for pose, hinge in zip(poses, hinges, strict=False)])
    index = int(np.argmax(np.abs(axes[:HIP] @ axes[HIP])))
    knee = (pose_inverse(poses[index]) @ poses[HIP])[:3, 3]
    return hinges[index].child, hinges[index].axis * (hinges[index].axis @ knee)


def _leg_joints(model: Model, ankle: str) -> list[Joint]:
    """The joints from the last link that carries several, or a floating base, to a foot."""
    children: dict[str, int] = {}
    for joint in model.joints:
        if joint.kind is not JointKind.FIXED:
            children[joint.parent] = children.get(joint.parent, 0) + 1
    joints: list[Joint] = []
    for joint in reversed(model.path(ankle)):
        if joint.kind is JointKind.FLOATING:
            break
        joints.insert(0, joint)
        if children.get(joint.parent, 0) > 1:
            break
    return joints
