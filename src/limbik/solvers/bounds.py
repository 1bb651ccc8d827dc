"""Proves goals out of reach: by distance, or off the plane in which an arm moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from limbik.diagnosis import Bound
from limbik.goals import ONE6, ZERO6, Goal, Pose, Position, axes_of
from limbik.model.chain import Chain, chain_to
from limbik.model.reach_bounds import ReachBounds, reach_bounds
from limbik.model.slots import Slot
from limbik.solvers.checked_options import Options
from limbik.solvers.measure import tool_of
from limbik.solvers.request import Request
from limbik.spatial import Vector3

ROUNDING = 1e-12  # of the distances that are compared


def proof(request: Request) -> Bound | None:
    """The bound that proves a goal out of reach, alone; of several, the one with the largest distance."""
    return max(_violated(request), key=lambda bound: bound.missing, default=None)


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


def _bounds(request: Request, index: int, goal: Goal) -> Iterator[Bound]:
    """The bounds that the target point of a goal violates by more than its tolerance."""
    target = _target(goal)
    known = None if target is None else _reach_bounds(request, goal)
    if target is None or known is None:
        return
    (point, box), (joint, bounds) = target, known
    slack = float(request.options.get("tolerance", Options.tolerance)) + box
    for kind, distance, bound in _distances(bounds, point):
        if abs(distance - bound) > slack + ROUNDING * (distance + bound):
            yield Bound(goal=index, kind=kind, joint=joint, distance=distance, bound=bound)


def _distances(bounds: ReachBounds, point: Vector3) -> Iterator[tuple[str, float, float]]:
    """The bounds that a point [2 or 3] violates: their kinds, the distances and what these could be [m]."""
    if bounds.normal is not None:
        if point.size == 2:
            point = np.append(point, bounds.origin[2])
        height = float((point - bounds.origin) @ bounds.normal)
        point = point - height * bounds.normal
        yield "off the plane", abs(height), 0.0
    distance = math.hypot(*(point - bounds.origin))
    if distance > bounds.max_reach:
        yield "too far", distance, bounds.max_reach
    elif distance < bounds.min_reach:
        yield "too near", distance, bounds.min_reach


MAX_STORED = 256  # with one model: sliders can ask for any number of different tools
REACH_BOUNDS: Slot[dict[Any, tuple[str, ReachBounds] | None]] = Slot()  # by frame, tool and limits


def _reach_bounds(request: Request, goal: Goal) -> tuple[str, ReachBounds] | None:
    """The first joint, and the bounds of the goal's frame or of the tool in it; None where it cannot move."""
    tool, limits = tool_of(request, goal), bool(request.options.get("limits", True))
    known = REACH_BOUNDS.get(request.model)
    if known is None:
        known = REACH_BOUNDS.put(request.model, {})
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
    return chain if request.options.get("limits", True) else chain.with_unlimited_prismatic()
