"""Convex pieces of meshes, made once for the same content of a file; and convex hulls of points as pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from limbik.collision.convex import ConvexPiece, Pieces
from limbik.collision.decomposition import decomposed
from limbik.collision.hulls import corners, fewer_corners
from limbik.collision.meshes import content_of, triangles_of
from limbik.collision.open_edges import count_open_edges
from limbik.collision.stored_arrays import Arrays, stored
from limbik.errors import number_of
from limbik.model.shapes import Mesh
from limbik.spatial import Array


def mesh_pieces(mesh: Mesh) -> Pieces:
    """Convex pieces that contain a mesh, or its convex hull where that is meant.

    Raises as `meshes.triangles_of` does.
    """
    made = stored(_identity(mesh), lambda: _made(mesh))
    ends = np.cumsum(made["counts"])
    vertices = np.split(made["vertices"], ends[:-1].astype(int))
    pieces = tuple(
        ConvexPiece(own, radius=float(radius)) for own, radius in zip(vertices, made["radii"], strict=True)
    )
    opened = _opened(mesh, int(made["open_edges"]))
    note, gap = str(made["note"]), ""
    if opened and len(pieces) > 1:
        gap = f"{opened}: its pieces contain its surface, not what it encloses"
    elif opened and note:
        note = f"{note}; {opened}, and is taken as its hull"
    return Pieces(pieces, float(made["overshoot"]), note, gap)


def _opened(mesh: Mesh, edges: int) -> str:
    """That a mesh is open by so many edges, in words."""
    if not edges:
        return ""
    name = "given by vertices" if mesh.path is None else repr(mesh.address)
    return f"mesh {name} is open ({number_of(edges, 'edge')} of an odd number of triangles)"


def _identity(mesh: Mesh) -> Iterator[bytes]:
    """All that its pieces depend on."""
    if mesh.vertices is None:
        assert mesh.path is not None, "a mesh has a path or vertices"
        yield content_of(mesh)
        yield mesh.path.suffix.lower().encode()
    else:
        yield np.ascontiguousarray(mesh.vertices).tobytes()
        yield np.ascontiguousarray(mesh.triangles).tobytes()
    yield repr((mesh.scale, mesh.is_hull)).encode()


def _made(mesh: Mesh) -> Arrays:
    triangles = triangles_of(mesh)
    if mesh.is_hull:
        return _arrays(hull_pieces([triangles.reshape(-1, 3)]), 0)
    pieces = decomposed(triangles)
    return _arrays(hull_pieces(pieces.pieces, pieces.overshoot), count_open_edges(triangles))


def hull_pieces(hulls: Sequence[Array], overshoot: float = 0.0) -> Pieces:
    """The convex hulls of points [n, 3] as pieces, of fewer corners where they have many.

    overshoot: how far the hulls reach beyond a shape [m].
    """
    remaining = [fewer_corners(corners(points)) for points in hulls]
    overshoot += max(radius for _, radius in remaining)
    pieces = tuple(ConvexPiece(vertices, radius=radius) for vertices, radius in remaining)
    count = number_of(len(pieces), "piece")
    note = f"{count}, up to {overshoot * 1e3:.2g} mm beyond it" if overshoot > 0.0 else ""
    return Pieces(pieces, overshoot, note)


def _arrays(made: Pieces, open_edges: int) -> Arrays:
    return {
        "vertices": np.concatenate([piece.vertices for piece in made.pieces]),
        "counts": np.array([len(piece.vertices) for piece in made.pieces], float),
        "radii": np.array([piece.radius for piece in made.pieces]),
        "overshoot": np.array(made.overshoot),
        "note": np.array(made.note),
        "open_edges": np.array(float(open_edges)),
    }
