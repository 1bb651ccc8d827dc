"""What the kernels of the general core are given: the tree, the objectives, and a workspace."""

from __future__ import annotations

import functools
from typing import Annotated, Any, NamedTuple, get_type_hints

from limbik.chain.joints import FRAME_SIZE
from limbik.compiler.kernel import Floats, Records
from limbik.tree.kinematics import SCREW_SIZE
from limbik.tree.residuals import RESOLVED_SIZE

SCRATCH_SIZE = 48
VECTOR_PAIRS_SIZE = 20  # of one task (`solvers.methods.ccd_vector_pairs`)
DEPTH = 8  # iterations that a method learns from (`solvers.methods.anderson_acceleration`)
HISTORY_ROWS = 3 + 4 * DEPTH


# What the shapes below are written in, beside the sizes of a problem.
CONSTANTS = {
    "FRAME_SIZE": FRAME_SIZE,
    "SCREW_SIZE": SCREW_SIZE,
    "RESOLVED_SIZE": RESOLVED_SIZE,
    "VECTOR_PAIRS_SIZE": VECTOR_PAIRS_SIZE,
    "HISTORY_ROWS": HISTORY_ROWS,
    "SCRATCH_SIZE": SCRATCH_SIZE,
    "max": max,
}


class Tree(NamedTuple):
    """What moves."""

    links: Records  # `tree.kinematics.LINK`, parents first
    movers: Records  # `chain.joints.JOINT`: the joints with numbers of their own, then the tool's record
    units: Floats  # [nv] in which velocities are counted; 0 locks one
    fixed_mass: Floats  # [4] mass times place [kg m], and mass [kg], of what cannot move


class Objectives(NamedTuple):
    """The tasks of the goals, the first level first."""

    tasks: Records  # `tree.residuals.TASK`
    targets: Floats  # [tasks, TARGET_SIZE]
    level_tasks: Floats  # [levels + 1] where the tasks of each level begin
    level_rows: Floats  # [levels + 1] and their rows
    watch: Any  # what `is_stopped` asks, whether to go on


class Workspace(NamedTuple):
    """The arrays of one solve, each with its shape: what is made of them is in `workspace_shapes` and
    `tree.entries`.
    """

    frames: Annotated[Any, "FRAME_SIZE * n_links,"]
    screws: Annotated[Any, "3 * n_links, SCREW_SIZE"]
    sums: Annotated[Any, "n_links, 4"]  # of masses
    total: Annotated[Any, "4,"]
    resolved: Annotated[Any, "RESOLVED_SIZE,"]  # frames of a task
    errors: Annotated[Any, "2, n_rows"]  # at q and at the configuration on trial
    wrenches: Annotated[Any, "n_rows, SCREW_SIZE"]
    task_errors: Annotated[Any, "2, n_tasks"]  # at both [m or rad]
    costs: Annotated[Any, "2, n_levels"]  # squared errors of the levels, at both
    J: Annotated[Any, "n_rows, nv"]
    P: Annotated[Any, "n_rows, nv"]  # rows of J in the null space of the levels above
    A: Annotated[Any, "n_rows, n_rows"]
    basis: Annotated[Any, "nv, nv"]  # of what the levels so far span
    hessian: Annotated[Any, "nv, nv"]  # of goals that are met as well as can be (`tree.curvature`)
    y: Annotated[Any, "n_rows,"]
    rest: Annotated[Any, "n_rows,"]
    free: Annotated[Any, "nv,"]  # 1 for velocities that no limit stops
    damping: Annotated[Any, "n_levels,"]
    dx: Annotated[Any, "nv,"]  # the step, in units
    dq: Annotated[Any, "nv,"]
    trial: Annotated[Any, "nq,"]
    best: Annotated[Any, "nq,"]
    start: Annotated[Any, "nq,"]
    vector_pairs: Annotated[Any, "n_tasks, VECTOR_PAIRS_SIZE"]  # of the tasks, for CCD
    # Of the classical methods (`tree.classical_loop`):
    kept: Annotated[Any, "nq,"]  # the best configuration of a descent
    before: Annotated[Any, "nq,"]  # where a window of iterations began
    rest_q: Annotated[Any, "nq,"]  # toward which the first iterations are pulled
    work: Annotated[Any, "2 * n_rows + 2, max(n_rows, nv)"]  # for linear algebra
    history: Annotated[Any, "HISTORY_ROWS, nq"]  # of the last iterations of a method
    scratch: Annotated[Any, "n_links + n_tasks + 1, SCRATCH_SIZE"]  # of the method itself


def shapes_in_words() -> dict[str, str]:
    """The shape of each array of a workspace, as Python writes it in the sizes of a problem."""
    hints = get_type_hints(Workspace, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


@functools.cache
def workspace_shapes(n_links: int, nq: int, nv: int, n_rows: int, n_tasks: int, n_levels: int) -> Workspace:
    """The shapes of the arrays in a workspace."""
    sizes = {
        "n_links": n_links, "nq": nq, "nv": nv, "n_rows": n_rows, "n_tasks": n_tasks, "n_levels": n_levels,
    }  # fmt: skip
    return Workspace(**{name: eval(shape, CONSTANTS, sizes) for name, shape in shapes_in_words().items()})
