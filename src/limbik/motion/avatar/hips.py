"""Hips that no tracker shows, from the head: they face where it faces, later, and lean as it sinks."""

from __future__ import annotations

import math

import numpy as np

from limbik.spatial import Array, Matrix3, rotation_exp, rotation_log

FACING = 0.35  # [s] after which the hips have turned most of the way to the head
MOST_TURN = 1.0  # [rad] of the head against the hips
LEAN, MOST_LEAN = 0.9, 0.6  # [rad] for each part of the height that the head has sunk by
SUNK = (0.6, 0.8)  # parts of the height from which a body that is not upright lies
TILTED = (0.7, 1.3)  # [rad] of the head from upright, likewise


class Hips:
    """The direction that hips face over time [rad]."""

    def __init__(self, heading: float) -> None:
        self.heading = heading

    def turn(self, head: Matrix3, sunk: float, dt: float) -> Matrix3:
        """Anatomical axes of the hips for those of the head [3, 3]; sunk: by which part of its height."""
        ahead = math.remainder(heading_of(head) - self.heading, 2.0 * math.pi)
        follows = ahead * (1.0 - math.exp(-dt / FACING))
        left = float(np.clip(ahead - follows, -MOST_TURN, MOST_TURN))
        self.heading += ahead - left
        lean = min(LEAN * sunk, MOST_LEAN)
        upright = about_z(self.heading) @ rotation_exp(np.array([0.0, lean, 0.0]))
        lies = smooth(sunk, *SUNK) * smooth(math.acos(min(max(head[2, 2], -1.0), 1.0)), *TILTED)
        if lies > 0.0:
            upright = rotation_exp(lies * rotation_log(head @ upright.T)) @ upright
        return np.asarray(upright)


def heading_of(axes: Matrix3) -> float:
    """[rad] about z of where a part faces, also while it looks up or down."""
    forward = axes[:2, 0] - axes[2, 0] * axes[:2, 2]
    return math.atan2(forward[1], forward[0])


def about_z(angle: float) -> Matrix3:
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def smooth(value: float, low: float, high: float) -> float:
    """From 0 at `low` to 1 at `high`."""
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


def decay(before: Array, now: Array, dt: float, time: float) -> Array:
    """What follows `now` with a time constant."""
    return np.asarray(now + (before - now) * math.exp(-dt / time))
