"""The fast core's driver for many problems: every lane has its own, and takes the next one when it is done.

What happens to a problem does not depend on its neighbours, so neither does its answer: not on the lane it
came into, nor on how a batch was cut up among threads.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, Watch, compiled, is_stopped, to_be_bound
from limbik.core.lanes import (
    FARTHEST,
    HEADER,
    LONGEST,
    RATIO,
    SETTLED,
    SOLVED,
    SPENT,
    STALLS,
    TRACKING_STALLS,
    UNREACHABLE,
)
from limbik.core.layout import (
    DESK_DISTANCE,
    DESK_KEY,
    DESK_ROWS,
    DESK_SPINNER,
    DESK_TURNTABLE,
    GRID_BOUNDS,
    GRID_SIZE,
    KEY_CELL,
    KEY_CUT,
    KEY_DEVIATION,
    KEY_DISTANCE,
    KEY_NUMBERS,
    KEY_SIZE,
    KEY_VIEW,
    one_after_another,
)
from limbik.core.placing import (
    configuration,
    first_random,
    is_out_of_reach,
    meets,
    middle,
    neighbour,
    open_cell,
    place,
    seed_candidate,
    seed_from_desk,
    seed_random,
    share_of_way,
)
from limbik.core.random_numbers import uniform
from limbik.core.seeds import CANDIDATES, HELD

IDLE = -1
ENDLESS = 1e30  # a cost that everything is better than

# What a lane remembers, in rows behind the block.
HOPE = 0  # HOPEFUL, or why not
BEST = 1  # least cost of this attempt
MISSED = 2  # iterations in a row that did not lower it enough
AGE = 3  # iterations of this attempt
USED = 4  # and of all
TRIES = 5
KEPT_COST = 6  # of the best configuration of all attempts
KEPT_POSITION = 7  # and its squared errors
KEPT_ROTATION = 8
CUT = 9  # what is missing on the way to a goal that is very far away
KEPT = 10  # the best configuration itself

HOPEFUL = 0.0
OUT_OF_REACH = 1.0
NO_POSE = 2.0

# Flags of lanes.
ARRIVED = 1.0
STALLED = 2.0

# Whole numbers, in rows: the problem of each lane, the state of its random numbers, and the lanes that have
# ended.
COUNTERS = 3

WIDTH = N = DEPTH = AT_LOWER = AT_UPPER = AT_Q_LOWER = AT_Q_UPPER = AT_GRID = to_be_bound()
AT_MEMORY = AT_NEXT = AT_SEEDS = AT_DESK = AT_DESKS = AT_FLAGS = AT_OUTLOOK = to_be_bound()
SET_LENGTH = SET_BUDGET = SET_USES_TABLE = SET_RESTARTS = to_be_bound()
LARGEST_DEVIATION = to_be_bound()  # of a pose from being one
step = regard = regard_one = complete_all = to_be_bound()


def working_places(n: int, rows: int, width: int) -> dict[str, int]:
    """Where things lie in the array that a batch works on; the block comes first."""
    parts = {
        "AT_MEMORY": (KEPT + n) * width,
        "AT_NEXT": KEY_SIZE * width,  # outlooks of the problems that follow
        "AT_SEEDS": n * width,  # where these begin
        "AT_DESKS": DESK_ROWS * CANDIDATES * width,  # one desk beside the other
        "AT_FLAGS": width,
        "AT_OUTLOOK": KEY_SIZE,  # of one problem that begins again
        "AT_DESK": DESK_ROWS * CANDIDATES,
    }
    return one_after_another(parts, "WORK_SIZE", begin=rows * width)


@compiled
def solve_many(
    plan: Floats,
    table: Floats,
    poses: Floats,
    starts: Floats,
    has_starts: int,
    first: int,
    last: int,
    answers: Floats,
    work: Floats,
    counters: Floats,
    watch: Watch,
) -> None:
    """Solve the problems from `first` to before `last`.

    poses [count, 16]; starts [count, n] of q; answers [count, HEADER + n], as `core.lanes` has them, with an
    error of NaN where a pose is none. Where the watch ends it, what is under way is not written.
    """
    begin, upcoming, waiting, active, ended = first, first, 0, 0, WIDTH
    steps = 0
    for lane in range(WIDTH):
        counters[lane] = IDLE
        counters[2 * WIDTH + lane] = lane
    while True:
        for slot in range(ended):
            lane = counters[2 * WIDTH + slot]
            if counters[lane] != IDLE:
                flag = work[AT_FLAGS + lane]
                if flag == STALLED and _try_again(plan, table, poses, lane, work, counters):
                    continue
                _write(plan, answers, starts, has_starts, lane, flag == ARRIVED, work, counters)
                counters[lane] = IDLE
                active -= 1
            if waiting == 0 and upcoming < last:
                begin = upcoming
                waiting = min(WIDTH, last - upcoming)
                upcoming += waiting
                _regard_next(plan, poses, begin, waiting, work)
                if not has_starts:
                    _seed_next(plan, table, work)
            if waiting > 0:
                problem = upcoming - waiting
                _take(plan, starts, has_starts, problem, problem - begin, lane, work, counters)
                waiting -= 1
                active += 1
        if active == 0 or is_stopped(watch, steps):
            return
        steps += 1
        step(work, plan)
        ended = _flag(plan, work, TRACKING_STALLS if has_starts else STALLS, counters)


@compiled
def _regard_next(plan: Floats, poses: Floats, begin: int, count: int, work: Floats) -> None:
    """The outlooks of the next problems, side by side."""
    for k in range(WIDTH):
        pose = 16 * (begin + min(k, count - 1))
        last = (
            abs(poses[pose + 12])
            + abs(poses[pose + 13])
            + abs(poses[pose + 14])
            + abs(poses[pose + 15] - 1.0)
        )
        size = 0.0
        for i in range(12):
            size += abs(poses[pose + i])
        is_good = (last <= LARGEST_DEVIATION) & (size < FARTHEST)
        for i in range(12):
            # Where a number is not finite, nothing is computed with it.
            work[AT_NEXT + i * WIDTH + k] = poses[pose + i] if is_good else 2.0
    regard(work[AT_NEXT : AT_NEXT + KEY_SIZE * WIDTH], plan)


@compiled
def _seed_next(plan: Floats, table: Floats, work: Floats) -> None:
    """For each of the next problems the candidate of its cell whose key is nearest."""
    if plan[SET_USES_TABLE] == 0.0:
        return
    lanes = CANDIDATES * WIDTH
    for k in range(WIDTH):
        desk = AT_DESKS + k * CANDIDATES
        held = int(work[AT_NEXT + KEY_CELL * WIDTH + k]) * DEPTH * CANDIDATES
        for i in range(HELD):
            for candidate in range(CANDIDATES):
                work[desk + i * lanes + candidate] = table[held + i * CANDIDATES + candidate]
        for i in range(KEY_CELL - KEY_NUMBERS):
            value = work[AT_NEXT + (KEY_NUMBERS + i) * WIDTH + k]
            for candidate in range(CANDIDATES):
                work[desk + (DESK_KEY + i) * lanes + candidate] = value
    complete_all(
        work[AT_DESKS : AT_DESKS + DESK_ROWS * lanes], plan[AT_GRID + GRID_BOUNDS : AT_GRID + GRID_SIZE]
    )
    for k in range(WIDTH):
        desk = AT_DESKS + k * CANDIDATES
        nearest, least = 0, work[desk + DESK_DISTANCE * lanes]
        for candidate in range(1, CANDIDATES):
            distance = work[desk + DESK_DISTANCE * lanes + candidate]
            is_nearer = distance < least
            nearest = candidate if is_nearer else nearest
            least = distance if is_nearer else least
        cell = int(work[AT_NEXT + KEY_CELL * WIDTH + k])
        turntable = work[desk + DESK_TURNTABLE * lanes + nearest]
        spinner = work[desk + DESK_SPINNER * lanes + nearest]
        seed_candidate(plan, table, cell, nearest, work, AT_SEEDS + k, turntable, spinner)


@compiled
def _take(
    plan: Floats,
    starts: Floats,
    has_starts: int,
    problem: int,
    k: int,
    lane: int,
    work: Floats,
    counters: Floats,
) -> None:
    """Put the k-th of the next problems into a lane."""
    counters[lane] = problem
    counters[WIDTH + lane] = first_random(plan)
    for i in range(12):
        work[(N + i) * WIDTH + lane] = work[AT_NEXT + (KEY_VIEW + i) * WIDTH + k]
    memory = AT_MEMORY + lane
    is_pose = work[AT_NEXT + KEY_DEVIATION * WIDTH + k] <= LARGEST_DEVIATION
    squared_distance = work[AT_NEXT + KEY_DISTANCE * WIDTH + k]
    is_out = is_out_of_reach(plan, squared_distance)
    share = share_of_way(plan, squared_distance)
    for i in range(9, 12):
        work[(N + i) * WIDTH + lane] *= share
    work[memory + HOPE * WIDTH] = (OUT_OF_REACH if is_out else HOPEFUL) if is_pose else NO_POSE
    cut = (1.0 - share) * math.sqrt(squared_distance)
    work[memory + CUT * WIDTH] = work[AT_NEXT + KEY_CUT * WIDTH + k] + cut
    work[memory + USED * WIDTH] = 0.0
    work[memory + TRIES * WIDTH] = 0.0
    work[memory + KEPT_COST * WIDTH] = ENDLESS
    _begin_attempt(work, lane)
    if has_starts:
        for i in range(N):
            low, high = plan[AT_LOWER + i], plan[AT_UPPER + i]
            work[i * WIDTH + lane] = min(max(place(plan, i, starts[N * problem + i]), low), high)
    elif plan[SET_USES_TABLE] == 1.0:
        for i in range(N):
            work[i * WIDTH + lane] = work[AT_SEEDS + i * WIDTH + k]
    else:
        seed_random(plan, work, lane, counters, WIDTH + lane)


@compiled
def _begin_attempt(work: Floats, lane: int) -> None:
    memory = AT_MEMORY + lane
    work[memory + BEST * WIDTH] = ENDLESS
    work[memory + MISSED * WIDTH] = 0.0
    work[memory + AGE * WIDTH] = 0.0


@compiled
def _flag(plan: Floats, work: Floats, stalls: int, counters: Floats) -> int:
    """Mark the lanes that have arrived and those that no longer get better; how many these are."""
    for lane in range(WIDTH):
        position, rotation = work[(N + 12) * WIDTH + lane], work[(N + 13) * WIDTH + lane]
        cost, memory = work[(N + 14) * WIDTH + lane], AT_MEMORY + lane
        is_better = cost < RATIO * work[memory + BEST * WIDTH]
        missed = 0.0 if is_better else work[memory + MISSED * WIDTH] + 1.0
        age = work[memory + AGE * WIDTH] + 1.0
        work[memory + BEST * WIDTH] = cost if is_better else work[memory + BEST * WIDTH]
        work[memory + MISSED * WIDTH] = missed
        work[memory + AGE * WIDTH] = age
        used = work[memory + USED * WIDTH] + 1.0
        work[memory + USED * WIDTH] = used
        flag = STALLED if (missed >= stalls) | (age >= LONGEST) | (used >= plan[SET_BUDGET]) else 0.0
        has_arrived = meets(plan, position, rotation) & (work[memory + HOPE * WIDTH] == HOPEFUL)
        flag = ARRIVED if has_arrived else flag
        work[AT_FLAGS + lane] = flag
    ended = 0
    for lane in range(WIDTH):
        counters[2 * WIDTH + ended] = lane
        ended += (work[AT_FLAGS + lane] != 0.0) & (counters[lane] != IDLE)
    return ended


@compiled
def _try_again(plan: Floats, table: Floats, poses: Floats, lane: int, work: Floats, counters: Floats) -> bool:
    """A new configuration for a lane, unless its budget is spent or there is no hope."""
    memory = AT_MEMORY + lane
    cost = work[(N + 14) * WIDTH + lane]
    if cost < work[memory + KEPT_COST * WIDTH]:
        work[memory + KEPT_COST * WIDTH] = cost
        work[memory + KEPT_POSITION * WIDTH] = work[(N + 12) * WIDTH + lane]
        work[memory + KEPT_ROTATION * WIDTH] = work[(N + 13) * WIDTH + lane]
        for i in range(N):
            work[memory + (KEPT + i) * WIDTH] = work[(N + 15 + i) * WIDTH + lane]
    tries = int(work[memory + TRIES * WIDTH])
    is_spent = (work[memory + USED * WIDTH] >= plan[SET_BUDGET]) | (tries >= plan[SET_RESTARTS])
    if is_spent or work[memory + HOPE * WIDTH] != HOPEFUL:
        return False
    work[memory + TRIES * WIDTH] += 1.0
    _begin_attempt(work, lane)
    if plan[SET_USES_TABLE] == 0.0 or tries % 4 == 3:
        seed_random(plan, work, lane, counters, WIDTH + lane)
    else:
        for i in range(12):
            work[AT_OUTLOOK + i] = poses[16 * counters[lane] + i]
        regard_one(work[AT_OUTLOOK : AT_OUTLOOK + KEY_SIZE], plan)
        cell = neighbour(int(work[AT_OUTLOOK + KEY_CELL]), 1 + tries // 16, counters, WIDTH + lane)
        open_cell(plan, table, cell, work, AT_OUTLOOK + KEY_NUMBERS, 1)
        candidate = min(int(CANDIDATES * uniform(counters, WIDTH + lane)), CANDIDATES - 1)
        seed_from_desk(plan, table, cell, candidate, work, lane)
    return True


@compiled
def _write(
    plan: Floats,
    answers: Floats,
    starts: Floats,
    has_starts: int,
    lane: int,
    has_arrived: bool,
    work: Floats,
    counters: Floats,
) -> None:
    """The answer of a lane: where it has arrived, or the best that it has seen."""
    problem, memory = int(counters[lane]), AT_MEMORY + lane
    at = problem * (HEADER + N)
    hope, used = work[memory + HOPE * WIDTH], work[memory + USED * WIDTH]
    if has_arrived:
        code, position, rotation = SOLVED, work[(N + 12) * WIDTH + lane], work[(N + 13) * WIDTH + lane]
    else:
        is_spent = (used >= plan[SET_BUDGET]) & (work[memory + TRIES * WIDTH] == 0.0)
        code = UNREACHABLE if hope == OUT_OF_REACH else SPENT if is_spent else SETTLED
        position, rotation = work[memory + KEPT_POSITION * WIDTH], work[memory + KEPT_ROTATION * WIDTH]
    answers[at] = code
    error = (math.sqrt(position) + work[memory + CUT * WIDTH]) * plan[SET_LENGTH]
    answers[at + 1] = math.nan if hope == NO_POSE else error
    answers[at + 2] = math.sqrt(rotation)
    answers[at + 3] = used
    answers[at + 4] = work[memory + TRIES * WIDTH]
    answers[at + 5] = 0.0
    for i in range(N):
        x = work[(N + 15 + i) * WIDTH + lane] if has_arrived else work[memory + (KEPT + i) * WIDTH]
        wanted = middle(plan, i)
        if has_starts:
            wanted = min(max(starts[N * problem + i], plan[AT_Q_LOWER + i]), plan[AT_Q_UPPER + i])
        answers[at + HEADER + i] = configuration(plan, i, x, wanted)
