"""The smallest weighted squared errors of goals that cannot all be met: Newton's method within joint limits.

A step is damped (Levenberg 1944; Marquardt 1963) by how well the last one was foreseen (Nocedal & Wright
2006, section 10.3), and joints that come to a limit on its path stay there (Bertsekas 1982). The Hessian is
the whole one, since where errors stay that of Gauss and Newton leads to steps that are too long or too short.

A descent has converged where the gradient, without what limits hold, is nothing beside the errors (the
cosine of More, Garbow & Hillstrom 1980, MINPACK) and no more is to be gained; or, where the Jacobian vanishes
with the gradient, as of a stretched arm, where a whole step of Newton's would gain nothing.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled, is_stopped
from limbik.numerics.end_codes import CONVERGED, SETTLED, SOLVED, SPENT
from limbik.numerics.linear import cholesky_solve, copy, dot, fill, squared_length, transpose_times
from limbik.numerics.random_numbers import uniform
from limbik.tree.ball_limits import add_stuck_rotations, forget_stuck_rotations, hold_ball, stop_rotations
from limbik.tree.curvature import fill_hessian
from limbik.tree.evaluation import (
    accept,
    count_for_watch,
    differentiate,
    evaluate,
    is_met,
    record,
    step_from,
)
from limbik.tree.joints import SPHERICAL
from limbik.tree.priorities import (
    HARDEST,
    LONGEST_STEP,
    damping_of,
    fraction_within,
    freeze,
    release,
    shorten_rotations,
)
from limbik.tree.restarts import FRACTIONS, begin_elsewhere
from limbik.tree.settings import BUDGET, DESCENTS, ITERATIONS, RANDOM, RESTARTS, USE_LIMITS
from limbik.tree.workspace import Objectives, Tree, Workspace

FLAT = 1e-6  # cosine between the errors and a column of the Jacobian that counts as none
ROUNDING = 1e-16  # part of the longest squared column that a column without effect may have
NO_GAIN = 1e-13  # part of the squared error that is not worth a step
ROUNDED = 4e-16  # what rounding makes of 1 and a number below
FORESEEN, UNFORESEEN = 0.75, 0.25  # part of the gain that a good step has, and a bad one
EASIER, HARDER = 0.1, 8.0  # what they do to the damping
CURVED = 100.0  # times the errors: more than a Hessian has of them, as of frames a centimetre apart
NUDGE = 1e-3  # [rad or unit of length] away from a saddle
MAX_NUDGES = 3
ROUNDS = 4  # of a step that comes to limits


@compiled(inline=False)
def search(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    settings: Floats,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """As `tree.levenberg_marquardt.search`, for the smallest errors, met or not: from as many random
    configurations after q as there are to be restarts.
    """
    end = SETTLED
    smallest = math.inf
    copy(q, workspace.start)
    while True:
        is_restart = answer[DESCENTS] > 0.0
        came_to = descend(tree, objectives, workspace, settings, is_restart, q, answer, trace_q, trace_error)
        answer[DESCENTS] += 1.0
        cost = workspace.costs[0, 0]
        if came_to == SOLVED or cost < smallest:
            end, smallest = came_to, cost
            copy(q, workspace.best)
        if came_to in (SOLVED, SPENT) or answer[DESCENTS] > settings[RESTARTS]:
            break
        fraction = FRACTIONS[int(answer[DESCENTS]) % 3]
        begin_elsewhere(tree, settings, workspace.start, fraction, q)
    copy(workspace.best, q)
    return end


@compiled(inline=False)
def descend(
    tree: Tree,
    objectives: Objectives,
    workspace: Workspace,
    settings: Floats,
    is_restart: bool,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """One descent from q, which is changed in place, and never for the worse; returns why it ended. At the
    end `workspace` is that of q. is_restart: whether the trace marks where it begins.
    """
    copy(q, workspace.nearest)
    use_limits = settings[USE_LIMITS] > 0.0
    factor = 1.0  # of the damping
    evaluate(tree, objectives, workspace, q, 0)
    is_flat = False
    nudges = 0
    sign = -1.0 if is_restart else 1.0
    if answer[DESCENTS] == 0.0:
        record(answer, q, workspace, 1.0, trace_q, trace_error)
    is_new, came_to = True, SOLVED
    while not is_met(objectives, workspace.task_errors[0], 0):
        if is_new:
            is_flat = look_around(tree, objectives, workspace, q, use_limits)
        if answer[ITERATIONS] >= settings[BUDGET] or is_stopped(
            objectives.watch, count_for_watch(workspace, answer[ITERATIONS])
        ):
            came_to = SPENT
            break
        gain = propose(tree, workspace, q, damping_of(workspace, 0, factor), use_limits)
        if 0.0 <= gain <= NO_GAIN * workspace.costs[0, 0]:
            if is_flat:
                return CONVERGED
            whole = propose(tree, workspace, q, damping_of(workspace, 0, 0.0), use_limits)
            if 0.0 <= whole <= NO_GAIN * workspace.costs[0, 0]:
                return CONVERGED
            gain = propose(tree, workspace, q, damping_of(workspace, 0, factor), use_limits)
        is_new = is_flat and gain < 0.0 and nudges < MAX_NUDGES
        if is_new:  # a saddle: from there it goes down
            copy(q, workspace.nearest)
            nudge(tree, workspace, settings, q, use_limits)
            nudges += 1
            step_from(tree, workspace, q, 1.0, use_limits)
            evaluate(tree, objectives, workspace, workspace.trial, 1)
        elif gain > 0.0:
            step_from(tree, workspace, q, 1.0, use_limits)
            evaluate(tree, objectives, workspace, workspace.trial, 1)
            fraction = (workspace.costs[0, 0] - workspace.costs[1, 0]) / gain
            is_new = workspace.costs[1, 0] < workspace.costs[0, 0]
            factor *= EASIER if fraction > FORESEEN else HARDER if fraction < UNFORESEEN else 1.0
        else:
            factor *= HARDER  # along some direction the error curves down
        answer[ITERATIONS] += 1.0
        if is_new:
            accept(workspace, q)
        record(answer, q, workspace, sign, trace_q, trace_error)
        sign = 1.0
        if factor > HARDEST and is_stiff(workspace, factor):
            if is_flat and gain >= 0.0:
                return CONVERGED
            came_to = SETTLED
            break
    if came_to != SOLVED:  # a saddle may have been left for nothing before
        cost = workspace.costs[0, 0]
        evaluate(tree, objectives, workspace, workspace.nearest, 0)
        if workspace.costs[0, 0] < cost:
            copy(workspace.nearest, q)
        else:
            evaluate(tree, objectives, workspace, q, 0)
    return came_to


@compiled
def is_stiff(workspace: Workspace, factor: float) -> bool:
    """Whether the damping before this factor was above all that the errors may curve down by."""
    return damping_of(workspace, 0, factor) > HARDER * CURVED * min(math.sqrt(workspace.costs[0, 0]), 1.0)


@compiled(inline=False)
def look_around(
    tree: Tree, objectives: Objectives, workspace: Workspace, q: Floats, use_limits: bool
) -> bool:
    """Jacobian, Hessian and gradient at q, and which joints are free; whether the gradient is nothing.

    The gradient `workspace.work[0]` is that of half the squared errors, downhill.
    """
    differentiate(tree, objectives, workspace, workspace.J)
    fill_hessian(tree, objectives, workspace, workspace.errors[0])
    release(tree.units, workspace.free)
    gradient, columns = workspace.work[0, : workspace.dx.size], workspace.work[1]
    transpose_times(workspace.J, workspace.errors[0], gradient)
    flat_slopes(workspace.J, workspace.errors[0], columns)
    if use_limits:
        freeze(tree.movers, q, workspace.J, workspace.errors[0], workspace.free)
        release_flat(tree, gradient, columns, workspace.free)
        for j in range(tree.movers.size - 1):
            if tree.movers[j].kind == SPHERICAL and workspace.free[tree.movers[j].v] > 0.0:
                hold_ball(tree.movers[j], q, workspace)
    return is_nothing(gradient, workspace.free, columns)


@compiled(inline=False)
def flat_slopes(J: Floats, errors: Floats, slopes: Floats) -> None:
    """Of each velocity, the slope [nv] up to which it is nothing beside errors and Jacobian."""
    nv = J.shape[1]
    fill(0.0, slopes[:nv])
    for row in range(J.shape[0]):
        for v in range(nv):
            slopes[v] += J[row, v] * J[row, v]
    longest = 0.0
    for v in range(nv):
        longest = max(longest, slopes[v])
    length = math.sqrt(squared_length(errors))
    for v in range(nv):
        slopes[v] = FLAT * math.sqrt(slopes[v] + ROUNDING * longest) * length


@compiled(inline=False)
def release_flat(tree: Tree, gradient: Floats, slopes: Floats, free: Floats) -> None:
    """Free the joints that are at a limit, and whose slope is nothing: as those of a straight knee, whose
    errors may curve down from there.
    """
    for j in range(tree.movers.size - 1):
        v = tree.movers[j].v
        if tree.movers[j].kind != SPHERICAL and tree.units[v] > 0.0 and abs(gradient[v]) <= slopes[v]:
            free[v] = 1.0


@compiled(inline=False)
def is_nothing(gradient: Floats, free: Floats, slopes: Floats) -> bool:
    """Whether the gradient of the free joints is nothing; slopes [nv]: up to which it is."""
    for v in range(gradient.size):
        if free[v] > 0.0 and abs(gradient[v]) > slopes[v]:
            return False
    return True


@compiled(inline=False)
def propose(tree: Tree, workspace: Workspace, q: Floats, damping: float, use_limits: bool) -> float:
    """The step `workspace.dx` [nv] from q, each velocity in its unit; what it is to take off the squared
    error, negative where the damped Hessian is not positive definite.

    Joints that it would lead beyond a limit go to the limit, and the others take their step in view of that.
    """
    nv = workspace.dx.size
    gradient, right, free = workspace.work[0, :nv], workspace.work[1, :nv], workspace.work[2, :nv]
    copy(workspace.free, free)
    fill(0.0, workspace.dx)
    forget_stuck_rotations(tree, workspace)
    for _ in range(ROUNDS):
        for v in range(nv):
            if free[v] > 0.0:
                right[v] = gradient[v]
                for w in range(nv):
                    right[v] -= (1.0 - free[w]) * workspace.hessian[v, w] * workspace.dx[w]
            else:
                right[v] = workspace.dx[v]
            for w in range(nv):
                workspace.basis[v, w] = free[v] * free[w] * workspace.hessian[v, w]
            workspace.basis[v, v] = free[v] * (workspace.hessian[v, v] + damping) + 1.0 - free[v]
        stop_rotations(tree, workspace, workspace.basis, right)
        if not cholesky_solve(workspace.basis, right, workspace.dx):
            return -1.0
        if not use_limits:
            break
        is_any_stopped = stop_at_limits(tree, q, workspace.dx, free)
        is_any_stopped |= add_stuck_rotations(tree, workspace, q, free)
        if not is_any_stopped:
            break
    shorten_rotations(tree.movers, workspace.dx, LONGEST_STEP)
    gain = 2.0 * dot(gradient, workspace.dx)
    for v in range(nv):
        gain -= workspace.dx[v] * dot(workspace.hessian[v], workspace.dx)
    return gain


@compiled
def nudge(tree: Tree, workspace: Workspace, settings: Floats, q: Floats, use_limits: bool) -> None:
    """A small step `workspace.dx` [nv] anywhere, of joints at their limits away from these."""
    for v in range(workspace.dx.size):
        workspace.dx[v] = workspace.free[v] * NUDGE * (2.0 * uniform(settings, RANDOM) - 1.0)
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if use_limits and mover.kind != SPHERICAL:
            if q[mover.q] <= mover.lower:
                workspace.dx[mover.v] = abs(workspace.dx[mover.v])
            elif q[mover.q] >= mover.upper:
                workspace.dx[mover.v] = -abs(workspace.dx[mover.v])


@compiled(inline=False)
def stop_at_limits(tree: Tree, q: Floats, dx: Floats, free: Floats) -> bool:
    """Shorten what leads beyond limits, and hold it there; whether there is such.

    It goes beyond them by as much as rounding may lack, which `step_from` cuts off: a joint that is not quite
    at its limit is not held there.
    """
    is_stopped_there = False
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if free[mover.v] == 0.0:
            continue
        fraction = fraction_within(mover, tree.units[mover.v], q, 0.0, dx[mover.v])
        if fraction < 1.0:
            beyond = (ROUNDED + ROUNDED * abs(q[mover.q])) / tree.units[mover.v]
            dx[mover.v] = fraction * dx[mover.v] + math.copysign(beyond, dx[mover.v])
            free[mover.v] = 0.0
            is_stopped_there = True
    return is_stopped_there
