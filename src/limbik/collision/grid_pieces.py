"""Boxes that contain the solid part of a grid of distances."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from limbik.collision.convex import ConvexPiece, Pieces
from limbik.errors import CollisionError
from limbik.model.shapes import DistanceGrid

CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))


def grid_pieces(grid: DistanceGrid) -> Pieces:
    """Boxes of cells of the grid, which contain every point whose distance is 0 or less.

    What is linear in a cell along each axis is nowhere below the lowest of its corners: cells whose corners
    are all above 0 are empty. Each of the others has something solid or nearly so, at most a cell away.

    Raises CollisionError for a grid without anything solid.
    """
    shape = grid.distances.shape
    corners = [
        grid.distances[tuple(slice(k, n - 1 + k) for k, n in zip(corner, shape, strict=True))]
        for corner in CORNERS
    ]
    is_solid = np.min(corners, axis=0) <= 0.0
    if not is_solid.any():
        raise CollisionError("a grid of distances needs a distance of 0 or less somewhere, found none")
    pieces = tuple(
        ConvexPiece(grid.origin + grid.spacing * (begin + CORNERS * (end - begin)))
        for begin, end in _boxes(is_solid)
    )
    overshoot = math.sqrt(3.0) * grid.spacing
    return Pieces(
        pieces, overshoot, f"{len(pieces)} boxes of cells, up to {1e3 * overshoot:.2g} mm beyond it"
    )


def _boxes(is_solid: NDArray[np.bool_]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Boxes from one cell [3] to before another that cover the cells that are solid: each is as long as it
    can be along z, then along y, then along x.
    """
    left = is_solid.copy()
    boxes = []
    while left.any():
        begin = np.array(np.unravel_index(int(left.argmax()), left.shape))
        end = begin + 1
        for axis in (2, 1, 0):
            while end[axis] < left.shape[axis]:
                layer = [slice(int(a), int(b)) for a, b in zip(begin, end, strict=True)]
                layer[axis] = slice(int(end[axis]), int(end[axis]) + 1)
                if not left[tuple(layer)].all():
                    break
                end[axis] += 1
        left[tuple(slice(int(a), int(b)) for a, b in zip(begin, end, strict=True))] = False
        boxes.append((begin, end))
    return boxes
