"""Poses the trunk of an avatar between hips and head."""

from __future__ import annotations

import numpy as np

from limbik.motion.avatar import bending
from limbik.motion.avatar.body import AvatarBody
from limbik.motion.batches import trunk
from limbik.spatial import Array, Matrix3


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
