"""Converts what callers pass as a goal (point, pose, goals) to goals."""

from __future__ import annotations

import math
import sys
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from limbik.errors import GoalError
from limbik.goals.base import Goal, described_value
from limbik.goals.pose import Pose
from limbik.goals.position import Position
from limbik.spatial import FLOAT64, POSE_SHAPE, Array, as_pose, matrix_of, shape_of


def as_goals(value: Any) -> tuple[Goal, ...]:
    """Goals from one of them, from several, or from a bare pose or point; see `as_goal`."""
    if type(value) is np.ndarray and value.dtype is FLOAT64:  # the common cases, quickly
        if value.shape == POSE_SHAPE:
            return (_of_end_effector(Pose, as_pose(value, "the target of Pose", error=GoalError)),)
        if value.shape == (3,) and all(map(math.isfinite, value.tolist())):
            return (_of_end_effector(Position, value.copy()),)
    if type(value) in (list, tuple) and len(value) in (2, 3) and all(map(_is_plain, value)):
        return (_of_end_effector(Position, np.array(value, FLOAT64)),)
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


def _is_plain(number: Any) -> bool:
    """Whether it is a float or int that is a finite float."""
    return type(number) in (float, int) and abs(number) <= sys.float_info.max


def _of_end_effector(kind: type[Pose | Position], target: Array) -> Goal:
    """The goal of the end effector for a target of its own that is checked: a dataclass takes as long to make
    one as a solve.
    """
    goal = object.__new__(kind)
    target.setflags(write=False)
    vars(goal).update(DEFAULTS[kind], target=target)
    return goal


DEFAULTS = {
    kind: {each.name: each.default for each in fields(kind) if each.default is not MISSING}
    for kind in (Pose, Position)
}
