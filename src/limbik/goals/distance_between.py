"""`DistanceBetween`: brings the origins of two frames to a distance from each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from limbik.errors import GoalError
from limbik.goals.base import Goal, as_tolerance, as_value, as_weights, check_name
from limbik.goals.goal_errors import ErrorPart, PosedModel, beyond
from limbik.goals.task import DISTANCE, IDENTITY, Mechanism, Target, Task
from limbik.spatial import norm


@dataclass(frozen=True, kw_only=True, eq=False)
class DistanceBetween(Goal):
    """Bring the origins of two frames to a distance from each other, in any direction.

    A rod between two ball joints, hands that hold one thing, a gripper's opening.
    """

    other: str  # the other frame
    value: float  # [m] the distance, at least 0
    weight: float = 1.0
    tolerance: float = 0.0  # [m] to either side, inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        check_name(self.other, f"the other frame of {self._kind}")
        value = as_value(self.value, f"the value of {self._kind}", "a distance [m] of at least 0")
        if value < 0.0:
            raise GoalError(f"the value of {self._kind} needs a distance [m] of at least 0, found {value:g}")
        self._set(
            value=value,
            weight=as_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=as_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )

    @property
    def frames(self) -> tuple[str | None, ...]:
        return self.frame, self.other

    @property
    def reference_frame(self) -> str:
        return self.other

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.tolerance, self.other

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        yield Task(DISTANCE, weights=(self.weight, 0.0, 0.0), tolerance=(self.tolerance, 0.0, 0.0))

    def targets(self, model: Mechanism) -> Iterator[Target]:
        yield np.array([self.value]), IDENTITY

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        frame, other = body.motion(self.frame), body.motion_of(self.other)
        displacement = frame.pose[:3, 3] - other.pose[:3, 3]
        distance = float(norm(displacement))
        along = displacement / distance if distance > 0.0 else np.eye(3)[0]
        left = beyond(np.array([self.value - distance]), (self.tolerance,))
        yield ErrorPart(True, left, (along @ (frame.linear - other.linear))[None])

    def described(self, frame: str) -> str:
        return f"{frame} {self.value:.4g} m from {self.other!r}"
