"""`PointOnPlane`: brings the origin of a frame onto a plane."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from limbik.goals.base import Goal, Numbers, as_direction, as_tolerance, as_vector, as_weights
from limbik.goals.goal_errors import UP, ErrorPart, PosedModel, along
from limbik.goals.task import OF_TARGET, POINT, Mechanism, Target, Task
from limbik.goals.words import numbers
from limbik.spatial import rotation_between


@dataclass(frozen=True, kw_only=True, eq=False)
class PointOnPlane(Goal):
    """Bring the origin of a frame onto a plane."""

    point: Numbers  # [m] any point of the plane, in world axes
    normal: Numbers  # of the plane, of any length
    weight: float = 1.0
    tolerance: float = 0.0  # [m] to either side of the plane

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            point=as_vector(self.point, f"the point of {self._kind}", "3 numbers [m]", (3,)),
            normal=as_direction(self.normal, f"the normal of {self._kind}"),
            weight=as_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=as_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.tolerance

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        yield Task(POINT, OF_TARGET, (0.0, 0.0, self.weight), (self.tolerance,) * 3)

    def targets(self, model: Mechanism) -> Iterator[Target]:
        yield self.point, rotation_between(UP, self.normal)

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        frame, axes = body.motion(self.frame), self.normal[:, None]
        left = (self.point - frame.pose[:3, 3]) @ axes
        yield along(axes, left, frame.linear, (self.weight,), (self.tolerance,))

    def described(self, frame: str) -> str:
        return f"{frame} on the plane through {numbers(self.point)} m across {numbers(self.normal)}"
