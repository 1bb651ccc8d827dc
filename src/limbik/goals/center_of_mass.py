"""CenterOfMass: the centre of mass of the whole model at a point."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from limbik.goals.base import (
    ONE3,
    ZERO3,
    Numbers,
    OfNoFrame,
    Weights,
    as_tolerance,
    as_vector,
    as_weights,
    axes_of,
)
from limbik.goals.goal_errors import ErrorPart, PosedModel, along
from limbik.goals.task import IDENTITY, MASS, OF_REFERENCE, Mechanism, Target, Task
from limbik.goals.words import numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class CenterOfMass(OfNoFrame):
    """Bring the centre of mass of the whole model to a point. Weights and tolerance are along world axes."""

    target: Numbers  # [m], in world axes
    weight: float | Weights = ONE3  # 0 leaves that axis free: (1, 1, 0) asks for a position over the ground
    tolerance: float | Weights = ZERO3  # [m] to either side, inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            target=as_vector(self.target, f"the target of {self._kind}", "3 numbers [m]", (3,)),
            weight=as_weights(self.weight, 3, f"the weight of {self._kind}"),
            tolerance=as_tolerance(self.tolerance, 3, f"the tolerance of {self._kind}"),
        )

    def _structure(self) -> tuple[Hashable, ...]:
        return *super()._structure(), self.weight, self.tolerance

    def tasks(self, model: Mechanism) -> Iterator[Task]:
        yield Task(MASS, OF_REFERENCE, axes_of(self.weight), axes_of(self.tolerance))

    def targets(self, model: Mechanism) -> Iterator[Target]:
        yield self.target, IDENTITY

    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        center, J = body.center_of_mass()
        yield along(np.eye(3), self.target - center, J, axes_of(self.weight), axes_of(self.tolerance))

    def described(self, frame: str) -> str:
        return f"the centre of mass at {numbers(self.target)} m"
