"""The kernel that the program of trackers begins with: it takes addresses and sizes, and makes arrays of
them.
"""

from __future__ import annotations

from limbik.compiler.kernel import compiled_text, view
from limbik.motion.bounded_least_squares import Scratch
from limbik.motion.state import CONSTANTS as MOTION_CONSTANTS
from limbik.motion.state import Motion, shapes_of
from limbik.motion.step import track
from limbik.tree.entries import OBJECTIVES, TREE, WORKSPACE, views
from limbik.tree.residuals import TARGET_SIZE
from limbik.tree.workspace import CONSTANTS, Objectives, Tree, Workspace

MOTION = shapes_of(Motion)
SCRATCH = {f"scratch_{name}": shape for name, shape in shapes_of(Scratch).items()}
SIZES = ("n_links", "nq", "nv", "n_rows", "n_tasks", "n_levels", "n_movers")

tracking = compiled_text(
    "tracking",
    f"""
def tracking({", ".join([*TREE, *OBJECTIVES, *WORKSPACE, *MOTION, *SCRATCH, *SIZES, "watch"])}):
    return track(
        Tree({views(TREE)}),
        Objectives({views(OBJECTIVES)}, watch),
        Workspace({views(WORKSPACE)}),
        Motion({views(MOTION)}),
        Scratch({views(SCRATCH)}),
    )
""",
    {
        "__name__": __name__,
        **{each.__name__: each for each in (Tree, Objectives, Workspace, Motion, Scratch)},
        **{"track": track, "view": view, "TARGET_SIZE": TARGET_SIZE},
        **CONSTANTS,
        **MOTION_CONSTANTS,
    },
)
