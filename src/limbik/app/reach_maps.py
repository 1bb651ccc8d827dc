"""A reach map as the bytes that the 3-D page loads, and the orientations reached at one of its voxels."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from limbik.errors import SolverError
from limbik.locks import cached_property

if TYPE_CHECKING:
    from limbik.scale.reach import Reach

MAX_VOXELS = 20_000_000  # of a map that a page takes, a byte each
LEVELS = 255  # of the fraction that is reached


@dataclass(frozen=True, eq=False)
class ReachMap:
    """A map and its key, which the page has in its link. Raises SolverError for one that is too large."""

    reach: Reach

    def __post_init__(self) -> None:
        size = self.reach.grid.size
        if size > MAX_VOXELS:
            raise SolverError(
                f"the page shows maps of up to {MAX_VOXELS:,} voxels, found {size:,}: map larger voxels"
            )

    @cached_property
    def key(self) -> str:
        """Another one for another map, and while the map grows."""
        digest = hashlib.sha256(self._header)
        digest.update(self._levels)
        return digest.hexdigest()[:40]

    def content(self) -> bytes:
        """The length of a header (4 bytes, little-endian), the header as JSON, and a level for each voxel."""
        return len(self._header).to_bytes(4, "little") + self._header + self._levels

    def reached(self, voxel: int) -> list[list[float]]:
        """The orientations [m, 4], xyzw, that are reached at the centre of a voxel.

        Raises SolverError for a voxel that there is not.
        """
        if not 0 <= voxel < self.reach.grid.size:
            raise SolverError(f"the map has voxels from 0 to {self.reach.grid.size - 1}, found {voxel}")
        (bits,) = self.reach.reachable(voxel, voxel + 1)
        quaternions: list[list[float]] = self.reach.quaternions[bits].tolist()
        return quaternions

    @cached_property
    def _header(self) -> bytes:
        record, grid = self.reach.record, self.reach.grid
        header: dict[str, Any] = {
            "robot": record["robot"],
            "frame": record["frame"],
            "corner": grid.corner,
            "voxel": grid.voxel,
            "shape": grid.shape,
            "orientations": record["orientations"],
            "proved": record["proved"],
            "world": record["world"],
            "complete": self.reach.is_complete,
            "slice": self.reach.best_slice()[0],
        }
        return json.dumps(header).encode()

    @cached_property
    def _levels(self) -> bytes:
        """Above 0 where anything is reached."""
        return np.ceil(LEVELS * self.reach.fraction).astype(np.uint8).tobytes()
