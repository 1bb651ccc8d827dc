"""`Direction`: aligns an axis of a frame with a direction of the world, with any spin about it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from limbik.goals.base import Goal, Numbers, as_direction, as_tolerance, as_weights
from limbik.goals.goal_errors import ErrorPart, PosedModel, of_axis
from limbik.goals.task import AXIS, IDENTITY, Mechanism, Target, Task, axis_task
from limbik.goals.words import numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Direction(Goal):
    """Turn an axis of a frame along a direction of the world, with any spin about it."""

    axis: Numbers  # in the frame, of any length, or "x", "-y", ...
    target: Numbers  # in world axes, of any length
    weight: float = 1.0
    tolerance: float = 0.0  # [rad] half-angle of the cone inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            axis=as_direction(self.axis, f"the axis of {self._kind}"),
            target=as_direction(self.target, f"the target of {self._kind}"),
            weight=as_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=as_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.tolerance, self.axis.tobytes()

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        yield axis_task(AXIS, self.axis, self.weight, self.tolerance)

    def targets(self, model: Mechanism) -> Iterator[Target]:
        yield self.target, IDENTITY

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        yield of_axis(body.motion(self.frame), self.axis, self.target, self.tolerance)

    def described(self, frame: str) -> str:
        return f"axis {numbers(self.axis)} of {frame} along {numbers(self.target)}"
