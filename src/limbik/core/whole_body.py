"""The solve of a tree: Levenberg-Marquardt from a start, and from random configurations after it.

Of several levels, each is solved for after those above it, which it keeps: the solve of the last one begins
where that of the others ended.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled, is_stopped
from limbik.core.desk import Asked, Desk, Tree
from limbik.core.hierarchy import freeze, project, propose, propose_within, release
from limbik.core.linear import (
    cholesky_solve,
    copy,
    dot,
    dual_matrix,
    fill,
    squared_length,
    transpose_times,
)
from limbik.core.random_numbers import uniform
from limbik.core.rotation import exponential, product
from limbik.core.spatial_chain import BALL, SLIDE, admit, advance, set_ball
from limbik.core.start import INVALID
from limbik.core.start import MOVED as MOVED_INSIDE
from limbik.core.tasks import fill_jacobian, regard
from limbik.core.tree import place_links, place_masses, place_screws

# Why a solve ended.
REFUSED = -1  # the start holds a number that is not finite, or a quaternion without a direction
SOLVED = 0
SETTLED = 1
SPENT = 2

# Settings, by place.
BUDGET = 0  # iterations in all
RESTARTS = 1
USE_LIMITS = 2
RANDOM = 3  # state of the random numbers
LENGTH = 4  # [m] size of the model: slides without limits begin within it

SETTINGS_SIZE = 5

# Answer, by place.
END = 0
ITERATIONS = 1
DESCENTS = 2
MOVED = 3  # 1: the start was not within its limits
ANSWER_SIZE = 4

DAMPING = 0.03  # per squared error, which counts as 1 at most
LEAST_DAMPING = 1e-12
HARDER, EASIER, HARDEST = 10.0, 0.2, 1e8  # what a step that fails, or gains, does to the damping
LONGEST_STEP = 1.0  # [rad] of any hinge
SHARES = (1.0, 0.3, 0.6)  # of the way to anywhere, for one new start after the other
SLOW = 0.9  # part of the squared error that a slow step leaves
MOST_SLOW = 4  # in a row, before another start is tried
SLOW_AT_LAST = 1.0 - 1e-9  # where no other start follows
MOST_AT_LAST = 500  # iterations to settle the best of all descents for good
MOST_BELOW = 200  # iterations in which a level gains while those above it are kept
RESTORATIONS = 4  # steps that bring the levels above back where a lower one has disturbed them
UNMET = 1e-10  # squared error of levels from which their curvature matters
DIFFERENCE = 1e-5  # [rad or lengths] by which a joint moves to tell it
SLOW_BELOW = 1.0 - 1e-6  # part of the squared error that a slow step leaves there
SAME = 1e-6  # part of a level's squared error, which counts as 1 at most, that gains below it may add


@compiled
def solve(
    tree: Tree,
    asked: Asked,
    desk: Desk,
    settings: Floats,
    q: Floats,
    misses: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> None:
    """Solve for tasks of one level from q [nq], which becomes the answer.

    Of several levels q answers all but the last, which is improved while the others are kept.

    misses [tasks]: how far each task is off there [m or rad]. trace_q, trace_error: what every iteration
    left, as far as there is room.
    """
    answer[ITERATIONS] = 0.0
    answer[DESCENTS] = 0.0
    admitted = admit(tree.movers, settings[USE_LIMITS] > 0.0, q)
    answer[MOVED] = 1.0 if admitted == MOVED_INSIDE else 0.0
    if admitted == INVALID:
        answer[END] = REFUSED
        return
    if asked.level_rows.size > 2:
        improve(tree, asked, desk, settings, q, answer, trace_q, trace_error)
        end = SOLVED
    else:
        end = search(tree, asked, desk, settings, q, answer, trace_q, trace_error)
    look(tree, asked, desk, q, 0)
    copy(desk.misses[0], misses)
    if end == SOLVED and not is_met(asked, misses, 0):
        end = SETTLED
    answer[END] = end


@compiled(inline=False)
def search(
    tree: Tree,
    asked: Asked,
    desk: Desk,
    settings: Floats,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """Descend from q, and from random configurations after it; q becomes the best. Returns why it ended."""
    end = SETTLED
    least = math.inf
    copy(q, desk.start)
    has_restarts = settings[RESTARTS] > 0.0
    at_last = min(MOST_AT_LAST, 0.5 * settings[BUDGET]) if has_restarts else 0.0
    budget = settings[BUDGET] - math.floor(at_last)
    while True:
        came_to = descend(tree, asked, desk, settings, budget, has_restarts, q, answer, trace_q, trace_error)
        answer[DESCENTS] += 1.0
        cost = desk.costs[0, 0]
        if came_to == SOLVED or cost < least:
            end, least = came_to, cost
            copy(q, desk.best)
        if end == SOLVED or came_to == SPENT or answer[DESCENTS] > settings[RESTARTS]:
            break
        share = SHARES[int(answer[DESCENTS]) % 3]
        begin_elsewhere(tree, settings, desk.start, share, q)
    if end != SOLVED and has_restarts:
        copy(desk.best, q)
        came_to = descend(
            tree, asked, desk, settings, settings[BUDGET], False, q, answer, trace_q, trace_error
        )
        answer[DESCENTS] += 1.0
        end = min(end, came_to)
    return end


@compiled(inline=False)
def descend(
    tree: Tree,
    asked: Asked,
    desk: Desk,
    settings: Floats,
    budget: float,
    gives_up: bool,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> int:
    """One descent from q, which is changed in place; returns why it ended. At the end `desk` is that of q.

    gives_up: when progress is slow, because another start may do better.
    """
    use_limits = settings[USE_LIMITS] > 0.0
    patience = SLOW if gives_up else SLOW_AT_LAST
    factor = 1.0  # of the damping
    slow = 0
    least = math.inf
    look(tree, asked, desk, q, 0)
    if answer[DESCENTS] == 0.0:
        record(answer, q, desk, 1.0, trace_q, trace_error)
    sign = 1.0 if answer[DESCENTS] == 0.0 else -1.0
    is_new = True
    while True:
        if is_met(asked, desk.misses[0], 0):
            return SOLVED
        if answer[ITERATIONS] >= budget or is_stopped(asked.watch, int(answer[ITERATIONS])):
            return SPENT
        if is_new:
            differentiate(tree, asked, desk)
        propose(tree, desk, q, damping_of(desk, 0, factor), use_limits, LONGEST_STEP)
        step_from(tree, desk, q, use_limits)
        look(tree, asked, desk, desk.trial, 1)
        answer[ITERATIONS] += 1.0
        # Where other starts follow, a step may also lead uphill: that is quicker, on the whole.
        is_new = gives_up or desk.costs[1, 0] < desk.costs[0, 0]
        if is_new:
            slow = 0 if desk.costs[1, 0] < patience * least else slow + 1
            least = min(least, desk.costs[1, 0])
            take(desk, q)
            factor = max(EASIER * factor, 1.0)
        else:
            factor *= HARDER
        record(answer, q, desk, sign, trace_q, trace_error)
        sign = 1.0
        if slow > MOST_SLOW or factor > HARDEST:
            return SETTLED


@compiled(inline=False)
def improve(
    tree: Tree,
    asked: Asked,
    desk: Desk,
    settings: Floats,
    q: Floats,
    answer: Floats,
    trace_q: Floats,
    trace_error: Floats,
) -> None:
    """Bring the last level as far as it comes from q, while those above it are kept.

    A step in the null space disturbs the levels above, because levers turn with it: they are restored before
    it is judged.
    """
    last = asked.level_rows.size - 2
    first_row = int(asked.level_rows[last])
    use_limits = settings[USE_LIMITS] > 0.0
    factor = 1.0
    slow = 0
    look(tree, asked, desk, q, 0)
    kept = desk.work[0, :first_row]  # the errors of the levels above
    copy(desk.errors[0, :first_row], kept)
    budget = min(MOST_BELOW, settings[BUDGET])
    while answer[ITERATIONS] < budget and not is_met(asked, desk.misses[0], last):
        if is_stopped(asked.watch, int(answer[ITERATIONS])):
            break
        differentiate(tree, asked, desk)
        hessian = desk.history[: fill_hessian(tree, asked, desk, q, kept.size, last)]
        damping = damping_of(desk, last, factor)
        errors = desk.errors[0, first_row:]
        propose_within(tree, desk, q, errors, first_row, hessian, damping, use_limits, LONGEST_STEP)
        step_from(tree, desk, q, use_limits)
        look(tree, asked, desk, desk.trial, 1)
        restore(tree, asked, desk, use_limits, kept, last)
        answer[ITERATIONS] += 1.0
        before, after = desk.costs[0, last], desk.costs[1, last]
        if after < before and are_kept(asked, desk, kept, last):
            slow = slow + 1 if after > SLOW_BELOW * before else 0
            take(desk, q)
            factor = EASIER * factor
        else:
            factor *= HARDER
            look(tree, asked, desk, q, 0)
        record(answer, q, desk, 1.0, trace_q, trace_error)
        if slow > MOST_SLOW or factor > HARDEST:
            break


@compiled(inline=False)
def restore(tree: Tree, asked: Asked, desk: Desk, use_limits: bool, kept: Floats, levels: int) -> None:
    """Bring the trial back to where the errors of the first levels are as they were."""
    rows = kept.size
    disturbed = desk.work[1, :rows]
    for _ in range(RESTORATIONS):
        if are_kept(asked, desk, kept, levels):
            break
        for row in range(rows):
            disturbed[row] = desk.errors[1, row] - kept[row]
        differentiate(tree, asked, desk)
        none = desk.history[:0]
        propose_within(tree, desk, desk.trial, disturbed, 0, none, LEAST_DAMPING, use_limits, LONGEST_STEP)
        step_from(tree, desk, desk.trial, use_limits)
        look(tree, asked, desk, desk.trial, 1)


@compiled(inline=False)
def fill_hessian(tree: Tree, asked: Asked, desk: Desk, q: Floats, rows: int, levels: int) -> int:
    """Fill rows of `desk.history` with the Hessian of the Lagrangian of the first levels, which have so many
    rows, for the joints that no limit stops; how many joints these are. None where these levels are met.

    An arm stretched toward a point out of reach leaves directions in its null space in which the error grows,
    at second order: no row of the Jacobian tells of them.
    """
    if squared_length(desk.errors[0, :rows]) < UNMET:
        return 0
    nv, size = desk.dx.size, 0
    release(tree.units, desk.free)
    freeze(tree.movers, q, desk.J[:rows], desk.errors[0, :rows], desk.free)
    forces = desk.work[1, :rows]
    fill_forces(asked, desk, levels, forces)
    for v in range(nv):
        if size == desk.history.shape[0] or desk.free[v] == 0.0:
            continue
        fill(0.0, desk.dx)
        desk.dx[v] = DIFFERENCE
        step_from(tree, desk, q, False)
        look(tree, asked, desk, desk.trial, 1)
        place_screws(tree.links, desk.frames, desk.screws)
        fill_jacobian(
            tree.links, asked.tasks, tree.units, desk.screws, desk.sums, desk.total, desk.wrenches, desk.P
        )
        change = desk.history[size]
        fill(0.0, change)
        for row in range(rows):
            there = forces[row] + desk.errors[1, row] - desk.errors[0, row]
            for w in range(nv):
                change[w] += (forces[row] * desk.J[row, w] - there * desk.P[row, w]) / DIFFERENCE
        size += 1
    return size


@compiled(inline=False)
def fill_forces(asked: Asked, desk: Desk, levels: int, forces: Floats) -> None:
    """With what force the error of each row pulls at the joints; less the multiplier with which it holds
    against the errors of the levels below it (Lagrange).
    """
    copy(desk.errors[0], forces)
    for level in range(1, levels):
        first, last = int(asked.level_rows[level]), int(asked.level_rows[level + 1])
        P, multipliers = desk.P[:first], desk.y[:first]
        project(desk.J[:first], desk.free, desk.basis[:0], P)
        transpose_times(desk.J[first:last], desk.errors[0, first:last], desk.dq)
        for row in range(first):
            desk.rest[row] = dot(P[row], desk.dq)
        trace = dual_matrix(P, desk.A)
        for row in range(first):
            desk.A[row, row] += LEAST_DAMPING * (1.0 + trace)
        fill(0.0, multipliers)
        cholesky_solve(desk.A, desk.rest[:first], multipliers)
        for row in range(first):
            forces[row] -= multipliers[row]


@compiled
def are_kept(asked: Asked, desk: Desk, kept: Floats, levels: int) -> bool:
    """Whether the trial meets those of the first levels that are met, and is as near to the others."""
    for level in range(levels):
        if is_met(asked, desk.misses[1], level):
            continue
        first, last = int(asked.level_rows[level]), int(asked.level_rows[level + 1])
        before = squared_length(kept[first:last])
        is_as_before = desk.costs[1, level] <= before + SAME * min(before, 1.0)
        if is_met(asked, desk.misses[0], level) or not is_as_before:
            return False
    return True


@compiled
def differentiate(tree: Tree, asked: Asked, desk: Desk) -> None:
    """The Jacobian where everything was looked at last."""
    place_screws(tree.links, desk.frames, desk.screws)
    fill_jacobian(
        tree.links, asked.tasks, tree.units, desk.screws, desk.sums, desk.total, desk.wrenches, desk.J
    )


@compiled
def damping_of(desk: Desk, level: int, factor: float) -> float:
    """Sugihara's damping of a level, times a factor."""
    return factor * DAMPING * min(desk.costs[0, level], 1.0) + LEAST_DAMPING


