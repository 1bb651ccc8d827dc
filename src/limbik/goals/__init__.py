"""Goals: what is to be met, for the frames, joints and masses of a model. One kind to a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from numpy.typing import ArrayLike

from limbik.goals.base import ONE3, ONE6, ZERO3, ZERO6, Axes, Goal, Weights, axes_of
from limbik.goals.center_of_mass import CenterOfMass
from limbik.goals.conversion import as_goal, as_goals
from limbik.goals.direction import Direction
from limbik.goals.distance_between import DistanceBetween
from limbik.goals.joint_value import JointValue
from limbik.goals.look_at import LookAt
from limbik.goals.orientation import Orientation
from limbik.goals.plain import PLAIN, evenly, example, frames_of, is_plain
from limbik.goals.point_on_line import PointOnLine
from limbik.goals.point_on_plane import PointOnPlane
from limbik.goals.pose import Pose
from limbik.goals.position import Position
from limbik.goals.posture import Posture
from limbik.goals.relative import Relative
from limbik.spatial import HasMatrix

GoalLike: TypeAlias = Goal | Sequence[Goal] | ArrayLike | HasMatrix

OF_FRAMES: tuple[type[Goal], ...] = (*PLAIN, Relative, Direction, LookAt, PointOnLine, PointOnPlane)
EVERY: tuple[type[Goal], ...] = (*OF_FRAMES, DistanceBetween, CenterOfMass, JointValue, Posture)

__all__ = [
    "EVERY",
    "OF_FRAMES",
    "ONE3",
    "ONE6",
    "PLAIN",
    "ZERO3",
    "ZERO6",
    "Axes",
    "CenterOfMass",
    "Direction",
    "DistanceBetween",
    "Goal",
    "GoalLike",
    "JointValue",
    "LookAt",
    "Orientation",
    "PointOnLine",
    "PointOnPlane",
    "Pose",
    "Position",
    "Posture",
    "Relative",
    "Weights",
    "as_goal",
    "as_goals",
    "axes_of",
    "evenly",
    "example",
    "frames_of",
    "is_plain",
]
