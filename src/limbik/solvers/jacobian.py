"""One iteration of any Jacobian method on any tree: all of them in one kernel, and so in one program.

The rows and units are those of the general core (`core.tasks`): errors count in lengths of the model.
"""

from __future__ import annotations

from typing import NamedTuple

from limbik.compiler.kernel import Floats, compiled
from limbik.core.branched import DAMPING, GAIN, LONGEST_ERROR, MEMORY, METHOD, SEEN, USE_LIMITS
from limbik.core.descent import AFTER_GRADIENT, LONGEST_STEP, SMALLEST_SCALE, safe_length
from limbik.core.desk import Asked, Desk, Tree
from limbik.core.hierarchy import shorten_turns
from limbik.core.linear import copy, transpose_times
from limbik.core.spatial_chain import advance, freeze
from limbik.core.whole_body import differentiate, look, take
from limbik.solvers.dls import step as dls_step
from limbik.solvers.newton import step as newton_step
from limbik.solvers.pinv import step as pinv_step
from limbik.solvers.sdls import step as sdls_step
from limbik.solvers.solver import BY_CLASSIC, BY_DLS, BY_NEWTON, BY_PINV, BY_SDLS
from limbik.solvers.transpose import step as transpose_step
from limbik.solvers.transpose_classic import bend_stretched
from limbik.solvers.transpose_classic import step as classic_step


class Tuned(NamedTuple):
    """The numbers of a method, by the names that its step reads them by."""

    damping: float
    gain: float
    longest_error: float


@compiled
def improve(tree: Tree, asked: Asked, desk: Desk, roles: Floats, settings: Floats, q: Floats) -> None:
    """Change q [nq] by one step of the method settings[METHOD].

    The step is shortened while it would make the error grow, and where that is in vain it goes down the
    gradient; q stays where nothing gains. Only the classic transpose steps whatever comes of it.
    """
    use_limits = settings[USE_LIMITS] > 0.0
    is_classic = settings[METHOD] == BY_CLASSIC
    if is_classic and bend_stretched(tree, asked, desk, use_limits, q):
        look(tree, asked, desk, q, 0)
    differentiate(tree, asked, desk)
    gradient = desk.work[desk.work.shape[0] - 1, : desk.dx.size]
    transpose_times(desk.J, desk.errors[0], gradient)
    if use_limits:
        freeze(tree.movers, q, gradient, desk.J)
    propose(desk, gradient, settings)
    if is_classic:
        move(tree, desk, q, 1.0, use_limits)
        copy(desk.trial, q)
        return
    shorten_turns(tree.movers, desk.dx, LONGEST_STEP)
    scale = settings[MEMORY] if settings[MEMORY] > 0.0 else 1.0
    scale = gain_by(tree, asked, desk, q, scale, use_limits)
    settings[MEMORY] = min(1.0, 2.0 * scale)
    if scale == 0.0:
        length = safe_length(desk.J, desk.errors[0], gradient)
        for v in range(gradient.size):
            desk.dx[v] = length * gradient[v]
        scale = gain_by(tree, asked, desk, q, 1.0, use_limits)
        settings[MEMORY] = AFTER_GRADIENT
    if scale > 0.0:
        settings[SEEN] = 1.0


@compiled(inline=False)
def propose(desk: Desk, gradient: Floats, settings: Floats) -> None:
    """The method's step `desk.dx` [nv], each velocity in its unit."""
    J, r, dx, work = desk.J, desk.errors[0], desk.dx, desk.work
    tuned = Tuned(settings[DAMPING], settings[GAIN], settings[LONGEST_ERROR])
    method = settings[METHOD]
    if method == BY_PINV:
        pinv_step(J, r, gradient, tuned, dx, work)
    elif method == BY_DLS:
        dls_step(J, r, gradient, tuned, dx, work)
    elif method == BY_SDLS:
        sdls_step(J, r, gradient, tuned, dx, work)
    elif method == BY_NEWTON:
        newton_step(J, r, gradient, tuned, dx, work)
    elif method == BY_CLASSIC:
        classic_step(J, r, gradient, tuned, dx, work)
    else:
        transpose_step(J, r, gradient, tuned, dx, work)


@compiled(inline=False)
def gain_by(tree: Tree, asked: Asked, desk: Desk, q: Floats, scale: float, use_limits: bool) -> float:
    """Step from q by `desk.dx` times a scale, quartered until the error falls; q changes where it does.

    Returns the scale of the step that gains, 0 where none does.
    """
    while scale >= SMALLEST_SCALE:
        move(tree, desk, q, scale, use_limits)
        look(tree, asked, desk, desk.trial, 1)
        if desk.costs[1, 0] < desk.costs[0, 0]:
            take(desk, q)
            return scale
        scale *= 0.25
    return 0.0


@compiled
def move(tree: Tree, desk: Desk, q: Floats, scale: float, use_limits: bool) -> None:
    """The trial: q [nq] after the step, times a scale."""
    for v in range(desk.dx.size):
        desk.dq[v] = tree.units[v] * desk.dx[v]
    advance(tree.movers, q, desk.dq, scale, use_limits, desk.trial)
