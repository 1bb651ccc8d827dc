"""Position: a frame's origin at a point."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from limbik.goals.base import (
    ONE3,
    ZERO3,
    Axes,
    Goal,
    Numbers,
    Weights,
    as_tolerance,
    as_vector,
    as_weights,
    axes_of,
    check_axes,
)
from limbik.goals.goal_errors import ErrorPart, PosedModel, along
from limbik.goals.task import IDENTITY, OF_FRAME, OF_REFERENCE, POINT, Mechanism, Target, Task
from limbik.goals.words import numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Position(Goal):
    """Bring the origin of a frame to a point.

    Weights and tolerance belong to the axes x, y and z of the world, or of the frame; one number stands for
    all three. A point of two numbers lies in the plane in which the arm moves, at the arm's own height.
    """

    target: Numbers  # [m], in world axes
    weight: float | Weights = ONE3  # 0 leaves that axis free
    tolerance: float | Weights = ZERO3  # [m] to either side, inside which there is no error
    axes: Axes = "world"

    def __post_init__(self) -> None:
        super().__post_init__()
        target = as_vector(self.target, f"the target of {self._kind}", "2 or 3 numbers [m]", (2, 3))
        self._set(
            target=target,
            weight=as_weights(self.weight, 3, f"the weight of {self._kind}"),
            tolerance=as_tolerance(self.tolerance, 3, f"the tolerance of {self._kind}"),
        )
        check_axes(self.axes, self._kind)

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.tolerance, self.axes, self.target.size

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        weights = axes_of(self.weight) if self.target.size == 3 else (*axes_of(self.weight)[:2], 0.0)
        axes = OF_FRAME if self.axes == "frame" else OF_REFERENCE
        yield Task(POINT, axes, weights, axes_of(self.tolerance))

    def targets(self, model: Mechanism) -> Iterator[Target]:
        yield (self.target if self.target.size == 3 else np.append(self.target, 0.0)), IDENTITY

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        frame, size = body.motion(self.frame), self.target.size
        axes = np.eye(3)[:, :size] if self.axes == "world" else frame.pose[:3, :size]
        left = self.target - frame.pose[:size, 3]
        weight, tolerance = axes_of(self.weight)[:size], axes_of(self.tolerance)[:size]
        yield along(axes, left @ axes[:size], frame.linear, weight, tolerance)

    def described(self, frame: str) -> str:
        return f"{frame} at {numbers(self.target)} m"
