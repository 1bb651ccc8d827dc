"""`palm_pose`: the frame of a palm from wrist and knuckles, common to all hands: x toward the fingers, z out
of the back of the hand.
"""

from __future__ import annotations

import numpy as np

from limbik.errors import GoalError
from limbik.motion.body.roles import Side
from limbik.spatial import Array, Matrix4, cross, dot

FLAT = 1e-3  # of the square of the palm's length: the smallest area of wrist and knuckles


def palm_pose(wrist: Array, index: Array, middle: Array, little: Array, side: Side) -> Matrix4:
    """pose_world_palm [..., 4, 4] of the wrist and three knuckles [..., 3].

    y is toward the thumb in a right hand, and away from it in a left one. nan where one of them is nan.

    Raises GoalError where all of them are in a line.
    """
    x = middle - wrist
    across = index - little if side == "right" else little - index
    z = cross(x, across)
    square, area = dot(x, x), np.sqrt(dot(z, z))
    if (area <= FLAT * square).any():
        raise GoalError("wrist and knuckles of a hand need to span a plane; they are in a line")
    x, z = x / np.sqrt(square)[..., None], z / area[..., None]
    pose = np.zeros((*x.shape[:-1], 4, 4))
    pose[..., :3, 0], pose[..., :3, 1], pose[..., :3, 2] = x, cross(z, x), z
    pose[..., :3, 3] = wrist
    pose[..., 3, 3] = 1.0
    return pose
