"""The fast core's driver for many problems: every lane has its own, and takes the next one when it is done.

What happens to a problem does not depend on its neighbours, so neither does its answer: not on the lane it
came into, nor on how a batch was cut up among threads.
"""

from __future__ import annotations

import math

from limbik.core.compiled import Floats, compiled, to_be_bound
from limbik.core.lanes import FARTHEST, HEADER, LONGEST, RATIO, SETTLED, SOLVED, UNREACHABLE
from limbik.core.layout import KEY_CELL, KEY_DEVIATION, KEY_DISTANCE, KEY_NUMBERS, KEY_SIZE, KEY_VIEW
from limbik.core.placing import (
    DESK_DISTANCE,
    DESK_SIZE,
    configuration,
    first_random,
    is_out_of_reach,
    meets,
    middle,
    neighbour,
    open_cell,
    seed_candidate,
    seed_random,
    uniform,
)
from limbik.core.seeds import CANDIDATES

STALLS = 2
STALLS_FROM_START = 4
IDLE = -1
ENDLESS = 1e30  # a cost that everything is better than

# What a lane remembers, in rows behind the block: its goal's key and cell; whether there is hope; its record.
CELL = KEY_CELL - KEY_NUMBERS
HOPE = CELL + 1  # HOPEFUL, or why not
BEST = HOPE + 1  # least cost of this attempt
MISSED = BEST + 1  # iterations in a row that did not lower it enough
AGE = MISSED + 1  # iterations of this attempt
USED = AGE + 1  # and of all
TRIES = USED + 1
KEPT_COST = TRIES + 1  # of the best configuration of all attempts, which follows
KEPT = KEPT_COST + 1

HOPEFUL = 0.0
OUT_OF_REACH = 1.0
NO_POSE = 2.0

# Flags of lanes.
ARRIVED = 1.0
STALLED = 2.0

# Counters of a lane: its problem, and the state of its random numbers.
COUNTERS = 2

WIDTH = N = AT_OFFSET = AT_Q_LOWER = AT_Q_UPPER = to_be_bound()
AT_MEMORY = AT_NEXT = AT_SEEDS = AT_DESK = AT_FLAGS = AT_NUMBERS = to_be_bound()
SET_BUDGET = SET_USES_TABLE = SET_RESTARTS = to_be_bound()
LARGEST_DEVIATION = to_be_bound()  # of a pose from being one
step = regard = to_be_bound()


def working_places(n: int, rows: int, width: int) -> dict[str, int]:
    """Where things lie in the array that a batch works on; the block comes first."""
    parts = {
        "AT_MEMORY": (KEPT + n) * width,
        "AT_NEXT": KEY_SIZE * width,  # outlooks of the problems that follow
        "AT_SEEDS": n * width,  # where these begin
        "AT_DESK": DESK_SIZE,
        "AT_FLAGS": width,
        "AT_NUMBERS": KEY_CELL - KEY_NUMBERS,  # of one key
    }
    places, at = {}, rows * width
    for name, size in parts.items():
        places[name] = at
        at += size
    return places | {"WORK_SIZE": at}


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
) -> None:
    """Solve the problems from `first` to before `last`.

    poses [count, 16]; starts [count, n] of q; answers [count, HEADER + n], as `core.lanes` has them, with an
    error of NaN where a pose is none.
    """
    upcoming, waiting, active = first, 0, 0
    begin = first
    for lane in range(WIDTH):
        counters[lane] = IDLE
    while True:
        if active < WIDTH and (waiting > 0 or upcoming < last):
            for lane in range(WIDTH):
                if counters[lane] != IDLE:
                    continue
                if waiting == 0:
                    if upcoming >= last:
                        break
                    begin = upcoming
                    waiting = min(WIDTH, last - upcoming)
                    upcoming += waiting
                    _regard_next(plan, poses, begin, waiting, work)
                    if not has_starts:
                        _seed_next(plan, table, work)
                problem = upcoming - waiting
                waiting -= 1
                active += 1
                _take(plan, table, starts, has_starts, problem, problem - begin, lane, work, counters)
        if active == 0:
            return
        step(work, plan)
        if _flag(plan, work, STALLS_FROM_START if has_starts else STALLS):
            for lane in range(WIDTH):
                flag = work[AT_FLAGS + lane]
                if flag != 0.0 and counters[lane] != IDLE:
                    if flag == STALLED and _try_again(plan, table, lane, work, counters):
                        continue
                    _write(plan, answers, starts, has_starts, lane, flag == ARRIVED, work, counters)
                    counters[lane] = IDLE
                    active -= 1


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
    """For each of the next problems the candidate of its cell whose key is nearest.

    All at once: the processor waits for several cells of the table at a time.
    """
    if plan[SET_USES_TABLE] == 0.0:
        return
    for k in range(WIDTH):
        cell = int(work[AT_NEXT + KEY_CELL * WIDTH + k])
        _copy_key(work, AT_NEXT + KEY_NUMBERS * WIDTH + k)
        open_cell(table, cell, work, work[AT_NUMBERS:])
        nearest, least = 0, work[AT_DESK + DESK_DISTANCE]
        for candidate in range(1, CANDIDATES):
            distance = work[AT_DESK + DESK_DISTANCE + candidate]
            is_nearer = distance < least
            nearest = candidate if is_nearer else nearest
            least = distance if is_nearer else least
        seed_candidate(table, cell, work, AT_SEEDS + k, nearest)


