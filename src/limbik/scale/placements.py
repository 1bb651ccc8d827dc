"""Base placements: where to put a robot so that it reaches a set of poses.

The inverse of a reach map (Vahrenkamp, Asfour and Dillmann 2013), without storing it: what a base sees of
each pose is looked up in the map.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.errors import SolverError
from limbik.scale.grid import Grid
from limbik.spatial import Array, Matrix4, pose_from, pose_inverse, quat_from_matrix, rotation_rpy

LOOKUPS = 1_000_000  # at once
MAX_SPOTS = 10_000_000
APART = 0.1  # of the reach: smallest distance of a base from a better one


class ReachSlice(NamedTuple):
    """Of a map what is looked up."""

    grid: Grid
    quaternions: Array  # [n, 4] the orientations
    bits: NDArray[np.uint8]  # [voxels, n / 8] which are reached, the first one highest
    margin: Array  # [voxels]
    radius: float  # [m] from the base no farther

    def nearest_orientation(self, rotations: Array) -> NDArray[np.intp]:
        """[N] the index of the orientation that is nearest to each of rotations [N, 3, 3]."""
        quaternions, step = quat_from_matrix(rotations), max(LOOKUPS // len(self.quaternions), 1)
        parts = [quaternions[begin : begin + step] for begin in range(0, len(quaternions), step)]
        nearest = [np.abs(part @ self.quaternions.T).argmax(axis=1) for part in parts]
        return np.concatenate([np.empty(0, np.intp), *nearest])

    def at(self, index: NDArray[np.intp], orientation: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether orientations [N] are reached in voxels [..., N]; an index of -1 is none."""
        byte, shift = np.divmod(orientation, 8)
        return np.asarray((index >= 0) & ((self.bits[index, byte] >> (7 - shift)) & 1).astype(bool))


class Placement(NamedTuple):
    """A pose of the base."""

    pose: Matrix4
    fraction: float  # of the poses that are reached from there
    margin: float  # mean of the map's margin where those are


def placements(reached: ReachSlice, poses: Array, height: float, yaws: int, count: int) -> list[Placement]:
    """The best `count` poses of the base on the plane z = height, those that reach most poses first.

    poses [N, 4, 4]. Tried: each voxel's width in x and y, and so many rotations about z.
    """
    grid = reached.grid
    spots = _spots(poses[:, :2, 3], reached.radius, grid.voxel)
    stands = [np.empty((0, 5))]  # rows of fraction, margin, x, y, yaw
    for yaw in 2.0 * math.pi * np.arange(yaws) / yaws:
        back = pose_inverse(pose_from(rotation_rpy(0.0, 0.0, yaw), (0.0, 0.0, height)))
        turned = back @ poses
        orientation = reached.nearest_orientation(turned[:, :3, :3])
        step = max(LOOKUPS // len(poses), 1)
        for some in (spots[begin : begin + step] for begin in range(0, len(spots), step)):
            moved = np.column_stack([some, np.zeros(len(some))]) @ back[:3, :3].T
            index = grid.index((turned[:, :3, 3] - moved[:, None]).reshape(-1, 3)).reshape(len(some), -1)
            is_reached = reached.at(index, orientation)
            number = is_reached.sum(axis=1)
            margin = np.where(is_reached, reached.margin[index], 0.0).sum(axis=1) / np.maximum(number, 1)
            rows = np.column_stack([number / len(poses), margin, some, np.full(len(some), yaw)])
            stands.append(rows[number > 0])
    return list(itertools.islice(_apart(np.concatenate(stands), APART * reached.radius, height), count))


def _spots(targets: Array, far: float, spacing: float) -> Array:
    """[M, 2] from which one of targets [N, 2] at least is not too far. Raises SolverError for too many."""
    low, high = targets.min(axis=0) - far, targets.max(axis=0) + far
    if np.prod((high - low) / spacing + 1.0) > MAX_SPOTS:
        raise SolverError(
            f"poses so far apart need more than {MAX_SPOTS:,} positions of a base, {spacing:g} m apart: ask "
            "for fewer poses at once, or make a coarser map"
        )
    x, y = (np.arange(a, b + spacing, spacing) for a, b in zip(low, high, strict=True))
    return np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)


def _apart(rows: Array, distance: float, height: float) -> Iterator[Placement]:
    """The rows as placements, the best first, without those near better ones."""
    rows = rows[np.lexsort((-rows[:, 1], -rows[:, 0]))]
    while len(rows):
        fraction, margin, x, y, yaw = rows[0].tolist()
        yield Placement(pose_from(rotation_rpy(0.0, 0.0, yaw), (x, y, height)), fraction, margin)
        rows = rows[np.linalg.norm(rows[:, 2:4] - (x, y), axis=1) > distance]