@compiled
def step_from(tree: Tree, desk: Desk, q: Floats, use_limits: bool) -> None:
    """The trial: q [nq] after the step."""
    for v in range(desk.dx.size):
        desk.dq[v] = tree.units[v] * desk.dx[v]
    advance(tree.movers, q, desk.dq, 1.0, use_limits, desk.trial)


@compiled(inline=False)
def look(tree: Tree, asked: Asked, desk: Desk, q: Floats, to: int) -> None:
    """Where everything is at q, and how far every task is from being met; into errors[to] and so on."""
    place_links(tree.links, q, desk.frames)
    if tree.fixed_mass[3] >= 0.0:
        for k in range(4):
            desk.total[k] = tree.fixed_mass[k]
        place_masses(tree.links, desk.frames, desk.sums)
        for j in range(tree.links.size):
            if tree.links[j].parent < 0:
                for k in range(4):
                    desk.total[k] += desk.sums[j, k]
    regard(tree.links, asked.tasks, asked.targets, q, desk.frames, desk.total, desk.spot, desk.errors[to],
           desk.wrenches, desk.misses[to])  # fmt: skip
    for level in range(asked.level_rows.size - 1):
        first, last = int(asked.level_rows[level]), int(asked.level_rows[level + 1])
        desk.costs[to, level] = squared_length(desk.errors[to, first:last])


