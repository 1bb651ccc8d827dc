"""Packs bodies and pieces into the records that the collision kernels read."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.collision.convex import ConvexPiece
from limbik.collision.hulls import hull_of
from limbik.collision.records import BEGIN, BODY, END, PIECE, VERTEX_SIZE
from limbik.collision.stored_arrays import Arrays, stored
from limbik.compiler.kernel import Floats, Records
from limbik.spatial import Array, Matrix4, Vector3

MIN_TO_CLIMB = 24  # corners of a hull
ROUNDING = 1e-12  # by which bounds are wider than computed, of their size


class PackedBody(NamedTuple):
    """Pieces that are checked as one, in the frame that carries them. Indices are relative to the first."""

    center: Vector3  # [m] of a sphere about them
    radius: float  # [m] of it
    pieces: Records  # `records.PIECE`
    vertices: Floats  # [n, VERTEX_SIZE]
    neighbours: NDArray[np.int64]  # [m]


class PlacedBody(NamedTuple):
    """A body with a name, on a frame."""

    name: str
    body: PackedBody
    frame: int  # index among the frames
    link: int  # that moves it, -1: none


class Packed(NamedTuple):
    """Bodies in arrays."""

    bodies: Records  # `records.BODY`
    pieces: Records  # `records.PIECE`
    vertices: Floats  # [n, VERTEX_SIZE]
    neighbours: NDArray[np.int64]  # [m]
    latest: NDArray[np.int64]  # [pieces]


def packed_body(
    pieces: Sequence[ConvexPiece], center: Vector3, radius: float, pose: Matrix4 | None = None
) -> PackedBody:
    """Pieces and a sphere about them [m], whose frame has a pose on that which carries the body."""
    pose = np.eye(4) if pose is None else pose
    moved = [piece.moved(pose) for piece in pieces]
    counts, neighbours = _neighbours([piece.vertices for piece in moved])
    rows = np.zeros((len(counts), VERTEX_SIZE))
    rows[:, :BEGIN] = np.concatenate([np.zeros((0, BEGIN)), *(piece.vertices for piece in moved)])
    rows[:, END] = np.cumsum(counts)
    rows[:, BEGIN] = rows[:, END] - counts
    firsts = np.cumsum([0, *(len(piece.vertices) for piece in moved)])[:-1].tolist()
    records = list(map(packed_piece, moved, itertools.count(), firsts))
    return PackedBody(
        pose[:3, :3] @ center + pose[:3, 3],
        radius * (1.0 + ROUNDING),
        np.concatenate(records) if records else np.zeros(0, PIECE),
        rows,
        neighbours,
    )


def packed(placed: Sequence[PlacedBody], frame_size: int) -> Packed:
    """Packed bodies, one for each that is placed."""
    placed_bodies = [each.body for each in placed]
    n_pieces, n_vertices, n_neighbours = (
        np.cumsum([0, *sizes])
        for sizes in (
            [len(body.pieces) for body in placed_bodies],
            [len(body.vertices) for body in placed_bodies],
            [len(body.neighbours) for body in placed_bodies],
        )
    )
    bodies, pieces = np.zeros(len(placed_bodies), BODY), np.zeros(n_pieces[-1], PIECE)
    vertices = np.zeros((n_vertices[-1], VERTEX_SIZE))
    neighbours = np.zeros(n_neighbours[-1], np.int64)
    for k, body in enumerate(placed_bodies):
        pieces[n_pieces[k] : n_pieces[k + 1]] = body.pieces
        vertices[n_vertices[k] : n_vertices[k + 1]] = body.vertices
        vertices[n_vertices[k] : n_vertices[k + 1], BEGIN:] += n_neighbours[k]
        neighbours[n_neighbours[k] : n_neighbours[k + 1]] = body.neighbours + n_vertices[k]
    pieces["index"] = np.arange(len(pieces))
    pieces["first"] += np.repeat(n_vertices[:-1], np.diff(n_pieces))
    bodies["frame"] = [each.frame * frame_size for each in placed]
    bodies["link"] = [each.link for each in placed]
    bodies["first"], bodies["count"] = n_pieces[:-1], np.diff(n_pieces)
    bodies["center"] = np.reshape([body.center for body in placed_bodies], (-1, 3))
    bodies["bound"] = [body.radius for body in placed_bodies]
    return Packed(bodies, pieces, vertices, neighbours, np.zeros(len(pieces), np.int64))


def _neighbours(hulls: Sequence[Array]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each corner of all hulls [k, 3] how many are at the other ends of its edges, and the indices of
    these among all corners; none where looking at all of a hull is as fast.
    """
    if max(map(len, hulls), default=0) < MIN_TO_CLIMB:
        return np.zeros(sum(map(len, hulls)), np.int64), np.zeros(0, np.int64)

    def made() -> Arrays:
        first, counts, indices = 0, [], []
        for corners in hulls:
            hull = hull_of(corners) if len(corners) >= MIN_TO_CLIMB else None
            edges = np.zeros((0, 2), np.intp)
            if hull is not None and len(hull.vertices) == len(corners):  # else rounding has some inside
                edges = hull.edges
            both = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
            counts.append(np.bincount(both[:, 0], minlength=len(corners)))
            indices.append(first + both[:, 1])
            first += len(corners)
        return {
            "counts": np.concatenate(counts).astype(float),
            "indices": np.concatenate(indices).astype(float),
        }

    arrays = stored([b"neighbours", *(hull.tobytes() for hull in hulls)], made)
    return arrays["counts"].astype(np.int64), arrays["indices"].astype(np.int64)


def packed_piece(piece: ConvexPiece, index: int, first: int) -> Records:
    """The record of a piece; first: where its vertices begin."""
    record = np.zeros(1, PIECE)
    record["index"], record["first"], record["count"] = index, first, len(piece.vertices)
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
