"""What every solver declares: its name, its parameters, what it can do, and its kernel."""

from __future__ import annotations

import dataclasses
import math
import numbers
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from limbik.chain import ball_points, joints, planar, planar_points, spatial
from limbik.chain.descent import by_steps
from limbik.chain.solve import answer
from limbik.compiler.kernel import Floats, Kernel, Records
from limbik.errors import SolverError, shortened
from limbik.goals import EVERY, PLAIN, Goal, Position
from limbik.model.model import Model
from limbik.tree.pack import PackedTree

# Kinds of chain, each the special case of the next two or of the last.
PLANAR = "planar"  # revolute joints with parallel axes
BALLS = "ball"  # ball joints
SPACE = "space"  # any mix of revolute, prismatic and ball joints
CHAINS = (PLANAR, BALLS, SPACE)
TREE = "tree"  # joints of any kind in any order, some following others

AnswerKernel: TypeAlias = Kernel[..., None]

# The methods that share one kernel on trees (`solvers.methods.jacobian_iteration`), by number.
BY_TRANSPOSE, BY_PINV, BY_DLS, BY_SDLS, BY_NEWTON, BY_CLASSIC = range(6)


@dataclass(frozen=True)
class Parameter:
    """One number that a method can be tuned by."""

    name: str
    default: float | None  # None: chosen from the arm's reach, see `help`
    minimum: float
    maximum: float
    unit: str
    help: str


def as_real(value: Any) -> float:
    """The value of a real number of any type; NaN for one that is too large for a float, and for anything
    else, True and False included.
    """
    is_real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    try:
        return float(value) if is_real else math.nan
    except OverflowError:  # 10**400
        return math.nan


def parameter(default: float | None, minimum: float, maximum: float, unit: str, text: str) -> Any:
    """A dataclass field that is a parameter."""
    return dataclasses.field(default=default, metadata={"parameter": (minimum, maximum, unit, text)})


@dataclass(frozen=True)
class Tuning:
    """A method's numbers as its kernel takes them."""

    damping: float = 1.0
    gain: float = 0.0
    longest_error: float = math.inf  # [m]
    # On trees alone, where lengths count in those of the model:
    method: int = 0  # which of several in one kernel
    manipulability: float = 0.0  # below it the gain fades in; 0: it is constant
    anneal: float = 0.0  # size of the first random offset, as a share of the way to anywhere; 0: none
    as_it_is: bool = False  # without bends and extrapolation by the loop


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A method with its parameters. Raises SolverError for a parameter outside its range."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]  # one sentence
    source: ClassVar[str]  # the paper
    goals: ClassVar[tuple[type[Goal], ...]] = PLAIN
    chains: ClassVar[tuple[str, ...]] = CHAINS
    tree_goals: ClassVar[tuple[type[Goal], ...]] = ()  # on any tree, any number of them together
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

    @property
    def needs_tree(self) -> bool:
        """Whether it is set to something that only its kernel for trees can do."""
        return False

    def tuning(self, reach: float) -> Tuning:
        """The kernel's numbers for an arm of that reach [m]."""
        raise NotImplementedError

    @classmethod
    def kernel(cls, chain: str, goal: type[Goal]) -> AnswerKernel:
        """The kernel for a kind of chain and of goal."""
        raise NotImplementedError

    def tree_tuning(self, length: float) -> Tuning:
        """The numbers for a model of that length [m], in which its errors are counted."""
        return self.tuning(1.0)

    @classmethod
    def tree_kernels(cls) -> dict[str, Kernel[..., Any]]:
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
    """A method that proposes a step for all joints at once, by their Jacobian.

    It has kernels of its own for points and arms in a plane or of ball joints; all else is solved as a tree.
    """

    goals: ClassVar[tuple[type[Goal], ...]] = (Position,)
    chains: ClassVar[tuple[str, ...]] = (PLANAR, BALLS)
    tree_goals: ClassVar[tuple[type[Goal], ...]] = EVERY
    number: ClassVar[int]  # among those that share a kernel on trees

    def tree_tuning(self, length: float) -> Tuning:
        return dataclasses.replace(self.tuning(1.0), method=self.number)


def kinematics(chain: str, goal: type[Goal]) -> dict[str, Any]:
    """The names that a chain binds into a loop."""
    if chain == PLANAR:
        return {"ROWS": 2, **_named(planar, planar_points)}
    rows = 3 if goal is Position else 6
    points = (ball_points,) if chain == BALLS else ()
    return {"ROWS": rows, **_named(joints, spatial, *points)}


def step_kernel(step: Kernel[..., None], chain: str, goal: type[Goal]) -> AnswerKernel:
    """The kernel of a method that proposes a step for all joints at once."""
    return answer.bind(descend=by_steps, step=step, **kinematics(chain, goal))


def _named(*modules: Any) -> dict[str, Kernel[..., Any]]:
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, Kernel) and value.__module__ == module.__name__
    }
