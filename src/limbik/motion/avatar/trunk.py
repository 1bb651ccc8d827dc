"""The trunk between hips and head: it bends by shares, then as little more as brings the head to its place.

What is left after the shares is taken by Newton's method on the place of the head, damped, with the least
squared turns of all joints (Wampler 1986); the head keeps its orientation.
"""

from __future__ import annotations

import numpy as np

from limbik.motion.avatar.body import Body
from limbik.spatial import Array, Matrix3, dot, rotation_exp, rotation_log

STEPS = 4  # of Newton's method, at most
NEAR = 2e-4  # [m] of the head to its place
DAMPING = 1e-3  # of the squared lever arms
LARGEST = 0.3  # [rad] of a step


def bent(body: Body, hips: Matrix3, head: Matrix3) -> Array:
    """Turns [n, 3, 3] of the trunk's links for anatomical axes of hips and head [3, 3] in the world."""
    way = rotation_log(head @ hips.T)
    turns = rotation_exp(body.shares[:, None] * way) @ (hips @ body.heading.T) @ body.rig.turns[body.spine]
    turns[-1] = head @ body.axes["head"].T
    return np.asarray(turns)


def placed(body: Body, hips: Array, hips_turn: Matrix3, turns: Array) -> Array:
    """The places [n, 3] that the trunk's links turn about, for the pivot of the hips."""
    rig = body.rig
    found = np.empty((len(turns), 3))
    pivot, turn, before = hips, hips_turn, 0
    for k, place in enumerate(body.spine):
        pivot = found[k] = rig.pivot(place, rig.origin(before, pivot, turn), turn)
        turn, before = turns[k], place
    return found


def brought(body: Body, hips: Array, hips_turn: Matrix3, turns: Array, head: Array) -> tuple[Array, Array]:
    """Turns and places of the trunk's links with the head's pivot at a place [3], or as near as they get."""
    places = placed(body, hips, hips_turn, turns)
    for _ in range(STEPS):
        left = head - places[-1]
        if left @ left < NEAR**2:
            break
        levers = places[-1] - places[:-1]
        squares = dot(levers, levers)
        normal = squares.sum() * np.eye(3) - levers.T @ levers
        normal += DAMPING * squares.max() * np.eye(3)
        pull = np.linalg.solve(normal, left)
        steps = np.cumsum(np.cross(levers, pull), axis=0)
        longest = np.sqrt(dot(steps, steps).max())
        turns[:-1] = rotation_exp(steps * min(1.0, LARGEST / max(longest, 1e-9))) @ turns[:-1]
        places = placed(body, hips, hips_turn, turns)
    return turns, places
