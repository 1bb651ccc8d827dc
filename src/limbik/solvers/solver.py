"""What every solver declares: its name, its parameters, what it can do, and its kernel."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from limbik.compiler.kernel import Floats, Kernel, Records
from limbik.errors import SolverError, shortened
from limbik.goals import EVERY, Goal
from limbik.model.model import Model
from limbik.spatial import as_real
from limbik.tree.pack import PackedTree

# The methods of one kernel (`solvers.methods.jacobian_iteration`), by number.
BY_TRANSPOSE, BY_PINV, BY_DLS, BY_SDLS, BY_NEWTON, BY_CLASSIC, BY_LM = range(7)


@dataclass(frozen=True)
class Parameter:
    """One number that a method can be tuned by."""

    name: str
    default: float | None  # None: chosen from the arm's reach, see `help`
    minimum: float
    maximum: float
    unit: str
    help: str


def parameter(default: float | None, minimum: float, maximum: float, unit: str, text: str) -> Any:
    """A dataclass field that is a parameter."""
    return dataclasses.field(default=default, metadata={"parameter": (minimum, maximum, unit, text)})


@dataclass(frozen=True)
class MethodTuning:
    """A method's numbers as its kernel takes them; lengths count in that of the model."""

    method: int = 0  # which of several in one kernel
    damping: float = 1.0
    gain: float = 0.0
    longest_error: float = math.inf
    manipulability: float = 0.0  # below it the gain fades in; 0: it is constant
    anneal: float = 0.0  # size of the first random offset, as a fraction of the change to a random q; 0: none
    as_it_is: bool = False  # without bends and extrapolation by the loop


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A method with its parameters. Raises SolverError for a parameter outside its range."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]  # one sentence
    source: ClassVar[str]  # the paper
    goals: ClassVar[tuple[type[Goal], ...]]  # any number of them together
    spares_others: ClassVar[bool] = False  # a goal out of reach does not keep others from being met
    only_known_arms: ClassVar[bool] = False  # it says of which arms it knows the geometry
    is_compiled: ClassVar[bool] = True  # False: runs in Python, too slowly for targets that are dragged

    def __post_init__(self) -> None:
        for known in self.parameters():
            value = getattr(self, known.name)
            if value is None and known.default is None:
                continue
            if not known.minimum <= as_real(value) <= known.maximum:
                raise SolverError(
                    f"{self.name}: `{known.name}` needs a number from {known.minimum:g} to {known.maximum:g}"
                    f"{f' [{known.unit}]' if known.unit else ''}, found {shortened(value)}"
                )

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The parameters that are numbers, in order."""
        return tuple(
            Parameter(field.name, field.default, *field.metadata["parameter"])  # type: ignore[arg-type]
            for field in dataclasses.fields(cls)
            if "parameter" in field.metadata
        )

    def tuning(self, length: float) -> MethodTuning:
        """The numbers for a model of that length [m], in which its errors are counted."""
        raise NotImplementedError

    @classmethod
    def kernels(cls) -> dict[str, Kernel[..., Any]]:
        """What the method binds into `tree.classical_loop`: kernels, under "improve" and "merit"."""
        raise NotImplementedError

    def units(self, model: Model, units: Floats) -> Floats:
        """In what each velocity is counted [nv]; 0 for those that keep still."""
        return units

    def roles(self, model: Model, tree: PackedTree, tasks: Records, units: Floats) -> Floats:
        """What each joint serves [links]: 0 positions, 1 directions and orientations, between them both."""
        return np.full(len(tree.links), 0.5)


@dataclass(frozen=True, kw_only=True)
class StepSolver(Solver):
    """A method that proposes a step for all joints at once, by their Jacobian."""

    goals: ClassVar[tuple[type[Goal], ...]] = EVERY
