"""`Goal`: the base class of goals, and checks of their numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from limbik.errors import GoalError, is_one_of, shortened
from limbik.goals.goal_errors import ErrorPart, PosedModel
from limbik.goals.task import Mechanism, Target, Task
from limbik.locks import cached_property
from limbik.spatial import Array, Vector3, as_numbers, named_axis

# Of a field that takes whatever is like an array, and is one afterwards: a dataclass has no type for both.
Numbers: TypeAlias = Any
Axes: TypeAlias = Literal["world", "frame"]
Weights: TypeAlias = tuple[float, ...]

ONE3, ZERO3 = (1.0,) * 3, (0.0,) * 3
ONE6, ZERO6 = (1.0,) * 6, (0.0,) * 6
PRIORITIES = (0, 1, 2)
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-6, 1e6  # beyond these, rounding and damping drown a goal


@dataclass(frozen=True, kw_only=True, eq=False)
class Goal:
    """What one frame is to do; None is the model's end effector.

    A solve succeeds when all goals of priority 0 are met. Those of priority 1 are met as well as they can be
    without giving up any of these, and those of priority 2 after them. (Where no goal has priority 0, the
    next one replaces it.)

    A kind of goal says here all that the rest of limbik needs of it: its tasks for the solvers, its error and
    the Jacobian of that, which are computed apart from any solver, and itself in words.
    """

    frame: str | None = None
    priority: int = 0

    def __post_init__(self) -> None:
        if self.frame is not None:
            check_name(self.frame, f"the frame of {self._kind}")
            self._set(frame=str(self.frame))  # NumPy's own texts are quoted with their type
        if type(self.priority) is not int or self.priority not in PRIORITIES:
            raise GoalError(f"the priority of {self._kind} needs 0, 1 or 2, found {shortened(self.priority)}")

    @property
    def frames(self) -> tuple[str | None, ...]:
        """The frames that it is about, by name; None for the end effector."""
        return (self.frame,)

    @property
    def reference_frame(self) -> str | None:
        """The frame in whose axes it is, by name; None for the world."""
        return None

    @cached_property
    def structure(self) -> tuple[Hashable, ...]:
        """What decides its tasks, apart from the numbers of its target."""
        return self._structure()

    def _structure(self) -> tuple[Hashable, ...]:
        """Its kind, and what that adds here."""
        kind: Any = type(self)  # which mypy does not take for a Hashable
        return kind, self.frame, self.priority

    @abstractmethod
    def tasks(self, model: Mechanism) -> Iterator[Task]:
        """Its tasks for a model; raises GoalError where the model is another than it is for."""

    @abstractmethod
    def targets(self, model: Mechanism) -> Iterator[Target]:
        """The numbers of its tasks, in their order."""

    @abstractmethod
    def parts(self, body: PosedModel) -> Iterator[ErrorPart]:
        """Its errors, and the rows of their Jacobian."""

    @abstractmethod
    def described(self, frame: str) -> str:
        """Itself in a clause without a verb, such as "frame 'tool' at (0.4, 0, 0.3) m".

        frame: what to call its frame.
        """

    @property
    def _kind(self) -> str:
        return type(self).__name__

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


class OfNoFrame(Goal):
    """A goal for the whole body or for its joints."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frame is not None:
            raise GoalError(f"{self._kind} is about no frame, found frame {self.frame!r}")

    @property
    def frames(self) -> tuple[str | None, ...]:
        return ()


# --- checks -------------------------------------------------------------------------------------------------


def as_vector(value: Any, name: str, needed: str, sizes: tuple[int, ...]) -> Vector3:
    """Finite numbers."""
    vector = as_numbers(value, name, needed, GoalError)
    if vector.ndim != 1 or vector.size not in sizes:
        raise GoalError(f"{name} needs {needed}, found shape {vector.shape}")
    if not np.isfinite(vector).all():
        unit = " [m]" if "[m]" in needed else ""
        raise GoalError(f"{name} needs finite numbers{unit}, found {vector.tolist()}")
    return frozen(vector)


