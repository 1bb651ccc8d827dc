"""Proves goals out of reach: by distance, off the plane in which an arm moves, or by the distance that a pose
needs of shoulder and wrist.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from limbik.diagnosis import OFF_PLANE, Bound
from limbik.goals import ONE6, ZERO6, Goal, Pose, Position, axes_of
from limbik.measure import tool_of
from limbik.model.chain import Chain, chain_to
from limbik.model.model import Model
from limbik.model.pose_bounds import PoseBounds, pose_bounds
from limbik.model.reach_bounds import ReachBounds, reach_bounds
from limbik.model.slots import Slot
from limbik.request import Request
from limbik.solvers.checked_options import Options
from limbik.spatial import Vector3

TOLERANCES = ("tolerance", "tolerance_rotation")
ROUNDING = 1e-12  # of the distances that are compared


def proof(request: Request) -> Bound | None:
    """The bound that proves a goal out of reach, alone; of several, the one with the largest distance."""
    return max(_violated(request), key=lambda bound: bound.missing, default=None)


def proof_of_pose(request: Request) -> Bound | None:
    """The distance of shoulder and wrist that proves a goal's pose out of reach, alone; of several, the one
    with the largest excess.
    """
    return max(_violated_by_poses(request), key=lambda bound: bound.missing, default=None)


def refuted(request: Request) -> set[int]:
    """The indices of the goals that are proved out of reach, each alone."""
    return {bound.goal for bound in _violated(request)}


def bounds_of_point(request: Request, goal: Goal) -> ReachBounds | None:
    """Where the frame of a goal for one point can be; None for other goals, and where it cannot move."""
    target = _target(goal)
    known = _reach_bounds(request, goal) if target is not None and target[1] == 0.0 else None
    return None if known is None else known[1]


def _violated(request: Request) -> Iterator[Bound]:
    for index, goal in enumerate(request.goals):
        yield from _bounds(request, index, goal)


def _violated_by_poses(request: Request) -> Iterator[Bound]:
    tolerances = (request.options.get(name, getattr(Options, name)) for name in TOLERANCES)
    tolerance, tolerance_rotation = map(float, tolerances)
    for index, goal in enumerate(request.goals):
        if type(goal) is not Pose or goal.priority > 0 or min(goal.weights or ONE6) <= 0.0:
            continue
        limits, locked = request.options.get("limits", True), request.options.get("locked", ())
        bounds = bounds_of_pose(request.model, _chain(request, goal), limits=bool(limits), locked=locked)
        if bounds is None:
            continue
        box = goal.tolerance or ZERO6
        rotation = tolerance_rotation + math.hypot(*box[3:])
        slack = tolerance + math.hypot(*box[:3]) + bounds.lever * rotation
        nearest, farthest = map(float, bounds.distances(goal.target))
        slack += ROUNDING * farthest
        joint, wrist = bounds.joints
        if nearest > bounds.max_distance + slack:
            limit = bounds.max_distance
            yield Bound(goal=index, kind="too far", joint=joint, distance=nearest, bound=limit, wrist=wrist)
        elif farthest < bounds.min_distance - slack:
            limit = bounds.min_distance
            yield Bound(goal=index, kind="too near", joint=joint, distance=farthest, bound=limit, wrist=wrist)


def _bounds(request: Request, index: int, goal: Goal) -> Iterator[Bound]:
    """The bounds that the target point of a goal violates by more than its tolerance."""
    target = _target(goal)
    known = None if target is None else _reach_bounds(request, goal)
    if target is None or known is None:
        return
    (point, box), (joint, bounds) = target, known
    slack = float(request.options.get("tolerance", Options.tolerance)) + box
    off_plane = 0.0
    for kind, distance, bound in _distances(bounds, point):
        if abs(distance - bound) > slack + ROUNDING * (distance + bound):
            from_axis = bounds.normal is not None and kind != OFF_PLANE
            yield Bound(
                goal=index, kind=kind, joint=joint, distance=distance, bound=bound,
                from_axis=from_axis, off_plane=off_plane,
            )  # fmt: skip
            off_plane = distance  # which comes first


def _distances(bounds: ReachBounds, point: Vector3) -> Iterator[tuple[str, float, float]]:
    """The bounds that a point [2 or 3] violates, first that of a plane: their kinds, the distances and what
    these could be [m].
    """
    if bounds.normal is not None:
        if point.size == 2:
            point = np.append(point, bounds.origin[2])
        height = float((point - bounds.origin) @ bounds.normal)
        point = point - height * bounds.normal
        yield OFF_PLANE, abs(height), 0.0
    distance = math.hypot(*(point - bounds.origin))
    if distance > bounds.max_reach:
        yield "too far", distance, bounds.max_reach
    elif distance < bounds.min_reach:
        yield "too near", distance, bounds.min_reach


POSE_BOUNDS: Slot[dict[tuple[str, bool], PoseBounds | None]] = Slot()  # by the last joint and limits


def bounds_of_pose(
    model: Model, chain: Chain, *, limits: bool, locked: Collection[str] = ()
) -> PoseBounds | None:
    """The bounds of the poses of a chain's tool, searched for once; limits: whether the chain has them.

    None where joints are locked, because these may stand beyond their limits.
    """
    if not chain.joints or any(joint.name in locked for joint in chain.joints):
        return None
    known = POSE_BOUNDS.of(model, dict)
    key = chain.joints[-1].name, limits
    if key not in known:
        known[key] = pose_bounds(replace(chain, tool=np.eye(4)))
    bounds = known[key]
    return None if bounds is None else bounds.seen_from(chain.tool)


MAX_STORED = 256  # with one model: sliders can ask for any number of different tools
REACH_BOUNDS: Slot[dict[Any, tuple[str, ReachBounds] | None]] = Slot()  # by frame, tool and limits


def _reach_bounds(request: Request, goal: Goal) -> tuple[str, ReachBounds] | None:
    """The first joint, and the bounds of the goal's frame or of the tool in it; None where it cannot move."""
    tool, limits = tool_of(request, goal), bool(request.options.get("limits", True))
    known = REACH_BOUNDS.of(request.model, dict)
    key = (goal.frame, tool.tobytes(), limits)
    if key not in known:
        if len(known) >= MAX_STORED:
            known.clear()
        chain = _chain(request, goal)
        known[key] = (chain.joints[0].name, reach_bounds(chain)) if chain.joints else None
    return known[key]


def _target(goal: Goal) -> tuple[Vector3, float] | None:
    """The one point [2 or 3] at which the origin of a frame has to be, and how far from it is still met [m].

    None where the goal leaves some direction free, or need not be met.
    """
    if goal.priority > 0:
        return None
    if isinstance(goal, Position) and min(axes_of(goal.weight)) > 0.0:
        return goal.target, math.hypot(*axes_of(goal.tolerance))
    if type(goal) is Pose and min((goal.weights or ONE6)[:3]) > 0.0:
        return goal.target[:3, 3], math.hypot(*(goal.tolerance or ZERO6)[:3])
    return None


def _chain(request: Request, goal: Goal) -> Chain:
    """The chain to the goal's frame or the tool in it, with its limits."""
    chain = chain_to(request.model, goal.frame)
    chain = replace(chain, tool=chain.tool @ tool_of(request, goal))
    return chain if request.options.get("limits", True) else chain.without_limits()
