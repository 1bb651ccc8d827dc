"""Collisions that do not depend on the joints: of what hangs on the base, and of what is rigid with the frame
of a goal, where the goal has it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.collision.checker import Checker, NearPairs
from limbik.collision.geometry import geometry_of
from limbik.goals import Pose
from limbik.model.model import Model
from limbik.solvers.all_solutions import is_plain_target
from limbik.solvers.checked_options import Options
from limbik.solvers.measure import tool_of
from limbik.solvers.request import Request
from limbik.spatial import Matrix4, pose_inverse
from limbik.status import Status

ROUNDING = 1e-9  # [m]


class Blocked(NamedTuple):
    """Why no configuration will do."""

    status: Status
    near: NearPairs  # the pairs that are nearer than the clearance


def blocked_by(request: Request, checker: Checker, clearance: float) -> Blocked | None:
    """What is in collision whatever the joints do; None where nothing is known to be."""
    base = checker.fixed_with(request.model.root).near_pairs(np.eye(4), clearance - ROUNDING)
    if len(base.pairs):
        return Blocked(Status.BASE_IN_COLLISION, base)
    goal = fixed_goal(request)
    if goal is None:
        return None
    frame, pose = goal
    near = checker.fixed_with(frame).near_pairs(pose, clearance - room(request, frame))
    return Blocked(Status.GOAL_IN_COLLISION, near) if len(near.pairs) else None


def fixed_goal(request: Request) -> tuple[str, Matrix4] | None:
    """A frame, and the pose that the only goal has it in; None where the goals leave it something free."""
    goal = request.goals[0]
    if len(request.goals) > 1 or not (isinstance(goal, Pose) and is_plain_target(goal)):
        return None
    frame = request.model.end_effector if goal.frame is None else goal.frame
    return frame, goal.target @ pose_inverse(tool_of(request, goal))


def room(request: Request, frame: str) -> float:
    """[m] by which tolerances allow the bodies on a frame's link to be elsewhere."""
    names = "tolerance", "tolerance_rotation"
    position, rotation = (float(request.options.get(name, getattr(Options, name))) for name in names)
    return position + rotation * _extent(request.model, frame) + ROUNDING


def _extent(model: Model, frame: str) -> float:
    """[m] farther from the frame's origin is no point of a body that is rigid with it."""
    carrier = model.frame(frame)
    origin = float(np.linalg.norm(carrier.pose_link_frame[:3, 3]))
    return origin + sum(
        float(np.linalg.norm(each.center)) + each.radius for each in geometry_of(model).bodies
    )
