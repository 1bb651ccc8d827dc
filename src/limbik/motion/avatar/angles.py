"""Rotations about an axis, heading and tilt of a part of the body, for one frame; and a smooth step from 0 to
1.
"""

from __future__ import annotations

import math

import numpy as np

from limbik.spatial import Array, Matrix3


def about(axis: Array, angle: float) -> Matrix3:
    """The rotation about an axis [3] of any length, by an angle [rad] (Rodrigues); none where that is 0."""
    x, y, z = axis.tolist()
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return np.eye(3)
    x, y, z = x / length, y / length, z / length
    sine, cosine = math.sin(angle), math.cos(angle)
    rest = 1.0 - cosine
    return np.array(
        [
            [cosine + rest * x * x, rest * x * y - sine * z, rest * x * z + sine * y],
            [rest * x * y + sine * z, cosine + rest * y * y, rest * y * z - sine * x],
            [rest * x * z - sine * y, rest * y * z + sine * x, cosine + rest * z * z],
        ]
    )


def about_z(angle: float) -> Matrix3:
    """The rotation about z by an angle [rad]."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def heading_of(axes: Matrix3) -> float:
    """[rad] about z of where a part faces, also while it looks up or down."""
    (fx, _, ux), (fy, _, uy), (fz, _, _) = axes.tolist()
    return math.atan2(fy - fz * uy, fx - fz * ux)


def tilt_of(axes: Matrix3) -> float:
    """[rad] of a part from upright."""
    return math.acos(min(max(float(axes[2, 2]), -1.0), 1.0))


def smooth(value: float, low: float, high: float) -> float:
    """From 0 at `low` to 1 at `high`."""
    fraction = min(max((value - low) / (high - low), 0.0), 1.0)
    return fraction * fraction * (3.0 - 2.0 * fraction)


def limited(value: float, size: float) -> float:
    """The value, or the nearest one up to a size away from 0."""
    return min(max(value, -size), size)
