"""`TrackerState`: the arrays of a tracker, and the indices of its settings."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from limbik.compiler.arrays import array
from limbik.compiler.kernel import Floats
from limbik.tree.kinematics import nv
from limbik.tree.residuals import n_tasks
from limbik.tree.workspace import n_levels, n_rows, nq

TARGET_INPUT_SIZE = 16  # numbers of the input of one task: a pose, or a target as `tree.residuals` has it

# Forms of the input of a task.
AS_TARGET = 0.0  # the numbers of its target
AS_POSE = 1.0  # a pose 4x4, of this task and of the next
AS_BEFORE = 2.0  # the pose of the task before

# Settings, by index.
DT = 0  # [s]
BRAKES = 1  # 1: some joint has an acceleration limit
FRESH = 2  # 1: nothing is known of the step before
FIRST_FACTOR = 3  # of the first level's damping: at least 1, more while the arm shakes
LOWER_FACTOR = 4  # of the lower levels'
TARGET_CHANGE = 5  # the largest change of a target's number since the step before
PLANNED = 6  # squared length of the last plan, in units
REVERSALS = 7  # how often the arm has turned back since the targets moved
TRAVEL = 8  # sum of the lengths of the latest steps, in units
PLANS = 9  # 1 while a displacement is planned that takes many steps
IDLE = 10  # [s] since the arm came nearer to its goals than before, while the targets rest
IDLE_TRAVEL = 11  # sum of the lengths of the steps in that time, in units
IDLED = 12  # how often it has been idle for long since the targets moved
CALM = 13  # what steps are multiplied by: below 1 after the arm has often been idle
LOOKED = 14  # 1: where it would rest with much damping, the arm has been let go without it
SETTINGS_SIZE = 15

ITERATIONS = 2  # of one step
PLAN = ITERATIONS  # index of the active sets of the plan, behind those of the iterations


class TrackerState(NamedTuple):
    """The arrays of a tracker."""

    settings: Annotated[Floats, array(SETTINGS_SIZE)]
    velocity_limits: Annotated[Floats, array(nv)]  # [rad/s or m/s]
    acceleration_limits: Annotated[Floats, array(nv)]  # [rad/s^2 or m/s^2]
    inputs: Annotated[Floats, array(n_tasks, TARGET_INPUT_SIZE)]  # the targets of the next step
    forms: Annotated[Floats, array(n_tasks)]  # of the input of each task
    q: Annotated[Floats, array(nq)]
    v: Annotated[Floats, array(nv)]  # [rad/s or m/s] of the last step
    residuals: Annotated[Floats, array(n_rows)]  # that the last step left
    # Active sets (`motion.active_set`) of each iteration and level, from one step to the next.
    active: Annotated[Floats, array((ITERATIONS + 1) * n_levels, nv)]
    held: Annotated[Floats, array(nv)]  # 1: pushes against its bound, and stays there for lower levels
    # Of ball joints near limits (`motion.ball_limits`), a matrix each, row by row from 3 v on:
    to_axes: Annotated[Floats, array(3 * nv)]  # from velocities about x, y, z to those about its axes
    to_body: Annotated[Floats, array(3 * nv)]  # and back
    aligned: Annotated[Floats, array(nv)]  # 1: a velocity about such an axis
    below: Annotated[Floats, array(nv)]  # how far it is from a limit [rad], downward and
    above: Annotated[Floats, array(nv)]  # upward
    lower: Annotated[Floats, array(nv)]  # how far each joint may go in this step, in units
    upper: Annotated[Floats, array(nv)]
    moved: Annotated[Floats, array(nv)]  # how far it has gone, in units
    first_part: Annotated[Floats, array(nv)]  # what of it the first level has requested
    lower_part: Annotated[Floats, array(nv)]  # and the lower levels
    planned: Annotated[Floats, array(nv)]  # how far it has gone since the Jacobian, in units
    first_dx: Annotated[Floats, array(nv)]  # what the first level alone asks for
    upper_dx: Annotated[Floats, array(nv)]  # what the levels above one ask for
    first_before: Annotated[Floats, array(nv)]  # first_part of the step before
    lower_before: Annotated[Floats, array(nv)]  # lower_part of the step before
    lower_change: Annotated[Floats, array(nv)]  # by how much it had changed in that step
    drift: Annotated[Floats, array(nv)]  # sum of the latest steps, in units
    margin_below: Annotated[Floats, array(nv)]  # how much farther it may go, in units
    margin_above: Annotated[Floats, array(nv)]
    curvature: Annotated[Floats, array(nv, nv)]  # positive part of the Hessian of the levels above one
    left: Annotated[Floats, array(n_rows)]  # residuals that are left for later steps
    squares: Annotated[Floats, array(n_levels)]  # squared errors where the last step has begun
    gains: Annotated[Floats, array(n_levels)]  # what steps take off them, on average
    best: Annotated[Floats, array(n_levels)]  # the best of them since the targets moved, upper levels first
    wanted: Annotated[Floats, array(n_rows)]  # by how much this step is to change them
    # Rows with a tolerance (`motion.tolerances`):
    tolerance: Annotated[Floats, array(n_rows)]  # weighted, as errors are; 0: a row without one
    is_across: Annotated[Floats, array(n_rows)]  # 1: across a cone, whose error is along the row before
    values: Annotated[Floats, array(n_rows)]  # whole errors where they were evaluated last
    values_before: Annotated[Floats, array(n_rows)]  # where the last step has ended
    edge: Annotated[Floats, array(n_rows)]  # -1 or 1: the edge that a row is brought to; 0: it is free
    slopes: Annotated[Floats, array(n_rows, nv)]  # rows of the Jacobian, of those that are free too
