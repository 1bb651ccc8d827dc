"""Goals in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from limbik.goals import (
    ONE6,
    CenterOfMass,
    Direction,
    Goal,
    JointValue,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    Relative,
)
from limbik.solution import Request
from limbik.solvers.measure import holds_tool
from limbik.spatial import Matrix3


def described(request: Request, goal: Goal) -> str:
    """A goal in a clause without a verb, such as "frame 'tool' at (0.4, 0, 0.3) m"."""
    name = request.model.end_effector if goal.frame is None else goal.frame
    frame = f"the tool in frame {name!r}" if holds_tool(request, goal) else f"frame {name!r}"
    return _CLAUSES[type(goal)](frame, goal)


def _of_pose(frame: str, goal: Pose) -> str:
    weights = goal.weights or ONE6
    parts = [f"at {_numbers(goal.target[:3, 3])} m"] if any(weights[:3]) else []
    free = [k for k in range(3) if weights[3 + k] == 0.0]
    if len(free) == 1:
        parts.append(f"{'xyz'[free[0]]} along {_numbers(goal.target[:3, free[0]])}")
    elif len(free) < 3:
        parts.append(f"turned to {_turn(goal.target[:3, :3])}")
    return f"{frame} {', '.join(parts)}"


_CLAUSES: dict[type[Goal], Callable[[str, Any], str]] = {
    Position: lambda frame, goal: f"{frame} at {_numbers(goal.target)} m",
    Orientation: lambda frame, goal: f"{frame} turned to {_turn(goal.target)}",
    Pose: _of_pose,
    Relative: lambda frame, goal: f"{_of_pose(frame, goal)} as seen from {goal.reference!r}",
    Direction: lambda frame, goal: f"axis {_numbers(goal.axis)} of {frame} along {_numbers(goal.target)}",
    LookAt: lambda frame, goal: (
        f"axis {_numbers(goal.axis)} of {frame} at the point {_numbers(goal.target)} m"
    ),
    PointOnLine: lambda frame, goal: (
        f"{frame} on the line through {_numbers(goal.point)} m along {_numbers(goal.direction)}"
    ),
    PointOnPlane: lambda frame, goal: (
        f"{frame} on the plane through {_numbers(goal.point)} m across {_numbers(goal.normal)}"
    ),
    CenterOfMass: lambda frame, goal: f"the centre of mass at {_numbers(goal.target)} m",
    JointValue: lambda frame, goal: f"joint {goal.joint!r} at {goal.value:.4g}",
    Posture: lambda frame, goal: "a posture of all joints",
}


def _numbers(values: Iterable[float]) -> str:
    return f"({', '.join(f'{round(float(value), 9) + 0.0:.4g}' for value in values)})"


def _turn(rotation: Matrix3) -> str:
    angles = roll_pitch_yaw(rotation)
    degrees = _numbers(math.degrees(angle) for angle in angles)
    return f"roll, pitch, yaw {_numbers(angles)} rad = {degrees} deg"


def roll_pitch_yaw(rotation: Matrix3) -> tuple[float, float, float]:
    """Angles [rad] about the fixed axes x, then y, then z; with a pitch of a quarter turn, the yaw is 0."""
    across = math.hypot(rotation[0, 0], rotation[1, 0])
    pitch = math.atan2(-rotation[2, 0], across)
    if across < 1e-9:
        return math.atan2(-rotation[1, 2], rotation[1, 1]), pitch, 0.0
    return math.atan2(rotation[2, 1], rotation[2, 2]), pitch, math.atan2(rotation[1, 0], rotation[0, 0])
