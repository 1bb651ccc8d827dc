"""The arrays of the kernels of trees: tree, objectives, workspace."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from limbik.compiler.arrays import Size, array, largest
from limbik.compiler.kernel import Floats, Watch
from limbik.tree.joints import FRAME_SIZE, Joints
from limbik.tree.kinematics import SCREW_SIZE, Links, n_links, nv
from limbik.tree.residuals import RESOLVED_SIZE, TARGET_SIZE, Tasks, n_tasks

SCRATCH_SIZE = 48
VECTOR_PAIRS_SIZE = 20  # of one task (`solvers.methods.ccd_vector_pairs`)
DEPTH = 8  # iterations that a method learns from (`solvers.methods.anderson_acceleration`)
HISTORY_ROWS = 3 + 4 * DEPTH


nq, n_rows, n_levels = Size("nq"), Size("n_rows"), Size("n_levels")


class Tree(NamedTuple):
    """What moves."""

    links: Links  # parents first
    movers: Joints  # the joints with numbers of their own, then the end's record
    units: Annotated[Floats, array(nv)]  # in which velocities are counted; 0 locks one
    fixed_mass: Annotated[Floats, array(4)]  # mass times position [kg m], and mass [kg], of what cannot move


class Objectives(NamedTuple):
    """The tasks of the goals, the first level first."""

    tasks: Tasks
    targets: Annotated[Floats, array(n_tasks, TARGET_SIZE)]
    level_tasks: Annotated[Floats, array(n_levels + 1)]  # where the tasks of each level begin
    level_rows: Annotated[Floats, array(n_levels + 1)]  # and their rows
    watch: Watch


class Workspace(NamedTuple):
    """The arrays of one solve."""

    frames: Annotated[Floats, array(FRAME_SIZE * n_links)]
    screws: Annotated[Floats, array(3 * n_links, SCREW_SIZE)]
    sums: Annotated[Floats, array(n_links, 4)]  # of masses
    total: Annotated[Floats, array(4)]
    resolved: Annotated[Floats, array(RESOLVED_SIZE)]  # frames of a task
    errors: Annotated[Floats, array(2, n_rows)]  # at q and at the configuration on trial
    wrenches: Annotated[Floats, array(n_rows, SCREW_SIZE)]
    task_errors: Annotated[Floats, array(2, n_tasks)]  # at both [m or rad]
    costs: Annotated[Floats, array(2, n_levels)]  # squared errors of the levels, at both
    J: Annotated[Floats, array(n_rows, nv)]
    P: Annotated[Floats, array(n_rows, nv)]  # rows of J in the null space of the levels above
    A: Annotated[Floats, array(n_rows, n_rows)]
    basis: Annotated[Floats, array(nv, nv)]  # of what the levels so far span
    hessian: Annotated[Floats, array(nv, nv)]  # of goals that are met as well as can be (`tree.curvature`)
    y: Annotated[Floats, array(n_rows)]
    rest: Annotated[Floats, array(n_rows)]
    free: Annotated[Floats, array(nv)]  # 1 for velocities that no limit stops
    damping: Annotated[Floats, array(n_levels)]
    dx: Annotated[Floats, array(nv)]  # the step, in units
    dq: Annotated[Floats, array(nv)]
    trial: Annotated[Floats, array(nq)]
    best: Annotated[Floats, array(nq)]
    start: Annotated[Floats, array(nq)]
    vector_pairs: Annotated[Floats, array(n_tasks, VECTOR_PAIRS_SIZE)]  # of the tasks, for CCD
    # Of the classical methods (`tree.classical_loop`):
    nearest: Annotated[Floats, array(nq)]  # the best configuration of a descent
    before: Annotated[Floats, array(nq)]  # where a window of iterations began
    rest_q: Annotated[Floats, array(nq)]  # toward which the first iterations are pulled
    work: Annotated[Floats, array(2 * n_rows + 2, largest(n_rows, nv))]  # for linear algebra
    history: Annotated[Floats, array(HISTORY_ROWS, nq)]  # of the last iterations of a method
    scratch: Annotated[Floats, array(n_links + n_tasks + 1, SCRATCH_SIZE)]  # of the method itself
