"""Convex hulls of points: corners, faces, distances; and fewer corners that, thickened by a radius, contain
the whole hull.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.collision.triangles import distances_to_triangles
from limbik.spatial import Array

FLAT = 1e-9  # fraction of its size that a flat set of points may be thick
MAX_VERTICES = 256  # of a core; a search for the farthest one goes through all
WITHIN = 5e-4  # [m] what a simplified hull may reach beyond the exact one, where so many vertices suffice


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex hull with an inside."""

    vertices: Array  # [k, 3] its corners
    faces: NDArray[np.intp]  # [m, 3] indices of the corners of its triangles
    planes: Array  # [p, 4] unit normals outward and offsets: normal @ x + offset <= 0 inside
    volume: float  # [m^3]

    @property
    def triangles(self) -> Array:
        """[m, 3, 3] its surface."""
        return self.vertices[self.faces]

    @property
    def edges(self) -> NDArray[np.intp]:
        """[e, 2] indices of the corners of its triangles' edges, each once."""
        edges = np.sort(self.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        keys = np.unique(edges[:, 0] * len(self.vertices) + edges[:, 1])
        return np.stack(np.divmod(keys, len(self.vertices)), axis=1)

    def depths(self, points: Array) -> Array:
        """How far inside of the nearest face each point [n, 3] lies: [n] in metres, negative outside, where
        it is no more than the distance.
        """
        return np.asarray(-(points @ self.planes[:, :3].T + self.planes[:, 3]).max(axis=1))

    def distances(self, points: Array) -> Array:
        """To each point [n, 3]: [n] in metres, 0 inside."""
        out = np.zeros(len(points))
        is_outside = self.depths(points) < 0.0
        out[is_outside] = distances_to_triangles(points[is_outside], self.triangles)
        return out


def hull_of(points: Array) -> Hull | None:
    """The convex hull of points [n, 3]; None where they lie in a plane."""
    if len(points) < 4 or thickness(points) < FLAT:
        return None
    from scipy.spatial import ConvexHull, QhullError  # which is slow to import, and no capsule needs

    try:
        hull = ConvexHull(points)
    except QhullError:
        return None
    planes = np.unique(hull.equations.round(12), axis=0) if len(hull.equations) > 500 else hull.equations
    index = np.zeros(len(points), np.intp)
    index[hull.vertices] = np.arange(len(hull.vertices))
    return Hull(points[hull.vertices], index[hull.simplices], planes, float(hull.volume))


def thickness(points: Array) -> float:
    """How thick points [n, 3] are across the plane that fits them best, by their size."""
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return float(spread[-1] / spread[0]) if spread[0] > 0.0 and len(points) > 2 else 0.0


def corners(points: Array) -> Array:
    """Those of points [n, 3] that span their convex hull, whatever its dimension: [k, 3]."""
    unique = np.unique(points, axis=0)
    hull = hull_of(unique)
    if hull is not None:
        return hull.vertices
    _, spread, axes = np.linalg.svd(unique - unique.mean(axis=0), full_matrices=False)
    if len(unique) < 3 or spread[0] == 0.0:
        return unique
    if len(spread) > 1 and spread[1] > FLAT * spread[0]:
        from scipy.spatial import ConvexHull, QhullError

        try:
            return np.asarray(unique[ConvexHull(unique @ axes[:2].T).vertices])
        except QhullError:
            return unique
    return unique


def fewer_corners(vertices: Array) -> tuple[Array, float]:
    """Some of the corners [k, 3] of a hull, and a radius [m]: all points within it of their hull contain the
    hull of all corners.

    From some outermost ones on, the corner farthest from the hull of those before is added, so the radius is
    also the maximum by which what is made reaches beyond the exact hull.
    """
    if len(vertices) <= MAX_VERTICES:
        return vertices, 0.0
    from scipy.spatial import ConvexHull, QhullError

    chosen = list(dict.fromkeys((vertices @ _directions().T).argmax(axis=0).tolist()))
    try:
        growing = ConvexHull(vertices[chosen], incremental=True)
    except QhullError:
        return vertices, 0.0
    while True:
        heights = (vertices @ growing.equations[:, :3].T + growing.equations[:, 3]).max(axis=1)
        heights[chosen] = 0.0
        is_enough = len(chosen) >= MAX_VERTICES
        if is_enough or heights.max() <= WITHIN:
            hull = hull_of(vertices[chosen])
            if hull is None:
                return vertices, 0.0
            radius = float(hull.distances(vertices).max())
            if radius <= WITHIN or is_enough:
                return vertices[chosen], radius * (1.0 + 1e-9) + 1e-12
        chosen.append(int(heights.argmax()))
        growing.add_points(vertices[chosen[-1:]])


def _directions() -> Array:
    """[14, 3] along the axes and the diagonals of space."""
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    signs = np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)]) / np.sqrt(3.0)
    return np.concatenate([axes, signs])
