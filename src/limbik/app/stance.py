"""How a robot stands when it is opened: a configuration from which it can move to all sides."""

from __future__ import annotations

import math

import numpy as np

from limbik.model import JointKind, Model
from limbik.spatial import Array

EDGE = 0.01  # of a range: a joint whose 0 is nearer to a limit cannot be meant to stand there
ROOM = 0.1  # of a range, between a joint and its limits
STRAIGHT = 0.05  # smallest singular value over reach: below it an arm is stretched, or nearly so
BEND = math.pi / 2  # of a stretched arm, over all its hinges


def first_stance(model: Model) -> Array:
    """A configuration [nq] with room to all limits: 0 where that has room, else the middle of the range. An
    arm that is stretched there is bent, upward where that makes a difference.
    """
    q = _with_room(model)
    if _is_straight(model, q):
        bent = [model.clip(model.integrate(q, sign * _bend(model))) for sign in (1.0, -1.0)]
        q = max(bent, key=lambda each: float(model.pose(each)[2, 3]))
    return q


def _with_room(model: Model) -> Array:
    q: Array = model.neutral.copy()
    for joint in model.joints:
        place = model.q_slice(joint.name).start
        if joint.nq != 1:
            continue
        lower, upper = model.lower[place], model.upper[place]
        size = upper - lower
        if math.isfinite(size):
            is_inside = lower + EDGE * size < 0.0 < upper - EDGE * size
            room = ROOM * size
            q[place] = min(max(0.0, lower + room), upper - room) if is_inside else 0.5 * (lower + upper)
    return model.clip(q)


def _is_straight(model: Model, q: Array) -> bool:
    reach = model.reach()
    if not 0.0 < reach < math.inf:
        return False
    values = np.linalg.svd(model.jacobian(q)[:3], compute_uv=False)
    others = (np.linalg.svd(model.jacobian(other)[:3], compute_uv=False) for other in model.random(0, 3))
    rank = max(int((other > STRAIGHT * reach).sum()) for other in others)
    return rank > 0 and bool(values[rank - 1] < STRAIGHT * reach)


def _bend(model: Model) -> Array:
    """[nv] the same angle for every hinge on the way to the end effector."""
    hinges = [joint for joint in model.path() if joint.nv == 1 and joint.kind is not JointKind.PRISMATIC]
    bend = np.zeros(model.nv)
    for joint in hinges:
        bend[model.v_slice(joint.name)] = BEND / len(hinges)
    return bend
