"""Evaluates all branches of a closed form at a pose: keeps those within limits that reach it, each once."""

from __future__ import annotations

import math

from limbik.analytic.layout import (
    ARM_SIZE,
    BRANCHES,
    JOINTS,
    PLAN,
    REFINING_SIZE,
    ROW_ANGLES,
    ROW_FREE,
    ROW_POSITION,
    ROW_ROTATION,
    WANTED_SIZE,
    WORK,
)
from limbik.analytic.refine import CONTRACTION, errors_at, refine
from limbik.compiler.kernel import Floats, compiled, empty, to_be_bound
from limbik.numerics.end_codes import BAD_GOAL
from limbik.numerics.linear import fill
from limbik.numerics.rotation import turn_about
from limbik.numerics.trigonometry import FULL_TURN, angle_between, nearest_turn, sincos

ACCEPTED = 1e-9  # at the edge of reach, where no configuration is nearer
HIDDEN = 1e-6  # up to which rounding may hide an answer where the arm is nearly singular
REACHABLE = 3e-3  # error of a nearly exact closed form up to which the arm itself may reach the pose
SHARP = 1e-12  # error that a refinement ends below where the arm is not singular
REGULAR = 0.01  # contraction of a refinement up to which no second answer is nearby
SETTLED = 5e-7  # with joints at limits, and with added joints still, where the pose itself may be rounded
TRIES = 24  # poses nearby
NEARBY = 1e-4  # of the arm's size, and [rad]; its square has to be more than rounding
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))
FOURTH, SIXTH = 3, 5
IN_LINE = 1e-6  # difference of two columns of the Jacobian
MAX_REVOLUTIONS = 2
DISTINCT = 1e-4  # [rad, or of the arm's size] of some joint: below it two answers are one
REFINABLE_ON_CURVES = 0.01  # error of answers for poses nearby
DISTINCT_BESIDE = 0.01  # and of answers for poses nearby
AT_LIMIT = 1e-10  # [rad or m] beyond a limit: it is moved to the limit as it is
BESIDE_LIMIT = 1e-4  # where it is moved there if the other joints can make up for it
LARGEST_DEVIATION = 1e-6  # of a pose from a rigid one

BEFORE, AFTER, HOME = PLAN["BEFORE"], PLAN["AFTER"], PLAN["HOME"]
SLIDES, INDICES, LOWER, UPPER = (PLAN[name] for name in ("SLIDES", "INDICES", "LOWER", "UPPER"))
LENGTH, BACKWARDS, EXACT, REFINABLE = (PLAN[name] for name in ("LENGTH", "BACKWARDS", "EXACT", "REFINABLE"))
TRUE = PLAN["TRUE"]
BLOCK, WANTED, ASIDE, IS_ANSWERED, HAS_FREE, REFINED, REFINING = (
    WORK[name] for name in ("BLOCK", "WANTED", "ASIDE", "IS_ANSWERED", "HAS_FREE", "REFINED", "REFINING")
)
ANSWERS, Q, BRANCH, DISTANCE = (WORK[name] for name in ("ANSWERS", "Q", "BRANCH", "DISTANCE"))

branches = to_be_bound()


@compiled
def all_branches(plan: Floats, pose: Floats, start: Floats, has_start: int, work: Floats) -> int:
    """The answers for a pose [16] into the work's Q [count, 6], by distance to the start [6], or by branch.

    Returns how many there are, or BAD_GOAL where the pose is none.
    """
    if not deviation(pose) <= LARGEST_DEVIATION:
        return BAD_GOAL
    read_wanted(plan, pose, work[WANTED : WANTED + WANTED_SIZE])
    branches(work, plan, work[WANTED : WANTED + WANTED_SIZE])
    is_exact, has_free, is_proved = plan[EXACT] > 0.0, False, True
    for lane in range(BRANCHES):
        work[IS_ANSWERED + lane] = 0.0
        free = work[BLOCK + ROW_FREE * BRANCHES + lane]
        has_free |= free >= 1.0
        is_proved &= is_exact or free == 0.0
    work[HAS_FREE] = 1.0 if has_free or not is_proved else 0.0
    count = take_answers(plan, start, has_start, plan[EXACT], plan[REFINABLE], DISTINCT, has_free, 0, work)
    if has_free:
        count = take_from_curves(plan, start, has_start, count, work)
    if has_start:
        sort(count, work)
    return count


