"""The kernel that programs for trees begin with: it takes addresses and sizes, and makes arrays of them.

Its text is made of the fields of `Workspace`, so that an array of a solve is described in one place.
"""

from __future__ import annotations

from limbik.compiler.kernel import Floats, compiled, compiled_text, view
from limbik.tree.levenberg_marquardt import solve
from limbik.tree.residuals import TARGET_SIZE
from limbik.tree.settings import ANSWER_SIZE
from limbik.tree.workspace import CONSTANTS, Objectives, Tree, Workspace, shapes_in_words


@compiled
def solve_tree(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    roles: Floats,
    settings: Floats,
    q: Floats,
    task_errors: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> None:
    """`tree.levenberg_marquardt.solve`, which has no use for roles."""
    solve(tree, objectives, workspace, settings, q, task_errors, answer, trace_q, trace_error)


# The arrays of each argument of `solve_tree` with their shapes, then the sizes, then the watch.
TREE = {"links": "n_links", "movers": "n_movers", "units": "nv", "fixed_mass": "4"}
OBJECTIVES = {
    "tasks": "n_tasks",
    "targets": "n_tasks, TARGET_SIZE",
    "level_tasks": "n_levels + 1",
    "level_rows": "n_levels + 1",
}
WORKSPACE = shapes_in_words()
OTHERS = {
    "roles": "n_links",
    "settings": "n_settings",
    "q": "nq",
    "task_errors_found": "n_tasks",
    "answer": "ANSWER_SIZE",
    "trace_q": "n_trace, nq",
    "trace_error": "n_trace",
}
SIZES = ("n_links", "nq", "nv", "n_rows", "n_tasks", "n_levels", "n_movers", "n_settings", "n_trace")


def views(arrays: dict[str, str]) -> str:
    """Arrays of addresses, as Python writes them."""
    return ", ".join(f"view({name}, {shape.rstrip(',')})" for name, shape in arrays.items())


tree = compiled_text(
    "tree",
    f"""
def tree({", ".join([*TREE, "roles", *OBJECTIVES, *WORKSPACE, *list(OTHERS)[1:], *SIZES, "watch"])}):
    solve_tree(
        Tree({views(TREE)}),
        Objectives({views(OBJECTIVES)}, watch),
        Workspace({views(WORKSPACE)}),
        {views(OTHERS)},
    )
    return 0
""",
    {**globals(), **CONSTANTS, "ANSWER_SIZE": ANSWER_SIZE, "TARGET_SIZE": TARGET_SIZE, "view": view},
)
