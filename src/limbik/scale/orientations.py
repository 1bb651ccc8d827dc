"""Evenly distributed orientations."""

from __future__ import annotations

import math

import numpy as np

from limbik.errors import SolverError
from limbik.spatial import Array, as_whole

MAX_COUNT = 10_000_000
PHI = math.sqrt(2.0)
PSI = 1.533751168755204288118041  # the real root of psi^4 = psi + 4


def orientations(count: int) -> Array:
    """Quaternions [count, 4], xyzw, that cover all rotations evenly: super-Fibonacci spirals (Alexa 2022)."""
    count = as_whole(count, "`count`", 1, SolverError, MAX_COUNT)
    s = np.arange(count) + 0.5
    inner, outer = np.sqrt(s / count), np.sqrt(1.0 - s / count)
    alpha, beta = 2.0 * math.pi * s / PHI, 2.0 * math.pi * s / PSI
    return np.stack(
        [inner * np.sin(alpha), inner * np.cos(alpha), outer * np.sin(beta), outer * np.cos(beta)], axis=1
    )
