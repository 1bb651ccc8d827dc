"""Plain goals, which every solver knows (a position, rotation or pose of a frame): recognises and makes them;
evens out the weights of goals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from limbik.goals.base import ONE3, ZERO3, Goal, Weights
from limbik.goals.orientation import Orientation
from limbik.goals.pose import Pose
from limbik.goals.position import Position
from limbik.goals.posture import Posture
from limbik.goals.relative import Relative
from limbik.spatial import Matrix4

PLAIN: tuple[type[Goal], ...] = (Position, Orientation, Pose)
STILL = np.eye(4)


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


def evenly(goal: Goal) -> Goal:
    """The goal with all its weights 1 or 0: what it asks for, without what is more urgent on the path
    there."""
    for name in ("weight", "weights"):
        weights = getattr(goal, name, None)
        if weights is None or isinstance(goal, Posture):
            continue
        each_weight = weights if isinstance(weights, tuple) else (weights,)
        even = tuple(1.0 if weight > 0.0 else 0.0 for weight in each_weight)
        if even != each_weight:
            change: dict[str, Any] = {name: even if isinstance(weights, tuple) else 1.0}
            return replace(goal, **change)
    return goal


def frames_of(goals: Iterable[Goal]) -> set[str | None]:
    """The frames that goals are about, by name; None for the end effector."""
    return {frame for goal in goals for frame in goal.frames}
