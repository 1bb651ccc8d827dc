"""Assigns times to the knots of a path within limits of velocity and acceleration.

A forward and a backward pass over the speed along the path, as in time-optimal path parameterisation (Bobrow,
Dubowsky & Gibson 1985). Velocities are those between knots, accelerations their change from the middle of one
stretch to the middle of the next; at both ends and at breaks the arm rests. Half of the acceleration is for
bends, half for the change of speed, which keeps the limits, but is not the shortest time.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import Array

FOR_BENDS = 0.5  # of the acceleration


def path_times(steps: Array, is_break: NDArray[np.bool_], velocity: Array, acceleration: Array) -> Array:
    """Times [M] of knots from their steps [M - 1, nq], some of which are breaks.

    velocity, acceleration [nq]: [rad/s or m/s], [rad/s^2 or m/s^2]; infinite where there is no limit. A break
    is a move of its own, from rest to rest.
    """
    durations = np.empty(len(steps))
    edges = [-1, *np.flatnonzero(is_break), len(steps)]
    for begin, end in itertools.pairwise(edges):
        durations[begin + 1 : end] = _durations(steps[begin + 1 : end], velocity, acceleration)
    for k in edges[1:-1]:
        durations[k] = _from_rest_to_rest(np.abs(steps[k]), velocity, acceleration)
    return np.concatenate([[0.0], np.cumsum(durations)])


def _durations(steps: Array, velocity: Array, acceleration: Array) -> Array:
    """[s] of each step of a piece that begins and ends at rest."""
    lengths = np.linalg.norm(steps, axis=1)
    moves = lengths > 0.0
    durations = np.zeros(len(steps))
    if moves.any():
        speeds = _speeds(steps[moves] / lengths[moves, None], lengths[moves], velocity, acceleration)
        durations[moves] = lengths[moves] / speeds
    return durations


def _speeds(directions: Array, lengths: Array, velocity: Array, acceleration: Array) -> Array:
    """[rad or m per s] along each step.

    With speeds s, t before and after a knot and directions u, w, the velocity changes by
    (w - u) (s + t) / 2 + (u + w) / 2 (t - s): the bend and the change of speed.
    """
    with np.errstate(divide="ignore"):
        speeds = 1.0 / (np.abs(directions) / velocity).max(axis=1)
    apart = 0.5 * (lengths[1:] + lengths[:-1])
    bends = (np.abs(np.diff(directions, axis=0)) / acceleration).max(axis=1)
    with np.errstate(divide="ignore"):
        max_speeds = np.sqrt(FOR_BENDS * apart / bends)
        speeds[1:] = np.minimum(speeds[1:], max_speeds)
        speeds[:-1] = np.minimum(speeds[:-1], max_speeds)
        along = (np.abs(directions[1:] + directions[:-1]) / (2.0 * acceleration)).max(axis=1)
        gains = (1.0 - FOR_BENDS) * apart / along
        ends = 0.5 * lengths[[0, -1]] / (np.abs(directions[[0, -1]]) / acceleration).max(axis=1)
    speeds = _forward(speeds, np.concatenate([ends[:1], gains]))
    return _forward(speeds[::-1], np.concatenate([ends[1:], gains[::-1]]))[::-1]


def _forward(max_speeds: Array, gains: Array) -> Array:
    """Speeds that rise from rest: from s to t only as far as t (t - s) is within the gain."""
    speeds, before = np.empty(len(max_speeds)), 0.0
    for k, (cap, gain) in enumerate(zip(max_speeds, gains, strict=True)):
        before = min(cap, 0.5 * (before + math.sqrt(before * before + 4.0 * gain)))
        speeds[k] = before
    return speeds


def _from_rest_to_rest(step: Array, velocity: Array, acceleration: Array) -> float:
    """[s] of a move with a trapezoid of velocity."""
    longest = 0.0
    for d, v, a in zip(step, velocity, acceleration, strict=True):
        if math.isinf(a):
            longest = max(longest, d / v)
        else:
            longest = max(longest, d / v + v / a if d * a > v * v else 2.0 * math.sqrt(d / a))
    return longest
