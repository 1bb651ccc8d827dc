"""The configuration in which an opened robot stands: bent, within limits, free to move."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from limbik.model import Joint, JointKind, Model
from limbik.spatial import Array

EDGE = 0.01  # of a range: a joint whose 0 is nearer to a limit cannot be meant to stand there
MARGIN = 0.1  # of a range, between a joint and its limits
BENDS = tuple(math.radians(bend) for bend in (30.0, -30.0, 60.0, -60.0, 90.0, -90.0))
SWEEPS = 3  # over all revolute joints that are tried
MAX_REVOLUTE = 12  # that are tried, evenly spread over the arm
STUCK = 0.01  # singular value below which a direction counts as lost
PRICE = 0.25  # of a bend [1/rad], in terms of the ease
GAIN = 1.5  # of the ease that makes a bend worth it: a factor of 4.5 in manipulability
DIP = 0.02  # of the reach that the links may sink by


def initial_pose(model: Model) -> Array:
    """A configuration [nq] with a margin to all limits: 0 where that has one, else the middle of the range.
    An arm that is stretched or stuck there is bent; of a bend and its mirror image the one further forward.
    """
    straight = _inside(model)
    if not 0.0 < model.reach() < math.inf:
        return straight
    bent = _bent(model, straight)
    if _ease(model, bent) - _ease(model, straight) < GAIN:
        return straight
    mirrored = 2.0 * straight - bent
    allowed = [q for q in (bent, mirrored) if _is_allowed(model, q, straight)]
    return max(allowed, key=lambda q: float(model.pose(q)[0, 3]), default=bent)


def _inside(model: Model) -> Array:
    q: Array = model.neutral.copy()
    for joint in model.joints:
        index = model.q_slice(joint.name).start
        if joint.nq != 1:
            continue
        lower, upper = model.lower[index], model.upper[index]
        size = upper - lower
        if math.isfinite(size):
            is_inside = lower + EDGE * size < 0.0 < upper - EDGE * size
            margin = MARGIN * size
            q[index] = min(max(0.0, lower + margin), upper - margin) if is_inside else 0.5 * (lower + upper)
    return model.clip(q)


def _bent(model: Model, straight: Array) -> Array:
    """The easiest configuration found by bending one revolute joint after another."""

    def merit(q: Array) -> float:  # smaller is better
        return PRICE * float(np.abs(q - straight).sum()) - _ease(model, q)

    best = straight
    smallest = merit(best)
    for joint in _tried(model) * SWEEPS:
        for q in _bends(model, joint, best, straight):
            if _is_allowed(model, q, straight) and merit(q) < smallest - 1e-9:
                best, smallest = q, merit(q)
    return best


def _tried(model: Model) -> list[Joint]:
    revolute = [joint for joint in model.path() if joint.nv == 1 and joint.kind is not JointKind.PRISMATIC]
    return revolute[:: math.ceil(len(revolute) / MAX_REVOLUTE) or 1]


def _bends(model: Model, joint: Joint, q: Array, straight: Array) -> Iterator[Array]:
    index = model.q_slice(joint.name).start
    for bend in BENDS:
        bent = q.copy()
        bent[index] = straight[index] + bend
        yield bent


def _is_allowed(model: Model, q: Array, straight: Array) -> bool:
    """With a margin to all limits, and no link lower than the lowest before."""
    lower, upper = model.lower, model.upper
    margin = np.where(np.isfinite(upper - lower), MARGIN * (upper - lower), 0.0)
    is_inside = (q >= lower + margin) & (q <= upper - margin) | (q == straight)
    return bool(is_inside.all()) and _lowest(model, q) >= _lowest(model, straight) - DIP * model.reach()


def _lowest(model: Model, q: Array) -> float:
    return float(model.forward(q)[:, 2, 3].min())


def _ease(model: Model, q: Array) -> float:
    """The logarithm of the manipulability (Yoshikawa 1985), lengths in terms of the reach; a direction that
    is lost costs a finite amount. With fewer than 6 joints, that of the position alone.
    """
    jacobian = model.jacobian(q)
    jacobian[:3] /= model.reach()
    freedom = sum(joint.nv for joint in model.path())
    rows = 6 if freedom >= 6 else 3
    return float(np.log(np.linalg.svd(jacobian[:rows], compute_uv=False) + STUCK).sum())
