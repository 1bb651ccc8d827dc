"""What is asked: goals for the frames, joints and masses of a model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError, is_one_of, shortened
from limbik.spatial import (
    Array,
    Matrix3,
    Matrix4,
    Vector3,
    as_numbers,
    as_pose,
    as_rotation,
    matrix_of,
    shape_of,
)

Axes: TypeAlias = Literal["world", "frame"]
Weights: TypeAlias = tuple[float, ...]

ONE3, ZERO3 = (1.0,) * 3, (0.0,) * 3
ONE6, ZERO6 = (1.0,) * 6, (0.0,) * 6
PRIORITIES = (0, 1, 2)
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-6, 1e6  # beyond these, rounding and damping drown what is asked for
STILL = np.eye(4)


@dataclass(frozen=True, kw_only=True, eq=False)
class Goal:
    """What is asked of one frame; None is the model's end effector.

    A solve succeeds when all goals of priority 0 are met. Those of priority 1 are met as well as they can be
    without giving up any of these, and those of priority 2 after them. (Where no goal has priority 0, the
    next one takes its place.)
    """

    frame: str | None = None
    priority: int = 0

    def __post_init__(self) -> None:
        if self.frame is not None:
            _check_name(self.frame, f"the frame of {self._kind}")
        if type(self.priority) is not int or self.priority not in PRIORITIES:
            raise GoalError(f"the priority of {self._kind} needs 0, 1 or 2, found {shortened(self.priority)}")

    @property
    def _kind(self) -> str:
        return type(self).__name__

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, kw_only=True, eq=False)
class Position(Goal):
    """Bring the origin of a frame to a point.

    Weights and tolerance belong to the axes x, y and z of the world, or of the frame; one number stands for
    all three. A point of two numbers lies in the plane in which the arm moves, at the arm's own height.
    """

    target: Vector3  # [m], in world axes
    weight: float | Weights = ONE3  # 0 leaves that axis free
    tolerance: float | Weights = ZERO3  # [m] to either side, inside which there is no error
    axes: Axes = "world"

    def __post_init__(self) -> None:
        super().__post_init__()
        target = _vector(self.target, f"the target of {self._kind}", "2 or 3 numbers [m]", (2, 3))
        self._set(
            target=target,
            weight=_weights(self.weight, 3, f"the weight of {self._kind}"),
            tolerance=_tolerance(self.tolerance, 3, f"the tolerance of {self._kind}"),
        )
        _check_axes(self.axes, self._kind)


@dataclass(frozen=True, kw_only=True, eq=False)
class Orientation(Goal):
    """Turn a frame to a rotation, wherever its origin is. See `Pose` to ask for both.

    Weights and tolerance belong to turns about the axes x, y and z of the world, or of the frame.
    """

    target: Matrix3  # rotation_world_frame; of a pose, its rotation
    weight: float | Weights = ONE3  # 0 leaves the turn about that axis free
    tolerance: float | Weights = ZERO3  # [rad] either way, inside which there is no error
    axes: Axes = "world"

    def __post_init__(self) -> None:
        super().__post_init__()
        target = matrix_of(self.target)
        name = f"the target of {self._kind}"
        if shape_of(target) == (4, 4):
            target = as_pose(target, name, error=GoalError)[:3, :3]
        self._set(
            target=_frozen(as_rotation(target, name, error=GoalError)),
            weight=_weights(self.weight, 3, f"the weight of {self._kind}"),
            tolerance=_tolerance(self.tolerance, 3, f"the tolerance of {self._kind}"),
        )
        _check_axes(self.axes, self._kind)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pose(Goal):
    """Bring a frame to a pose: a 4x4 matrix or a scipy RigidTransform.

    The weights steer the descent, along and about the axes x, y and z of the target; 0 leaves one free, so
    that (1, 1, 1, 1, 1, 0) asks for a point and a direction, with any spin about the target's z axis. The
    tolerance is a box around the target, along and about the same axes; where one turn is free, a cone of the
    smaller of the other two.
    """

    target: Matrix4  # pose_world_frame
    weights: Weights | None = None  # 3 for the position, 3 for the rotation; None: all 1
    tolerance: Weights | None = None  # 3 [m], 3 [rad], inside which there is no error; None: all 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None:
            self._set(weights=_weights(self.weights, 6, f"the weights of {self._kind}"))
        if self.tolerance is not None:
            self._set(tolerance=_tolerance(self.tolerance, 6, f"the tolerance of {self._kind}"))
        self._set(target=_frozen(as_pose(self.target, f"the target of {self._kind}", error=GoalError)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Relative(Pose):
    """Bring a frame to a pose in the axes of another frame, wherever the two are together.

    Weights and tolerance as in `Pose`. With no tolerance, this closes a loop of joints.
    """

    reference: str  # the other frame; the target is pose_reference_frame

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_name(self.reference, f"the reference of {self._kind}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Direction(Goal):
    """Turn an axis of a frame along a direction of the world, with any spin about it."""

    axis: Vector3  # in the frame, of any length
    target: Vector3  # in world axes, of any length
    weight: float = 1.0
    tolerance: float = 0.0  # [rad] half-angle of the cone inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            axis=_direction(self.axis, f"the axis of {self._kind}"),
            target=_direction(self.target, f"the target of {self._kind}"),
            weight=_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class LookAt(Goal):
    """Point an axis of a frame, which goes through its origin, at a point."""

    axis: Vector3  # in the frame, of any length
    target: Vector3  # [m], in world axes
    weight: float = 1.0
    tolerance: float = 0.0  # [rad] half-angle of the cone inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            axis=_direction(self.axis, f"the axis of {self._kind}"),
            target=_vector(self.target, f"the target of {self._kind}", "3 numbers [m]", (3,)),
            weight=_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PointOnLine(Goal):
    """Bring the origin of a frame onto a line."""

    point: Vector3  # [m] any point of the line, in world axes
    direction: Vector3  # of the line, of any length
    weight: float = 1.0
    tolerance: float = 0.0  # [m] from the line, along each of two axes across it

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            point=_vector(self.point, f"the point of {self._kind}", "3 numbers [m]", (3,)),
            direction=_direction(self.direction, f"the direction of {self._kind}"),
            weight=_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PointOnPlane(Goal):
    """Bring the origin of a frame onto a plane."""

    point: Vector3  # [m] any point of the plane, in world axes
    normal: Vector3  # of the plane, of any length
    weight: float = 1.0
    tolerance: float = 0.0  # [m] to either side of the plane

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            point=_vector(self.point, f"the point of {self._kind}", "3 numbers [m]", (3,)),
            normal=_direction(self.normal, f"the normal of {self._kind}"),
            weight=_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class CenterOfMass(Goal):
    """Bring the centre of mass of the whole model to a point. Weights and tolerance are along world axes."""

    target: Vector3  # [m], in world axes
    weight: float | Weights = ONE3  # 0 leaves that axis free: (1, 1, 0) asks for a place over the ground
    tolerance: float | Weights = ZERO3  # [m] to either side, inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_frame(self)
        self._set(
            target=_vector(self.target, f"the target of {self._kind}", "3 numbers [m]", (3,)),
            weight=_weights(self.weight, 3, f"the weight of {self._kind}"),
            tolerance=_tolerance(self.tolerance, 3, f"the tolerance of {self._kind}"),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class JointValue(Goal):
    """Bring one hinge or slide to a value. Whole turns do not count for a hinge without limits."""

    joint: str
    value: float  # [rad or m]
    weight: float = 1.0
    tolerance: float = 0.0  # [rad or m] either way, inside which there is no error

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_frame(self)
        _check_name(self.joint, f"the joint of {self._kind}")
        value = as_numbers(self.value, f"the value of {self._kind}", "a number [rad or m]", GoalError)
        if value.ndim or not np.isfinite(value):
            raise GoalError(
                f"the value of {self._kind} needs a number [rad or m], found {_described(self.value)}"
            )
        self._set(
            value=float(value),
            weight=_weights(self.weight, 1, f"the weight of {self._kind}")[0],
            tolerance=_tolerance(self.tolerance, 1, f"the tolerance of {self._kind}")[0],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Posture(Goal):
    """Bring all joints near to a configuration; as a preference, unless the priority is 0.

    weight: one number, or one for each of the model's degrees of freedom [nv]; 0 leaves that one free. The
    translation and the rotation of a joint with several of them count as one each, with the largest weight.
    """

    q: Array  # [nq]
    weight: float | Weights = 1.0
    priority: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_frame(self)
        q = as_numbers(self.q, f"the q of {self._kind}", "one number per place in q", GoalError)
        if q.ndim != 1 or not np.isfinite(q).all():
            raise GoalError(f"the q of {self._kind} needs finite numbers (nq), found {_described(self.q)}")
        shape = shape_of(self.weight) or ()
        weight = _weights(self.weight, max(math.prod(shape), 1), f"the weight of {self._kind}")
        self._set(q=_frozen(q), weight=weight if shape else weight[0])


GoalLike: TypeAlias = Goal | ArrayLike

PLAIN: tuple[type[Goal], ...] = (Position, Orientation, Pose)
OF_FRAMES = (*PLAIN, Relative, Direction, LookAt, PointOnLine, PointOnPlane)
EVERY = (*OF_FRAMES, CenterOfMass, JointValue, Posture)


def as_goals(value: Any) -> tuple[Goal, ...]:
    """Goals from one of them, from several, or from a bare pose or point; see `as_goal`."""
    if isinstance(value, list | tuple) and value and all(isinstance(each, Goal) for each in value):
        return tuple(as_goal(each) for each in value)
    if isinstance(value, list | tuple) and any(isinstance(each, Goal) for each in value):
        found = next(each for each in value if not isinstance(each, Goal))
        raise GoalError(f"a list of goals needs goals only, such as limbik.Pose; found {_described(found)}")
    if isinstance(value, list | tuple) and not value:
        raise GoalError("a list of goals needs at least one")
    return (as_goal(value),)


def as_goal(value: Any) -> Goal:
    """A goal; a bare pose (4x4 or RigidTransform) or point (2 or 3 numbers) is one for the end effector.

    Raises GoalError for anything else, and where a number is not finite.
    """
    if isinstance(value, Goal) and type(value) is not Goal:
        return value
    shape = shape_of(value)
    if matrix_of(value) is not value or shape == (4, 4):
        return Pose(target=value)
    if shape in ((2,), (3,)):
        return Position(target=value)
    raise GoalError(
        "a goal needs a point of 2 or 3 numbers, a 4x4 pose, a RigidTransform, a goal such as limbik.Pose or "
        f"a list of goals; found {_described(value)}"
    )


def _vector(value: Any, name: str, needed: str, sizes: tuple[int, ...]) -> Vector3:
    vector = as_numbers(value, name, needed, GoalError)
    if vector.ndim != 1 or vector.size not in sizes:
        raise GoalError(f"{name} needs {needed}, found shape {vector.shape}")
    if not np.isfinite(vector).all():
        unit = " [m]" if "[m]" in needed else ""
        raise GoalError(f"{name} needs finite numbers{unit}, found {vector.tolist()}")
    return _frozen(vector)


def _direction(value: Any, name: str) -> Vector3:
    vector = _vector(value, name, "3 numbers", (3,))
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        raise GoalError(f"{name} needs a direction, found 0 0 0")
    vector = vector / largest
    return _frozen(vector / np.linalg.norm(vector))


def _weights(value: Any, size: int, name: str) -> Weights:
    if isinstance(value, tuple) and value is ONE3:
        return value
    several = f"{_count(size)} numbers, each 0 or from 1e-6 to 1e6, not all of them 0"
    needed = "a number from 1e-6 to 1e6" if size == 1 else several
    weights = _per_axis(value, size, name, needed)
    are_right = all(weight == 0.0 or SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT for weight in weights)
    if not (are_right and any(weights)):
        raise GoalError(f"{name} need{_s(name)} {needed}; found {_described(value)}")
    return weights


def _tolerance(value: Any, size: int, name: str) -> Weights:
    if isinstance(value, tuple) and value is ZERO3:
        return value
    needed = "a finite number" if size == 1 else f"{_count(size)} finite numbers"
    needed += " of at least 0"
    tolerance = _per_axis(value, size, name, needed)
    if min(tolerance) < 0.0:
        raise GoalError(f"{name} needs {needed}; found {_described(value)}")
    return tolerance


def _per_axis(value: Any, size: int, name: str, needed: str) -> Weights:
    numbers = as_numbers(value, name, needed, GoalError)
    if numbers.ndim == 0 and size in (1, 3):
        numbers = np.full(size, numbers)
    if numbers.shape != (size,) or not np.isfinite(numbers).all():
        raise GoalError(f"{name} need{_s(name)} {needed}; found {_described(value)}")
    return tuple(map(float, numbers.tolist()))


def _count(size: int) -> str:
    return "1 or 3" if size == 3 else str(size)


def _s(name: str) -> str:
    return "" if name.startswith("the weights") else "s"


def _check_name(value: object, name: str) -> None:
    if not isinstance(value, str):
        raise GoalError(f"{name} needs a name, found {shortened(value)}")


def _check_axes(value: object, kind: str) -> None:
    if not is_one_of(value, ("world", "frame")):
        raise GoalError(f"the axes of {kind} needs 'world' or 'frame', found {shortened(value)}")


def _refuse_frame(goal: Goal) -> None:
    if goal.frame is not None:
        raise GoalError(f"{type(goal).__name__} is about no frame, found frame {goal.frame!r}")


def example(kind: type[Goal], frame: str | None, weights: Weights | None, pose: Matrix4 = STILL) -> Goal:
    """A plain goal of a kind: a Position, Orientation or Pose."""
    if kind is Position:
        return Position(frame=frame, target=pose[:3, 3])
    if kind is Orientation:
        return Orientation(frame=frame, target=pose[:3, :3])
    return Pose(frame=frame, target=pose, weights=weights)


def is_plain(goal: Goal) -> bool:
    """Whether every solver knows what the goal asks: all of a position, a rotation or a pose, no more, no
    less."""
    if isinstance(goal, Relative) or goal.priority != 0:
        return False
    if isinstance(goal, Pose):
        return goal.tolerance is None or not any(goal.tolerance)
    if isinstance(goal, Position | Orientation):
        return goal.weight == ONE3 and goal.tolerance == ZERO3
    return False


def axes_of(value: float | Weights) -> Weights:
    """Three numbers, from them or from one that stands for all."""
    return tuple(value) if isinstance(value, tuple) else (float(value),) * 3


def free_axis(weights: Weights) -> int | None:
    """The one axis with any spin about it; None where all turns count, or less than two."""
    free = [k for k, weight in enumerate(weights) if weight == 0.0]
    return free[0] if len(free) == 1 else None


def evenly(goal: Goal) -> Goal:
    """The goal with all its weights 1 or 0: what it asks for, without what is more urgent on the way
    there."""
    for name in ("weight", "weights"):
        weights = getattr(goal, name, None)
        if weights is None or isinstance(goal, Posture):
            continue
        given = weights if isinstance(weights, tuple) else (weights,)
        even = tuple(1.0 if weight > 0.0 else 0.0 for weight in given)
        if even != given:
            change: dict[str, Any] = {name: even if isinstance(weights, tuple) else 1.0}
            return replace(goal, **change)
    return goal


def cone_of(tolerance: Weights, free: int) -> float:
    """[rad] half-angle of the cone for turns about the two axes that are not free: the smaller tolerance."""
    return min(value for k, value in enumerate(tolerance) if k != free)


def frames_of(goals: Iterable[Goal]) -> set[str | None]:
    """The frames that goals are about, by name; None for the end effector."""
    found: set[str | None] = set()
    for goal in goals:
        if not isinstance(goal, CenterOfMass | JointValue | Posture):
            found.add(goal.frame)
        if isinstance(goal, Relative):
            found.add(goal.reference)
    return found


def _frozen(values: Any) -> Array:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return " ".join(shortened(value).split())
