"""Upper bounds of how far one surface reaches beyond another."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from limbik.collision.triangles import area, distances_each, halved, longest_edges
from limbik.spatial import Array

Mask: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

CELLS_ALONG = 40  # parts that a surface is cut into along its size,
MAX_PARTS = 200_000  # and about how many at most, which many layers on top of each other would need
NEAREST = 8  # parts that are looked at for the distance of a point
MAX_CELLS = 100_000
FINENESS = 100  # a bound may be too large by the size of the surface, divided by this,
SLACK = 0.05  # or by this fraction of the distance


class Surface:
    """A surface of triangles [m, 3, 3] that distances are measured to."""

    def __init__(self, triangles: Array) -> None:
        from scipy.spatial import cKDTree

        self.size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())  # [m]
        self._parts = cut_to(triangles, max(self.size / CELLS_ALONG, math.sqrt(area(triangles) / MAX_PARTS)))
        self._tree = cKDTree(self._parts.mean(axis=1))

    def rough_distances(self, points: Array) -> Array:
        """Of points [n, 3] to the surface: [n] in metres, no smaller than `distances`, and quicker."""
        return np.asarray(self._tree.query(points)[0])

    def distances(self, points: Array) -> Array:
        """Of points [n, 3] to the surface: [n] in metres, never too small."""
        count = min(NEAREST, len(self._parts))
        indices = self._tree.query(points, count)[1].reshape(len(points), count)
        each = distances_each(np.repeat(points, count, axis=0), self._parts[indices.ravel()])
        return np.asarray(each.reshape(len(points), count).min(axis=1))


def cut_to(triangles: Array, finest: float) -> Array:
    """The triangles [m, 3, 3], halved until no edge is longer than `finest` [m]."""
    parts, left = [], triangles
    while len(left):
        is_small = longest_edges(left) <= finest
        parts.append(left[is_small])
        left = halved(left[~is_small])
    return np.concatenate(parts)


def farthest(
    triangles: Array, surface: Surface, covered: Callable[[Array, NDArray[np.intp]], Mask] | None = None
) -> float:
    """Upper bound [m] of how far the points of triangles [m, 3, 3] are from a surface.

    covered: which of triangles [n, 3, 3], which are or are parts of those with indices [n], do not count,
    because they lie inside something else, as booleans [n]; a part of one that counts may be covered.
    Default: none are.

    A distance changes by no more than one goes, so the center of a triangle bounds all of it; where that
    bound is too coarse, the triangle is halved.
    """
    distance = 0.0
    finest = surface.size / FINENESS
    cells, indices = triangles, np.arange(len(triangles))
    while True:
        centers = cells.mean(axis=1)
        reaches = np.sqrt(((cells - centers[:, None]) ** 2).sum(axis=-1)).max(axis=1)
        distances = surface.rough_distances(centers)
        is_open = distances + reaches > distance + max(finest, SLACK * distance)
        distances[is_open] = surface.distances(centers[is_open])
        is_open &= distances + reaches > distance + max(finest, SLACK * distance)
        if covered is not None:
            is_open[is_open] = ~covered(cells[is_open], indices[is_open])
        counts = is_open & (distances > distance)
        if covered is not None:  # where only the center is covered, a smaller part may show more
            large = counts & (reaches > finest)
            counts[large] = ~covered(np.repeat(centers[large, None], 3, axis=1), indices[large])
        distance = float(distances[counts].max(initial=distance))
        enough = distance + max(finest, SLACK * distance)
        is_open &= distances + reaches > enough
        if not is_open.any():
            return enough
        if 2 * is_open.sum() > MAX_CELLS:
            return float((distances + reaches)[is_open].max())
        cells, indices = halved(cells[is_open]), np.tile(indices[is_open], 2)
