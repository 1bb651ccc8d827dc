"""`PointOnLine`: a frame's origin on a line."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from limbik.goals.base import Goal, Numbers, as_direction, as_tolerance, as_vector, as_weights
from limbik.goals.goal_errors import UP, ErrorPart, PosedModel, along
from limbik.goals.task import OF_TARGET, POINT, Mechanism, Target, Task
from limbik.goals.words import numbers
from limbik.spatial import rotation_between


@dataclass(frozen=True, kw_only=True, eq=False)
class PointOnLine(Goal):
    """Bring the origin of a frame onto a line."""

    point: Numbers  # [m] any point of the line, in world axes
    direction: Numbers  # of the line, of any length
    weight: float = 1.0
    tolerance: float = 0.0  # [m] from the line, along each of two axes across it

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            point=as_vector(self.point, f"the point of {self._kind}", "3 numbers [m]", (3,)),
            direction=as_direction(self.direction, f"the direction of {self._kind}"),
            weight=as_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=as_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.tolerance

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        yield Task(POINT, OF_TARGET, (self.weight, self.weight, 0.0), (self.tolerance,) * 3)

    def targets(self, model: Mechanism) -> Iterator[Target]:
        yield self.point, rotation_between(UP, self.direction)

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        frame, axes = body.motion(self.frame), rotation_between(UP, self.direction)[:, :2]
        left = (self.point - frame.pose[:3, 3]) @ axes
        yield along(axes, left, frame.linear, (self.weight,) * 2, (self.tolerance,) * 2)

    def described(self, frame: str) -> str:
        return f"{frame} on the line through {numbers(self.point)} m along {numbers(self.direction)}"