@compiled
def take_answers(
    plan: Floats,
    start: Floats,
    has_start: int,
    exact: float,
    refinable: float,
    distinct: float,
    on_curves: bool,
    count: int,
    work: Floats,
) -> int:
    """Keep what the branches in the block have found, of branches without an answer so far; returns how many
    answers there are then. exact, refinable: errors up to which an answer is left as it is, and is refined.
    distinct, on_curves: see `is_new`.
    """
    for lane in range(BRANCHES):
        if (
            work[IS_ANSWERED + lane] < 0.5
            and count < BRANCHES
            and is_answer(plan, lane, exact, refinable, work)
            and is_new(plan, count, distinct, on_curves, work)
            and is_legal(plan, start, has_start, count, work)
        ):
            work[BRANCH + count] = lane
            work[IS_ANSWERED + lane] = 1.0
            count += 1
    return count


@compiled(inline=False)
def take_from_curves(plan: Floats, start: Floats, has_start: int, count: int, work: Floats) -> int:
    """In a singular configuration a joint may have any angle, of which the branches took one that may be
    beyond a limit: try others, as poses nearby lead to them, and what the wrist's joints may share.
    """
    aside = work[ASIDE : ASIDE + WANTED_SIZE]
    for k in range(TRIES):
        move_aside(work[WANTED : WANTED + WANTED_SIZE], k, aside)
        branches(work, plan, aside)
        count = take_answers(
            plan, start, has_start, 0.0, REFINABLE_ON_CURVES, DISTINCT_BESIDE, True, count, work
        )
        for lane in range(BRANCHES):
            if (
                work[IS_ANSWERED + lane] < 0.5
                and count < BRANCHES
                and is_answer(plan, lane, 0.0, REFINABLE_ON_CURVES, work)
                and weigh_turn(plan, start, has_start, work)
                and is_new(plan, count, DISTINCT_BESIDE, True, work)
                and is_legal(plan, start, has_start, count, work)
            ):
                work[BRANCH + count] = lane
                work[IS_ANSWERED + lane] = 1.0
                count += 1
    return count


@compiled
def weigh_turn(plan: Floats, start: Floats, has_start: int, work: Floats) -> bool:
    """Where axes 4 and 6 lie in one line, give both angles within their limits, the nearest to the start or
    to 0 for joint 4; False where they do not, or there are none.
    """
    arm = plan[TRUE : TRUE + ARM_SIZE]
    q, refining = work[REFINED : REFINED + JOINTS], work[REFINING : REFINING + REFINING_SIZE]
    J = empty(6, JOINTS)
    errors_at(arm, plan[SLIDES : SLIDES + JOINTS], work[WANTED : WANTED + WANTED_SIZE], q, refining, J)
    squares = 0.0  # of how the two columns differ, in the same sense and the opposite
    others = 0.0
    for i in range(6):
        squares += (J[i, FOURTH] - J[i, SIXTH]) ** 2
        others += (J[i, FOURTH] + J[i, SIXTH]) ** 2
    if min(squares, others) > IN_LINE * IN_LINE:
        return False
    sense = 1.0 if squares < others else -1.0
    near = start[int(plan[INDICES + FOURTH])] if has_start else 0.0
    best, fourth = math.inf, 0.0
    for turn in range(-MAX_REVOLUTIONS, MAX_REVOLUTIONS + 1):
        together = q[SIXTH] + sense * q[FOURTH] + FULL_TURN * turn  # of joint 6, with joint 4 at 0
        low, high = plan[LOWER + SIXTH], plan[UPPER + SIXTH]
        first = together - high if sense > 0.0 else low - together
        last = together - low if sense > 0.0 else high - together
        first, last = max(first, plan[LOWER + FOURTH]), min(last, plan[UPPER + FOURTH])
        if first <= last:
            value = min(max(near, first), last)
            if abs(value - near) < best:
                best, fourth = abs(value - near), value
    if not best < math.inf:
        return False
    q[SIXTH] += sense * (q[FOURTH] - fourth)
    q[FOURTH] = fourth
    return True


@compiled
def move_aside(wanted: Floats, k: int, aside: Floats) -> None:
    """A pose near the wanted one, in the k-th of directions spread over a sphere (a golden spiral)."""
    z = 1.0 - (2.0 * k + 1.0) / TRIES
    across = math.sqrt(1.0 - z * z)
    sine, cosine = sincos(GOLDEN_ANGLE * k)
    x, y = across * cosine, across * sine
    for i in range(WANTED_SIZE):
        aside[i] = wanted[i]
    turn_about(aside, 0, x, y, z, NEARBY, 1.0)
    aside[9] += NEARBY * y
    aside[10] += NEARBY * z
    aside[11] += NEARBY * x


