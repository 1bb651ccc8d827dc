"""JointValue: a joint at a value."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from limbik.goals.base import OfNoFrame, as_tolerance, as_value, as_weights, check_name
from limbik.goals.goal_errors import ErrorPart, PosedModel, beyond
from limbik.goals.task import IDENTITY, NUMBER, Mechanism, Target, Task


@dataclass(frozen=True, kw_only=True, eq=False)
class JointValue(OfNoFrame):
    """Bring one revolute or prismatic joint to a value.

    Revolutions do not count for a hinge without limits, unless another joint follows it otherwise than by a
    whole multiple.
    """

    joint: str
    value: float  # [rad or m]
    weight: float = 1.0
    tolerance: float = 0.0  # [rad or m] to either side, inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        check_name(self.joint, f"the joint of {self._kind}")
        self._set(
            value=as_value(self.value, f"the value of {self._kind}", "a number [rad or m]"),
            weight=as_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=as_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.tolerance, self.joint

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        weights, tolerance = (self.weight, 0.0, 0.0), (self.tolerance, 0.0, 0.0)
        yield Task(NUMBER, weights=weights, tolerance=tolerance, joint=self.joint)

    def targets(self, model: Mechanism) -> Iterator[Target]:
        yield np.array([self.value]), IDENTITY

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        joint = body.joint(self.joint)
        left = self.value - joint.value
        if joint.is_periodic:
            left = math.remainder(left, 2.0 * math.pi)
        yield ErrorPart(joint.is_length, beyond(np.array([left]), (self.tolerance,)), joint.rate)

    def described(self, frame: str) -> str:
        return f"joint {self.joint!r} at {self.value:.4g}"
