"""The loops that the iterative methods share: budget, limits, rest pose, stalls, dead points, trace.

There are two: `by_steps` for methods that propose a step for all joints at once (the Jacobian methods) and
`by_sweeps` for methods that turn one joint after the other (CCD). The method is bound into its loop, and so
are the kinematics of the chain (those of `chain.planar` or `chain.spatial`).

Neither loop accepts a change that makes the error grow (a rest pose apart), so no arm jerks when its target
is out of reach: the error settles and stays.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from limbik.compiler.kernel import Floats, Records, Watch, compiled, empty, is_stopped, to_be_bound
from limbik.numerics import dead_points, extrapolation
from limbik.numerics.end_codes import SETTLED, SOLVED, SPENT
from limbik.numerics.linear import copy, fill, shorten, squared_length, transpose_times

SETTINGS = np.dtype(
    [
        ("tolerance", np.float64),  # [m]
        ("tolerance_rotation", np.float64),  # [rad]
        ("metres_per_radian", np.float64),  # weight of the rotation rows of a pose
        ("budget", np.int64),  # iterations
        ("use_limits", np.bool_),
        ("rest_bias", np.float64),  # fraction per iteration
        ("damping", np.float64),  # the method's: factor on every step
        ("gain", np.float64),  # the method's: gamma of the transpose, lambda of DLS
        ("longest_error", np.float64),  # the method's: errors are clamped to this length [m]
        ("patience", np.float64),  # fraction of the error that a window is to gain
    ]
)

REST_FADING = 0.9  # per iteration: the pull toward the rest pose fades, so that the target wins in the end
REST_FADED = 1e-5
WINDOW = 24  # iterations over which progress is judged
STATIONARY = 1e-7  # |J^T r| / (|J| |r|) under which no small step helps
SMALLEST_SCALE = 1e-3
AFTER_GRADIENT = 0.02
SLOW = 0.9  # a step that leaves more than this of the squared error
LONGEST_STEP = 1.0  # [rad or m] of any joint in one iteration

# Bound by the chain and by the method.
ROWS = to_be_bound()
forward = frames_size = tangent_size = advance = blend = freeze = step = sweep = to_be_bound()


@compiled(inline=True)
def is_met(r: Floats, off_plane: float, settings: Records) -> bool:
    """Whether the residual r is within tolerance; off_plane [m^2] adds what no joint can change."""
    squared = off_plane
    for i in range(min(r.size, 3)):
        squared += r[i] * r[i]
    if not squared <= settings.tolerance * settings.tolerance:
        return False
    squared = 0.0
    for i in range(3, r.size):
        squared += r[i] * r[i]
    limit = settings.tolerance_rotation * settings.metres_per_radian
    return squared <= limit * limit


@compiled(inline=True)
def record(iteration: int, q: Floats, error: float, trace_q: Floats, trace_error: Floats) -> None:
    """Keep what an iteration left, where a trace was asked for."""
    if iteration < trace_error.size:
        trace_error[iteration] = error
        for i in range(q.size):
            trace_q[iteration, i] = q[i]


class Problem(NamedTuple):
    """What the error depends on beside q, with room to evaluate it."""

    joints: Records
    target: Floats
    use_limits: bool
    J: Floats
    r: Floats
    frames: Floats


@compiled
def error_at(problem: Problem, q: Floats) -> float:
    """The squared error at q."""
    return forward(problem.joints, problem.target, q, problem.J, problem.r, problem.frames)


@compiled
def turn(problem: Problem, q: Floats, dq: Floats, scale: float, trial: Floats) -> None:
    """The trial: q after a part of a velocity."""
    advance(problem.joints, q, dq, scale, problem.use_limits, trial)


@compiled
def go_on(problem: Problem, q: Floats, before: Floats, factor: float, trial: Floats) -> None:
    """The trial: q + factor (q - before)."""
    still = empty(tangent_size(problem.joints))
    fill(0.0, still)
    copy(q, trial)
    blend(problem.joints, trial, before, -factor, problem.use_limits)
    advance(problem.joints, trial, still, 0.0, problem.use_limits, trial)


bend_any = dead_points.bend.bind(error_at=error_at, turn=turn)
extrapolate_any = extrapolation.extrapolate.bind(error_at=error_at, go_on=go_on)


@compiled(inline=False)
def bend(joints: Records, target: Floats, use_limits: bool, q: Floats, squared: float) -> float:
    """`numerics.dead_points.bend`; returns the squared error afterwards."""
    nv = tangent_size(joints)
    J, r = empty(ROWS, nv), empty(ROWS)
    W, U = empty(ROWS, nv), empty(ROWS, ROWS)
    problem = Problem(joints, target, use_limits, J, r, empty(frames_size(joints)))
    error_at(problem, q)
    return bend_any(problem, J, q, squared, W, U, empty(nv), empty(q.size))


@compiled(inline=False)
def extrapolate(
    joints: Records, target: Floats, use_limits: bool, q: Floats, before: Floats, squared: float
) -> float:
    """`numerics.extrapolation.extrapolate`; returns the squared error afterwards."""
    J, r = empty(ROWS, tangent_size(joints)), empty(ROWS)
    problem = Problem(joints, target, use_limits, J, r, empty(frames_size(joints)))
    return extrapolate_any(problem, q, before, squared, empty(q.size))


@compiled
def by_steps(
    joints: Records,
    target: Floats,
    off_plane: float,
    settings: Records,
    patience: float,
    rest: Floats,
    q: Floats,
    trace_q: Floats,
    trace_error: Floats,
    watch: Watch,
) -> tuple[int, int]:
    """Descend by `step`, kept within limits and shortened while it would make the error grow.

    q [nq] is changed in place. To gain less than the fraction `patience` of the error in a window is a stall.
    Returns (why it ended, iterations).
    """
    nv = tangent_size(joints)
    both_J = empty(2, ROWS, nv)
    both_r = empty(2, ROWS)
    gradient = empty(nv)
    dq = empty(nv)
    trial = empty(q.size)
    at_window_q = empty(q.size)
    copy(q, at_window_q)
    frames = empty(frames_size(joints))
    work = empty(2 * ROWS + 1, max(nv, ROWS))
    bias = settings.rest_bias
    now = 0  # which of the two Jacobians and residuals belongs to q; the other is for trials
    squared = at_window = math.inf
    scale = 1.0
    is_moved = True  # q has been changed by something else than an accepted step
    is_new = True  # no step has been proposed from q yet
    is_slow = True  # the last step gained little: q may be a dead point
    is_gradient = False  # the step on trial is down the gradient, not the method's own
    for iteration in range(1, settings.budget + 1):
        J, r = both_J[now], both_r[now]
        if is_moved:
            squared = forward(joints, target, q, J, r, frames)
            is_moved = False
            is_new = is_slow = True
            if iteration == 1:
                at_window = squared
                record(0, q, math.sqrt(squared + off_plane), trace_q, trace_error)
        if is_met(r, off_plane, settings):
            return SOLVED, iteration - 1
        if is_stopped(watch, iteration):
            return SPENT, iteration - 1
        if bias > REST_FADED:
            blend(joints, q, rest, bias, settings.use_limits)
            bias *= REST_FADING
            squared = forward(joints, target, q, J, r, frames)
            at_window = math.inf
            is_new = True
        if is_new:
            is_gradient = False
            transpose_times(J, r, gradient)
            if settings.use_limits:
                freeze(joints, q, gradient, J)
            if is_slow and is_stationary(J, gradient, squared):
                bent = bend(joints, target, settings.use_limits, q, squared)
                record(iteration, q, math.sqrt(bent + off_plane), trace_q, trace_error)
                if not bent < squared and not bias > REST_FADED:
                    return SETTLED, iteration
                is_moved = True
                continue
            step(J, r, gradient, settings, dq, work)
            shorten(dq, LONGEST_STEP)
        advance(joints, q, dq, scale, settings.use_limits, trial)
        changed = forward(joints, target, trial, both_J[1 - now], both_r[1 - now], frames)
        is_new = changed < squared
        is_slow = not changed < SLOW * squared
        if is_new:
            copy(trial, q)
            squared = changed
            now = 1 - now
            scale = AFTER_GRADIENT if is_gradient else min(1.0, 2.0 * scale)
        else:
            scale *= 0.25
            if scale < SMALLEST_SCALE and is_gradient:
                record(iteration, q, math.sqrt(squared + off_plane), trace_q, trace_error)
                return SETTLED, iteration
            if scale < SMALLEST_SCALE:
                # The method's own direction leads nowhere: go down the gradient, by a length that must gain.
                length = safe_length(J, r, gradient)
                for j in range(nv):
                    dq[j] = length * gradient[j]
                scale = 1.0
                is_gradient = True
        if iteration % WINDOW == 0:
            squared = extrapolate(joints, target, settings.use_limits, q, at_window_q, squared)
            is_moved = True
            if squared > at_window * (1.0 - patience):
                record(iteration, q, math.sqrt(squared + off_plane), trace_q, trace_error)
                return SETTLED, iteration
            at_window = squared
            copy(q, at_window_q)
        record(iteration, q, math.sqrt(squared + off_plane), trace_q, trace_error)
    return SPENT, settings.budget


@compiled(inline=False)
def safe_length(J: Floats, r: Floats, gradient: Floats) -> float:
    """A step along the gradient J^T r that lowers the error for certain, to second order.

    The slope over a bound on the curvature: |J g|^2 of the linear model, and what the turning of the levers
    adds, which is at most |r| times the lever of the joint nearer to the tip for each pair of joints.
    """
    slope = 0.0
    curvature = 0.0
    before = 0.0  # sum of |g| over the joints nearer to the base
    for j in range(gradient.size):
        lever = 0.0
        for i in range(r.size):
            lever += J[i, j] * J[i, j]
        g = abs(gradient[j])
        slope += g * g
        curvature += math.sqrt(lever) * g * (2.0 * before + g)
        before += g
    curvature *= math.sqrt(squared_length(r))
    for i in range(r.size):
        along = 0.0
        for j in range(gradient.size):
            along += J[i, j] * gradient[j]
        curvature += along * along
    return slope / curvature if curvature > 0.0 else 0.0


@compiled
def is_stationary(J: Floats, gradient: Floats, squared: float) -> bool:
    """Whether J^T r vanishes beside |J| |r|: the residual is across all that the joints can do."""
    lever = 0.0
    for i in range(J.shape[0]):
        for j in range(J.shape[1]):
            lever += J[i, j] * J[i, j]
    slope = 0.0
    for j in range(gradient.size):
        slope += gradient[j] * gradient[j]
    return slope <= STATIONARY * STATIONARY * lever * squared


@compiled
def by_sweeps(
    joints: Records,
    target: Floats,
    off_plane: float,
    settings: Records,
    patience: float,
    rest: Floats,
    q: Floats,
    trace_q: Floats,
    trace_error: Floats,
    watch: Watch,
) -> tuple[int, int]:
    """Descend by `sweep`, which turns one joint after the other and never makes the error grow.

    q [nq] is changed in place. To gain less than the fraction `patience` of the error in a window is a stall.
    Returns (why it ended, iterations).
    """
    frames = empty(frames_size(joints))
    J, r = empty(ROWS, tangent_size(joints)), empty(ROWS)
    at_window_q = empty(q.size)
    copy(q, at_window_q)
    bias = settings.rest_bias
    squared = at_window = forward(joints, target, q, J, r, frames)
    record(0, q, math.sqrt(squared + off_plane), trace_q, trace_error)
    limit = settings.tolerance * settings.tolerance
    for iteration in range(1, settings.budget + 1):
        if squared + off_plane <= limit:
            return SOLVED, iteration - 1
        if is_stopped(watch, iteration):
            return SPENT, iteration - 1
        if bias > REST_FADED:
            blend(joints, q, rest, bias, settings.use_limits)
            bias *= REST_FADING
            at_window = squared = math.inf
        swept = sweep(joints, target, settings, q, J, frames)
        is_stuck = False
        if not swept < squared * (1.0 - 1e-12) and not bias > REST_FADED:
            swept = bend(joints, target, settings.use_limits, q, swept)
            is_stuck = not swept < squared
        squared = swept
        if iteration % WINDOW == 0:
            squared = extrapolate(joints, target, settings.use_limits, q, at_window_q, squared)
            is_stuck |= squared > at_window * (1.0 - patience)
            at_window = squared
            copy(q, at_window_q)
        record(iteration, q, math.sqrt(squared + off_plane), trace_q, trace_error)
        if is_stuck:
            return SETTLED, iteration
    return SPENT, settings.budget
