"""What is asked: goals for frames of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from limbik.errors import GoalError
from limbik.spatial import Array, Matrix3, Matrix4, Vector3, as_numbers, as_pose, as_rotation


@dataclass(frozen=True, kw_only=True, eq=False)
class Goal:
    """What is asked of one frame; None is the model's end effector."""

    frame: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Position(Goal):
    """Bring the origin of a frame to a point.

    A point of two numbers lies in the plane in which the arm moves, at the arm's own height.
    """

    target: Vector3  # [m], in world axes

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", _as_point(self.target))


@dataclass(frozen=True, kw_only=True, eq=False)
class Orientation(Goal):
    """Turn a frame to a rotation, wherever its origin is. See `Pose` to ask for both."""

    target: Matrix3  # rotation_world_frame; of a pose, its rotation

    def __post_init__(self) -> None:
        target = self.target.as_matrix() if hasattr(self.target, "as_matrix") else self.target
        if _shape(target) == (4, 4):
            target = as_pose(target, "the target of Orientation", error=GoalError)[:3, :3]
        target = as_rotation(target, "the target of Orientation", error=GoalError)
        object.__setattr__(self, "target", _frozen(target))


@dataclass(frozen=True, kw_only=True, eq=False)
class Pose(Goal):
    """Bring a frame to a pose: a 4x4 matrix or a scipy RigidTransform.

    The weights steer the descent, along and about the axes x, y and z of the target; 0 leaves one free, so
    that (1, 1, 1, 1, 1, 0) asks for a point and a direction, with any spin about the target's z axis.
    """

    target: Matrix4  # pose_world_frame
    weights: tuple[float, ...] | None = None  # 3 for the position, 3 for the rotation; None: all 1

    def __post_init__(self) -> None:
        if self.weights is not None:
            object.__setattr__(self, "weights", _as_weights(self.weights))
        object.__setattr__(
            self, "target", _frozen(as_pose(self.target, "the target of Pose", error=GoalError))
        )


GoalLike: TypeAlias = Goal | ArrayLike


def as_goal(value: Any) -> Goal:
    """A goal; a bare pose (4x4 or RigidTransform) or point (2 or 3 numbers) is one for the end effector.

    Raises GoalError for anything else, and where a number is not finite.
    """
    if isinstance(value, Goal) and type(value) is not Goal:
        return value
    shape = _shape(value)
    if hasattr(value, "as_matrix") or shape == (4, 4):
        return Pose(target=value)
    if shape in ((2,), (3,)):
        return Position(target=value)
    raise GoalError(
        "a goal needs a point of 2 or 3 numbers, a 4x4 pose, a RigidTransform, or a limbik.Position, "
        f"Orientation or Pose; found {_described(value)}"
    )


def _shape(value: Any) -> tuple[int, ...] | None:
    try:
        return tuple(np.shape(value))
    except ValueError:  # rows of different lengths
        return None


def _as_point(value: Any) -> Vector3:
    point = as_numbers(value, "the target of Position", "2 or 3 numbers [m]", GoalError)
    if point.shape not in ((2,), (3,)):
        raise GoalError(f"the target of Position needs 2 or 3 numbers [m], found shape {point.shape}")
    if not np.isfinite(point).all():
        raise GoalError(f"the target of Position needs finite numbers [m], found {point.tolist()}")
    return _frozen(point)


def _as_weights(value: Any) -> tuple[float, ...]:
    needed = "6 numbers from 0 to 1e6, not all of them 0"
    weights = as_numbers(value, "the weights of Pose", needed, GoalError)
    if weights.shape != (6,) or not (
        np.isfinite(weights).all() and weights.min() >= 0.0 and 0.0 < weights.max() <= 1e6
    ):
        raise GoalError(f"the weights of Pose need {needed}; found {_described(value)}")
    return tuple(weights.tolist())


def _frozen(values: Any) -> Array:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."
