"""What the kernels of the general core are given: the tree, the objectives, and a workspace."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbik.chain.joints import FRAME_SIZE
from limbik.compiler.kernel import Floats, Records
from limbik.tree.kinematics import SCREW_SIZE
from limbik.tree.residuals import RESOLVED_SIZE

SCRATCH_SIZE = 48
VECTOR_PAIRS_SIZE = 20  # of one task (`solvers.methods.ccd_vector_pairs`)
DEPTH = 8  # iterations that a method learns from (`solvers.methods.anderson_acceleration`)
HISTORY_ROWS = 3 + 4 * DEPTH


class Tree(NamedTuple):
    """What moves."""

    links: Records  # `tree.kinematics.LINK`, parents first
    movers: Records  # `chain.spatial.JOINT`: the joints with numbers of their own, then the tool's record
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
    """The arrays of one solve, of the sizes of `workspace_shapes`."""

    frames: Any  # of all links
    screws: Any
    sums: Any  # of masses
    total: Any
    resolved: Any
    errors: Any  # of the rows, at q and at the configuration on trial
    wrenches: Any
    task_errors: Any  # of the tasks, at both
    costs: Any  # squared errors of the levels, at both
    J: Any
    P: Any  # rows of J in the null space of the levels above
    A: Any
    basis: Any  # of what the levels so far span
    y: Any
    rest: Any
    free: Any  # 1 for velocities that no limit stops
    damping: Any
    dx: Any  # the step, in units
    dq: Any
    trial: Any
    best: Any
    start: Any
    vector_pairs: Any  # of the tasks, on the joints (`solvers.methods.ccd_vector_pairs`)
    # Of the classical methods (`tree.classical_loop`):
    kept: Any  # the best configuration of a descent
    before: Any  # where a window of iterations began
    rest_q: Any  # toward which the first iterations are pulled
    work: Any  # room for linear algebra: as wide as the rows of J or of A
    history: Any  # of the last iterations of a method (`solvers.methods.anderson_acceleration`)
    scratch: Any  # of the method itself: ROOM_SIZE numbers for each link and each task, and once more


def workspace_shapes(links: int, nq: int, nv: int, rows: int, tasks: int, levels: int) -> Workspace:
    """The shapes of the arrays in a workspace."""
    return Workspace(
        frames=(FRAME_SIZE * links,),
        screws=(3 * links, SCREW_SIZE),
        sums=(links, 4),
        total=(4,),
        resolved=(RESOLVED_SIZE,),
        errors=(2, rows),
        wrenches=(rows, SCREW_SIZE),
        task_errors=(2, tasks),
        costs=(2, levels),
        J=(rows, nv),
        P=(rows, nv),
        A=(rows, rows),
        basis=(nv, nv),
        y=(rows,),
        rest=(rows,),
        free=(nv,),
        damping=(levels,),
        dx=(nv,),
        dq=(nv,),
        trial=(nq,),
        best=(nq,),
        start=(nq,),
        vector_pairs=(tasks, VECTOR_PAIRS_SIZE),
        kept=(nq,),
        before=(nq,),
        rest_q=(nq,),
        work=(2 * rows + 2, max(rows, nv)),
        history=(HISTORY_ROWS, nq),
        scratch=(links + tasks + 1, SCRATCH_SIZE),
    )