def as_direction(value: Any, name: str) -> Vector3:
    """A vector of length 1, from one of any length, or from "x", "y", "z", "-x", "-y", "-z"."""
    if isinstance(value, str):
        return frozen(named_axis(value, name, GoalError))
    vector = as_vector(value, name, "3 numbers", (3,))
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        raise GoalError(f"{name} needs a direction, found 0 0 0")
    vector = vector / largest
    return frozen(vector / np.linalg.norm(vector))


def as_weights(value: Any, size: int, name: str) -> Weights:
    """So many weights, from them or from one number."""
    if isinstance(value, tuple) and value is ONE3:
        return value
    several = f"{_count(size)} numbers, each 0 or from 1e-6 to 1e6, not all of them 0"
    needed = "a number from 1e-6 to 1e6" if size == 1 else several
    weights = _per_axis(value, size, name, needed)
    are_right = all(weight == 0.0 or SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT for weight in weights)
    if not (are_right and any(weights)):
        raise GoalError(f"{name} need{_s(name)} {needed}; found {described_value(value)}")
    return weights


def as_tolerance(value: Any, size: int, name: str) -> Weights:
    """So many tolerances, from them or from one number."""
    if isinstance(value, tuple) and value is ZERO3:
        return value
    needed = "a finite number" if size == 1 else f"{_count(size)} finite numbers"
    needed += " of at least 0"
    tolerance = _per_axis(value, size, name, needed)
    if min(tolerance) < 0.0:
        raise GoalError(f"{name} needs {needed}; found {described_value(value)}")
    return tolerance


def as_value(value: Any, name: str, needed: str) -> float:
    """One finite number."""
    number = as_numbers(value, name, needed, GoalError)
    if number.ndim or not np.isfinite(number):
        raise GoalError(f"{name} needs {needed}, found {described_value(value)}")
    return float(number)


def check_name(value: object, name: str) -> None:
    """Refuse what is no name."""
    if not isinstance(value, str):
        raise GoalError(f"{name} needs a name, found {shortened(value)}")


def check_axes(value: object, kind: str) -> None:
    """Refuse what is no choice of axes."""
    if not is_one_of(value, ("world", "frame")):
        raise GoalError(f"the axes of {kind} needs 'world' or 'frame', found {shortened(value)}")


def axes_of(value: float | Weights) -> Weights:
    """Three numbers, from them or from one that stands for all."""
    return tuple(value) if isinstance(value, tuple) else (float(value),) * 3


def free_axis(weights: Weights) -> int | None:
    """The one axis with any spin about it; None where all rotations count, or fewer than two."""
    free = [k for k, weight in enumerate(weights) if weight == 0.0]
    return free[0] if len(free) == 1 else None


def cone_of(tolerance: Weights, free: int) -> float:
    """[rad] half-angle of the cone for rotations about the two axes that are not free: the smaller
    tolerance.
    """
    return min(value for k, value in enumerate(tolerance) if k != free)


def frozen(values: Any) -> Array:
    """A copy that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def described_value(value: Any) -> str:
    """A value in a message."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return " ".join(shortened(value).split())


def _per_axis(value: Any, size: int, name: str, needed: str) -> Weights:
    numbers = as_numbers(value, name, needed, GoalError)
    if numbers.ndim == 0 and size in (1, 3):
        numbers = np.full(size, numbers)
    if numbers.shape != (size,) or not np.isfinite(numbers).all():
        raise GoalError(f"{name} need{_s(name)} {needed}; found {described_value(value)}")
    return tuple(map(float, numbers.tolist()))


def _count(size: int) -> str:
    return "1 or 3" if size == 3 else str(size)


def _s(name: str) -> str:
    return "" if name.startswith("the weights") else "s"
