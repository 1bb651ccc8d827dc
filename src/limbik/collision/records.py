"""Record types of the collision kernels: pieces, and bodies of pieces."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np

from limbik.compiler.arrays import Size, array
from limbik.compiler.kernel import Floats, Records

# One convex piece (`collision.convex.ConvexPiece`), in the frame of its body.
PIECE = np.dtype(
    [
        ("index", np.int64),  # among the pieces
        ("first", np.int64),  # of its vertices
        ("count", np.int64),
        ("radius", np.float64),  # [m] about the core
        ("disc", np.float64),  # [m] above 0: the core is a cylinder between the two vertices
        ("axis", np.float64, 3),  # of that cylinder, a unit vector
        ("center", np.float64, 3),  # [m] of a sphere about the piece
        ("bound", np.float64),  # [m] its radius
        ("box_center", np.float64, 3),  # [m] of a box about the core
        ("box_axes", np.float64, 9),  # its axes, row by row
        ("box_half", np.float64, 3),  # [m] half its edges
    ],
    align=True,
)

# Of a vertex: x, y and z [m], and where its neighbours begin and end; the same where they are not known.
VERTEX_SIZE = 5
BEGIN, END = 3, 4

# What is checked as one: pieces on one frame.
BODY = np.dtype(
    [
        ("frame", np.int64),  # where its frame begins among the frames
        ("link", np.int64),  # index of the link that moves it, -1: no joint does
        ("first", np.int64),  # of its pieces
        ("count", np.int64),
        ("center", np.float64, 3),  # [m] of a sphere about all
        ("bound", np.float64),  # [m] its radius
    ],
    align=True,
)


n_bodies, n_pieces, n_objects, n_pairs = map(Size, ("n_bodies", "n_pieces", "n_objects", "n_pairs"))
Pairs: TypeAlias = Annotated[Any, array(n_pairs, 2, dtype=np.int64)]  # indices of bodies


class Cores(NamedTuple):
    """The vertices of pieces, in the frames of their bodies."""

    vertices: Annotated[Floats, array(Size("n_vertices"), VERTEX_SIZE)]
    # Indices of neighbours of a vertex along the edges of a hull.
    neighbours: Annotated[Any, array(Size("n_neighbours"), dtype=np.int64)]
    # The vertex at which the search for the farthest one has ended last.
    latest: Annotated[Any, array(n_pieces, dtype=np.int64)]


class Shapes(NamedTuple):
    """Bodies, and where they are. Frames are stored as in `tree.kinematics`."""

    bodies: Annotated[Records, array(n_bodies, dtype=BODY)]
    pieces: Annotated[Records, array(n_pieces, dtype=PIECE)]
    cores: Cores
    frames: Floats  # [12 n] of links, then the world's own, then of objects
