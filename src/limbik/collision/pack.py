"""Bodies as the kernels of collisions read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from limbik.collision.convex import ConvexPiece
from limbik.collision.records import BODY, PIECE
from limbik.compiler.kernel import Floats, Records
from limbik.spatial import Array, Matrix4, Vector3

ROUNDING = 1e-12  # by which bounds are wider than computed, of their size


class Placed(NamedTuple):
    """Pieces with one name, on a frame."""

    name: str
    pieces: Sequence[ConvexPiece]
    frame: int  # place among the frames
    link: int  # that moves them, -1: none
    pose: Matrix4  # of what the pieces are in, on the frame
    center: Vector3  # [m] of a sphere about them, where the pieces are
    radius: float  # [m] of it


class Packed(NamedTuple):
    """Bodies in arrays."""

    bodies: Records  # `records.BODY`
    pieces: Records  # `records.PIECE`
    vertices: Floats  # [n, 3]


def packed(placed: Iterable[Placed], frame_size: int) -> Packed:
    """Bodies, one for each of those given."""
    bodies: list[Records] = []
    pieces: list[Records] = []
    vertices: list[Array] = []
    n_vertices = 0
    for each in placed:
        body = np.zeros(1, BODY)
        body["frame"], body["link"] = each.frame * frame_size, each.link
        body["first"], body["count"] = len(pieces), len(each.pieces)
        body["center"] = each.pose[:3, :3] @ each.center + each.pose[:3, 3]
        body["bound"] = each.radius * (1.0 + ROUNDING)
        bodies.append(body)
        for piece in each.pieces:
            moved = piece.moved(each.pose)
            pieces.append(packed_piece(moved, n_vertices))
            vertices.append(moved.vertices)
            n_vertices += len(moved.vertices)
    return Packed(
        np.concatenate(bodies) if bodies else np.zeros(0, BODY),
        np.concatenate(pieces) if pieces else np.zeros(0, PIECE),
        np.ascontiguousarray(np.concatenate(vertices)) if vertices else np.zeros((0, 3)),
    )


def packed_piece(piece: ConvexPiece, first: int) -> Records:
    """The record of a piece whose vertices begin at a place."""
    record = np.zeros(1, PIECE)
    record["first"], record["count"] = first, len(piece.vertices)
    record["radius"], record["disc"] = piece.radius, piece.disc
    record["center"], bound = piece.bounding_sphere
    record["bound"] = bound * (1.0 + ROUNDING)
    if piece.disc > 0.0:
        along = piece.vertices[1] - piece.vertices[0]
        record["axis"] = along / np.linalg.norm(along)
    axes, center, half = box_about(piece)
    record["box_axes"], record["box_center"] = axes.ravel(), center
    record["box_half"] = half + ROUNDING * bound
    return record


def box_about(piece: ConvexPiece) -> tuple[Array, Array, Array]:
    """A box about the core of a piece: axes [3, 3] row by row, center [3] and half edges [3] in metres.

    The smallest of those along the axes, along the core's first edges, and along its principal axes.
    """
    vertices = piece.vertices
    rest = vertices - vertices.mean(axis=0)
    candidates = [np.eye(3), np.linalg.svd(rest, full_matrices=False)[2] if len(vertices) > 2 else np.eye(3)]
    edges = vertices[1:3] - vertices[0]
    if len(edges):
        candidates.append(np.linalg.qr(np.column_stack([edges.T, np.eye(3)]))[0].T)
    best = None
    for axes in candidates:
        if axes.shape != (3, 3) or abs(abs(np.linalg.det(axes)) - 1.0) > 1e-9:
            continue
        along = vertices @ axes.T
        across = piece.disc
        if piece.disc > 0.0:
            unit = edges[0] / np.linalg.norm(edges[0])
            across = piece.disc * np.sqrt(np.maximum(0.0, 1.0 - (axes @ unit) ** 2))
        low, high = along.min(axis=0) - across, along.max(axis=0) + across
        half = 0.5 * (high - low)
        size = half.prod() + half.sum() ** 3 * 1e-6
        if best is None or size < best[0]:
            best = size, axes, axes.T @ (0.5 * (low + high)), half
    assert best is not None, "the axes themselves are always a choice"
    return best[1], best[2], best[3]
