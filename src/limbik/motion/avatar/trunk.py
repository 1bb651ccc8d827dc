"""The trunk between hips and head: it bends by shares, then as little more as brings the head to its place.

What is left after the shares is taken by Newton's method on the place of the head, damped, with the least
squared turns of all joints (Wampler 1986); the head keeps its orientation.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.motion.avatar.body import Body
from limbik.spatial import Array, Matrix3, cross, dot, rotation_exp, rotation_log

STEPS = 5  # of Newton's method, at most
NEAR = 1e-6  # [m] of the head to its place
DAMPING = 1e-4  # of the squared lever arms
LARGEST = 0.3  # [rad] of a step
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
    """The places of hips and trunk's links, with the head's at a place [3], or as near as it gets; `turns` are
    changed in place.
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


def _turned(vectors: Array) -> Array:
    """Rotations [n, 3, 3] about vectors [n, 3], by twice the arc tangent of half their lengths (Cayley 1846)."""
    half = 0.5 * vectors
    skewed = SKEW @ half.T  # [3, 3, n]
    matrices = np.moveaxis(skewed, -1, 0)
    factor = (2.0 / (1.0 + dot(half, half)))[:, None, None]
    return np.asarray(np.eye(3) + factor * (matrices + matrices @ matrices))
