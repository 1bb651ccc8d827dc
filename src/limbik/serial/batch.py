"""Fast core, driver for many problems: each lane solves its own, and takes the next one when done.

A lane whose next configuration is likely to arrive hands it over to the arrivals, which are looked at side by
side once there is one for every lane: forward kinematics at the very q of the answer says whether it meets
the goal, and spares the last full step. One that does not goes on from there, in the next lane that is idle.
What a lane gives up goes the same way, and is answered as it is.

What happens to a problem does not depend on its neighbours, so neither does its answer: not on the lane it
came into, nor on how a batch was cut up among threads.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias

import numpy as np

from limbik.compiler.arrays import ANY, ArrayType, array
from limbik.compiler.kernel import Floats, Watch, compiled, is_stopped, prefetch, to_be_bound
from limbik.numerics.end_codes import RUNNING, SETTLED, SOLVED, SPENT, UNREACHABLE
from limbik.numerics.random_numbers import uniform
from limbik.serial.lanes import FARTHEST, HEADER, STALLS, TRACKING_STALLS
from limbik.serial.layout import (
    COMPLETED_DISTANCE,
    COMPLETED_ROWS,
    GRID_BOUNDS,
    GRID_SIZE,
    KEY_BEYOND,
    KEY_CELL,
    KEY_COUNT,
    KEY_CUT,
    KEY_DEVIATION,
    KEY_NUMBERS,
    KEY_SIZE,
    KEY_VIEW,
    NEAREST,
    NEAREST_BASE_YAW,
    NEAREST_OUTSIDE,
    NEAREST_ROWS,
    NEAREST_TOOL_ROLL,
    VIEW,
    one_after_another,
)
from limbik.serial.seed_table import CANDIDATES, HELD
from limbik.serial.seeding import (
    first_random,
    is_random,
    meets,
    middle,
    neighbour,
    open_cell,
    put_joint,
    seed_candidate,
    seed_completed,
    seed_random,
    stretch_of,
)

IDLE = -1
NUMBERS_FETCHED = 16  # of single precision, at a time
ENDLESS = 1e30  # a cost that everything is better than

# What a lane remembers, in rows behind the block.
FLAG = 0
BEST = 1  # smallest cost of this attempt
MISSED = 2  # iterations in a row that did not lower it enough
AGE = 3  # iterations of this attempt
USED = 4  # and of all
PATIENCE = 5  # how often in a row it may miss
HOPEFUL = 6  # whether there is a path to the goal
REMEMBERED = 7

# Flags.
ATTEMPTING = 0.0
NEAR = 1.0  # has arrived, or will with its next step
STALLED = 2.0

# A record, of each problem that has begun: what is not needed in every iteration.
TRIES = 0
BEST_COST = 1  # of the best configuration of all attempts
CUT = 2  # what is missing on the path to a goal that is out of reach
IS_POSE = 3
CODE = 4  # of the answer, if it does not meet its goal: RUNNING where it is to go on
MEMORY = 5  # of its lane, while it is in none
BEST_ROW = MEMORY + REMEMBERED  # the best configuration itself; then x and the first frame, while in no lane
RECORDS = 4  # for every lane: running, arriving, and to be gone on with

# Whole numbers, in rows: the record of each lane, the lanes that have ended, the records of the arrivals; by
# record its problem and the state of its random numbers; records that are free, and those to go on with.
RECORD, ENDED, ARRIVING, PROBLEM = 0, 1, 2, 3
RANDOM, FREE, GOING_ON = PROBLEM + RECORDS, PROBLEM + 2 * RECORDS, PROBLEM + 3 * RECORDS
COUNTERS = PROBLEM + 4 * RECORDS

WIDTH = N = DEPTH = AT_LOWER = AT_UPPER = AT_Q_LOWER = AT_Q_UPPER = AT_GRID = to_be_bound()
AT_MEMORY = AT_NEXT = AT_LATER = AT_SEEDS = AT_COMPLETED = AT_ARRIVALS = AT_RECORDS = AT_READING = (
    to_be_bound()
)
ROW_VIEW = ROW_POSITION = ROW_ROTATION = ROW_COST = ROW_EVALUATED = to_be_bound()
RECORD_SIZE = BASE_YAW = TOOL_ROLL = to_be_bound()
SET_LENGTH = SET_TOLERANCE = SET_TOLERANCE_ROTATION = SET_BUDGET = SET_USES_TABLE = to_be_bound()
SET_RESTARTS = SET_CAREFUL = to_be_bound()
LARGEST_DEVIATION = to_be_bound()  # of a pose from being one
step = careful_step = read_goal = read_one_goal = compare = complete_nearest = finish = to_be_bound()


def working_offsets(n: int, rows: int, width: int) -> dict[str, int]:
    """Where things lie in the array that a batch works on; the block comes first."""
    record = BEST_ROW + 2 * n + VIEW
    parts = {
        "AT_MEMORY": REMEMBERED * width,
        "AT_NEXT": NEAREST_ROWS * width,  # readings of goals of the problems that follow
        "AT_LATER": KEY_SIZE * width,  # and of those after them
        "AT_SEEDS": n * width,  # where these begin
        # x, first frame, and the q that each joint is to be near to by revolutions; then what `finish` makes
        # of them: q, and the squared errors.
        "AT_ARRIVALS": (3 * n + VIEW + 2) * width,
        "AT_RECORDS": record * RECORDS * width,
        "AT_READING": KEY_SIZE,  # of one problem that begins again
        "AT_COMPLETED": COMPLETED_ROWS * CANDIDATES,
    }
    return one_after_another(parts, "WORK_SIZE", begin=rows * width) | {"RECORD_SIZE": record}


Numbers: TypeAlias = Annotated[Any, ArrayType((ANY,), "number")]  # of 8 bytes, or of 4


@compiled
def solve_many(
    plan: Numbers,
    table: Annotated[Any, array(ANY, dtype=np.float32)],
    poses: Floats,
    starts: Floats,
    has_starts: int,
    first: int,
    last: int,
    answers: Floats,
    work: Numbers,
    counters: Annotated[Any, array(ANY, dtype=np.int64)],
    watch: Watch,
) -> None:
    """Solve the problems from `first` to before `last`.

    poses [count, 16]; starts [count, n] of q; answers [count, HEADER + n], as `serial.lanes` has them, with
    an error of NaN where a pose is none. Where the watch ends it, what is running is not written.
    """
    begin, upcoming, waiting, active, ended = first, first, 0, 0, WIDTH
    steps, arriving, going_on, free = 0, 0, 0, RECORDS * WIDTH
    _clear(plan, has_starts, work, counters)
    _read_goals_later(plan, table, poses, first, last, work)
    while True:
        for slot in range(ended):
            lane = counters[ENDED * WIDTH + slot]
            record = counters[lane]
            if record != IDLE:
                if work[AT_MEMORY + lane] == STALLED and _try_again(plan, table, poses, lane, work, counters):
                    continue
                _arrive(plan, starts, has_starts, lane, arriving, work, counters)
                arriving += 1
                counters[lane] = IDLE
                active -= 1
            if arriving == WIDTH:
                free, going_on = _finish(plan, answers, arriving, free, going_on, work, counters)
                arriving = 0
            if going_on > 0:
                going_on -= 1
                _go_on(counters[GOING_ON * WIDTH + going_on], lane, work, counters)
                active += 1
                continue
            if waiting == 0 and upcoming < last:
                begin = upcoming
                waiting = min(WIDTH, last - upcoming)
                upcoming += waiting
                for i in range(KEY_SIZE * WIDTH):
                    work[AT_NEXT + i] = work[AT_LATER + i]
                if not has_starts:
                    _seed_next(plan, table, work)
                _read_goals_later(plan, table, poses, upcoming, last, work)
            if waiting > 0:
                problem = upcoming - waiting
                free -= 1
                counters[lane] = counters[FREE * WIDTH + free]
                _take(plan, starts, has_starts, problem, problem - begin, lane, work, counters)
                waiting -= 1
                active += 1
        if active == 0:
            if arriving == 0:
                return
            free, going_on = _finish(plan, answers, arriving, free, going_on, work, counters)
            arriving, ended = 0, going_on
            for lane in range(ended):
                counters[ENDED * WIDTH + lane] = lane
            continue
        if is_stopped(watch, steps):
            return
        steps += 1
        if plan[SET_CAREFUL] == 0.0:
            step(work, plan)
        else:
            careful_step(work, plan)
        ended = 0
        for lane in range(WIDTH):
            counters[ENDED * WIDTH + ended] = lane
            ended += (work[AT_MEMORY + lane] != ATTEMPTING) & (counters[lane] != IDLE)


@compiled
def _clear(plan: Floats, has_starts: int, work: Floats, counters: Floats) -> None:
    """Before the first problem: all lanes are idle and all records free."""
    for lane in range(WIDTH):
        counters[lane] = IDLE
        counters[ENDED * WIDTH + lane] = lane
        work[AT_MEMORY + PATIENCE * WIDTH + lane] = TRACKING_STALLS if has_starts else STALLS
        for i in range(N):
            work[AT_ARRIVALS + (N + VIEW + i) * WIDTH + lane] = middle(plan, i)
    for record in range(RECORDS * WIDTH):
        counters[FREE * WIDTH + record] = record


# ------------------------------------------------------------------------------------------ problems to come


@compiled
def _read_goals_later(
    plan: Floats, table: Floats, poses: Floats, begin: int, last: int, work: Floats
) -> None:
    """The readings of goals of problems from `begin` on, side by side. Their cells of the table, which is
    larger than what the processor keeps at hand, are on their way from then on.
    """
    if begin >= last:
        return
    for k in range(WIDTH):
        pose = 16 * min(begin + k, last - 1)
        lowest_row = (
            abs(poses[pose + 12])
            + abs(poses[pose + 13])
            + abs(poses[pose + 14])
            + abs(poses[pose + 15] - 1.0)
        )
        size = 0.0
        for i in range(12):
            size += abs(poses[pose + i])
        is_good = (lowest_row <= LARGEST_DEVIATION) & (size < FARTHEST)
        for i in range(12):
            # Where a number is not finite, nothing is computed with it.
            work[AT_LATER + i * WIDTH + k] = poses[pose + i] if is_good else 2.0
    read_goal(work[AT_LATER : AT_LATER + KEY_SIZE * WIDTH], plan)
    if plan[SET_USES_TABLE] == 1.0:
        for k in range(WIDTH):
            cell = int(work[AT_LATER + KEY_CELL * WIDTH + k]) * DEPTH * CANDIDATES
            for line in range(0, DEPTH * CANDIDATES, NUMBERS_FETCHED):
                prefetch(table, cell + line)


@compiled
def _seed_next(plan: Floats, table: Floats, work: Floats) -> None:
    """For each of the next problems the candidate of its cell whose key is nearest, of those whose
    closed-form joints are inside their limits.
    """
    if plan[SET_USES_TABLE] == 0.0:
        return
    distances = AT_COMPLETED + COMPLETED_DISTANCE * CANDIDATES
    for k in range(WIDTH):
        cell = int(work[AT_NEXT + KEY_CELL * WIDTH + k])
        begin = cell * DEPTH * CANDIDATES
        compare(
            work[distances : distances + CANDIDATES],
            work[AT_NEXT + KEY_NUMBERS * WIDTH + k : AT_NEXT + KEY_CELL * WIDTH],
            table[begin : begin + HELD * CANDIDATES],
        )
        candidate = _nearest_compared(work)
        for i in range(4):
            work[AT_NEXT + (NEAREST + i) * WIDTH + k] = table[begin + i * CANDIDATES + candidate]
        seed_candidate(plan, table, cell, candidate, work, AT_SEEDS + k, 0.0, 0.0)
    complete_nearest(
        work[AT_NEXT : AT_NEXT + NEAREST_ROWS * WIDTH], plan[AT_GRID + GRID_BOUNDS : AT_GRID + GRID_SIZE]
    )
    for k in range(WIDTH):
        if work[AT_NEXT + NEAREST_OUTSIDE * WIDTH + k] > 0.0:
            for i in range(KEY_COUNT):
                work[AT_READING + KEY_NUMBERS + i] = work[AT_NEXT + (KEY_NUMBERS + i) * WIDTH + k]
            cell = int(work[AT_NEXT + KEY_CELL * WIDTH + k])
            open_cell(plan, table, cell, work, AT_READING + KEY_NUMBERS)
            seed_completed(plan, table, cell, _nearest_compared(work), work, AT_SEEDS + k)
        else:
            for i in range(N):
                if i == BASE_YAW:
                    work[AT_SEEDS + i * WIDTH + k] = work[AT_NEXT + NEAREST_BASE_YAW * WIDTH + k]
                elif i == TOOL_ROLL:
                    work[AT_SEEDS + i * WIDTH + k] = work[AT_NEXT + NEAREST_TOOL_ROLL * WIDTH + k]


@compiled
def _nearest_compared(work: Floats) -> int:
    """The completed candidate whose key is nearest."""
    distances = AT_COMPLETED + COMPLETED_DISTANCE * CANDIDATES
    nearest, smallest = (
        0.0,
        work[distances],
    )  # a whole number would be chosen by a branch, which is often mistaken
    for candidate in range(1, CANDIDATES):
        is_nearer = work[distances + candidate] < smallest
        nearest = float(candidate) if is_nearer else nearest
        smallest = work[distances + candidate] if is_nearer else smallest
    return int(nearest)


# ------------------------------------------------------------------------------------------------ lanes


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
    record = counters[lane]
    counters[PROBLEM * WIDTH + record] = problem
    counters[RANDOM * WIDTH + record] = first_random(plan)
    at = AT_RECORDS + record * RECORD_SIZE
    is_pose = work[AT_NEXT + KEY_DEVIATION * WIDTH + k] <= LARGEST_DEVIATION
    is_beyond = work[AT_NEXT + KEY_BEYOND * WIDTH + k] > 0.0
    work[at + TRIES] = 0.0
    work[at + BEST_COST] = ENDLESS
    work[at + CUT] = work[AT_NEXT + KEY_CUT * WIDTH + k]
    work[at + IS_POSE] = 1.0 if is_pose else 0.0
    work[AT_MEMORY + HOPEFUL * WIDTH + lane] = 1.0 if is_pose and not is_beyond else 0.0
    work[AT_MEMORY + USED * WIDTH + lane] = 0.0
    _begin_attempt(work, lane)
    for i in range(VIEW):
        work[(ROW_VIEW + i) * WIDTH + lane] = work[AT_NEXT + (KEY_VIEW + i) * WIDTH + k]
    if has_starts:
        for i in range(N):
            low, high = plan[AT_LOWER + i], plan[AT_UPPER + i]
            work[i * WIDTH + lane] = min(max(put_joint(plan, i, starts[N * problem + i]), low), high)
    elif plan[SET_USES_TABLE] == 1.0:
        for i in range(N):
            work[i * WIDTH + lane] = work[AT_SEEDS + i * WIDTH + k]
    else:
        seed_random(plan, work, lane, counters, RANDOM * WIDTH + record, 1.0)


@compiled
def _begin_attempt(work: Floats, lane: int) -> None:
    work[AT_MEMORY + BEST * WIDTH + lane] = ENDLESS
    work[AT_MEMORY + MISSED * WIDTH + lane] = 0.0
    work[AT_MEMORY + AGE * WIDTH + lane] = 0.0


@compiled
def _try_again(plan: Floats, table: Floats, poses: Floats, lane: int, work: Floats, counters: Floats) -> bool:
    """A new configuration for a lane, unless its budget is spent or there is no hope."""
    record = counters[lane]
    at, random = AT_RECORDS + record * RECORD_SIZE, RANDOM * WIDTH + record
    cost = work[ROW_COST * WIDTH + lane]
    if cost < work[at + BEST_COST]:
        work[at + BEST_COST] = cost
        for i in range(N):
            work[at + BEST_ROW + i] = work[(ROW_EVALUATED + i) * WIDTH + lane]
    tries = int(work[at + TRIES])
    is_spent = (work[AT_MEMORY + USED * WIDTH + lane] >= plan[SET_BUDGET]) | (tries >= plan[SET_RESTARTS])
    if is_spent or work[AT_MEMORY + HOPEFUL * WIDTH + lane] == 0.0:
        return False
    work[at + TRIES] += 1.0
    _begin_attempt(work, lane)
    if plan[SET_USES_TABLE] == 0.0 or is_random(tries):
        seed_random(plan, work, lane, counters, random, stretch_of(tries))
    else:
        problem = counters[PROBLEM * WIDTH + record]
        for i in range(12):
            work[AT_READING + i] = poses[16 * problem + i]
        read_one_goal(work[AT_READING : AT_READING + KEY_SIZE], plan)
        cell = neighbour(int(work[AT_READING + KEY_CELL]), 1 + tries // 16, counters, random)
        open_cell(plan, table, cell, work, AT_READING + KEY_NUMBERS)
        candidate = min(int(CANDIDATES * uniform(counters, random)), CANDIDATES - 1)
        seed_completed(plan, table, cell, candidate, work, lane)
    return True


@compiled
def _go_on(record: int, lane: int, work: Floats, counters: Floats) -> None:
    """Put a problem that had not arrived into a lane again."""
    counters[lane] = record
    at = AT_RECORDS + record * RECORD_SIZE
    for i in range(REMEMBERED):
        work[AT_MEMORY + i * WIDTH + lane] = work[at + MEMORY + i]
    for i in range(N + VIEW):
        work[i * WIDTH + lane] = work[at + BEST_ROW + N + i]


# ------------------------------------------------------------------------------------------------ answers


@compiled
def _arrive(
    plan: Floats,
    starts: Floats,
    has_starts: int,
    lane: int,
    slot: int,
    work: Floats,
    counters: Floats,
) -> None:
    """Hand a lane over to the arrivals: x as it was evaluated where that has arrived, else the next x; where
    it is abandoned, the best that it has seen.
    """
    record = counters[lane]
    counters[ARRIVING * WIDTH + slot] = record
    at, arrival = AT_RECORDS + record * RECORD_SIZE, AT_ARRIVALS + slot
    work[at + CODE] = RUNNING if work[AT_MEMORY + lane] == NEAR else _code(plan, lane, at, work)
    is_here = meets(plan, work[ROW_POSITION * WIDTH + lane], work[ROW_ROTATION * WIDTH + lane])
    x = ROW_EVALUATED if is_here else 0
    for i in range(N):
        value = work[(x + i) * WIDTH + lane]
        work[arrival + i * WIDTH] = value if work[at + CODE] == RUNNING else work[at + BEST_ROW + i]
    for i in range(N, N + VIEW):
        work[arrival + i * WIDTH] = work[i * WIDTH + lane]
    for i in range(REMEMBERED):
        work[at + MEMORY + i] = work[AT_MEMORY + i * WIDTH + lane]
    if has_starts:
        problem = counters[PROBLEM * WIDTH + record]
        for i in range(N):
            wanted = min(max(starts[N * problem + i], plan[AT_Q_LOWER + i]), plan[AT_Q_UPPER + i])
            work[arrival + (N + VIEW + i) * WIDTH] = wanted


@compiled
def _code(plan: Floats, lane: int, at: int, work: Floats) -> int:
    """Why a lane is abandoned, whose record begins at an offset."""
    if work[at + IS_POSE] == 1.0 and work[AT_MEMORY + HOPEFUL * WIDTH + lane] == 0.0:
        return UNREACHABLE
    is_spent = (work[AT_MEMORY + USED * WIDTH + lane] >= plan[SET_BUDGET]) & (work[at + TRIES] == 0.0)
    return SPENT if is_spent else SETTLED


@compiled
def _finish(
    plan: Floats, answers: Floats, count: int, free: int, going_on: int, work: Floats, counters: Floats
) -> tuple[int, int]:
    """Look at the arrivals, and answer those that meet their goals or are abandoned; the others go on. How
    many records are free then, and how many problems are to go on.
    """
    finish(work[AT_ARRIVALS : AT_ARRIVALS + (3 * N + VIEW + 2) * WIDTH], plan)
    for slot in range(count):
        record, arrival = counters[ARRIVING * WIDTH + slot], AT_ARRIVALS + slot
        at = AT_RECORDS + record * RECORD_SIZE
        position = work[arrival + (3 * N + VIEW) * WIDTH]
        rotation = work[arrival + (3 * N + VIEW + 1) * WIDTH]
        is_met = (position <= plan[SET_TOLERANCE]) & (rotation <= plan[SET_TOLERANCE_ROTATION])
        code = SOLVED if is_met & (work[at + MEMORY + HOPEFUL] == 1.0) else int(work[at + CODE])
        if code == RUNNING:
            for i in range(N + VIEW):
                work[at + BEST_ROW + N + i] = work[arrival + i * WIDTH]
            counters[GOING_ON * WIDTH + going_on] = record
            going_on += 1
            continue
        answer = counters[PROBLEM * WIDTH + record] * (HEADER + N)
        error = (math.sqrt(position) + work[at + CUT]) * plan[SET_LENGTH]
        answers[answer] = code
        answers[answer + 1] = error if work[at + IS_POSE] == 1.0 else math.nan
        answers[answer + 2] = math.sqrt(rotation)
        answers[answer + 3] = work[at + MEMORY + USED]
        answers[answer + 4] = work[at + TRIES]
        answers[answer + 5] = 0.0
        for i in range(N):
            answers[answer + HEADER + i] = work[arrival + (2 * N + VIEW + i) * WIDTH]
        counters[FREE * WIDTH + free] = record
        free += 1
    return free, going_on
