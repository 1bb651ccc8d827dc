"""The kernel that the program of pushes begins with: it takes addresses and sizes, and makes arrays of
them.
"""

from __future__ import annotations

from limbik.collision.entries import ASKED, BODIES, CORES, FRAMES, shapes_of
from limbik.collision.gjk import Scratch
from limbik.collision.nearest import CONSTANTS as NEAREST_CONSTANTS
from limbik.collision.nearest import SETTINGS_SIZE, Workspace
from limbik.collision.push import CONSTANTS as PUSH_CONSTANTS
from limbik.collision.push import Push, push_out
from limbik.collision.records import VERTEX_SIZE, Cores, Shapes
from limbik.compiler.kernel import compiled_text, view
from limbik.numerics.least_change import Multipliers
from limbik.tree.entries import OBJECTIVES, TREE, WORKSPACE, views
from limbik.tree.residuals import TARGET_SIZE
from limbik.tree.workspace import CONSTANTS, Objectives, Tree
from limbik.tree.workspace import Workspace as TreeWorkspace


def named(prefix: str, arrays: dict[str, str]) -> dict[str, str]:
    """Arrays by other names: some have those of others."""
    return {f"{prefix}_{name}": shape for name, shape in arrays.items()}


SEARCH = {
    "bodies": named("the", BODIES),
    "cores": named("the", CORES),
    "frames": named("the", FRAMES),
    "asked": {name: shape for name, shape in ASKED.items() if name != "q"},
    "near": named("near", shapes_of(Workspace)),
    "scratch": named("scratch", shapes_of(Scratch)),
}
ANSWERED = {"results": "n_results, RESULT_SIZE", "results_rows": "n_results, nv"}
PUSH = {**named("push", shapes_of(Push)), **named("multipliers", shapes_of(Multipliers))}
NUMBERS = {**CONSTANTS, **NEAREST_CONSTANTS, **PUSH_CONSTANTS}  # that shapes are written in, beside sizes
SIZES = (
    "n_links", "nq", "nv", "n_rows", "n_tasks", "n_levels", "n_movers", "n_objects", "n_bodies", "n_pieces",
    "n_vertices", "n_neighbours", "n_pairs", "n_results", "n_inequalities",
)  # fmt: skip
ARRAYS = (
    *TREE, *OBJECTIVES, *WORKSPACE, *(name for part in SEARCH.values() for name in part), *ANSWERED, *PUSH,
)  # fmt: skip

pushing = compiled_text(
    "pushing",
    f"""
def pushing({", ".join([*ARRAYS, *SIZES, "watch"])}):
    return push_out(
        Tree({views(TREE)}),
        Objectives({views(OBJECTIVES)}, watch),
        TreeWorkspace({views(WORKSPACE)}),
        Shapes({views(SEARCH["bodies"])}, Cores({views(SEARCH["cores"])}), {views(SEARCH["frames"])}),
        {views(SEARCH["asked"])},
        Workspace({views(SEARCH["near"])}),
        Scratch({views(SEARCH["scratch"])}),
        {views(ANSWERED)},
        Push({views({name: shape for name, shape in PUSH.items() if name.startswith("push_")})}),
        Multipliers({views({name: shape for name, shape in PUSH.items() if name.startswith("mult")})}),
    )
""",
    {
        "__name__": __name__,
        **{each.__name__: each for each in (Tree, Objectives, Shapes, Cores, Workspace, Scratch, Push)},
        **{"TreeWorkspace": TreeWorkspace, "Multipliers": Multipliers},
        **{"push_out": push_out, "view": view},
        **{"TARGET_SIZE": TARGET_SIZE, "SETTINGS_SIZE": SETTINGS_SIZE, "VERTEX_SIZE": VERTEX_SIZE},
        **NUMBERS,
    },
)
