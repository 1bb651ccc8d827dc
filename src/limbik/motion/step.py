"""`track`: one step of differential inverse kinematics within limits, for goals of strict priorities; adapts
damping, brakes, comes to rest.

A level of goals is a damped least-squares problem within the bounds of `motion.limits`, solved exactly
(`motion.active_set`). Two Gauss-Newton iterations make one step: the second takes off what the
curvature of the first has left. The damping is proportional to the residual (Fan & Yuan 2005), which keeps
the convergence quadratic; it is larger where the bounds leave much of the errors. Where a level cannot be
met, it has a model of second order (`motion.newton`).
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled
from limbik.motion.active_set import FREE, BoundedScratch, begin_at, fill_rest, hold, solve_within
from limbik.motion.ball_limits import align_balls, measure_balls, turn_back, turn_screws
from limbik.motion.limits import braking_step, fill_bounds, fill_margins
from limbik.motion.newton import SINGULAR, UNMET, fill_bounded_model, fill_model
from limbik.motion.state import (
    BRAKES,
    CALM,
    DT,
    FIRST_FACTOR,
    FRESH,
    IDLE,
    IDLE_TRAVEL,
    IDLED,
    LOOKED,
    LOWER_FACTOR,
    PLAN,
    PLANNED,
    PLANS,
    REVERSALS,
    TARGET_CHANGE,
    TRAVEL,
    TrackerState,
)
from limbik.motion.target_numbers import find_bad_target, read_targets
from limbik.motion.tolerances import (
    count_at_edges,
    free_rows,
    hold_across,
    is_at_edge,
    is_outside,
    keep,
    keep_one_more,
    leave_motion,
    measure,
    put_to_edge,
)
from limbik.numerics.linear import add, copy, dot, fill, squared_length
from limbik.tree.evaluation import evaluate, fill_jacobian_of
from limbik.tree.joints import SPHERICAL, advance
from limbik.tree.kinematics import pose_screws
from limbik.tree.workspace import Objectives, Tree, Workspace

DAMPING = 0.15  # per residual
MIN_DAMPING = 1e-12
BOUNDED_DAMPING = 0.5  # per residual that the bounds of a step leave
UNCOUNTED = 2.0  # times what a model has counted with: if bounds leave more, it says little
CURVED = 0.02  # part of the errors that a step leaves, from which on their curvature may count
MIN_GAIN = 1e-4  # [1/s] of the squared residual
AVERAGING = 0.1  # weight of the latest step in the average gain of steps
SHRINKING = 0.9  # part of a step that the next displacement is below where the arm is about to arrive
CLOSE = 1e-8  # residual [lengths or half radians] that needs no second iteration
NEAR = 1e-4  # residual that one always takes off
MISSED = 1e-3  # residual from which on a level may shake
SHAKES = -0.2  # cosine between a step and the one before it
ALTERNATES = -0.9  # cosine between a change of what the lower levels request and the change before it
MIN_CHANGE = 0.2  # part of a step that such a change is longer than
STIFFER = 2.0  # what damping is multiplied by where the arm shakes
STIFFEST = 10.0  # where lower levels alternate whose factor is above SHAKEN
LOOSER = 0.5  # where the targets move
FADING = 0.98  # where a level has stopped to shake
SHAKEN = 3.0  # factor of a level that has shaken at least twice
MEMORY = 3.0  # length of the travel, in units, along which it is measured whether the arm comes and goes
WANDERS = 0.2  # part of its travel that the displacement of an arm that wanders is shorter than
STIFFENING = 4.0  # growth of the damping where the arm wanders, per unit of travel
PATIENCE = 100.0  # reversals after which damping only grows until the targets move
MAX_FACTOR = 1e12
JUMPED = 0.02  # change of a target [m or a number] in one step from which on damping starts over
STEADY = 0.1  # of a step: targets that have changed by less do not explain why it turns back
SETTLED = 1e-5  # length of a plan, in units, of an arm that has all but come to rest
JUMP = 100.0  # times as long a plan for resting targets is no motion that had only been slow
AT_REST = 1e-13  # length of a step, in units
MAX_IDLE = 1.0  # [s] without an improvement after which the arm is compared with where it is then,
MAX_IDLE_TRAVEL = 0.1  # if it has travelled as far in it [units]
CHANCES = 3.0  # times that it is, before it is brought to rest
CALMING = 0.5  # [s] in which its steps then fall to a third
RETURNS = 3.0  # times as long as an arm takes to stop, until it has come back from beyond its goal
IMPROVED = 1e-3  # part of a squared error that is an improvement
SAME = 1e-4  # residual below which an upper level counts as met while a lower one improves
CONVERGING = 0.5  # part of a residual: if more is left of it, it is not curvature that has left it
MET = 0  # what a step returns: all targets have been read


@compiled
def track(
    tree: Tree, objectives: Objectives, workspace: Workspace, motion: TrackerState, scratch: BoundedScratch
) -> int:
    """Move q by one step toward the targets.

    Returns MET, or 1 more than the index of a task whose target means nothing; nothing has changed then.
    """
    refused = find_bad_target(motion)
    if refused > 0:
        return refused
    read_targets(motion, objectives.targets)
    fill(0.0, motion.edge)
    align_balls(tree, motion)
    evaluate_at(tree, objectives, workspace, motion, motion.q, 0)
    linearise(tree, objectives, workspace, motion)
    measure_gains(objectives, workspace.errors[0], motion)
    calm_down(motion)
    fill_bounds(tree, motion)
    last = squared_length(motion.moved)
    fill(0.0, motion.moved)
    fill(0.0, motion.left)
    fill(0.0, motion.first_part)
    fill(0.0, motion.lower_part)
    if motion.settings[BRAKES] > 0.0:
        plan_braking(tree, objectives, workspace, motion, scratch, last)
    before = fill_wanted(objectives, workspace.errors[0], motion)
    for row in range(motion.wanted.size):  # less what is planned
        motion.wanted[row] -= dot(workspace.J[row], motion.moved)
    iterate(tree, objectives, workspace, motion, scratch, 0)
    if motion.settings[BRAKES] == 0.0 and (
        starts_again(objectives, motion, squared_length(motion.moved), last)
        or may_rest(objectives, workspace, motion, motion.moved, last)
    ):
        stay(workspace, motion)
        return MET
    evaluate_at(tree, objectives, workspace, motion, workspace.trial, 1)
    after = fill_wanted(objectives, workspace.errors[1], motion)
    is_near = before < NEAR * NEAR or after < max(NEAR * NEAR, CONVERGING * CONVERGING * before)
    if (after > CLOSE * CLOSE and is_near) or is_outside(motion):
        hold_across(motion, workspace.errors[1])
        linearise(tree, objectives, workspace, motion)
        iterate(tree, objectives, workspace, motion, scratch, 1)
        if motion.settings[BRAKES] > 0.0:
            evaluate_at(tree, objectives, workspace, motion, workspace.trial, 1)
    finish(tree, objectives, workspace, motion)
    return MET


@compiled
def evaluate_at(
    tree: Tree, objectives: Objectives, workspace: Workspace, motion: TrackerState, q: Floats, to: int
) -> None:
    """Evaluate the errors at q into `workspace.errors[to]`; 0 of rows that are free in their tolerance."""
    evaluate(tree, objectives, workspace, q, to)
    measure(motion, workspace.errors[to])


@compiled
def linearise(tree: Tree, objectives: Objectives, workspace: Workspace, motion: TrackerState) -> None:
    """The Jacobian where the errors were evaluated last, about the axes of ball joints; 0 in rows that are
    free.
    """
    pose_screws(tree.links, workspace.frames, workspace.screws)
    turn_screws(tree, motion, workspace.screws)
    fill_jacobian_of(tree, objectives, workspace, workspace.J)
    free_rows(motion, workspace.J)


@compiled(inline=False)
def iterate(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    iteration: int,
) -> None:
    """One Gauss-Newton iteration from where the step has come to, which becomes the trial."""
    for v in range(motion.moved.size):
        motion.margin_below[v] = motion.lower[v] - motion.moved[v]
        motion.margin_above[v] = motion.upper[v] - motion.moved[v]
    levels = objectives.level_rows.size - 1
    active = motion.active[iteration * levels : (iteration + 1) * levels]
    if iteration > 0 or motion.settings[BRAKES] > 0.0:
        leave_old_bounds(motion, active[0])
    fill(0.0, motion.planned)
    if iteration == 0:
        copy(motion.moved, motion.planned)
    propose(tree, objectives, workspace, motion, scratch, active, workspace.errors[iteration])
    add(1.0, motion.first_dx, motion.first_part)
    add(-1.0, motion.first_dx, motion.lower_part)
    add(1.0, workspace.dx, motion.lower_part)
    for v in range(motion.moved.size):
        wanted = motion.moved[v] + motion.settings[CALM] * workspace.dx[v]
        motion.moved[v] = min(max(wanted, motion.lower[v]), motion.upper[v])
        workspace.dq[v] = tree.units[v] * motion.moved[v]
    turn_back(tree, motion, workspace.dq)
    advance(tree.movers, motion.q, workspace.dq, 1.0, True, workspace.trial)
    return_slowly(tree, motion.q, workspace.dq, workspace.trial)
    measure_balls(tree, motion, workspace.trial)


@compiled
def leave_old_bounds(motion: TrackerState, active: Floats) -> None:
    """Free the joints of an active set whose bound is not where the step so far has led: a correction is not
    to begin by taking it back.
    """
    for v in range(active.size):
        if (
            active[v] != FREE
            and (motion.margin_above[v] if active[v] > FREE else motion.margin_below[v]) != 0.0
        ):
            active[v] = FREE


@compiled
def return_slowly(tree: Tree, q: Floats, dq: Floats, trial: Floats) -> None:
    """Leave joints that are beyond a limit there as long as their velocity does not bring them back."""
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if mover.kind != SPHERICAL:
            value = q[mover.q] + dq[mover.v]
            if q[mover.q] > mover.upper:
                trial[mover.q] = max(trial[mover.q], value)
            elif q[mover.q] < mover.lower:
                trial[mover.q] = min(trial[mover.q], value)


@compiled
def fill_wanted(objectives: Objectives, errors: Floats, motion: TrackerState) -> float:
    """By how much the errors are to change; returns the squared length of that in the first level."""
    for row in range(errors.size):
        motion.wanted[row] = errors[row] - motion.left[row]
    return squared_length(motion.wanted[: int(objectives.level_rows[1])])


@compiled(inline=False)
def propose(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    active: Floats,
    errors: Floats,
) -> None:
    """The change `workspace.dx` [nv, in units] that the levels ask for, and that of the first one,
    `motion.first_dx`; no row leaves its tolerance with it that its level can keep there.

    active [levels, nv]: their active sets. errors [rows]: where the Jacobian is.
    """
    propose_inside(tree, objectives, workspace, motion, scratch, active, errors)
    if count_at_edges(motion, errors, NEAR) < 2:
        return
    for row in range(errors.size):  # what others have made needless, or is at the wrong edge
        if is_at_edge(motion, errors, row, NEAR):
            put_to_edge(motion, row, 0.0, errors, workspace.J)
            propose_levels(tree, objectives, workspace, motion, scratch, active, errors)
            keep(motion, row, workspace.dx, errors, workspace.J)
            propose_inside(tree, objectives, workspace, motion, scratch, active, errors)


@compiled(inline=False)
def propose_inside(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    active: Floats,
    errors: Floats,
) -> None:
    """Propose a change, and bring rows that leave their tolerance with it to an edge, one after the other."""
    propose_levels(tree, objectives, workspace, motion, scratch, active, errors)
    while keep_one_more(motion, workspace.dx, errors, workspace.J):
        propose_levels(tree, objectives, workspace, motion, scratch, active, errors)


@compiled(inline=False)
def propose_levels(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    active: Floats,
    errors: Floats,
) -> None:
    """The change that the levels ask for, one after the other, with the rows as they are."""
    fill(0.0, motion.held)
    begin_at(active[0], motion.margin_below, motion.margin_above, workspace.dx)
    levels, nv = objectives.level_rows.size - 1, workspace.dx.size
    is_curved = False
    for level in range(levels):
        first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
        if level > 0:
            begin_below(motion, active[level - 1], active[level], workspace.dx)
        is_newton = solve_level(
            tree, objectives, workspace, motion, scratch, active[level], errors, level, is_curved
        )
        fill(
            SINGULAR * math.sqrt(squared_length(errors[first:last])) if is_newton else 0.0,
            scratch.flat[first:last],
        )
        if is_newton:
            is_curved = True
            for v in range(nv):
                copy(workspace.basis[v], motion.curvature[v])
        if level == 0:
            copy(workspace.dx, motion.first_dx)


@compiled(inline=False)
def solve_level(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    active: Floats,
    errors: Floats,
    level: int,
    is_curved: bool,
) -> bool:
    """Bring `workspace.dx` to where a level is best, and mark the joints that it holds for those below it;
    whether it cannot be met, and has Newton's model.

    The curvature of an error that is many steps away changes the gradient by more than J^T J foresees:
    without damping for what the bounds leave of it, some joints would go from bound to bound.

    is_curved: whether some level above it has Newton's model.
    """
    first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
    J, wanted, nv = workspace.J[first:last], motion.wanted[first:last], workspace.dx.size
    has_plan = motion.settings[BRAKES] > 0.0  # of which a step is a part: limits of velocity leave the rest
    measured = motion.residuals[first:last] if has_plan else wanted
    copy(workspace.dx, motion.upper_dx)
    factor = motion.settings[FIRST_FACTOR if level == 0 else LOWER_FACTOR]
    damping = factor * damping_for(measured)
    is_newton, is_modelled = False, is_curved or has_plan
    if is_modelled:
        is_newton = fill_model(
            tree, objectives, workspace, motion, scratch, errors, active, level, damping, is_curved
        )
    model_size = nv if is_newton or is_curved else 0
    minimise(workspace, motion, scratch, active, first, last, model_size, damping)
    if not is_modelled:
        fill_rest(J, wanted, workspace.dx, scratch.rest)
        left = math.sqrt(squared_length(scratch.rest[: last - first]))
        length = math.sqrt(squared_length(wanted))
        if left > max(UNMET, CURVED * length):
            is_newton = fill_model(
                tree, objectives, workspace, motion, scratch, errors, active, level, damping, False
            )
            counted = math.sqrt(squared_length(workspace.work[0, first:last])) if is_newton else 0.0
            if left > max(CONVERGING * length, UNCOUNTED * counted):
                damping = factor * BOUNDED_DAMPING * left
                fill_bounded_model(tree, objectives, workspace, motion, scratch, level, factor, damping)
                minimise(workspace, motion, scratch, active, first, last, nv, damping)
            elif is_newton:
                minimise(workspace, motion, scratch, active, first, last, nv, damping)
    if level + 2 < objectives.level_rows.size:
        hold(scratch, J, wanted, damping, active, motion.held, workspace.dx)
    return is_newton


@compiled(inline=False)
def minimise(
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    active: Floats,
    first: int,
    last: int,
    model_size: int,
    damping: float,
) -> None:
    """Bring `workspace.dx` to the minimum of `workspace.hessian`, or for a model of no size to that of the
    squares of these rows.
    """
    solve_within(
        scratch,
        workspace.J[first:last],
        motion.wanted[first:last],
        workspace.J[:first],
        workspace.hessian[:model_size],
        damping,
        motion.margin_below,
        motion.margin_above,
        motion.held,
        active,
        workspace.dx,
    )


@compiled
def damping_for(wanted: Floats) -> float:
    """The damping of a level that is to change by so much, while nothing shakes."""
    return DAMPING * math.sqrt(squared_length(wanted)) + MIN_DAMPING


@compiled(inline=False)
def begin_below(motion: TrackerState, above: Floats, active: Floats, dx: Floats) -> None:
    """The active set that a lower level begins with: joints that are held, and of the set that it had in the
    step before those that are at their bounds now.
    """
    for v in range(dx.size):
        bound = motion.margin_above[v] if active[v] > FREE else motion.margin_below[v]
        if motion.held[v] > 0.0:
            active[v] = above[v]
        elif dx[v] != bound:
            active[v] = FREE


@compiled(inline=False)
def plan_braking(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    motion: TrackerState,
    scratch: BoundedScratch,
    last: float,
) -> None:
    """Plan the step `moved` [nv, in units], and what of the residuals it leaves for later ones.

    The plan is the displacement that solves all levels within the limits of position; the step is the part of
    it from which all joints can come to rest at its end. The targets' own motion is followed at once.

    last: squared length of the last step.
    """
    if motion.settings[FRESH] > 0.0:
        copy(workspace.errors[0], motion.residuals)
        copy(motion.values, motion.values_before)
    leave_motion(motion, workspace.errors[0])
    copy(motion.residuals, motion.wanted)
    fill(0.0, motion.planned)
    fill_margins(tree, motion)
    levels = objectives.level_rows.size - 1
    active = motion.active[PLAN * levels : (PLAN + 1) * levels]
    motion.settings[PLANS] = 1.0
    propose(tree, objectives, workspace, motion, scratch, active, workspace.errors[0])
    motion.settings[PLANS] = 0.0
    copy(motion.first_dx, motion.first_part)
    copy(workspace.dx, motion.lower_part)
    add(-1.0, motion.first_dx, motion.lower_part)
    if starts_again(objectives, motion, squared_length(workspace.dx), last):
        fill(0.0, workspace.dx)
        fill(0.0, motion.first_part)
        fill(0.0, motion.lower_part)
    adapt_damping(objectives, motion, last)
    first, lower = 0.0, 0.0
    if not may_rest(objectives, workspace, motion, workspace.dx, last):
        first = motion.settings[CALM] * braking_fraction(tree, motion, motion.first_part)
        lower = motion.settings[CALM] * braking_fraction(tree, motion, motion.lower_part)
    for v in range(motion.moved.size):
        motion.first_part[v] *= first
        motion.lower_part[v] *= lower
        motion.moved[v] = motion.first_part[v] + motion.lower_part[v]
    for row in range(motion.left.size):
        motion.left[row] = motion.residuals[row] - dot(workspace.J[row], motion.moved)


@compiled
def starts_again(objectives: Objectives, motion: TrackerState, square: float, last: float) -> bool:
    """Whether an arm that has all but come to rest would jump, for targets that rest; otherwise the squared
    length of its plan [in units] is noted. last: squared length of the last step.

    Where an upper level is out of reach and leads to a singular configuration, the rank of its Jacobian falls
    at the end, and a lower level finds a direction that the upper one pays for at second order.
    """
    settings = motion.settings
    is_steady = settings[TARGET_CHANGE] == 0.0 and settings[FRESH] == 0.0
    upper = squared_length(motion.residuals[: int(objectives.level_rows[objectives.level_rows.size - 2])])
    before = settings[PLANNED]
    is_jump = max(before, last) < SETTLED * SETTLED and square > JUMP * JUMP * before
    if is_steady and is_jump and upper >= MISSED * MISSED:
        return True
    settings[PLANNED] = square if is_steady else math.inf  # braking plans nothing for a target's own motion
    return False


@compiled(inline=False)
def braking_fraction(tree: Tree, motion: TrackerState, dx: Floats) -> float:
    """Which part of a displacement [nv, in units] one step may cover so that all joints come to rest at its
    end.
    """
    dt = motion.settings[DT]
    fraction = 1.0
    for v in range(dx.size):
        distance = abs(tree.units[v] * dx[v])
        if distance > 0.0:
            fraction = min(
                fraction, braking_step(distance, dt * dt * motion.acceleration_limits[v]) / distance
            )
    return fraction


@compiled(inline=False)
def may_rest(
    objectives: Objectives, workspace: Workspace, motion: TrackerState, dx: Floats, last: float
) -> bool:
    """Whether the targets rest, and a displacement [nv, in units] gains next to nothing at any level, as the
    latest steps have not, and does not shrink from step to step: in a flat valley the arm would creep for
    minutes. One step without a gain says little: some arms go down a valley from side to side.

    last: squared length of the last step.
    """
    if motion.settings[TARGET_CHANGE] > 0.0 or motion.settings[FRESH] > 0.0:
        return False
    if squared_length(dx) < SHRINKING * SHRINKING * last:
        return False
    for v in range(dx.size):
        if motion.lower[v] > 0.0 or motion.upper[v] < 0.0:
            return False
    for level in range(objectives.level_rows.size - 1):
        square = slope = 0.0
        for row in range(int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])):
            residual = workspace.errors[0, row]
            square += residual**2
            slope += residual * dot(workspace.J[row], dx)
        if max(slope, motion.gains[level]) > MIN_GAIN * motion.settings[DT] * square:
            return False
    return not looks_again(motion)


@compiled
def looks_again(motion: TrackerState) -> bool:
    """Whether an arm is let go once more without damping, where perhaps only that keeps it from going on: it
    has shaken before, and damping fades slowly.
    """
    settings = motion.settings
    if settings[LOOKED] > 0.0 or max(settings[FIRST_FACTOR], settings[LOWER_FACTOR]) < STIFFER:
        return False
    settings[LOOKED] = 1.0
    settings[FIRST_FACTOR] = settings[LOWER_FACTOR] = 1.0
    settings[REVERSALS] = 0.0
    settings[PLANNED] = math.inf  # a longer plan is no jump then
    for level in range(motion.gains.size):  # nor does it rest at once
        motion.gains[level] = MIN_GAIN / AVERAGING * settings[DT] * motion.squares[level]
    return True


@compiled
def measure_gains(objectives: Objectives, errors: Floats, motion: TrackerState) -> None:
    """Average what the latest steps have taken off the squared errors of each level, while targets rest."""
    is_steady = motion.settings[TARGET_CHANGE] == 0.0 and motion.settings[FRESH] == 0.0
    for level in range(motion.gains.size):
        first, last = int(objectives.level_rows[level]), int(objectives.level_rows[level + 1])
        square = squared_length(errors[first:last])
        gain = motion.squares[level] - square - motion.gains[level]
        motion.gains[level] = motion.gains[level] + AVERAGING * gain if is_steady else 0.0
        motion.squares[level] = square


@compiled(inline=False)
def calm_down(motion: TrackerState) -> None:
    """Shorten the steps of an arm that has come no nearer to its goals for some time, although its targets
    rest: no arm moves for ever, whatever it goes back and forth between.

    An upper level that was met at first may have to be left for a while to get around limits: the arm is
    compared with where it has come to a few times.
    """
    settings = motion.settings
    if settings[TARGET_CHANGE] > 0.0 or settings[FRESH] > 0.0:
        settings[IDLED], settings[CALM], settings[LOOKED] = 0.0, 1.0, 0.0
        fill(math.inf, motion.best)
    level = improved_level(motion.squares, motion.best)
    if level >= 0:
        for k in range(motion.best.size):
            # Those above may be a little worse now: what they were stays the measure, or two configurations
            # would each be better than the other.
            motion.best[k] = motion.squares[k] if k >= level else min(motion.best[k], motion.squares[k])
        settings[IDLE], settings[IDLE_TRAVEL] = -RETURNS * stopping_time(motion), 0.0
        return
    settings[IDLE] += settings[DT]
    settings[IDLE_TRAVEL] += math.sqrt(squared_length(motion.moved))
    if settings[IDLED] > CHANCES:
        settings[CALM] *= math.exp(-settings[DT] / CALMING)
    elif settings[IDLE] > MAX_IDLE and settings[IDLE_TRAVEL] > MAX_IDLE_TRAVEL:
        settings[IDLED] += 1.0
        settings[IDLE], settings[IDLE_TRAVEL] = 0.0, 0.0
        copy(motion.squares, motion.best)


@compiled
def stopping_time(motion: TrackerState) -> float:
    """Time [s] in which all joints can come to rest."""
    longest = 0.0
    for v in range(motion.v.size):
        longest = max(longest, abs(motion.v[v]) / motion.acceleration_limits[v])
    return longest


@compiled
def improved_level(squares: Floats, best: Floats) -> int:
    """The first level whose squared error is below another, where those above are not above theirs; -1 for
    none.
    """
    for level in range(squares.size):
        if squares[level] < (1.0 - IMPROVED) * best[level] - CLOSE * CLOSE:
            return level
        if squares[level] > (1.0 + IMPROVED) * best[level] + SAME * SAME:
            return -1
    return -1


@compiled
def stay(workspace: Workspace, motion: TrackerState) -> None:
    """The step is made, and moves nothing."""
    fill(0.0, motion.moved)
    fill(0.0, motion.v)
    copy(workspace.errors[0], motion.residuals)
    copy(motion.values, motion.values_before)


@compiled(inline=False)
def finish(tree: Tree, objectives: Objectives, workspace: Workspace, motion: TrackerState) -> None:
    """The step is made."""
    copy(workspace.trial, motion.q)
    copy(workspace.errors[1], motion.residuals)
    copy(motion.values, motion.values_before)
    for v in range(motion.v.size):
        motion.v[v] = tree.units[v] * motion.moved[v] / motion.settings[DT]
    turn_back(tree, motion, motion.v)
    if motion.settings[BRAKES] == 0.0:
        adapt_damping(objectives, motion, squared_length(motion.moved))
    damp_wandering(objectives, motion)
    motion.settings[FRESH] = 0.0


@compiled(inline=False)
def damp_wandering(objectives: Objectives, motion: TrackerState) -> None:
    """Raise the damping of the last levels where the targets rest and the arm comes and goes, not in single
    steps but in wide loops, as arms that brake may do about where they are to go.
    """
    settings = motion.settings
    if settings[TARGET_CHANGE] > 0.0 or settings[FRESH] > 0.0:
        settings[TRAVEL] = 0.0
        fill(0.0, motion.drift)
        return
    step = math.sqrt(squared_length(motion.moved))
    decay = 1.0 / (1.0 + step / MEMORY)
    settings[TRAVEL] = decay * (settings[TRAVEL] + step)
    for v in range(motion.drift.size):
        motion.drift[v] = decay * (motion.drift[v] + motion.moved[v])
    travel = settings[TRAVEL]
    if travel < 0.5 * MEMORY or squared_length(motion.drift) > (WANDERS * travel) ** 2:
        return
    settings[REVERSALS] += 1.0
    more = 1.0 + STIFFENING * step
    is_last = objectives.level_rows.size == 2
    if not is_last:
        settings[LOWER_FACTOR] = min(more * settings[LOWER_FACTOR], MAX_FACTOR)
    is_hopeless = is_last or settings[REVERSALS] >= PATIENCE  # to damp lower levels only
    if is_hopeless and squared_length(motion.residuals[: int(objectives.level_rows[1])]) >= MISSED**2:
        settings[FIRST_FACTOR] = min(more * settings[FIRST_FACTOR], MAX_FACTOR)


@compiled(inline=False)
def adapt_damping(objectives: Objectives, motion: TrackerState, step: float) -> None:
    """Double the damping of levels whose steps turn back without a reason in the targets; with acceleration
    limits, of those whose plan does, as the steps themselves cannot turn back at once.

    A first level that is met does not shake: what turns back there is rounding, and with more damping lower
    levels would take from it.

    step: squared length of one.
    """
    settings = motion.settings
    if settings[TARGET_CHANGE] > JUMPED:
        settings[FIRST_FACTOR] = settings[LOWER_FACTOR] = 1.0
    first, lower = motion.first_part, motion.lower_part
    is_steady = settings[FRESH] == 0.0 and settings[TARGET_CHANGE] <= STEADY * math.sqrt(step)
    has_turned = reverses(motion)
    settings[REVERSALS] = settings[REVERSALS] + has_turned if is_steady else 0.0
    fading = FADING if settings[REVERSALS] < PATIENCE else 1.0
    may_shake = is_steady and squared_length(motion.residuals[: int(objectives.level_rows[1])]) >= MISSED**2
    is_shaking = may_shake and opposes(first, motion.first_before)
    settings[FIRST_FACTOR] = adapted(settings[FIRST_FACTOR], is_shaking, may_shake, fading)
    is_shaking = is_steady and opposes(lower, motion.lower_before)
    has_alternated = alternates(motion, step)
    is_smooth = settings[FRESH] == 0.0 and settings[TARGET_CHANGE] <= JUMPED  # which explains no alternation
    if is_smooth and has_alternated and settings[BRAKES] == 0.0 and is_at_bound(motion):
        is_shaking = True
        if settings[LOWER_FACTOR] > SHAKEN:
            settings[LOWER_FACTOR] *= STIFFEST / STIFFER
    if is_steady and settings[REVERSALS] >= PATIENCE:
        is_shaking = is_shaking or has_turned or opposes(first, motion.lower_before)
    settings[LOWER_FACTOR] = adapted(settings[LOWER_FACTOR], is_shaking, is_steady, fading)
    copy(first, motion.first_before)
    copy(lower, motion.lower_before)


@compiled
def adapted(factor: float, is_shaking: bool, is_steady: bool, fading: float) -> float:
    """The factor of the next step's damping."""
    if is_shaking:
        return min(STIFFER * factor, MAX_FACTOR)
    return max((fading if is_steady else LOOSER) * factor, 1.0)


