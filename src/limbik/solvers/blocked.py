"""Collisions that no moving joint ends: of what hangs on the base, and of what is rigid with the frame of a
goal, where the goal has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from limbik.collision.checker import Checker, NearPairs
from limbik.collision.fixed import FixedPairs
from limbik.collision.geometry import geometry_of
from limbik.goals import Pose
from limbik.model.joints import JointKind
from limbik.model.model import Model
from limbik.solvers.all_solutions import is_plain_target
from limbik.solvers.checked_options import Options
from limbik.solvers.measure import tool_of
from limbik.solvers.request import Request
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


def _blocked(
    request: Request, checker: Checker, clearance: float, q: Array, near: NearPairs, moving: Array
) -> Blocked | None:
    goal = fixed_goal(request)
    frame = request.model.root if goal is None else goal[0]
    fixed = FixedPairs(checker, frame, moving)
    of_base = fixed.on_base[near.pairs]
    if of_base.any():
        return _of_pairs(Status.BASE_IN_COLLISION, checker, frame, near, of_base, moving)
    if goal is None:
        return None
    of_goal = fixed.with_frame[near.pairs]
    if of_goal.any():
        of_goal &= near.distances < clearance - 2.0 * room(request, frame, q)
    if of_goal.any():
        return _of_pairs(Status.GOAL_IN_COLLISION, checker, frame, near, of_goal, moving)
    return None


def _of_pairs(
    status: Status, checker: Checker, frame: str, near: NearPairs, chosen: Array, moving: Array
) -> Blocked:
    found = NearPairs(*(part[chosen] for part in near))
    bodies = geometry_of(checker.model).bodies  # whose places come first among those of the checker
    links = [bodies[place].link for place in np.unique(checker.pairs[found.pairs]) if place < len(bodies)]
    return Blocked(status, found, tuple(dict.fromkeys(_held(checker.model, frame, links, moving))))


def _held(model: Model, frame: str, links: Iterable[str], moving: Array) -> Iterable[str]:
    """The joints between the links and the frame, or the base, that keep still but could move."""
    to_frame = {joint.name for joint in model.path(frame)}
    between: set[str] = set()
    for link in links:
        between |= {joint.name for joint in model.path(link)} ^ to_frame
    for joint in model.joints:
        is_still = joint.kind is not JointKind.FIXED and not moving[model.v_slice(joint.name)].any()
        if joint.name in between and is_still:
            yield joint.name if joint.mimic is None else joint.mimic.joint


def fixed_goal(request: Request) -> tuple[str, Matrix4] | None:
    """A frame, and the pose that the only goal has it in; None where the goals leave it something free."""
    goal = request.goals[0]
    if len(request.goals) > 1 or not (isinstance(goal, Pose) and is_plain_target(goal)):
        return None
    frame = request.model.end_effector if goal.frame is None else goal.frame
    return frame, goal.target @ pose_inverse(tool_of(request, goal))


def room(request: Request, frame: str, q: Array) -> float:
    """[m] by which tolerances allow the bodies that are rigid with a frame at q [nq] to be elsewhere."""
    names = "tolerance", "tolerance_rotation"
    position, rotation = (float(request.options.get(name, getattr(Options, name))) for name in names)
    return position + rotation * _extent(request.model, frame, q) + ROUNDING


def _extent(model: Model, frame: str, q: Array) -> float:
    """[m] farther from the frame's origin is no point of a body at q [nq]."""
    poses = model.forward(q)
    names = model.frame_names
    origin = poses[names.index(frame), :3, 3]
    farthest = 0.0
    for body in geometry_of(model).bodies:
        pose = poses[names.index(body.link)]
        center = pose[:3, :3] @ body.center + pose[:3, 3]
        farthest = max(farthest, float(norm(center - origin)) + body.radius)
    return farthest
