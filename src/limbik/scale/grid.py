"""`Grid`: the box of voxels about the ball that a robot's frame never leaves; and that ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.errors import SolverError
from limbik.model import JointKind, Model
from limbik.spatial import Array, as_whole

MAX_VOXELS = 100_000_000


@dataclass(frozen=True)
class Grid:
    """Voxels of a box, in the order of x, y, z, z fastest."""

    corner: tuple[float, float, float]  # [m] where x, y and z are smallest
    voxel: float  # [m] length of an edge
    shape: tuple[int, int, int]  # voxels along x, y and z

    @property
    def size(self) -> int:
        """How many voxels there are."""
        return self.shape[0] * self.shape[1] * self.shape[2]

    def centers(self, first: int, last: int) -> Array:
        """The centres [last - first, 3] of the voxels from `first` to before `last` [m].

        Raises SolverError for what are no voxels of the grid.
        """
        self.check_range(first, last)
        indices = np.stack(np.unravel_index(np.arange(first, last), self.shape), axis=1)
        return np.asarray(np.array(self.corner) + self.voxel * (indices + 0.5))

    def check_range(self, first: int, last: int) -> None:
        """Raise SolverError for what are no voxels from `first` to before `last`."""
        for name, value in (("first", first), ("last", last)):
            as_whole(value, f"`{name}`", 0, SolverError, self.size)

    def index(self, points: Array) -> NDArray[np.intp]:
        """The indices [N] of the voxels that have points [N, 3] in them; -1 for points outside of the box."""
        indices = np.floor((points - np.array(self.corner)) / self.voxel)
        is_inside = np.all((indices >= 0) & (indices < self.shape), axis=1)
        indices = np.where(is_inside[:, None], indices, 0).astype(np.intp)
        return np.where(is_inside, np.ravel_multi_index(tuple(indices.T), self.shape), -1)


def grid_about(center: Array, radius: float, voxel: float) -> Grid:
    """The smallest box of voxels about a ball. Raises SolverError for more than 100 million of them, and for
    one that is larger than the ball.
    """
    if voxel > 2.0 * radius:
        raise SolverError(f"`voxel` of {voxel:g} m is larger than the whole reach of {2.0 * radius:.3g} m")
    if 2.0 * radius > MAX_VOXELS ** (1 / 3) * voxel:
        raise SolverError(
            f"`voxel` of {voxel:g} m makes more than {MAX_VOXELS:,} voxels of a reach of {radius:.3g} m; "
            f"it needs {2.0 * radius / MAX_VOXELS ** (1 / 3):.2g} m or more"
        )
    half = int(np.ceil(radius / voxel))
    x, y, z = (float(c) - half * voxel for c in center)
    return Grid((x, y, z), voxel, (2 * half, 2 * half, 2 * half))


def ball_of_reach(model: Model, frame: str) -> tuple[Array, float]:
    """The centre [3] and the radius [m] of a ball that a frame's origin never leaves."""
    pose = np.eye(4)
    for joint in model.path(frame):
        pose = pose @ joint.origin
        if joint.kind is not JointKind.FIXED:
            return pose[:3, 3], model.reach(frame)
    raise SolverError(f"no joint moves frame {frame!r}: there is nothing to map")
