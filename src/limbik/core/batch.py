"""The fast core's driver for many problems: every lane has its own, and takes the next one when it is done.

What happens to a problem does not depend on its neighbours, so neither does its answer: not on the lane it came into,
nor on how a batch was cut up among threads.
"""

from __future__ import annotations

import math

from limbik.core.compiled import Floats, compiled, to_be_bound
from limbik.core.lanes import FARTHEST, FULL_TURN, HEADER, LONGEST, RATIO, ROUNDING, SETTLED, SOLVED, UNREACHABLE
from limbik.core.layout import (
    KEY_CELL,
    KEY_DEVIATION,
    KEY_DISTANCE,
    KEY_NUMBERS,
    KEY_SIZE,
    KEY_VIEW,
)
from limbik.core.seeds import CANDIDATES, HELD

STALLS = 2
STALLS_FROM_START = 4
IDLE = -1

# What a lane remembers, in rows behind the block: its key, cell and whether it is proved out of reach; its record.
MEMORY_KEY = 0
MEMORY_BEST = KEY_CELL - KEY_NUMBERS + 2
MEMORY = MEMORY_BEST + 6  # best, missed, age, used, tries, kept cost; then kept x

# Counters of a lane: its problem, and its random number.
COUNTERS = 2

WIDTH = N = ROWS = DEPTH = TURNTABLE = SPINNER = D0 = D1 = D2 = D3 = D4 = to_be_bound()
AT_OFFSET = AT_Q_LOWER = AT_Q_UPPER = AT_SEED_LOWER = AT_SEED_UPPER = AT_CIRCULAR = to_be_bound()
SET_TOLERANCE = SET_TOLERANCE_ROTATION = SET_BUDGET = SET_REACH = SET_SHORTEST_REACH = to_be_bound()
SET_ASKS_POSITION = SET_USES_TABLE = SET_SEED = SET_RESTARTS = to_be_bound()
AT_MEMORY = AT_NEXT = AT_DESK = AT_FLAGS = AT_NUMBERS = to_be_bound()
step = regard = complete = to_be_bound()