@compiled
def deviation(pose: Floats) -> float:
    """How far a pose is from a right-handed rotation and a position; large where one is not finite."""
    total = 0.0
    for i in range(3):
        if not abs(pose[4 * i + 3]) < math.inf:
            return math.inf
        for j in range(i + 1):
            product = pose[i] * pose[j] + pose[4 + i] * pose[4 + j] + pose[8 + i] * pose[8 + j]
            total += abs(product - (1.0 if i == j else 0.0))
    det = (
        pose[0] * (pose[5] * pose[10] - pose[6] * pose[9])
        - pose[1] * (pose[4] * pose[10] - pose[6] * pose[8])
        + pose[2] * (pose[4] * pose[9] - pose[5] * pose[8])
    )
    return float(total + abs(det - 1.0))


@compiled
def read_wanted(plan: Floats, pose: Floats, wanted: Floats) -> None:
    """What a pose asks for in the arm's own terms: R R_home^T, and the last axis's point from the first's."""
    scale = plan[LENGTH]
    x, y, z = pose[3] * scale, pose[7] * scale, pose[11] * scale
    is_backwards = plan[BACKWARDS] > 0.5
    if is_backwards:  # the inverse pose
        x, y, z = (
            -(pose[0] * x + pose[4] * y + pose[8] * z),
            -(pose[1] * x + pose[5] * y + pose[9] * z),
            -(pose[2] * x + pose[6] * y + pose[10] * z),
        )
    row, column = (1, 4) if is_backwards else (4, 1)
    for i in range(3):
        for j in range(3):
            wanted[3 * i + j] = (
                pose[row * i] * plan[HOME + 3 * j]
                + pose[row * i + column] * plan[HOME + 3 * j + 1]
                + pose[row * i + 2 * column] * plan[HOME + 3 * j + 2]
            )
    ax, ay, az = plan[AFTER], plan[AFTER + 1], plan[AFTER + 2]
    wanted[9] = x - plan[BEFORE] - (wanted[0] * ax + wanted[1] * ay + wanted[2] * az)
    wanted[10] = y - plan[BEFORE + 1] - (wanted[3] * ax + wanted[4] * ay + wanted[5] * az)
    wanted[11] = z - plan[BEFORE + 2] - (wanted[6] * ax + wanted[7] * ay + wanted[8] * az)


@compiled
def is_answer(plan: Floats, lane: int, exact: float, refinable: float, work: Floats) -> bool:
    """Whether a branch reaches the pose, after a few of Newton's steps where that is needed; its angles into
    the work's REFINED. HAS_FREE is set where it cannot be told.
    """
    position = work[BLOCK + ROW_POSITION * BRANCHES + lane]
    rotation = work[BLOCK + ROW_ROTATION * BRANCHES + lane]
    error = math.sqrt(max(position, rotation))
    if not error < refinable:
        return False
    for i in range(JOINTS):
        work[REFINED + i] = work[BLOCK + (ROW_ANGLES + i) * BRANCHES + lane]
    if error <= exact:
        return True
    held = empty(JOINTS)
    fill(0.0, held)
    refined = refine_answer(plan, held, work)
    if may_hide_others(plan, error, refined, work):
        work[HAS_FREE] = 1.0
    return refined <= ACCEPTED


@compiled
def may_hide_others(plan: Floats, error: float, refined: float, work: Floats) -> bool:
    """Whether the arm may have an answer near a branch that its refinement has not led to. error, refined:
    of the branch, before and after it.
    """
    if ACCEPTED < refined < HIDDEN:
        return True
    if plan[EXACT] > 0.0:
        return False
    if refined > ACCEPTED:
        return error < REACHABLE
    return refined > SHARP or work[REFINING + CONTRACTION] > REGULAR


@compiled
def is_new(plan: Floats, count: int, distinct: float, on_curves: bool, work: Floats) -> bool:
    """Whether some joint in REFINED is that far [rad, or of the arm's size] from each stored answer,
    revolutions not counted. On curves joints 4 and 6 do not count: where the others agree, these two lie in
    line.
    """
    for k in range(count):
        i = 0
        while i < JOINTS and (
            (on_curves and i in (FOURTH, SIXTH))
            or change(plan, i, work[ANSWERS + JOINTS * k + i], work[REFINED + i]) < distinct
        ):
            i += 1
        if i == JOINTS:
            return False
    return True


@compiled
def change(plan: Floats, i: int, a: float, b: float) -> float:
    """Between two values of a joint [rad, or of the arm's size], revolutions not counted."""
    return abs(a - b) if plan[SLIDES + i] > 0.5 else angle_between(a, b)


