"""One iteration of any Jacobian method on any tree, in one kernel: the method's step, shortened until the
error falls, else a step down the gradient.

The rows and units are those of the general core (`tree.residuals`): errors count in lengths of the model.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from limbik.compiler.kernel import Floats, compiled
from limbik.numerics.linear import copy, squared_length, transpose_times
from limbik.solvers.methods.dls import faded_in
from limbik.solvers.methods.dls import step as dls_step
from limbik.solvers.methods.lm import step as lm_step
from limbik.solvers.methods.newton import step as newton_step
from limbik.solvers.methods.pinv import step as pinv_step
from limbik.solvers.methods.sdls import step as sdls_step
from limbik.solvers.methods.transpose import step as transpose_step
from limbik.solvers.methods.transpose_classic import bend_stretched
from limbik.solvers.methods.transpose_classic import step as classic_step
from limbik.solvers.solver import BY_CLASSIC, BY_DLS, BY_LM, BY_NEWTON, BY_PINV, BY_SDLS
from limbik.tree.ball_limits import FREEDOM_OF_BALL, hold_stuck_rotations
from limbik.tree.classical_loop import (
    DAMPING,
    GAIN,
    IS_EVALUATED,
    LONGEST_ERROR,
    MANIPULABILITY,
    MEMORY,
    METHOD,
    USE_LIMITS,
)
from limbik.tree.evaluation import accept, differentiate, evaluate, step_from
from limbik.tree.joints import freeze
from limbik.tree.priorities import shorten_rotations
from limbik.tree.workspace import Objectives, Tree, Workspace

LONGEST_STEP = 1.0  # [rad or m] of any joint in one iteration
SMALLEST_SCALE = 1e-3  # of a step that is shortened
AFTER_GRADIENT = 2.0**-6  # scale of the step after one down the gradient


class Tuned(NamedTuple):
    """The numbers of a method, by the names that its step reads them by."""

    damping: float
    gain: float
    longest_error: float


@compiled
def improve(
    tree: Tree, objectives: Objectives, workspace: Workspace, roles: Floats, settings: Floats, q: Floats
) -> None:
    """Change q [nq] by one step of the method settings[METHOD].

    The step is shortened while it would make the error grow, and where that is in vain it goes down the
    gradient; q stays where nothing gains. Only the classic transpose steps whatever comes of it.
    """
    use_limits = settings[USE_LIMITS] > 0.0
    is_classic = settings[METHOD] == BY_CLASSIC
    if is_classic and bend_stretched(tree, objectives, workspace, use_limits, q):
        evaluate(tree, objectives, workspace, q, 0)
    differentiate(tree, objectives, workspace, workspace.J)
    gradient = workspace.work[workspace.work.shape[0] - 1, : workspace.dx.size]
    transpose_times(workspace.J, workspace.errors[0], gradient)
    if use_limits:
        freeze(tree.movers, q, gradient, workspace.J)
    if is_classic:
        propose(workspace, gradient, settings)
        step_from(tree, workspace, q, 1.0, use_limits)
        copy(workspace.trial, q)
        return
    for _ in range(FREEDOM_OF_BALL):
        propose(workspace, gradient, settings)
        shorten_rotations(tree.movers, workspace.dx, LONGEST_STEP)
        if not (use_limits and hold_stuck_rotations(tree, workspace, q)):
            break
        transpose_times(workspace.J, workspace.errors[0], gradient)
    scale = settings[MEMORY] if settings[MEMORY] > 0.0 else 1.0
    scale = gain_by(tree, objectives, workspace, q, scale, use_limits)
    settings[MEMORY] = min(1.0, 2.0 * scale)
    if scale == 0.0:
        length = safe_length(workspace.J, workspace.errors[0], gradient)
        for v in range(gradient.size):
            workspace.dx[v] = length * gradient[v]
        scale = gain_by(tree, objectives, workspace, q, 1.0, use_limits)
        settings[MEMORY] = AFTER_GRADIENT
    if scale > 0.0:
        settings[IS_EVALUATED] = 1.0


@compiled(inline=False)
def propose(workspace: Workspace, gradient: Floats, settings: Floats) -> None:
    """The method's step `workspace.dx` [nv], each velocity in its unit."""
    J, r, dx, work = workspace.J, workspace.errors[0], workspace.dx, workspace.work
    tuned = Tuned(settings[DAMPING], settings[GAIN], settings[LONGEST_ERROR])
    method = settings[METHOD]
    if method == BY_PINV:
        pinv_step(J, r, gradient, tuned, dx, work)
    elif method == BY_DLS:
        gain = faded_in(J, tuned.gain, settings[MANIPULABILITY], work)
        dls_step(J, r, gradient, Tuned(tuned.damping, gain, tuned.longest_error), dx, work)
    elif method == BY_SDLS:
        sdls_step(J, r, gradient, tuned, dx, work)
    elif method == BY_NEWTON:
        newton_step(J, r, gradient, tuned, dx, work)
    elif method == BY_LM:
        lm_step(J, r, gradient, tuned, dx, work)
    elif method == BY_CLASSIC:
        classic_step(J, r, gradient, tuned, dx, work)
    else:
        transpose_step(J, r, gradient, tuned, dx, work)


@compiled(inline=False)
def gain_by(
    tree: Tree, objectives: Objectives, workspace: Workspace, q: Floats, scale: float, use_limits: bool
) -> float:
    """Step from q by `workspace.dx` times a scale, quartered until the error falls; q changes where it does.

    Returns the scale of the step that gains, 0 where none does.
    """
    while scale >= SMALLEST_SCALE:
        step_from(tree, workspace, q, scale, use_limits)
        evaluate(tree, objectives, workspace, workspace.trial, 1)
        if workspace.costs[1, 0] < workspace.costs[0, 0]:
            accept(workspace, q)
            return scale
        scale *= 0.25
    return 0.0


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
