"""The convex pieces of meshes, made once for what a file holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from limbik.collision.convex import ConvexPiece, Pieces
from limbik.collision.decomposition import decomposed
from limbik.collision.hulls import corners, fewer_corners
from limbik.collision.meshes import content_of, triangles_of
from limbik.collision.open_edges import count_open_edges
from limbik.collision.stored_arrays import Arrays, stored
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
    return Pieces(pieces, float(made["overshoot"]), str(made["note"]), _gap(mesh, int(made["open_edges"])))


def _gap(mesh: Mesh, open_edges: int) -> str:
    """What the pieces of a mesh do not contain, in words."""
    if not open_edges:
        return ""
    name = "given by vertices" if mesh.path is None else repr(mesh.address)
    edges = "1 edge belongs" if open_edges == 1 else f"{open_edges} edges belong"
    return (
        f"mesh {name} is open ({edges} to an odd number of triangles): its pieces contain its surface, not "
        "what it encloses"
    )


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
    found = decomposed(triangles)
    is_in_one = len(found.pieces) == 1  # a hull contains whatever the surface encloses
    return _arrays(
        hull_pieces(found.pieces, found.overshoot), 0 if is_in_one else count_open_edges(triangles)
    )


def hull_pieces(hulls: Sequence[Array], overshoot: float = 0.0) -> Pieces:
    """The convex hulls of points [n, 3] as pieces, of fewer corners where they have many.

    overshoot: how far the hulls reach beyond a shape [m].
    """
    kept = [fewer_corners(corners(points)) for points in hulls]
    overshoot += max(radius for _, radius in kept)
    pieces = tuple(ConvexPiece(vertices, radius=radius) for vertices, radius in kept)
    count = "1 piece" if len(pieces) == 1 else f"{len(pieces)} pieces"
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
