"""Foot trajectories for `retarget`: still and flat in stance, as animated in swing, raised where the sole is
below the ground.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from limbik.motion.contacts import runs
from limbik.spatial import Array, Matrix3, rotation_between, rotation_exp, rotation_log

EASE = 0.1  # [s] in which a foot turns flat before it stands, and back


def intervals(stands: NDArray[np.bool_]) -> Iterator[slice]:
    """The runs of frames [T] in which a foot stands."""
    for frames in runs(stands):
        yield slice(int(frames[0]), int(frames[-1]) + 1)


def held_positions(
    positions: Array, stands: NDArray[np.bool_], ground: float = 0.0, near: float = 0.0
) -> Array:
    """Positions [T, 3] that do not move while a foot stands: each stance at its median, and at the height of
    the ground where that is near [m], or else nearer to it, up to twice as far.

    In between, what that takes of the positions goes over smoothly from one stance to the next; before the
    first and after the last it stays.
    """
    stances = list(intervals(stands))
    if not stances:
        return positions.copy()
    shift = np.empty_like(positions)
    held = [np.median(positions[run], axis=0) for run in stances]
    for run, position in zip(stances, held, strict=True):
        away = abs(position[2] - ground)
        if away < 2.0 * near:  # without a step from what is near to what is not
            position[2] = ground + math.copysign(2.0 * max(away - near, 0.0), position[2] - ground)
        shift[run] = position - positions[run]
    shift[: stances[0].start] = shift[stances[0].start]
    shift[stances[-1].stop :] = shift[stances[-1].stop - 1]
    for before, after in itertools.pairwise(stances):
        fraction = np.linspace(0.0, 1.0, after.start - before.stop + 2)[1:-1, None]
        fraction = fraction * fraction * (3.0 - 2.0 * fraction)
        swing = slice(before.stop, after.start)
        shift[swing] = (1.0 - fraction) * shift[before.stop - 1] + fraction * shift[after.start]
    return positions + shift


def flat_rotations(rotations: Array, stands: NDArray[np.bool_], dt: float) -> Array:
    """Rotations [T, 3, 3] of a foot that is flat while it stands, and does not turn; z is up.

    The path there and back takes a tenth of a second.
    """
    flat = rotations.copy()
    ease = max(1, round(EASE / dt))
    count = len(rotations)
    for run in intervals(stands):
        still = level(rotations[(run.start + run.stop) // 2])
        for k in range(max(0, run.start - ease), min(count, run.stop + ease)):
            away = max(run.start - k, k - run.stop + 1, 0) / (ease + 1)
            fraction = 1.0 - away * away * (3.0 - 2.0 * away)
            flat[k] = rotation_exp(fraction * rotation_log(still @ flat[k].T)) @ flat[k]
    return flat


def level(turn: Matrix3) -> Matrix3:
    """The nearest rotation whose z is up."""
    return rotation_between(turn[:, 2], np.array([0.0, 0.0, 1.0])) @ turn


def lifted(positions: Array, rotations: Array, sole: Array) -> Array:
    """Positions [T, 3] of a foot, raised where a point of its sole [k, 3], in its own axes, is below 0."""
    lowest = (rotations @ sole.T)[:, 2].min(axis=1) + positions[:, 2]
    raised = positions.copy()
    raised[:, 2] += np.maximum(-lowest, 0.0)
    return raised
