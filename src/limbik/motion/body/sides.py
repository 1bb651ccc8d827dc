"""`left_direction`: the unit vector to the left of a body, from where its feet point, or by convention where
they point nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.motion.body.skeleton import LinkSkeleton
from limbik.spatial import Array, norm

FORWARD = 0.05  # of a leg's length: the minimum that a foot is in front of the ankle
CONVENTION = {"x": (0.0, 0.0, 1.0), "y": (0.0, 0.0, 1.0), "z": (1.0, 0.0, 0.0)}  # forward, by what is up


def left_direction(
    skeleton: LinkSkeleton, legs: Sequence[tuple[str, str]], body_up: Array
) -> tuple[Array, str]:
    """The unit vector to the left of the body [3], and how it was found.

    legs: links of the upper leg and foot of each. body_up: unit vector from the hips to the chest. Forward is
    where the feet point; where they point nowhere, +x if z is up, as in ROS (REP 103), and +z if y is up, as
    in glTF and BVH.
    """
    points = [_foot_points(skeleton, foot, body_up) for _, foot in legs]
    forward = np.sum(points, axis=0) if points else np.zeros(3)
    length = max((skeleton.distance(*leg) for leg in legs), default=0.0)
    reason = "the feet point forward"
    if not length or float(norm(forward)) <= FORWARD * length:
        axis = "xyz"[int(np.argmax(np.abs(body_up)))]
        forward, reason = np.array(CONVENTION[axis]), f"forward is {'x' if axis == 'z' else 'z'}"
    left = np.cross(body_up, forward)
    return left / max(float(norm(left)), 1e-9), reason


def _foot_points(skeleton: LinkSkeleton, foot: str, body_up: Array) -> Array:
    """From the ankle to the farthest point of the foot, across the body's axis [3] [m]."""
    ankle = skeleton.positions[foot]
    below = skeleton.below(foot)
    points = [skeleton.positions[link] for link in below] + [
        end for link in below for end in skeleton.ends[link]
    ]
    across = [(across_ankle := point - ankle) - body_up * float(across_ankle @ body_up) for point in points]
    return max(across, key=lambda across_ankle: float(norm(across_ankle)))
