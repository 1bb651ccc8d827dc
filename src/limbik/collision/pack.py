"""Bodies as the kernels of collisions read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.collision.convex import ConvexPiece
from limbik.collision.records import BEGIN, BODY, END, PIECE, VERTEX_SIZE
from limbik.compiler.kernel import Floats, Records
from limbik.spatial import Array, Matrix4, Vector3

LEAST_TO_CLIMB = 24  # corners of a hull
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
    vertices: Floats  # [n, VERTEX_SIZE]
    neighbours: NDArray[np.int64]  # [m]
    latest: NDArray[np.int64]  # [pieces]


def packed(placed: Iterable[Placed], frame_size: int) -> Packed:
    """Bodies, one for each of those given."""
    bodies: list[Records] = []
    pieces: list[Records] = []
    vertices: list[Array] = [np.zeros((0, VERTEX_SIZE))]
    neighbours: list[int] = []
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
            pieces.append(packed_piece(moved, len(pieces), n_vertices))
            rows = np.zeros((len(moved.vertices), VERTEX_SIZE))
            rows[:, :BEGIN] = moved.vertices
            for row, found in zip(rows, neighbours_in_hull(moved.vertices), strict=False):
                row[BEGIN], row[END] = len(neighbours), len(neighbours) + len(found)
                neighbours += [n_vertices + k for k in sorted(found)]
            vertices.append(rows)
            n_vertices += len(rows)
    return Packed(
        np.concatenate(bodies) if bodies else np.zeros(0, BODY),
        np.concatenate(pieces) if pieces else np.zeros(0, PIECE),
        np.concatenate(vertices),
        np.array(neighbours, np.int64),
        np.zeros(len(pieces), np.int64),
    )


def neighbours_in_hull(vertices: Array) -> list[set[int]]:
    """For each corner of a hull those that it shares an edge with; empty where looking at all is as fast, and
    where rounding leaves some of them out of the hull.
    """
    if len(vertices) < LEAST_TO_CLIMB:
        return []
    from scipy.spatial import ConvexHull, QhullError

    try:
        triangles = ConvexHull(vertices).simplices
    except QhullError:  # it is flat
        return []
    found: list[set[int]] = [set() for _ in vertices]
    for corners in triangles.tolist():
        for k in corners:
            found[k] |= {*corners} - {k}
    return found if all(found) else []


def packed_piece(piece: ConvexPiece, place: int, first: int) -> Records:
    """The record of a piece; first: where its vertices begin."""
    record = np.zeros(1, PIECE)
    record["place"], record["first"], record["count"] = place, first, len(piece.vertices)
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
