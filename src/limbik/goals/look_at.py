"""`LookAt`: points an axis of a frame at a point."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from limbik.goals.base import Goal, Numbers, as_direction, as_tolerance, as_vector, as_weights
from limbik.goals.goal_errors import ErrorPart, PosedModel, of_axis
from limbik.goals.task import AIM, IDENTITY, Mechanism, Target, Task, axis_task
from limbik.goals.words import numbers
from limbik.spatial import cross, norm


@dataclass(frozen=True, kw_only=True, eq=False)
class LookAt(Goal):
    """Point an axis of a frame, which goes through its origin, at a point."""

    axis: Numbers  # in the frame, of any length, or "x", "-y", ...
    target: Numbers  # [m], in world axes
    weight: float = 1.0
    tolerance: float = 0.0  # [rad] half-angle of the cone inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            axis=as_direction(self.axis, f"the axis of {self._kind}"),
            target=as_vector(self.target, f"the target of {self._kind}", "3 numbers [m]", (3,)),
            weight=as_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=as_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.tolerance, self.axis.tobytes()

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        yield axis_task(AIM, self.axis, self.weight, self.tolerance)

    def targets(self, model: Mechanism) -> Iterator[Target]:
        yield self.target, IDENTITY

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        frame = body.motion(self.frame)
        to_target = self.target - frame.pose[:3, 3]
        distance = max(float(norm(to_target)), 1e-9)
        # A sideways move turns the direction to the point to the opposite side.
        turning = frame.angular - cross(to_target / distance, -frame.linear.T / distance).T
        yield of_axis(frame._replace(angular=turning), self.axis, to_target / distance, self.tolerance)

    def described(self, frame: str) -> str:
        return f"axis {numbers(self.axis)} of {frame} at the point {numbers(self.target)} m"