@compiled
def _take(
    plan: Floats,
    table: Floats,
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
    for i in range(CELL + 1):
        work[memory + i * WIDTH] = work[AT_NEXT + (KEY_NUMBERS + i) * WIDTH + k]
    is_pose = work[AT_NEXT + KEY_DEVIATION * WIDTH + k] <= LARGEST_DEVIATION
    is_out = is_out_of_reach(plan, work[AT_NEXT + KEY_DISTANCE * WIDTH + k])
    work[memory + HOPE * WIDTH] = (OUT_OF_REACH if is_out else HOPEFUL) if is_pose else NO_POSE
    work[memory + USED * WIDTH] = 0.0
    work[memory + TRIES * WIDTH] = 0.0
    work[memory + KEPT_COST * WIDTH] = ENDLESS
    _begin_attempt(work, lane)
    if has_starts:
        for i in range(N):
            low, high = plan[5 * N + i], plan[6 * N + i]
            work[i * WIDTH + lane] = min(max(starts[N * problem + i] + plan[AT_OFFSET + i], low), high)
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
def _copy_key(work: Floats, at: int) -> None:
    """A goal's key, of which the first number stands at `at`, to where `open_cell` takes it."""
    for i in range(KEY_CELL - KEY_NUMBERS):
        work[AT_NUMBERS + i] = work[at + i * WIDTH]


@compiled
def _flag(plan: Floats, work: Floats, stalls: int) -> bool:
    """Mark the lanes that have arrived and those that no longer get better; True where there are any."""
    total = 0.0
    for lane in range(WIDTH):
        position, rotation = work[(N + 12) * WIDTH + lane], work[(N + 13) * WIDTH + lane]
        cost, memory = work[(N + 14) * WIDTH + lane], AT_MEMORY + lane
        is_better = cost < RATIO * work[memory + BEST * WIDTH]
        missed = 0.0 if is_better else work[memory + MISSED * WIDTH] + 1.0
        age = work[memory + AGE * WIDTH] + 1.0
        work[memory + BEST * WIDTH] = cost if is_better else work[memory + BEST * WIDTH]
        work[memory + MISSED * WIDTH] = missed
        work[memory + AGE * WIDTH] = age
        work[memory + USED * WIDTH] += 1.0
        flag = STALLED if (missed >= stalls) | (age >= LONGEST) else 0.0
        flag = ARRIVED if meets(plan, position, rotation) else flag
        work[AT_FLAGS + lane] = flag
        total += flag
    return total > 0.0


@compiled
def _try_again(plan: Floats, table: Floats, lane: int, work: Floats, counters: Floats) -> bool:
    """A new configuration for a lane, unless its budget is spent or there is no hope."""
    memory = AT_MEMORY + lane
    cost = work[(N + 14) * WIDTH + lane]
    if cost < work[memory + KEPT_COST * WIDTH]:
        work[memory + KEPT_COST * WIDTH] = cost
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
        cell = neighbour(int(work[memory + CELL * WIDTH]), 1 + tries // 16, counters, WIDTH + lane)
        _copy_key(work, memory)
        open_cell(table, cell, work, work[AT_NUMBERS:])
        candidate = min(int(CANDIDATES * uniform(counters, WIDTH + lane)), CANDIDATES - 1)
        seed_candidate(table, cell, work, lane, candidate)
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
    hope = work[memory + HOPE * WIDTH]
    answers[at] = SOLVED if has_arrived else UNREACHABLE if hope == OUT_OF_REACH else SETTLED
    answers[at + 1] = math.nan if hope == NO_POSE else math.sqrt(work[(N + 12) * WIDTH + lane])
    answers[at + 2] = math.sqrt(work[(N + 13) * WIDTH + lane])
    answers[at + 3] = work[memory + USED * WIDTH]
    answers[at + 4] = work[memory + TRIES * WIDTH]
    answers[at + 5] = 0.0
    for i in range(N):
        x = work[(N + 15 + i) * WIDTH + lane] if has_arrived else work[memory + (KEPT + i) * WIDTH]
        wanted = middle(plan, i)
        if has_starts:
            wanted = min(max(starts[N * problem + i], plan[AT_Q_LOWER + i]), plan[AT_Q_UPPER + i])
        answers[at + HEADER + i] = configuration(plan, i, x, wanted)