def working_places(n: int, rows: int, width: int) -> dict[str, int]:
    """Where things lie in the array that a batch works on; the block comes first."""
    parts = {
        "AT_MEMORY": (MEMORY + n) * width,
        "AT_NEXT": KEY_SIZE * width,  # outlooks of the problems that follow
        "AT_DESK": (HELD + 3) * CANDIDATES,  # first numbers of candidates; turntable, spinner, distance
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

    poses [count, 16]; starts [count, n] of q; answers [count, HEADER + n], as `core.lanes` has them, with an error of
    NaN where a pose is none.
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
                    if flag == 2.0 and _try_again(plan, table, lane, work, counters):
                        continue
                    _write(plan, answers, starts, has_starts, lane, flag == 1.0, work, counters)
                    counters[lane] = IDLE
                    active -= 1


@compiled
def _regard_next(plan: Floats, poses: Floats, begin: int, count: int, work: Floats) -> None:
    """The outlooks of the next problems, side by side."""
    for k in range(WIDTH):
        pose = 16 * (begin + min(k, count - 1))
        size = abs(poses[pose + 12]) + abs(poses[pose + 13]) + abs(poses[pose + 14]) + abs(poses[pose + 15] - 1.0)
        for i in range(12):
            size += abs(poses[pose + i])
        for i in range(12):
            # Where a number is not finite, nothing is computed with it.
            work[AT_NEXT + i * WIDTH + k] = poses[pose + i] if size < FARTHEST else 2.0
    regard(work[AT_NEXT : AT_NEXT + KEY_SIZE * WIDTH], plan)


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
    counters[WIDTH + lane] = 1 + (int(plan[SET_SEED]) * 7919) % 2147483646
    for i in range(12):
        work[(N + i) * WIDTH + lane] = work[AT_NEXT + (KEY_VIEW + i) * WIDTH + k]
    for i in range(KEY_CELL - KEY_NUMBERS + 1):
        work[AT_MEMORY + i * WIDTH + lane] = work[AT_NEXT + (KEY_NUMBERS + i) * WIDTH + k]
    distance = math.sqrt(work[AT_NEXT + KEY_DISTANCE * WIDTH + k])
    beyond = max(distance - plan[SET_REACH], plan[SET_SHORTEST_REACH] - distance)
    is_out = plan[SET_ASKS_POSITION] == 1.0 and beyond > math.sqrt(plan[SET_TOLERANCE]) + 1e-12 * plan[SET_REACH]
    is_bad = work[AT_NEXT + KEY_DEVIATION * WIDTH + k] > 1e3 * ROUNDING
    work[AT_MEMORY + (MEMORY_BEST - 1) * WIDTH + lane] = 2.0 if is_bad else 1.0 if is_out else 0.0
    for i in range(6):
        work[AT_MEMORY + (MEMORY_BEST + i) * WIDTH + lane] = 0.0
    work[AT_MEMORY + MEMORY_BEST * WIDTH + lane] = 1e30
    work[AT_MEMORY + (MEMORY_BEST + 5) * WIDTH + lane] = 1e30
    if has_starts:
        for i in range(N):
            low, high = plan[5 * N + i], plan[6 * N + i]
            work[i * WIDTH + lane] = min(max(starts[N * problem + i] + plan[AT_OFFSET + i], low), high)
    elif plan[SET_USES_TABLE] == 1.0:
        _seed_nearest(table, lane, work)
    else:
        _seed_random(plan, work, lane, counters)


@compiled
def _seed_nearest(table: Floats, lane: int, work: Floats) -> None:
    """The candidate of a lane's own cell whose key is nearest to the goal's."""
    cell = int(work[AT_MEMORY + (KEY_CELL - KEY_NUMBERS) * WIDTH + lane])
    _open_cell(table, cell, lane, work)
    nearest, least = 0, work[AT_DESK + (HELD + 2) * CANDIDATES]
    for candidate in range(1, CANDIDATES):
        distance = work[AT_DESK + (HELD + 2) * CANDIDATES + candidate]
        is_nearer = distance < least
        nearest = candidate if is_nearer else nearest
        least = distance if is_nearer else least
    _seed_candidate(table, cell, work, lane, nearest)


@compiled
def _open_cell(table: Floats, cell: int, lane: int, work: Floats) -> None:
    """Complete a cell's candidates for a lane's goal: turntable, spinner and distance onto the desk."""
    numbers = work[AT_NUMBERS : AT_NUMBERS + KEY_CELL - KEY_NUMBERS]
    for i in range(KEY_CELL - KEY_NUMBERS):
        numbers[i] = work[AT_MEMORY + i * WIDTH + lane]
    desk = work[AT_DESK : AT_DESK + (HELD + 3) * CANDIDATES]
    begin = cell * DEPTH * CANDIDATES
    for i in range(HELD * CANDIDATES):
        desk[i] = table[begin + i]
    complete(desk, numbers)


@compiled
def _seed_candidate(table: Floats, cell: int, work: Floats, lane: int, candidate: int) -> None:
    """A candidate of the cell on the desk into a lane."""
    held = cell * DEPTH * CANDIDATES + HELD * CANDIDATES + candidate
    for i in range(N):
        if i == TURNTABLE:
            value = work[AT_DESK + HELD * CANDIDATES + candidate]
        elif i == SPINNER:
            value = work[AT_DESK + (HELD + 1) * CANDIDATES + candidate]
        else:
            value = table[held]
            held += CANDIDATES
        work[i * WIDTH + lane] = value


@compiled
def _seed_random(plan: Floats, work: Floats, lane: int, counters: Floats) -> None:
    for i in range(N):
        lower, upper = plan[AT_SEED_LOWER + i], plan[AT_SEED_UPPER + i]
        work[i * WIDTH + lane] = lower + (upper - lower) * _random(counters, lane)


@compiled
def _random(counters: Floats, lane: int) -> float:
    """Between 0 and 1: Park and Miller's "minimal standard" generator (1988)."""
    value = (counters[WIDTH + lane] * 48271) % 2147483647
    counters[WIDTH + lane] = value
    return value / 2147483647.0


@compiled
def _flag(plan: Floats, work: Floats, stalls: int) -> bool:
    """Mark the lanes that have arrived (1) and those that no longer get better (2); True where there are any."""
    total = 0.0
    for lane in range(WIDTH):
        position, rotation = work[(N + 12) * WIDTH + lane], work[(N + 13) * WIDTH + lane]
        cost = work[(N + 14) * WIDTH + lane]
        best = AT_MEMORY + MEMORY_BEST * WIDTH + lane
        is_better = cost < RATIO * work[best]
        missed = 0.0 if is_better else work[best + WIDTH] + 1.0
        age = work[best + 2 * WIDTH] + 1.0
        work[best] = cost if is_better else work[best]
        work[best + WIDTH] = missed
        work[best + 2 * WIDTH] = age
        work[best + 3 * WIDTH] += 1.0
        flag = 2.0 if (missed >= stalls) | (age >= LONGEST) else 0.0
        has_arrived = (position <= 0.99 * plan[SET_TOLERANCE]) & (rotation <= 0.99 * plan[SET_TOLERANCE_ROTATION])
        flag = 1.0 if has_arrived else flag
        work[AT_FLAGS + lane] = flag
        total += flag
    return total > 0.0


@compiled
def _try_again(plan: Floats, table: Floats, lane: int, work: Floats, counters: Floats) -> bool:
    """A new configuration for a lane, unless its budget is spent or its goal out of reach."""
    record = AT_MEMORY + MEMORY_BEST * WIDTH + lane
    cost = work[(N + 14) * WIDTH + lane]
    if cost < work[record + 5 * WIDTH]:
        work[record + 5 * WIDTH] = cost
        for i in range(N):
            work[AT_MEMORY + (MEMORY + i) * WIDTH + lane] = work[(N + 15 + i) * WIDTH + lane]
    tries = int(work[record + 4 * WIDTH])
    is_hopeless = work[record - WIDTH] > 0.0
    if is_hopeless or work[record + 3 * WIDTH] >= plan[SET_BUDGET] or tries >= plan[SET_RESTARTS]:
        return False
    work[record + 4 * WIDTH] += 1.0
    work[record] = 1e30
    work[record + WIDTH] = 0.0
    work[record + 2 * WIDTH] = 0.0
    if plan[SET_USES_TABLE] == 0.0 or tries % 4 == 3:
        _seed_random(plan, work, lane, counters)
    else:
        cell = int(work[AT_MEMORY + (KEY_CELL - KEY_NUMBERS) * WIDTH + lane])
        cell = _neighbour(cell, 1 + tries // 16, lane, counters)
        _open_cell(table, cell, lane, work)
        candidate = min(int(CANDIDATES * _random(counters, lane)), CANDIDATES - 1)
        _seed_candidate(table, cell, work, lane, candidate)
    return True


@compiled
def _neighbour(cell: int, distance: int, lane: int, counters: Floats) -> int:
    """A random cell near another one."""
    rest, index, stride = cell, 0, 1
    for axis in range(5):
        count = D4 if axis == 0 else D3 if axis == 1 else D2 if axis == 2 else D1 if axis == 3 else D0
        place = rest % count + int(math.floor((2 * distance + 1) * _random(counters, lane))) - distance
        rest = rest // count
        index += stride * min(max(place, 0), count - 1)
        stride *= count
    return index


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
    problem = int(counters[lane])
    at = problem * (HEADER + N)
    record = AT_MEMORY + MEMORY_BEST * WIDTH + lane
    hopeless = work[record - WIDTH]
    position, rotation = work[(N + 12) * WIDTH + lane], work[(N + 13) * WIDTH + lane]
    answers[at] = SOLVED if has_arrived else UNREACHABLE if hopeless == 1.0 else SETTLED
    answers[at + 1] = math.nan if hopeless == 2.0 else math.sqrt(position)
    answers[at + 2] = math.sqrt(rotation)
    answers[at + 3] = work[record + 3 * WIDTH]
    answers[at + 4] = work[record + 4 * WIDTH]
    answers[at + 5] = 0.0
    for i in range(N):
        if has_arrived:
            x = work[(N + 15 + i) * WIDTH + lane]
        else:
            x = work[AT_MEMORY + (MEMORY + i) * WIDTH + lane]
        lower, upper, offset = plan[AT_Q_LOWER + i], plan[AT_Q_UPPER + i], plan[AT_OFFSET + i]
        q = x - offset
        if plan[AT_CIRCULAR + i] == 1.0:
            if has_starts:
                wanted = min(max(starts[N * problem + i], lower), upper)
            else:
                wanted = plan[AT_SEED_LOWER + i] + 0.5 * FULL_TURN - offset
            q -= FULL_TURN * math.floor((q - wanted) / FULL_TURN + 0.5)
            if q > upper:
                q -= FULL_TURN
            elif q < lower:
                q += FULL_TURN
        answers[at + HEADER + i] = min(max(q, lower), upper)
