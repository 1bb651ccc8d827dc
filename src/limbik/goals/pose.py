"""Pose: a frame's origin at a point, and the frame turned to a rotation."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from limbik.errors import GoalError
from limbik.goals.base import (
    ONE6,
    ZERO6,
    Goal,
    Numbers,
    Weights,
    as_tolerance,
    as_weights,
    cone_of,
    free_axis,
    frozen,
)
from limbik.goals.goal_errors import ErrorPart, FrameMotion, PosedModel, about, along, of_axis
from limbik.goals.task import AXIS, IDENTITY, OF_TARGET, POINT, TURN, Mechanism, Target, Task, axis_task
from limbik.goals.words import numbers, turn
from limbik.spatial import as_pose, rotation_log


@dataclass(frozen=True, kw_only=True, eq=False)
class Pose(Goal):
    """Bring a frame to a pose: a 4x4 matrix or a scipy RigidTransform.

    The weights steer the descent, along and about the axes x, y and z of the target; 0 leaves one free, so
    that (1, 1, 1, 1, 1, 0) asks for a point and a direction, with any spin about the target's z axis. The
    tolerance is a box around the target, along and about the same axes; where one turn is free, a cone of the
    smaller of the other two.
    """

    target: Numbers  # pose_world_frame
    weights: Weights | None = None  # 3 for the position, 3 for the rotation; None: all 1
    tolerance: Weights | None = None  # 3 [m], 3 [rad], inside which there is no error; None: all 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None:
            self._set(weights=as_weights(self.weights, 6, f"the weights of {self._kind}"))
        if self.tolerance is not None:
            self._set(tolerance=as_tolerance(self.tolerance, 6, f"the tolerance of {self._kind}"))
        self._set(target=frozen(as_pose(self.target, f"the target of {self._kind}", error=GoalError)))

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weights, self.tolerance

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        weights, tolerance = self.weights or ONE6, self.tolerance or ZERO6
        yield Task(POINT, OF_TARGET, weights[:3], tolerance[:3])
        free = free_axis(weights[3:])
        if free is None:
            yield Task(TURN, OF_TARGET, weights[3:], tolerance[3:])
        else:
            yield axis_task(AXIS, IDENTITY[free], max(weights[3:]), cone_of(tolerance[3:], free))

    def targets(self, model: Mechanism) -> Iterator[Target]:
        weights = self.weights or ONE6
        both = self.target[:3, 3], self.target[:3, :3]
        if any(weights[:3]):
            yield both
        free = free_axis(weights[3:])
        if free is not None:
            yield self.target[:3, free], IDENTITY
        elif any(weights[3:]):
            yield both

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        frame = self._motion(body)
        weights, tolerance = self.weights or ONE6, self.tolerance or ZERO6
        axes = self.target[:3, :3]
        left = axes.T @ (self.target[:3, 3] - frame.pose[:3, 3])
        yield along(axes, left, frame.linear, weights[:3], tolerance[:3])
        free = free_axis(weights[3:])
        if free is not None:
            yield of_axis(frame, np.eye(3)[free], axes[:, free], cone_of(tolerance[3:], free))
        else:
            left = axes.T @ rotation_log(axes @ frame.pose[:3, :3].T)
            yield about(axes, left, frame.angular, weights[3:], tolerance[3:])

    def _motion(self, body: PosedModel) -> FrameMotion:
        return body.motion(self.frame)

    def described(self, frame: str) -> str:
        weights = self.weights or ONE6
        parts = [f"at {numbers(self.target[:3, 3])} m"] if any(weights[:3]) else []
        free = [k for k in range(3) if weights[3 + k] == 0.0]
        if len(free) == 1:
            parts.append(f"{'xyz'[free[0]]} along {numbers(self.target[:3, free[0]])}")
        elif len(free) < 3:
            parts.append(f"turned to {turn(self.target[:3, :3])}")
        return f"{frame} {', '.join(parts)}"
