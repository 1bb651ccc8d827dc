"""Writes vectors and rotations of goals as text for sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable

from limbik.spatial import Matrix3, roll_pitch_yaw


def numbers(values: Iterable[float]) -> str:
    """A vector for a sentence."""
    return f"({', '.join(f'{round(float(value), 9) + 0.0:.4g}' for value in values)})"


def turn(rotation: Matrix3) -> str:
    """A rotation for a sentence."""
    angles = roll_pitch_yaw(rotation)
    degrees = numbers(math.degrees(angle) for angle in angles)
    return f"roll, pitch, yaw {numbers(angles)} rad = {degrees} deg"
