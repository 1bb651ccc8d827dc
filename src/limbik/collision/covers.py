"""Spheres that contain convex pieces.

A piece is cut by planes into parts; around the corners of each part a sphere is laid. A sphere that contains
the corners of a convex part contains the part, and the parts fill the piece. The part whose sphere reaches
farthest beyond the piece is cut next, across its longest side.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.collision.convex import ConvexPiece
from limbik.collision.hulls import corners, hull_of
from limbik.collision.stored_arrays import stored
from limbik.spatial import Array, perpendicular, unit

WITHIN = 0.02  # [m] what spheres may reach beyond a piece, where so many suffice
MAX_SPHERES = 8  # for a body, or one for each of its pieces where these are more
SIDES = 12  # of the prism that a cylinder is taken for
ROUNDING = 1e-9  # [m, and by size] by which every sphere is wider than computed
_STEPS = 64  # toward the smallest sphere


@dataclass(frozen=True, eq=False)
class Spheres:
    """Spheres that contain a body."""

    centers: Array  # [k, 3] in metres
    radii: Array  # [k] in metres
    overshoot: float  # [m] how far they reach beyond the body's pieces, at most


def cover(pieces: Sequence[ConvexPiece]) -> Spheres:
    """Spheres that contain all pieces."""
    made_from = [
        each
        for piece in pieces
        for each in (piece.vertices.tobytes(), repr((piece.radius, piece.disc)).encode())
    ]
    made = stored(made_from, lambda: vars(_made(pieces)))
    return Spheres(made["centers"], made["radii"], float(made["overshoot"]))


def _made(pieces: Sequence[ConvexPiece]) -> Spheres:
    parts = [_CorePart.of(piece) for piece in pieces]
    order = itertools.count()
    waiting = [(-part.overshoot, next(order), part) for part in parts]
    heapq.heapify(waiting)
    while waiting and -waiting[0][0] > WITHIN and len(waiting) < MAX_SPHERES:
        _, _, worst = heapq.heappop(waiting)
        for half in worst.halves():
            heapq.heappush(waiting, (-half.overshoot, next(order), half))
    made = [part for _, _, part in waiting]
    return Spheres(
        np.array([part.center for part in made]).reshape(-1, 3),
        np.array([part.radius for part in made]),
        max((part.overshoot for part in made), default=0.0),
    )


def smallest_sphere(points: Array) -> tuple[Array, float]:
    """Center [3] and radius [m] of a sphere about points [n, 3], near the smallest.

    Badoiu & Clarkson (2003): the center goes toward the farthest point, by less each time; the best one
    counts.
    """
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    best, radius = center, math.inf
    for k in range(_STEPS):
        offsets = points - center
        squares = np.einsum("ij,ij->i", offsets, offsets)
        far = int(squares.argmax())
        if squares[far] < radius:
            best, radius = center, float(squares[far])
        center = center + offsets[far] / (k + 2.0)
    return best, math.sqrt(radius) * (1.0 + ROUNDING) + ROUNDING


class _CorePart:
    """A convex part of a piece's core, the hull of points [n, 3], and the sphere about it."""

    def __init__(self, points: Array, whole: _Whole) -> None:
        hull = hull_of(points)
        self.points = corners(points) if hull is None else hull.vertices
        self.edges = _all_pairs(len(self.points)) if hull is None else hull.edges  # and perhaps lines inside
        self.whole = whole
        self.center, core_radius = smallest_sphere(self.points)
        self.radius = core_radius + whole.radius
        self.overshoot = self.radius - whole.radius - whole.depth(self.center) + whole.overshoot

    @classmethod
    def of(cls, piece: ConvexPiece) -> _CorePart:
        if piece.disc > 0.0:
            points, overshoot = _prism(piece), piece.disc * (1.0 / math.cos(math.pi / SIDES) - 1.0)
            return cls(points, _Whole(points, piece.radius, overshoot))
        return cls(piece.vertices, _Whole(piece.vertices, piece.radius))

    def halves(self) -> list[_CorePart]:
        """The two parts on both sides of a plane across the longest side."""
        mean = self.points.mean(axis=0)
        _, _, axes = np.linalg.svd(self.points - mean, full_matrices=False)
        along = self.points @ axes.T
        axis = axes[int(np.ptp(along, axis=0).argmax())]
        heights = self.points @ axis
        middle = 0.5 * (heights.min() + heights.max())
        first, second = self.edges.T
        crosses = (heights[first] < middle) != (heights[second] < middle)
        first, second = first[crosses], second[crosses]
        fraction = (middle - heights[first]) / (heights[second] - heights[first])
        crossing = self.points[first] + fraction[:, None] * (self.points[second] - self.points[first])
        sides = heights >= middle, heights < middle
        return [_CorePart(np.concatenate([self.points[side], crossing]), self.whole) for side in sides]


class _Whole:
    """A piece that is cut."""

    def __init__(self, points: Array, radius: float, overshoot: float = 0.0) -> None:
        self.radius = radius
        self.overshoot = overshoot  # [m] of the hull of the points beyond the core
        self.hull = hull_of(points)

    def depth(self, center: Array) -> float:
        """How deep inside the core a point of it lies [m]."""
        return 0.0 if self.hull is None else max(0.0, float(self.hull.depths(center[None])[0]))


def _all_pairs(count: int) -> NDArray[np.intp]:
    """[count (count - 1) / 2, 2] indices of points."""
    return np.stack(np.triu_indices(count, 1), axis=1)


def _prism(piece: ConvexPiece) -> Array:
    """The corners of a prism about a cylinder."""
    start, end = piece.vertices
    axis = unit(end - start)
    u = perpendicular(axis)
    v = np.cross(axis, u)
    angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v
    ring *= piece.disc / math.cos(math.pi / SIDES)
    return np.concatenate([start + ring, end + ring])