@compiled
def is_met(asked: Asked, misses: Floats, level: int) -> bool:
    """Whether every task of a level is within its tolerance."""
    for k in range(int(asked.level_tasks[level]), int(asked.level_tasks[level + 1])):
        if not misses[k] <= asked.tasks[k].close:
            return False
    return True


@compiled
def take(desk: Desk, q: Floats) -> None:
    """The trial becomes q."""
    copy(desk.trial, q)
    copy(desk.errors[1], desk.errors[0])
    copy(desk.misses[1], desk.misses[0])
    copy(desk.costs[1], desk.costs[0])


@compiled(inline=False)
def begin_elsewhere(tree: Tree, settings: Floats, start: Floats, share: float, q: Floats) -> None:
    """A random configuration within the limits, a share of the way from the start to anywhere; what is locked
    stays.
    """
    for j in range(tree.movers.size - 1):
        mover = tree.movers[j]
        i = mover.q
        if tree.units[mover.v] == 0.0:
            continue
        if mover.kind == BALL:
            turn = exponential(*random_turn(settings, share * math.pi))
            set_ball(mover, product((start[i], start[i + 1], start[i + 2], start[i + 3]), turn),
                     settings[USE_LIMITS] > 0.0, q)  # fmt: skip
            continue
        half = settings[LENGTH] if mover.kind == SLIDE else math.pi
        lower, upper = mover.lower, mover.upper
        if lower == -math.inf:
            lower = start[i] - half
        if upper == math.inf:
            upper = start[i] + half
        q[i] = start[i] + share * (lower + (upper - lower) * uniform(settings, RANDOM) - start[i])


@compiled
def random_turn(settings: Floats, longest: float) -> tuple[float, float, float]:
    """A rotation vector [rad] in a random direction, by up to an angle."""
    x, y, z = normal(settings), normal(settings), normal(settings)
    scale = longest * uniform(settings, RANDOM) / math.sqrt(x * x + y * y + z * z + 1e-12)
    return scale * x, scale * y, scale * z


@compiled
def normal(settings: Floats) -> float:
    """About normally distributed: a sum of uniform numbers."""
    total = -3.0
    for _ in range(6):
        total += uniform(settings, RANDOM)
    return total


@compiled
def record(answer: Floats, q: Floats, desk: Desk, sign: float, trace_q: Floats, trace_error: Floats) -> None:
    """Keep what an iteration left, where a trace was asked for; its error negative for the first of a
    restart."""
    row = int(answer[ITERATIONS])
    if row < trace_error.size:
        trace_error[row] = sign * math.sqrt(desk.costs[0, 0])
        for i in range(q.size):
            trace_q[row, i] = q[i]