@compiled
def is_legal(plan: Floats, start: Floats, has_start: int, count: int, work: Floats) -> bool:
    """Whether what is in REFINED is within the limits, of angles with the revolutions that bring them there,
    the nearest to the start or to 0; then it is stored as an answer. A joint that is beyond a limit by
    rounding is moved to it, and the others follow.
    """
    excess = keep(plan, start, has_start, count, work)
    if excess <= AT_LIMIT:
        return True
    return excess < BESIDE_LIMIT and settle_at_limits(plan, start, has_start, count, work)


@compiled
def keep(plan: Floats, start: Floats, has_start: int, count: int, work: Floats) -> float:
    """Keep what is in REFINED as an answer, moved into the limits; returns by how much [rad or m] it was
    beyond one.
    """
    excess, distance = 0.0, 0.0
    for i in range(JOINTS):
        index = int(plan[INDICES + i])
        near = start[index] if has_start else 0.0
        lower, upper = plan[LOWER + i], plan[UPPER + i]
        value = model_value(plan, i, near, work[REFINED + i])
        excess = max(excess, value - upper, lower - value)
        value = min(max(value, lower), upper)
        work[ANSWERS + JOINTS * count + i] = work[REFINED + i]
        work[Q + JOINTS * count + index] = value
        distance += (value - near) ** 2
    work[DISTANCE + count] = distance
    return excess


@compiled
def model_value(plan: Floats, i: int, near: float, value: float) -> float:
    """The value [rad or m] of joint i in the model, of an angle with the revolutions that bring it within its
    limits, or nearest to them.
    """
    if plan[SLIDES + i] > 0.5:
        return float(value / plan[LENGTH])
    lower, upper = plan[LOWER + i], plan[UPPER + i]
    if abs(value - near) > math.pi:
        value = near + nearest_turn(value - near)
    if value > upper + AT_LIMIT:
        value -= FULL_TURN * math.ceil((value - upper - AT_LIMIT) / FULL_TURN)
    if value < lower - AT_LIMIT:
        value += FULL_TURN * math.ceil((lower - AT_LIMIT - value) / FULL_TURN)
    if value > upper + AT_LIMIT and lower - (value - FULL_TURN) < value - upper:
        value -= FULL_TURN
    return value


@compiled(inline=False)
def settle_at_limits(plan: Floats, start: Floats, has_start: int, count: int, work: Floats) -> bool:
    """Move the joints in REFINED that are beyond a limit to it, and bring the others to the pose; whether
    that is an answer, which is stored then. Near a double root rounding is as large as its square root.
    """
    held = empty(JOINTS)
    fill(0.0, held)
    for _ in range(JOINTS):
        for i in range(JOINTS):
            near = start[int(plan[INDICES + i])] if has_start else 0.0
            value = model_value(plan, i, near, work[REFINED + i])
            excess = value - min(max(value, plan[LOWER + i]), plan[UPPER + i])
            if excess != 0.0:
                work[REFINED + i] -= excess * (plan[LENGTH] if plan[SLIDES + i] > 0.5 else 1.0)
                held[i] = 1.0
        if not refine_answer(plan, held, work) <= SETTLED:
            return False
        if keep(plan, start, has_start, count, work) <= AT_LIMIT:
            return is_new(plan, count, DISTINCT, False, work)
    return False


@compiled
def refine_answer(plan: Floats, held: Floats, work: Floats) -> float:
    """Refine what is in REFINED; returns the error. held [6]: 1 for joints that stay."""
    return refine(
        plan[TRUE : TRUE + ARM_SIZE],
        plan[SLIDES : SLIDES + JOINTS],
        held,
        work[WANTED : WANTED + WANTED_SIZE],
        work[REFINED : REFINED + JOINTS],
        work[REFINING : REFINING + REFINING_SIZE],
    )


@compiled
def sort(count: int, work: Floats) -> None:
    """Put the answers in the order of their distances."""
    for k in range(1, count):
        m = k
        while m > 0 and work[DISTANCE + m] < work[DISTANCE + m - 1]:
            work[DISTANCE + m], work[DISTANCE + m - 1] = work[DISTANCE + m - 1], work[DISTANCE + m]
            work[BRANCH + m], work[BRANCH + m - 1] = work[BRANCH + m - 1], work[BRANCH + m]
            for i in range(JOINTS):
                a, b = Q + JOINTS * m + i, Q + JOINTS * (m - 1) + i
                work[a], work[b] = work[b], work[a]
            m -= 1
