"""The surface of a mesh, convex hull, distance grid or point cloud, as triangles or points for the page to
draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.collision.grid_pieces import grid_pieces
from limbik.collision.hulls import hull_of
from limbik.collision.meshes import triangles_of
from limbik.model.shapes import ConvexHull, DistanceGrid, Mesh, Points, Shape
from limbik.spatial import Array


class ShownSurface(NamedTuple):
    """Triangles; without any, a cloud of points."""

    vertices: Array  # [n, 3] in metres
    triangles: NDArray[np.intp]  # [m, 3] indices of vertices

    @property
    def data(self) -> bytes:
        """Numbers of vertices and triangles as uint32, the vertices as float32, the triangles as uint32; all
        little-endian.
        """
        counts = np.array([len(self.vertices), len(self.triangles)], "<u4")
        return b"".join(
            [counts.tobytes(), self.vertices.astype("<f4").tobytes(), self.triangles.astype("<u4").tobytes()]
        )


def surface_of(shape: Shape) -> ShownSurface:
    """Of a shape that comes from a file. Raises CollisionError for one that has no surface."""
    if isinstance(shape, Points):
        return _cloud(shape.points)
    if isinstance(shape, ConvexHull):
        hull = hull_of(shape.vertices)
        return _cloud(shape.vertices) if hull is None else _surface(hull.triangles)
    if isinstance(shape, DistanceGrid):
        boxes = [hull_of(piece.vertices) for piece in grid_pieces(shape).pieces]
        return _surface(np.concatenate([box.triangles for box in boxes if box is not None]))
    assert isinstance(shape, Mesh), "the others are told by their sizes"
    return _surface(triangles_of(shape))


def _surface(triangles: Array) -> ShownSurface:
    """triangles: [m, 3, 3]."""
    return ShownSurface(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))


def _cloud(points: Array) -> ShownSurface:
    return ShownSurface(points, np.empty((0, 3), np.intp))
