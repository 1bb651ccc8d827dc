"""The loop of the classical methods on any tree, with any number of goals.

A method is bound into it as one kernel, which makes one iteration and changes q [nq] in place, within limits:

    improve(tree, asked, desk, roles, settings, q) -> None

When it is called, the desk holds what `core.whole_body.look` saw at q: frames, errors[0], wrenches,
misses[0], costs[0]. It may leave anything on the desk except in `kept`, `before`, `rest_q`, `best` and
`start`, which are the loop's. The error may rise for a while: the loop keeps the best configuration, and that
is what it answers.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled, is_stopped, to_be_bound
from limbik.core.descent import (
    BEND,
    MOST_EXTRAPOLATED,
    REST_FADED,
    REST_FADING,
    WINDOW,
    remove_rows,
)
from limbik.core.desk import Asked, Desk, Tree
from limbik.core.linear import copy, fill, orthogonalise_rows
from limbik.core.spatial_chain import BALL, admit, advance, blend
from limbik.core.start import INVALID
from limbik.core.start import MOVED as MOVED_INSIDE
from limbik.core.tasks import MASS
from limbik.core.whole_body import (
    BUDGET,
    DESCENTS,
    END,
    ITERATIONS,
    LENGTH,
    MOST_AT_LAST,
    MOVED,
    RANDOM,
    REFUSED,
    RESTARTS,
    SETTLED,
    SHARES,
    SOLVED,
    SPENT,
    USE_LIMITS,
    begin_elsewhere,
    differentiate,
    is_met,
    look,
    record,
)

__all__ = ["ANNEAL", "AS_IT_IS", "DAMPING", "GAIN", "LENGTH", "LONGEST_ERROR", "MEMORY", "METHOD", "RANDOM",
           "REST_BIAS", "SEEN", "SETTINGS_SIZE", "USE_LIMITS", "improve", "solve"]  # fmt: skip

# Settings, by place, after those of `core.whole_body` (BUDGET, RESTARTS, USE_LIMITS, RANDOM, LENGTH).
METHOD = 5  # which of several methods in one kernel
DAMPING = 6  # the method's: factor on every step
GAIN = 7  # the method's
LONGEST_ERROR = 8  # the method's; errors count in lengths of the model
ANNEAL = 9  # the method's: size of the first random offset, as a share of the way to anywhere; 0 for none
AS_IT_IS = 10  # 1: the method alone, without bends and extrapolation by the loop
MEMORY = 11  # what a method keeps from one iteration to the next: 0 where a descent begins
SEEN = 12  # a method sets it to 1 where it leaves the desk as a look at the new q would
REST_BIAS = 13  # part of the way to `desk.rest_q` that the first iteration begins with
SETTINGS_SIZE = 14

PATIENCE = 0.01  # part of the squared error that a window has to gain, where a new start may do better
PATIENCE_AT_LAST = 1e-6  # and where none follows
COOLING = 0.95  # of the size of random offsets, from one to the next
STILL = 1e-12  # part of the squared error under which an iteration has changed nothing

improve = to_be_bound()


@compiled
def worth(asked: Asked, desk: Desk, at: int) -> float:
    """What the loop wants small: of q (at = 0) or of the trial (1). A method may bind another measure."""
    return desk.costs[at, 0]


@compiled
def solve(
    tree: Tree,
    asked: Asked,
    desk: Desk,
    roles: Floats,
    settings: Floats,
    q: Floats,
    misses: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> None:
    """Solve for all tasks from q [nq], which becomes the answer, never worse than the start within limits.

    roles [links]: which joints serve directions, for methods that care. misses [tasks]: how far each task is
    off at the answer [m or rad]. trace_q, trace_error: what every iteration left, as far as there is room.
    """
    answer[ITERATIONS] = 0.0
    answer[DESCENTS] = 0.0
    admitted = admit(tree.movers, settings[USE_LIMITS] > 0.0, q)
    answer[MOVED] = 1.0 if admitted == MOVED_INSIDE else 0.0
    if admitted == INVALID:
        answer[END] = REFUSED
        return
    copy(q, desk.start)
    copy(q, desk.best)
    has_restarts = settings[RESTARTS] > 0.0
    at_last = min(MOST_AT_LAST, 0.5 * settings[BUDGET]) if has_restarts else 0.0
    budget = settings[BUDGET] - math.floor(at_last)
    patience = PATIENCE if has_restarts else PATIENCE_AT_LAST
    amplitude = settings[ANNEAL]
    end = SETTLED
    look(tree, asked, desk, q, 0)
    least = worth(asked, desk, 0)
    while True:
        is_restart = answer[DESCENTS] > 0.0
        came_to = descend(
            tree, asked, desk, roles, settings, budget, patience, is_restart, q, answer, trace_q, trace_error
        )
        answer[DESCENTS] += 1.0
        is_better = came_to == SOLVED or worth(asked, desk, 0) < least
        if is_better or answer[DESCENTS] == 1.0:
            end = came_to
        if is_better:
            least = worth(asked, desk, 0)
            copy(q, desk.best)
        if end == SOLVED or came_to == SPENT or answer[DESCENTS] > settings[RESTARTS]:
            break
        if settings[ANNEAL] > 0.0:
            begin_elsewhere(tree, settings, desk.best, amplitude, q)
            amplitude *= COOLING
        else:
            share = SHARES[int(answer[DESCENTS]) % 3]
            begin_elsewhere(tree, settings, desk.start, share, q)
        keep_what_is_met(tree, asked, desk, q)
        look(tree, asked, desk, q, 0)
    copy(desk.best, q)
    if end != SOLVED and has_restarts:
        look(tree, asked, desk, q, 0)
        budget, patience = settings[BUDGET], PATIENCE_AT_LAST
        settings[REST_BIAS] = 0.0
        end = descend(
            tree, asked, desk, roles, settings, budget, patience, False, q, answer, trace_q, trace_error
        )
    look(tree, asked, desk, q, 0)
    copy(desk.misses[0], misses)
    if end == SOLVED and not is_met(asked, misses, 0):
        end = SETTLED
    answer[END] = end


@compiled(inline=False)
def keep_what_is_met(tree: Tree, asked: Asked, desk: Desk, q: Floats) -> None:
    """Give the joints that serve no goal but those met at `desk.best` their numbers there.

    Limbs that share no joint are problems of their own: this way, each has to be solved only once.
    """
    look(tree, asked, desk, desk.best, 0)
    fill(0.0, desk.dx)  # 1: for a goal that is not met
    for k in range(asked.tasks.size):
        task = asked.tasks[k]
        if desk.misses[0, k] <= task.close:
            continue
        if task.kind == MASS:
            return
        for end in range(2):
            j = task.link if end == 0 else task.reference
            while j >= 0:
                desk.dx[tree.links[j].v] = 1.0
                j = tree.links[j].parent
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if desk.dx[mover.v] == 0.0:
            for i in range(mover.q, mover.q + (4 if mover.kind == BALL else 1)):
                q[i] = desk.best[i]


@compiled(inline=False)
def descend(
    tree: Tree,
    asked: Asked,
    desk: Desk,
    roles: Floats,
    settings: Floats,
    budget: float,
    patience: float,
    is_restart: bool,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """One descent from q, which becomes the best configuration on the way; returns why it ended.

    To gain less than the part `patience` of the squared error in a window is a stall. The desk is that of q,
    before and after. is_restart: whether the trace marks where it begins.
    """
    settings[MEMORY] = 0.0
    least = at_window = worth(asked, desk, 0)
    copy(q, desk.kept)
    copy(q, desk.before)
    sign = -1.0 if is_restart else 1.0
    if answer[DESCENTS] == 0.0:
        record(answer, q, desk, 1.0, trace_q, trace_error)
    bias = settings[REST_BIAS]
    in_window = 0
    came_to = SETTLED
    while True:
        if is_met(asked, desk.misses[0], 0):
            return SOLVED
        if answer[ITERATIONS] >= budget or is_stopped(asked.watch, int(answer[ITERATIONS])):
            came_to = SPENT
            break
        is_pulled = bias > REST_FADED
        if is_pulled:
            pull(tree, settings, bias, desk, q)
            look(tree, asked, desk, q, 0)
            bias *= REST_FADING
            least = at_window = math.inf
        then = worth(asked, desk, 0)
        settings[SEEN] = 0.0
        improve(tree, asked, desk, roles, settings, q)
        if settings[SEEN] == 0.0:
            look(tree, asked, desk, q, 0)
        answer[ITERATIONS] += 1.0
        in_window += 1
        now = worth(asked, desk, 0)
        is_stuck = not now < math.inf
        if settings[AS_IT_IS] == 0.0:
            if abs(now - then) <= STILL * then and not is_pulled:
                is_stuck = not bend(tree, asked, desk, settings, q)
            if in_window == WINDOW:
                extrapolate(tree, asked, desk, settings, q)
            now = worth(asked, desk, 0)
        if now < least:
            least = now
            copy(q, desk.kept)
        record(answer, q, desk, sign, trace_q, trace_error)
        sign = 1.0
        if in_window == WINDOW:
            is_stuck |= not least <= at_window * (1.0 - patience) and not is_pulled
            at_window, in_window = least, 0
            copy(q, desk.before)
        if is_stuck and not is_met(asked, desk.misses[0], 0):
            break
    copy(desk.kept, q)
    look(tree, asked, desk, q, 0)
    return came_to


@compiled(inline=False)
def pull(tree: Tree, settings: Floats, bias: float, desk: Desk, q: Floats) -> None:
    """Move q a part of the way to the rest configuration; what is locked or asked for nothing stays."""
    copy(q, desk.trial)
    blend(tree.movers, q, desk.rest_q, bias, settings[USE_LIMITS] > 0.0)
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        if tree.units[mover.v] == 0.0:
            for i in range(mover.q, mover.q + (4 if mover.kind == BALL else 1)):
                q[i] = desk.trial[i]


@compiled(inline=False)
def bend(tree: Tree, asked: Asked, desk: Desk, settings: Floats, q: Floats) -> bool:
    """Leave a dead point, such as a straight arm whose target lies on its own axis.

    By the patterns of `core.descent.bend`: all joints together, then in alternation, then one at a time; each
    as it is, and without what moves the tasks at first order; each both ways. The first that gains is kept in
    q. Returns whether one does; the desk is that of q either way.
    """
    nv = desk.dx.size
    rows = desk.errors.shape[1]
    before = worth(asked, desk, 0)
    differentiate(tree, asked, desk)
    W = desk.work[:rows, :nv]
    orthogonalise_rows(desk.J, W, desk.work[rows : 2 * rows, :rows])
    for pattern in range(2 * nv + 4):
        for v in range(nv):
            desk.dx[v] = bent_by(pattern, v, nv) if tree.units[v] > 0.0 else 0.0
        if pattern % 2 == 1:
            remove_rows(W, desk.dx)
        for sign in (1.0, -1.0):
            for v in range(nv):
                desk.dq[v] = sign * tree.units[v] * desk.dx[v]
            advance(tree.movers, q, desk.dq, 1.0, settings[USE_LIMITS] > 0.0, desk.trial)
            look(tree, asked, desk, desk.trial, 1)
            if worth(asked, desk, 1) < before * (1.0 - STILL):
                copy(desk.trial, q)
                look(tree, asked, desk, q, 0)
                return True
    look(tree, asked, desk, q, 0)
    return False


@compiled
def bent_by(pattern: int, v: int, nv: int) -> float:
    """What a pattern does to a velocity [rad or lengths]."""
    if pattern < 2:
        return BEND
    if pattern < 4:
        return BEND if v % 2 == 0 else -BEND
    return BEND if v == nv + 1 - pattern // 2 else 0.0


@compiled(inline=False)
def extrapolate(tree: Tree, asked: Asked, desk: Desk, settings: Floats, q: Floats) -> None:
    """Go on in the direction that q has taken since `desk.before`, as far as the error falls.

    A slow descent creeps along a valley; this takes many iterations at once. The desk is that of q
    afterwards.
    """
    use_limits = settings[USE_LIMITS] > 0.0
    factor = 1.0
    least = worth(asked, desk, 0)
    fill(0.0, desk.dq)
    for _ in range(MOST_EXTRAPOLATED):
        copy(q, desk.trial)
        blend(tree.movers, desk.trial, desk.before, -factor, use_limits)
        advance(tree.movers, desk.trial, desk.dq, 0.0, use_limits, desk.trial)
        look(tree, asked, desk, desk.trial, 1)
        if not worth(asked, desk, 1) < least:
            break
        least = worth(asked, desk, 1)
        copy(q, desk.before)
        copy(desk.trial, q)
        factor = 2.0
    look(tree, asked, desk, q, 0)
