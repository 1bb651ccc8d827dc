"""`Orientation`: brings a frame to a rotation, wherever its origin is."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from limbik.errors import GoalError
from limbik.goals.base import (
    ONE3,
    ZERO3,
    Axes,
    Goal,
    Numbers,
    Weights,
    as_tolerance,
    as_weights,
    axes_of,
    check_axes,
    cone_of,
    free_axis,
    frozen,
)
from limbik.goals.goal_errors import ErrorPart, PosedModel, about, of_axis
from limbik.goals.task import (
    AXIS,
    IDENTITY,
    OF_FRAME,
    OF_REFERENCE,
    TURN,
    Mechanism,
    Target,
    Task,
    axis_task,
)
from limbik.goals.words import turn
from limbik.spatial import as_pose, as_rotation, matrix_of, rotation_log, shape_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Orientation(Goal):
    """Turn a frame to a rotation, wherever its origin is. See `Pose` to ask for both.

    Weights and tolerance belong to rotations about the axes x, y and z of the world, or of the frame.
    """

    target: Numbers  # rotation_world_frame; of a pose, its rotation
    weight: float | Weights = ONE3  # 0 leaves the turn about that axis free
    tolerance: float | Weights = ZERO3  # [rad] to either side, inside which there is no error
    axes: Axes = "world"

    def __post_init__(self) -> None:
        super().__post_init__()
        target = matrix_of(self.target)
        name = f"the target of {self._kind}"
        if shape_of(target) == (4, 4):
            target = as_pose(target, name, error=GoalError)[:3, :3]
        self._set(
            target=frozen(as_rotation(target, name, error=GoalError)),
            weight=as_weights(self.weight, 3, f"the weight of {self._kind}"),
            tolerance=as_tolerance(self.tolerance, 3, f"the tolerance of {self._kind}"),
        )
        check_axes(self.axes, self._kind)

    def _structure(self) -> tuple[Hashable, ...]:
        # World axes as the target sees them: what is free then belongs to the numbers of the target.
        free = free_axis(axes_of(self.weight))
        seen = None if free is None or self.axes == "frame" else self.target.T[:, free].tobytes()
        return *super()._structure(), self.weight, self.tolerance, self.axes, seen

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        weights, tolerance = axes_of(self.weight), axes_of(self.tolerance)
        free = free_axis(weights)
        if free is None:
            yield Task(TURN, OF_FRAME if self.axes == "frame" else OF_REFERENCE, weights, tolerance)
        else:
            axis = IDENTITY[free] if self.axes == "frame" else self.target.T[:, free]
            yield axis_task(AXIS, axis, max(weights), cone_of(tolerance, free))

    def targets(self, model: Mechanism) -> Iterator[Target]:
        free = free_axis(axes_of(self.weight))
        if free is None:
            yield np.zeros(3), self.target
        else:
            yield (self.target[:, free] if self.axes == "frame" else IDENTITY[free]), IDENTITY

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        frame, free = body.motion(self.frame), free_axis(axes_of(self.weight))
        if free is not None:
            in_frame = np.eye(3)[free] if self.axes == "frame" else self.target[free]
            yield of_axis(frame, in_frame, self.target @ in_frame, cone_of(axes_of(self.tolerance), free))
            return
        axes = np.eye(3) if self.axes == "world" else frame.pose[:3, :3]
        left = axes.T @ rotation_log(self.target @ frame.pose[:3, :3].T)
        yield about(axes, left, frame.angular, axes_of(self.weight), axes_of(self.tolerance))

    def described(self, frame: str) -> str:
        return f"{frame} turned to {turn(self.target)}"
