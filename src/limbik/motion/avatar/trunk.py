"""Poses the trunk of an avatar between hips and head, and leans it where the hips would be too low."""

from __future__ import annotations

import math

import numpy as np

from limbik.motion.avatar import bending
from limbik.motion.avatar.body import AvatarBody
from limbik.motion.batches import trunk
from limbik.spatial import Array, Matrix3, rotation_between, unit

LEANS, BACK = 0.3, 0.1  # how much the head's lean says about where hips go, and that they go back


def bent(
    body: AvatarBody, hips: Matrix3, head: Matrix3, position: Array | None, target: Array | None
) -> tuple[Array, Array]:
    """Rotations [n + 1, 3, 3] and positions [n + 1, 3] of hips and trunk's links, for anatomical axes of hips
    and head.

    position [3]: of the hips; None: the origin. target [3]: of the head's joint, which comes as near as it
    can; None: the trunk bends by its fractions alone.
    """
    rotations = np.empty((len(body.spine) + 1, 3, 3))
    rotations[0] = hips @ body.axes["hips"].T
    rotations[-1] = head @ body.axes["head"].T
    problem = np.zeros(bending.PROBLEM)
    if position is not None:
        problem[bending.HIPS : bending.HIPS + 3] = position
    if target is not None:
        problem[bending.HEAD : bending.HEAD + 3] = target
        problem[bending.BRINGS] = 1.0
    problem[bending.ROTATION : bending.ROTATION + 9] = (head @ hips.T).ravel()
    problem[bending.CARRIED : bending.CARRIED + 9] = (hips @ body.heading.T).ravel()
    return rotations, trunk(rotations, body.spine_rest, body.bones, body.fractions, problem)


def seated(positions: Array, rotations: Array, head: Matrix3, height: float) -> Array:
    """Positions with a trunk that leans so far about the head that the hips are up to a height [m] below.

    Hips go to where they are already, back, and away from where the head leans; rotations are changed in
    place.
    """
    lean = positions[0] - positions[-1]
    length = math.sqrt(lean @ lean)
    if -lean[2] <= height or length == 0.0:
        return positions
    aside = lean[:2] - length * (LEANS * head[:2, 2] + BACK * head[:2, 0])
    down = min(max(height, 0.0), length)
    leaning = np.array([*(math.sqrt(length**2 - down**2) * unit(aside)), -down])
    turn = rotation_between(lean, leaning)
    rotations[:-1] = turn @ rotations[:-1]
    return np.asarray(positions[-1] + (positions - positions[-1]) @ turn.T)
