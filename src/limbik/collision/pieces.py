"""Divides shapes into convex pieces.

Spheres, capsules, cylinders, boxes and hulls of few corners are one piece, exactly. Whatever else is made of
pieces, they contain it; how far they reach beyond it is said.
"""

from __future__ import annotations

import itertools

import numpy as np

from limbik.collision.convex import ConvexPiece, Pieces
from limbik.collision.grid_pieces import grid_pieces
from limbik.collision.mesh_pieces import hull_pieces, mesh_pieces
from limbik.model.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    DistanceGrid,
    Mesh,
    Points,
    Shape,
    Sphere,
)
from limbik.spatial import Array


def pieces_of(shape: Shape) -> tuple[ConvexPiece, ...]:
    """The convex pieces of a shape, in its frame; see `measured_pieces_of`."""
    return measured_pieces_of(shape).pieces


def measured_pieces_of(shape: Shape) -> Pieces:
    """The convex pieces of a shape, in its frame, and how far they reach beyond it.

    Raises CollisionError for a mesh that cannot be read and for a grid of distances without anything solid;
    MissingExtra where a mesh needs a library that is not installed.
    """
    if isinstance(shape, Sphere):
        return Pieces((ConvexPiece(np.zeros((1, 3)), radius=shape.radius),))
    if isinstance(shape, Capsule):
        ends = _along_z(shape.length) if shape.length > 0.0 else np.zeros((1, 3))
        return Pieces((ConvexPiece(ends, radius=shape.radius),))
    if isinstance(shape, Cylinder):
        return Pieces((ConvexPiece(_along_z(shape.length), disc=shape.radius),))
    if isinstance(shape, Box):
        signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
        return Pieces((ConvexPiece(signs * np.array(shape.size)),))
    if isinstance(shape, ConvexHull):
        return hull_pieces([shape.vertices])
    if isinstance(shape, Points):
        return Pieces(tuple(ConvexPiece(point[None], radius=shape.radius) for point in shape.points))
    if isinstance(shape, Mesh):
        return mesh_pieces(shape)
    assert isinstance(shape, DistanceGrid), "there are no other shapes"
    return grid_pieces(shape)


def _along_z(length: float) -> Array:
    return np.array([[0.0, 0.0, -0.5 * length], [0.0, 0.0, 0.5 * length]])
