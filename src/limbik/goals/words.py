"""Writes vectors and rotations of goals as text for sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable

from limbik.spatial import Matrix3


def numbers(values: Iterable[float]) -> str:
    """A vector for a sentence."""
    return f"({', '.join(f'{round(float(value), 9) + 0.0:.4g}' for value in values)})"


def turn(rotation: Matrix3) -> str:
    """A rotation for a sentence."""
    angles = roll_pitch_yaw(rotation)
    degrees = numbers(math.degrees(angle) for angle in angles)
    return f"roll, pitch, yaw {numbers(angles)} rad = {degrees} deg"


def roll_pitch_yaw(rotation: Matrix3) -> tuple[float, float, float]:
    """Angles [rad] about the fixed axes x, then y, then z; with a pitch of a quarter turn, the yaw is 0."""
    across = math.hypot(rotation[0, 0], rotation[1, 0])
    pitch = math.atan2(-rotation[2, 0], across)
    if across < 1e-9:
        return math.atan2(-rotation[1, 2], rotation[1, 1]), pitch, 0.0
    return math.atan2(rotation[2, 1], rotation[2, 2]), pitch, math.atan2(rotation[1, 0], rotation[0, 0])
