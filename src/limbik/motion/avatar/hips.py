"""`Hips`: estimates the orientation of the hips from that of the head and how far it has sunk, where no
tracker shows it.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.motion.avatar.angles import about, about_z, heading_of, smooth, tilt_of
from limbik.spatial import Matrix3, rotation_exp, rotation_log

FACING = 0.35  # [s] after which the hips have turned by the larger part of the angle to the head
MAX_TURN = 1.0  # [rad] of the head against the hips
LEAN, MAX_LEAN = 1.4, 0.6  # [rad] for each part of the height that the head has sunk by
SUNK = (0.6, 0.8)  # parts of the height from which a body that is not upright lies
LEFT = np.array([0.0, 1.0, 0.0])
TILTED = (0.7, 1.3)  # [rad] of the head from upright, likewise


class Hips:
    """The direction that hips face over time [rad]."""

    def __init__(self, heading: float) -> None:
        self.heading = heading

    def turn(self, head: Matrix3, sunk: float, dt: float) -> Matrix3:
        """Anatomical axes of the hips for those of the head [3, 3]; sunk: by which part of its height."""
        ahead = math.remainder(heading_of(head) - self.heading, 2.0 * math.pi)
        follows = ahead * (1.0 - math.exp(-dt / FACING))
        left = min(max(ahead - follows, -MAX_TURN), MAX_TURN)
        self.heading += ahead - left
        lean = min(LEAN * sunk, MAX_LEAN)
        upright = about_z(self.heading) @ about(LEFT, lean)
        lies = smooth(sunk, *SUNK) * smooth(tilt_of(head), *TILTED)
        if lies > 0.0:
            upright = rotation_exp(lies * rotation_log(head @ upright.T)) @ upright
        return np.asarray(upright)