@compiled
def is_at_bound(motion: TrackerState) -> bool:
    """Whether some joint has gone as far as it may in this step."""
    for v in range(motion.moved.size):
        if motion.moved[v] == motion.lower[v] or motion.moved[v] == motion.upper[v]:
            return True
    return False


@compiled(inline=False)
def alternates(motion: TrackerState, step: float) -> bool:
    """Whether the part of the lower levels has gone back to what it was two steps ago, as where an upper
    level frees a joint and holds it in turn. Stores by how much that part has changed.

    step: squared length of the whole step.
    """
    product = squared = squared_before = 0.0
    for v in range(motion.lower_part.size):
        change, before = motion.lower_part[v] - motion.lower_before[v], motion.lower_change[v]
        product += change * before
        squared += change**2
        squared_before += before**2
        motion.lower_change[v] = change
    if min(squared, squared_before) < MIN_CHANGE * MIN_CHANGE * step:
        return False
    return product < ALTERNATES * math.sqrt(squared * squared_before)


@compiled(inline=False)
def reverses(motion: TrackerState) -> bool:
    """Whether all levels together take back a part of the step before."""
    product = squared = squared_before = 0.0
    for v in range(motion.moved.size):
        a = motion.first_part[v] + motion.lower_part[v]
        b = motion.first_before[v] + motion.lower_before[v]
        product += a * b
        squared += a * a
        squared_before += b * b
    return is_opposite(product, squared, squared_before)


@compiled
def opposes(a: Floats, b: Floats) -> bool:
    """Whether a step takes back a part of another, and is more than rounding."""
    return is_opposite(dot(a, b), squared_length(a), squared_length(b))


@compiled
def is_opposite(product: float, squared: float, squared_before: float) -> bool:
    """Whether two steps oppose each other, by their scalar product and squared lengths."""
    if squared < AT_REST * AT_REST or squared_before < AT_REST * AT_REST:
        return False
    return product < SHAKES * math.sqrt(squared * squared_before)
