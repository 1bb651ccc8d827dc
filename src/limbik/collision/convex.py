"""`ConvexPiece`: a convex core and a radius about it, between which distances are computed; `Pieces` of these
contain a shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.spatial import Array, Matrix4


@dataclass(frozen=True, eq=False)
class ConvexPiece:
    """All points within `radius` of the core, which is the hull of the vertices.

    A sphere has one vertex, a capsule two, a box eight. With `disc` above 0 the core is the cylinder of that
    radius about the segment between its two vertices, with flat ends.
    """

    vertices: Array  # [k, 3] in metres
    radius: float = 0.0  # [m]
    disc: float = 0.0  # [m]

    def moved(self, pose: Matrix4) -> ConvexPiece:
        """The piece, moved from one frame to another by a pose [4, 4]."""
        return ConvexPiece(self.vertices @ pose[:3, :3].T + pose[:3, 3], self.radius, self.disc)

    @property
    def bounding_sphere(self) -> tuple[Array, float]:
        """Center [3] and radius [m] of a sphere that contains it."""
        center = 0.5 * (self.vertices.min(axis=0) + self.vertices.max(axis=0))
        reach = np.sqrt(((self.vertices - center) ** 2).sum(axis=1).max())
        return center, float(np.hypot(reach, self.disc) + self.radius)


@dataclass(frozen=True, eq=False)
class Pieces:
    """Convex pieces that together contain a shape, but for what `gap` says."""

    pieces: tuple[ConvexPiece, ...]
    overshoot: float = 0.0  # [m] how far they reach beyond it at most; 0 where they are it
    note: str = ""  # what was made of it, where that is not the shape itself
    gap: str = ""  # what of it they do not contain: the inside of an open surface
