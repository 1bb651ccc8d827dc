"""Offsets over time with minimum jerk through known frames, fading to 0 elsewhere, optionally above a lower
bound.

The cost is the sum of squared third differences, plus a pull toward 0 that makes an offset which is
let go fade away, before a known frame as well as after it: the whole motion is known. The frames that are
fixed are met exactly. One banded system for any number of columns.

The third derivative's spline with a pull, x'''''' = w^6 x between known frames; Flash and Hogan 1985 for the
cost, Eilers 2003 ("A perfect smoother") for differences in a banded system.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import Array

DIFFERENCE = (-1.0, 3.0, -3.0, 1.0)
FADING = 1.9  # w times the time in which an offset that is let go at rest has halved
ROUNDS = 30  # of frames put on the bound, at most
MARGIN = 1e-3  # [m or rad] how far beyond a bound an offset may be


class Coupled(NamedTuple):
    """What moves with the offsets x, as slope x + value; its jerk counts beside theirs."""

    slope: Array  # [T]
    value: Array  # [T]
    weight: float


def fading_offsets(is_fixed: NDArray[np.bool_], values: Array, halflife: float, dt: float) -> Array:
    """Offsets [T, d] that are `values` [T, d] in frames that are fixed [T].

    halflife: time [s] in which an offset has halved where none is fixed; dt: [s] between frames.
    """
    start = np.where(is_fixed[:, None], values, 0.0)
    return _solved(_cost(len(is_fixed), halflife, dt), is_fixed, start, np.zeros_like(start))


def bounded_offsets(
    is_fixed: NDArray[np.bool_],
    values: Array,
    lower: Array,
    halflife: float,
    dt: float,
    margin: float = MARGIN,
    coupled: Sequence[Coupled] = (),
) -> Array:
    """The same for one column [T], and above a lower bound [T] (-inf: none) in frames that are not fixed.
    coupled: whose jerk counts, too.

    Where the offsets are farthest below the bound they are put on it, until none is below by more than
    `margin`. A frame that is on the bound stays there: nearly that of least jerk, found in a few steps.
    """
    cost, right = _cost(len(is_fixed), halflife, dt), np.zeros((len(is_fixed), 1))
    jerk = _cost(len(is_fixed), np.inf, dt)
    for slope, value, weight in coupled:
        for k, below in enumerate(jerk):
            cost[k] += weight * below * slope * np.roll(slope, -k)
        right[:, 0] -= weight * slope * _times(jerk, value)
    on_bound = np.zeros(len(is_fixed), dtype=np.bool_)
    start = np.where(is_fixed, values, 0.0)
    for _ in range(ROUNDS):
        offsets = _solved(cost, is_fixed | on_bound, np.where(on_bound, lower, start)[:, None], right)[:, 0]
        below = np.where(is_fixed | on_bound, 0.0, lower - offsets)
        padded = np.pad(below, 1)
        is_peak = (below > margin) & (below >= padded[:-2]) & (below > padded[2:])
        if not is_peak.any():
            break
        on_bound |= is_peak
    return np.asarray(offsets)


def _cost(count: int, halflife: float, dt: float) -> Array:
    """The matrix [4, T] of the cost, its diagonal first and then those below."""
    bands = np.zeros((4, count))
    steps = max(count - 3, 0)
    for i, first in enumerate(DIFFERENCE):
        for k in range(i, 4):
            bands[k - i, i : i + steps] += first * DIFFERENCE[k]
    bands[0] += (FADING * dt / halflife) ** 6 + 1e-14
    return bands


def _times(bands: Array, x: Array) -> Array:
    """The symmetric matrix of `_cost` times a vector [T]."""
    product = bands[0] * x
    for k in range(1, min(4, len(x))):
        below = bands[k, : len(x) - k]
        product[k:] += below * x[: len(x) - k]
        product[: len(x) - k] += below * x[k:]
    return np.asarray(product)


def _solved(bands: Array, is_fixed: NDArray[np.bool_], start: Array, right: Array) -> Array:
    """The offsets [T, d] where the cost is smallest; start: values where fixed, else 0; right: minus the
    gradient of the cost [T, d] where all offsets are 0.
    """
    from scipy.linalg import solveh_banded

    count = len(is_fixed)
    bands, right = bands.copy(), right - bands[0][:, None] * start
    for k in range(1, min(4, count)):
        below = bands[k, : count - k, None]
        right[k:] -= below * start[: count - k]
        right[: count - k] -= below * start[k:]
        bands[k, : count - k] *= ~(is_fixed[k:] | is_fixed[: count - k])
    bands[0] = np.where(is_fixed, 1.0, bands[0])
    right[is_fixed] = start[is_fixed]
    return np.asarray(solveh_banded(bands, right, lower=True, check_finite=False))
