"""The trunk between hips and head: it bends by shares, then as little more as brings the head to its place.

What is left after the shares is taken by Newton's method on the place of the head, damped, with the least
squared turns of all joints (Wampler 1986); the head keeps its orientation.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.motion.avatar.body import Body
from limbik.spatial import Array, Matrix3, cross, dot, rotation_between, rotation_exp, rotation_log, unit

STEPS = 5  # of Newton's method, at most
NEAR = 1e-5  # [m] of the head to its place
DAMPING = 1e-4  # of the squared lever arms
LARGEST = 0.3  # [rad] of a step
LEANS, BACK = 0.3, 0.1  # how much the head's lean says about where hips go, and that they go back
SKEW = np.zeros((3, 3, 3))  # SKEW @ v is the matrix of the vector product with v
SKEW[[0, 1, 2], [2, 0, 1], [1, 2, 0]], SKEW[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0, -1.0


def bent(body: Body, hips: Matrix3, head: Matrix3) -> Array:
    """Turns [n + 1, 3, 3] of the hips and the trunk's links, for anatomical axes of hips and head [3, 3]."""
    way = rotation_log(head @ hips.T)
    base = hips @ body.heading.T
    turns = np.empty((len(body.spine) + 1, 3, 3))
    turns[0] = hips @ body.axes["hips"].T
    turns[1:] = rotation_exp(body.shares[:, None] * way) @ (base @ body.rig.turns[body.spine])
    turns[-1] = head @ body.axes["head"].T
    return turns


def placed(body: Body, hips: Array, turns: Array) -> Array:
    """The places [n + 1, 3] that hips and trunk's links turn about, for that of the hips."""
    places = np.empty((len(turns), 3))
    places[0] = hips
    np.cumsum((turns[:-1] @ body.bones)[..., 0], axis=0, out=places[1:])
    places[1:] += hips
    return places


def brought(body: Body, hips: Array, turns: Array, head: Array) -> Array:
    """The places of hips and trunk's links, with the head's at a place [3], or as near as it gets.

    The turns between hips and head are changed in place.
    """
    places = placed(body, hips, turns)
    for _ in range(STEPS):
        left = head - places[-1]
        if left @ left < NEAR**2:
            break
        levers = places[-1] - places[1:-1]
        squares = dot(levers, levers)
        normal = (squares.sum() + DAMPING * squares.max()) * np.eye(3) - levers.T @ levers
        steps = np.cumsum(cross(levers, np.linalg.solve(normal, left)), axis=0)
        longest = math.sqrt(dot(steps, steps).max())
        turns[1:-1] = _turned(steps * min(1.0, LARGEST / max(longest, 1e-9))) @ turns[1:-1]
        places = placed(body, hips, turns)
    return places


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


def _turned(vectors: Array) -> Array:
    """Rotations [n, 3, 3] about vectors [n, 3], by 2 atan of half their lengths (Cayley 1846)."""
    half = 0.5 * vectors
    skewed = SKEW @ half.T  # [3, 3, n]
    matrices = np.moveaxis(skewed, -1, 0)
    factor = (2.0 / (1.0 + dot(half, half)))[:, None, None]
    return np.asarray(np.eye(3) + factor * (matrices + matrices @ matrices))
