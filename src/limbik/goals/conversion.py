"""Converts what callers pass as a goal (point, pose, goals) to goals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from limbik.errors import GoalError
from limbik.goals.base import Goal, described_value
from limbik.goals.pose import Pose
from limbik.goals.position import Position
from limbik.spatial import FLOAT64, matrix_of, shape_of


def as_goals(value: Any) -> tuple[Goal, ...]:
    """Goals from one of them, from several, or from a bare pose or point; see `as_goal`."""
    is_point = type(value) is np.ndarray and value.dtype is FLOAT64 and value.shape == (3,)
    if is_point and all(map(math.isfinite, value.tolist())):  # the common case, quickly
        return (Position.of_point(value),)
    if isinstance(value, list | tuple) and value and all(isinstance(each, Goal) for each in value):
        return tuple(as_goal(each) for each in value)
    if isinstance(value, list | tuple) and any(isinstance(each, Goal) for each in value):
        wrong = next(each for each in value if not isinstance(each, Goal))
        raise GoalError(
            f"a list of goals needs goals only, such as limbik.Pose; found {described_value(wrong)}"
        )
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
        f"a list of goals; found {described_value(value)}"
    )
