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

from limbik.spatial import Array, dot

JERK, ACCELERATION = (-1.0, 3.0, -3.0, 1.0), (1.0, -2.0, 1.0)  # differences
FADING = 1.9  # w times the time in which an offset that is let go at rest has halved
STEP = 1e-3  # of the margin: depths below a bound are compared in it, for rounding not to decide on a plateau
ROUNDS = 30  # of frames put on the bound, at most


class Coupled(NamedTuple):
    """Positions that move with the offsets x as slope x + value: their squared second differences count, too,
    as much as the weights say.
    """

    slope: Array  # [T, d]
    value: Array  # [T, d]
    weights: Array  # [T - 2]


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
    margin: float,
    coupled: Sequence[Coupled] = (),
) -> Array:
    """The same for one column [T], and above a lower bound [T] (-inf: none) in frames that are not fixed.
    coupled: whose accelerations count, too.

    Where the offsets are farthest below the bound they are put on it, until none is below by more than
    `margin`. A frame that is on the bound stays there: nearly that of least jerk, found in a few steps.
    """
    cost, right = _cost(len(is_fixed), halflife, dt), np.zeros((len(is_fixed), 1))
    for slope, value, weights in coupled:
        bands = _gram(ACCELERATION, weights, len(is_fixed))
        for k, below in enumerate(bands):
            cost[k] += below * dot(slope, np.roll(slope, -k, axis=0))
        right[:, 0] -= dot(slope, _times(bands, value))
    on_bound = np.zeros(len(is_fixed), dtype=np.bool_)
    start = np.where(is_fixed, values, 0.0)
    for _ in range(ROUNDS):
        offsets = _solved(cost, is_fixed | on_bound, np.where(on_bound, lower, start)[:, None], right)[:, 0]
        below = np.round(np.where(is_fixed | on_bound, 0.0, lower - offsets) / (STEP * margin))
        padded = np.pad(below, 1)
        is_peak = (below > 1.0 / STEP) & (below >= padded[:-2]) & (below > padded[2:])
        if not is_peak.any():
            break
        on_bound |= is_peak
    return np.asarray(offsets)


def _cost(count: int, halflife: float, dt: float) -> Array:
    """The matrix [4, T] of the cost, its diagonal first and then those below."""
    bands = _gram(JERK, np.ones(max(count - 3, 0)), count)
    bands[0] += (FADING * dt / halflife) ** 6 + 1e-14
    return bands


def _gram(difference: tuple[float, ...], weights: Array, count: int) -> Array:
    """The bands [4, T] of the sum of squared differences, each times its weight."""
    bands = np.zeros((4, count))
    for i, first in enumerate(difference):
        for k, second in enumerate(difference[i:]):
            bands[k, i : i + len(weights)] += first * second * weights
    return bands


def _times(bands: Array, x: Array) -> Array:
    """The symmetric matrix of such bands times x [T, d]."""
    product = bands[0][:, None] * x
    for k in range(1, min(4, len(x))):
        below = bands[k, : len(x) - k, None]
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
