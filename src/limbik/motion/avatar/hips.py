"""`Hips`: estimates the orientation of the hips from that of the head and how far it has sunk, and where they
are when they would be too low, where no tracker shows it.
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from limbik.motion.avatar.angles import about, about_z, heading_of, limited, smooth, tilt_of
from limbik.spatial import Array, Matrix3, rotation_between, rotation_exp, rotation_log

FACING = 0.35  # [s] after which the hips have turned by the larger part of the angle to the head
FASTEST = 10.0  # [rad/s] that hips turn
MAX_TURN = 1.0  # [rad] of the head against the hips
LEAN, MAX_LEAN = 1.4, 0.6  # [rad] for each part of the height that the head has sunk by
SUNK = (0.6, 0.8)  # parts of the height from which a body that is not upright lies
LEANS, BACK = 0.3, 0.1  # how much the head's lean says about where low hips go, and that they go back
ROUND = 4.0  # [rad/s] that low hips go round the head
LEFT = np.array([0.0, 1.0, 0.0])
TILTED = (0.7, 1.3)  # [rad] of the head from upright, likewise


class Hips:
    """The direction that hips face over time [rad], and the side of a low head that they are on."""

    def __init__(self, heading: float) -> None:
        self.heading = heading
        self._aside: float | None = None  # [rad] from head to hips in the last frame, while the trunk leans

    def turn(self, head: Matrix3, sunk: float, dt: float) -> Matrix3:
        """Anatomical axes of the hips for those of the head [3, 3]; sunk: by which part of its height."""
        ahead = math.remainder(heading_of(head) - self.heading, 2.0 * math.pi)
        follows = ahead * (1.0 - math.exp(-dt / FACING))
        left = limited(ahead - follows, MAX_TURN)
        self.heading += limited(ahead - left, FASTEST * dt)
        lean = min(LEAN * sunk, MAX_LEAN)
        upright = about_z(self.heading) @ about(LEFT, lean)
        lies = smooth(sunk, *SUNK) * smooth(tilt_of(head), *TILTED)
        if lies > 0.0:
            upright = rotation_exp(lies * rotation_log(head @ upright.T)) @ upright
        return np.asarray(upright)

    def seated(self, positions: Array, rotations: Array, head: Matrix3, height: float, dt: float) -> Array:
        """Positions with a trunk that leans so far about the head that the hips are up to a height [m] below.

        Hips go to where they are already, back, and away from where the head leans; rotations [n, 3, 3]
        are changed themselves.
        """
        lean = positions[0] - positions[-1]
        length = math.sqrt(lean @ lean)
        if -lean[2] <= height or length == 0.0:
            self._aside = None
            return positions
        aside = cmath.phase(complex(*(lean[:2] - length * (LEANS * head[:2, 2] + BACK * head[:2, 0]))))
        if self._aside is not None:
            aside = self._aside + limited(math.remainder(aside - self._aside, 2.0 * math.pi), ROUND * dt)
        self._aside = aside
        down = min(max(height, 0.0), length)
        out = cmath.rect(math.sqrt(length**2 - down**2), aside)
        turn = rotation_between(lean, np.array([out.real, out.imag, -down]))
        rotations[:-1] = turn @ rotations[:-1]
        return np.asarray(positions[-1] + (positions - positions[-1]) @ turn.T)
