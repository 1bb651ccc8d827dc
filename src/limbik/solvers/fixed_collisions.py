"""Proves that a goal, or the base itself, is in collision whatever the moving joints do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.all_solutions.solve_all import is_plain_target
from limbik.collision.checker import Checker, NearPairs
from limbik.collision.fixed_pairs import fixed_pairs
from limbik.collision.geometry import geometry_of
from limbik.collision.still_joints import paths_to_bodies, those_still
from limbik.goals import Pose
from limbik.measure import holds_tool, tool_of
from limbik.model.model import Model
from limbik.numerics.end_codes import SOLVED
from limbik.request import Request
from limbik.solution import STATUSES
from limbik.solvers.checked_options import Options
from limbik.spatial import Array, Matrix4, norm, pose_inverse
from limbik.status import Status

ROUNDING = 1e-9  # [m]


class Blocked(NamedTuple):
    """Why no configuration will do."""

    status: Status
    near: NearPairs  # the pairs that are nearer than the clearance
    held: tuple[str, ...]  # the joints on which it depends, which neither the goals nor the search move


def blocked_by(
    request: Request, checker: Checker, clearance: float, q: Array, moving: Array
) -> Blocked | None:
    """What is in collision at q [nq], which meets the goals, and wherever else they are met; None where
    nothing is known to be.

    moving [nv]: what may move.
    """
    near = checker.near_pairs(q, clearance - ROUNDING)
    if not len(near.pairs):
        return None
    every_joint = np.ones_like(moving)
    return _blocked(request, checker, clearance, q, near, every_joint) or _blocked(
        request, checker, clearance, q, near, moving
    )


def blocked_each(request: Request, checker: Checker, clearance: float, q: Array, moving: Array) -> Array:
    """The same for many q [N, nq] that meet plain poses of one frame: the index of the status in `STATUSES`,
    that of SOLVED where nothing is known to be in collision.
    """
    goal = fixed_goal(request)
    frame = request.model.root if goal is None else goal[0]
    statuses = np.full(len(q), SOLVED, dtype=np.float64)
    for moves in (np.ones_like(moving), moving):
        fixed = fixed_pairs(checker, frame, moves)
        of_goal = np.zeros_like(fixed.with_frame) if goal is None else fixed.with_frame
        cases = (Status.BASE_IN_COLLISION, fixed.on_base), (Status.GOAL_IN_COLLISION, of_goal)
        for status, is_fixed in cases:
            open_ = np.flatnonzero(statuses == SOLVED)
            if not (open_.size and is_fixed.any()):
                continue
            below = clearance - ROUNDING
            distances = checker.distances(q[open_], within=below, pairs=is_fixed)
            open_, distances = open_[distances < below], distances[distances < below]
            if status is Status.GOAL_IN_COLLISION:
                open_ = open_[distances < clearance - 2.0 * extent_around(request, frame, q[open_])]
            statuses[open_] = STATUSES.index(status)
    return statuses


def _blocked(
    request: Request, checker: Checker, clearance: float, q: Array, near: NearPairs, moving: Array
) -> Blocked | None:
    goal = fixed_goal(request)
    frame = request.model.root if goal is None else goal[0]
    fixed = fixed_pairs(checker, frame, moving)
    of_base = fixed.on_base[near.pairs]
    if of_base.any():
        return _of_pairs(Status.BASE_IN_COLLISION, checker, frame, near, of_base, moving)
    if goal is None:
        return None
    of_goal = fixed.with_frame[near.pairs]
    if of_goal.any():
        of_goal &= near.distances < clearance - 2.0 * extent_around(request, frame, q)
    if of_goal.any():
        return _of_pairs(Status.GOAL_IN_COLLISION, checker, frame, near, of_goal, moving)
    return None


def _of_pairs(
    status: Status, checker: Checker, frame: str, near: NearPairs, chosen: Array, moving: Array
) -> Blocked:
    chosen_pairs = NearPairs(*(part[chosen] for part in near))
    to_frame = {joint.name for joint in checker.model.path(frame)}
    between = set[str]().union(*(path ^ to_frame for path in paths_to_bodies(checker, chosen_pairs.pairs)))
    return Blocked(status, chosen_pairs, those_still(checker.model, between, moving))


def fixed_goal(request: Request) -> tuple[str, Matrix4] | None:
    """A frame, and the pose that the only goal has it in; None where the goals leave it something free."""
    goal = request.goals[0]
    if len(request.goals) > 1 or not (isinstance(goal, Pose) and is_plain_target(goal)):
        return None
    frame = request.model.end_effector if goal.frame is None else goal.frame
    if not holds_tool(request, goal):
        return frame, goal.target
    return frame, goal.target @ pose_inverse(tool_of(request, goal))


def extent_around(request: Request, frame: str, q: Array) -> Array:
    """[m] by which tolerances allow the bodies that are rigid with a frame at q [..., nq] to be elsewhere."""
    names = "tolerance", "tolerance_rotation"
    position, rotation = (float(request.options.get(name, getattr(Options, name))) for name in names)
    return position + rotation * _extent(request.model, frame, q) + ROUNDING


def _extent(model: Model, frame: str, q: Array) -> Array:
    """[m] farther from the frame's origin is no point of a body at q [..., nq]."""
    poses = model.forward(q)
    indices = {name: k for k, name in enumerate(model.frame_names)}
    origin = poses[..., indices[frame], :3, 3]
    farthest = np.zeros(q.shape[:-1])
    for body in geometry_of(model).bodies:
        pose = poses[..., indices[body.link], :, :]
        center = pose[..., :3, :3] @ body.center + pose[..., :3, 3]
        farthest = np.maximum(farthest, norm(center - origin) + body.radius)
    return farthest
