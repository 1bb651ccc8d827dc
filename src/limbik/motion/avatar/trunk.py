"""The trunk of an avatar between hips and head."""

from __future__ import annotations

import math

import numpy as np

from limbik.motion.avatar import bending
from limbik.motion.avatar.body import Body
from limbik.motion.batches import trunk
from limbik.spatial import Array, Matrix3, rotation_between, unit

LEANS, BACK = 0.3, 0.1  # how much the head's lean says about where hips go, and that they go back


def bent(
    body: Body, hips: Matrix3, head: Matrix3, place: Array | None, target: Array | None
) -> tuple[Array, Array]:
    """Turns [n + 1, 3, 3] and places [n + 1, 3] of hips and trunk's links, for anatomical axes of hips
    and head.

    place [3]: of the hips; None: the origin. target [3]: to which the head's joint is brought, or as near as
    it gets; None: the trunk bends by its shares alone.
    """
    turns = np.empty((len(body.spine) + 1, 3, 3))
    turns[0] = hips @ body.axes["hips"].T
    turns[-1] = head @ body.axes["head"].T
    problem = np.zeros(bending.PROBLEM)
    if place is not None:
        problem[bending.HIPS : bending.HIPS + 3] = place
    if target is not None:
        problem[bending.HEAD : bending.HEAD + 3] = target
        problem[bending.BRINGS] = 1.0
    problem[bending.WAY : bending.WAY + 9] = (head @ hips.T).ravel()
    problem[bending.CARRIED : bending.CARRIED + 9] = (hips @ body.heading.T).ravel()
    return turns, trunk(turns, body.spine_rest, body.bones, body.shares, problem)


def seated(places: Array, turns: Array, head: Matrix3, height: float) -> Array:
    """The places, with a trunk that leans so far about the head that the hips are at most a height [m] below.

    Hips go to where they are already, back, and away from where the head leans; turns are changed in place.
    """
    way = places[0] - places[-1]
    length = math.sqrt(way @ way)
    if -way[2] <= height or length == 0.0:
        return places
    aside = way[:2] - length * (LEANS * head[:2, 2] + BACK * head[:2, 0])
    down = min(max(height, 0.0), length)
    leaning = np.array([*(math.sqrt(length**2 - down**2) * unit(aside)), -down])
    turn = rotation_between(way, leaning)
    turns[:-1] = turn @ turns[:-1]
    return np.asarray(places[-1] + (places - places[-1]) @ turn.T)
