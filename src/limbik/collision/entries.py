"""The kernel that the program of collisions begins with: it takes addresses and sizes, and makes arrays of
them.
"""

from __future__ import annotations

from typing import NamedTuple, get_type_hints

from limbik.collision.gjk import Scratch
from limbik.collision.nearest import CONSTANTS, SETTINGS_SIZE, Workspace, search
from limbik.collision.records import VERTEX_SIZE, Cores, Shapes
from limbik.compiler.kernel import compiled_text, view
from limbik.tree.entries import views


def shapes_of(arrays: type[NamedTuple]) -> dict[str, str]:
    """The shape of each array, as Python writes it in the sizes of a problem."""
    hints = get_type_hints(arrays, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


LINKS = {"links": "n_links"}
BODIES = {"bodies": "n_bodies", "pieces": "n_pieces"}
CORES = {"vertices": "n_vertices, VERTEX_SIZE", "neighbours": "n_neighbours", "latest": "n_pieces"}
FRAMES = {"frames": "(n_links + 1 + n_objects) * FRAME_SIZE"}
ASKED = {"poses": "n_objects, 16", "pairs": "n_pairs, 2", "settings": "SETTINGS_SIZE", "q": "n_q, nq"}
WORKSPACE = shapes_of(Workspace)
SCRATCH = shapes_of(Scratch)
ANSWERED = {"results": "n_results, RESULT_SIZE", "rows": "n_results, nv"}
SIZES = (
    "n_links", "n_objects", "n_bodies", "n_pieces", "n_vertices", "n_neighbours", "n_pairs", "n_results",
    "n_q", "nq", "nv",
)  # fmt: skip

ARGUMENTS = (
    *LINKS, *BODIES, *CORES, *FRAMES, *ASKED, *WORKSPACE, *SCRATCH, *ANSWERED, *SIZES, "watch",
)  # fmt: skip

colliding = compiled_text(
    "colliding",
    f"""
def colliding({", ".join(ARGUMENTS)}):
    return search(
        {views(LINKS)},
        Shapes({views(BODIES)}, Cores({views(CORES)}), {views(FRAMES)}),
        {views(ASKED)},
        Workspace({views(WORKSPACE)}),
        Scratch({views(SCRATCH)}),
        {views(ANSWERED)},
        watch,
    )
""",
    {
        "__name__": __name__,
        **{each.__name__: each for each in (Shapes, Cores, Workspace, Scratch)},
        **{
            "search": search,
            "view": view,
            "SETTINGS_SIZE": SETTINGS_SIZE,
            "VERTEX_SIZE": VERTEX_SIZE,
        },
        **CONSTANTS,
    },
)
