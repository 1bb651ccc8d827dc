"""Fast core, driver for one problem: attempts from several configurations in lanes; the first to arrive wins,
or the nearest to the start.

The lanes of a block are attempts from different configurations, which go through the step (`serial.step`)
side by side. The same code runs compiled and, until that is ready, interpreted: see `compiler.native`.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled, to_be_bound
from limbik.numerics.end_codes import BAD_GOAL, BAD_START, RUNNING, SETTLED, SOLVED, SPENT, UNREACHABLE
from limbik.numerics.random_numbers import uniform
from limbik.numerics.start_check import MANY_WINDINGS
from limbik.serial.layout import (
    COMPLETED_ROWS,
    KEY_BEYOND,
    KEY_CELL,
    KEY_CUT,
    KEY_DEVIATION,
    KEY_NUMBERS,
    KEY_SIZE,
    KEY_VIEW,
    LANES,
    one_after_another,
)
from limbik.serial.seed_table import FULL_TURN
from limbik.serial.seeding import (
    configuration,
    first_random,
    is_random,
    meets,
    middle,
    nearest_candidate,
    neighbour,
    open_cell,
    put_joint,
    seed_completed,
    seed_random,
    stretch_of,
)

# How it begins.
ANYWHERE = 0
FROM_START = 1
RESUME = 2

# What it is doing.
RACING = 0  # all lanes, the first to arrive wins
TRACKING = 1  # the first lane alone, from the start
GATHERING = 2  # sets of lanes; the nearest to the start wins

RATIO = 0.8  # a lane has to lower its cost by this factor
STALLS = 2  # and may miss it this often in a row
TRACKING_STALLS = 4
SURE = 4  # iterations before which no lane of a race is abandoned; those that follow are careful
LONGEST = 40  # iterations of one attempt
ITERATIONS_OF_SET = 24  # gathered, at most
SETS = 12  # gathered where the nearest solution is requested
MIN_SPREAD, WIDENING = 0.3, 2.0  # [rad or m] of the second lane of the first set; from lane to lane
BEYOND_REACH = 200  # iterations where the goal is proved out of reach
ROUNDING = 1e-9  # that a pose may be off by
FARTHEST = 1e9  # [m] of a goal in a batch; those farther away are solved one by one
LOST_ANGLE = 1e15  # [rad] of which the rounding is as large as an angle

# Marks of lanes.
CONVERGED = 2.0
CONVERGES_NEXT = 1.0

# The answer: why it ended (`numerics.end_codes`), error [m], twice the sine of half the rotation error,
# iterations, restarts, whether the start was moved, then q.
HEADER = 6

# What a lane remembers, after the block: rows of LANES.
BEST = 0
MISSED = 1
AGE = 2
SETTLED_LANE = 3

# Numbers of a solve, after these.
DOING = 0
USED = 1
TRIES = 2
RANDOM = 3
SETS_DONE = 4
BEST_DISTANCE = 5
BEST_COST = 6
MOVED = 7
PROVED = 8
HAS_START = 9
IN_USE = 10  # lanes of a gathered set
STATE = 11

AT_SCALE = AT_OFFSET = AT_Q_LOWER = AT_Q_UPPER = AT_SEED_LOWER = AT_SEED_UPPER = AT_CIRCULAR = to_be_bound()
SET_LENGTH = SET_TOLERANCE = SET_TOLERANCE_ROTATION = SET_BUDGET = SET_ROUNDS = SET_RESTARTS = to_be_bound()
ROW_VIEW = ROW_POSITION = ROW_ROTATION = ROW_COST = ROW_EVALUATED = to_be_bound()
SET_NEAR = SET_USES_TABLE = SET_NEAREST = SET_MAY_JUMP = to_be_bound()
AT_LANES = AT_MARKS = AT_STATE = AT_START = AT_KEPT = AT_KEY = AT_EVALUATED = AT_ANSWER = N = to_be_bound()
step = careful_step = read_goal = evaluate = to_be_bound()


def working_offsets(n: int, rows: int) -> dict[str, int]:
    """Where things lie in the array that a solve works on; the block comes first."""
    parts = {
        "AT_LANES": 4 * LANES,
        "AT_MARKS": LANES,
        "AT_STATE": STATE,
        "AT_START": n,
        "AT_KEPT": n,  # x of the best so far
        "AT_KEY": KEY_SIZE,
        "AT_COMPLETED": COMPLETED_ROWS * LANES,
        "AT_EVALUATED": n + 14,
        "AT_ANSWER": HEADER + n,
    }
    return one_after_another(parts, "WORK_SIZE", begin=rows * LANES)


@compiled
def solve(plan: Floats, table: Floats, pose: Floats, start: Floats, mode: int, work: Floats) -> None:
    """Solve for a pose [16]; with `mode` FROM_START from a configuration [n], else from the table.

    The answer is written into `work`. Where it is RUNNING, the settings' rounds are over and a call with
    RESUME goes on.
    """
    if mode != RESUME and not _begin(plan, table, pose, start, mode, work):
        return
    budget, used = int(plan[SET_BUDGET]), int(work[AT_STATE + USED])
    if work[AT_STATE + PROVED] > 0.0:
        budget = min(budget, BEYOND_REACH)
    pause = min(used + int(plan[SET_ROUNDS]), budget)
    while used < pause:
        if used < SURE:
            step(work, plan)
        else:
            careful_step(work, plan)
        used += 1
        work[AT_STATE + USED] = used
        if work[AT_STATE + PROVED] > 0.0:
            continue  # to come as near as it can
        doing = work[AT_STATE + DOING]
        if doing == RACING:
            if _has_arrived(plan, work, LANES):
                return
            if used >= SURE and _note_progress(work, STALLS) and _restart_settled(plan, table, work) == 0:
                _give_up(plan, work, SETTLED)
                return
        elif doing == TRACKING:
            if _has_arrived(plan, work, 1):
                if used == 1 and work[AT_MARKS] == CONVERGED:
                    _stay(plan, start, work)
                return
            if _note_progress(work, TRACKING_STALLS) and work[AT_LANES + SETTLED_LANE * LANES] > 0.0:
                _keep(work, 0)
                if plan[SET_MAY_JUMP] == 0.0:
                    _give_up(plan, work, SETTLED)
                    return
                _gather(plan, work)
        else:
            _note_progress(work, TRACKING_STALLS)
            if _is_set_over(plan, work) and _gathered(plan, table, work):
                return
    if used < budget:
        work[AT_ANSWER] = RUNNING
    else:
        _end(plan, work)


@compiled
def _begin(plan: Floats, table: Floats, pose: Floats, start: Floats, mode: int, work: Floats) -> bool:
    """Look at the goal and at the start and fill the lanes; False where one is bad."""
    if not _take_goal(plan, pose, work):
        work[AT_ANSWER] = BAD_GOAL
        return False
    for i in range(STATE):
        work[AT_STATE + i] = 0.0
    work[AT_STATE + RANDOM] = first_random(plan)
    work[AT_STATE + BEST_COST] = math.inf
    work[AT_STATE + BEST_DISTANCE] = math.inf
    work[AT_STATE + PROVED] = work[AT_KEY + KEY_BEYOND]
    if mode == FROM_START:
        work[AT_STATE + HAS_START] = 1.0
        if not _take_start(plan, start, work):
            work[AT_ANSWER] = BAD_START
            return False
        is_proved = work[AT_STATE + PROVED] > 0.0
        if plan[SET_NEAREST] == 1.0 or (is_proved and plan[SET_MAY_JUMP] == 1.0):
            _gather(plan, work)
        else:
            work[AT_STATE + DOING] = TRACKING
            for lane in range(LANES):
                for i in range(N):
                    work[i * LANES + lane] = work[AT_START + i]
    else:
        work[AT_STATE + DOING] = RACING
        _seed_all(plan, table, work)
    _fresh(work)
    return True


@compiled
def _take_goal(plan: Floats, pose: Floats, work: Floats) -> bool:
    """Write the chain's first frame in the goal's axes into every lane; False where the pose is none."""
    size = abs(pose[12]) + abs(pose[13]) + abs(pose[14]) + abs(pose[15] - 1.0)
    if size > ROUNDING:
        return False
    for i in range(12):
        size += abs(pose[i])
        work[AT_KEY + i] = pose[i]
    if not size < math.inf:  # a sum that is NaN is not
        return False
    read_goal(work[AT_KEY : AT_KEY + KEY_SIZE], plan)
    if work[AT_KEY + KEY_DEVIATION] > ROUNDING:
        return False
    for i in range(12):
        for lane in range(LANES):
            work[(ROW_VIEW + i) * LANES + lane] = work[AT_KEY + KEY_VIEW + i]
    return True


@compiled
def _take_start(plan: Floats, start: Floats, work: Floats) -> bool:
    """Bring the start inside the limits; False where it is not finite."""
    for i in range(N):
        q = start[i]
        if not abs(q) < math.inf:
            return False
        lower, upper = plan[AT_Q_LOWER + i], plan[AT_Q_UPPER + i]
        inside = q if abs(q) < LOST_ANGLE else middle(plan, i)
        if plan[AT_CIRCULAR + i] == 1.0 and (abs(q) > MANY_WINDINGS or q < lower or q > upper):
            inside -= FULL_TURN * math.floor((inside - middle(plan, i)) / FULL_TURN + 0.5)
        inside = min(max(inside, lower), upper)
        if abs(inside - q) > 1e-12:
            work[AT_STATE + MOVED] = 1.0
        work[AT_START + i] = put_joint(plan, i, inside)
    return True


@compiled
def _fresh(work: Floats) -> None:
    for lane in range(LANES):
        _fresh_lane(work, lane)


@compiled(inline=True)
def _fresh_lane(work: Floats, lane: int) -> None:
    work[AT_LANES + BEST * LANES + lane] = math.inf
    work[AT_LANES + MISSED * LANES + lane] = 0.0
    work[AT_LANES + AGE * LANES + lane] = 0.0


# ------------------------------------------------------------------------------------------------ seeds


@compiled
def _seed_all(plan: Floats, table: Floats, work: Floats) -> None:
    """The nearest candidates of the goal's own cell into the lanes; random configurations without a table."""
    if plan[SET_USES_TABLE] == 0.0:
        for lane in range(LANES):
            seed_random(plan, work, lane, work, AT_STATE + RANDOM, 1.0)
        return
    cell = int(work[AT_KEY + KEY_CELL])
    open_cell(plan, table, cell, work, AT_KEY + KEY_NUMBERS)
    for lane in range(LANES):
        seed_completed(plan, table, cell, nearest_candidate(work), work, lane)


@compiled
def _seed_again(plan: Floats, table: Floats, work: Floats, lane: int) -> None:
    """A new configuration for a lane: from cells ever farther away; every fourth one is random."""
    tries = int(work[AT_STATE + TRIES])
    work[AT_STATE + TRIES] = tries + 1
    if plan[SET_USES_TABLE] == 0.0 or is_random(tries):
        seed_random(plan, work, lane, work, AT_STATE + RANDOM, stretch_of(tries))
    else:
        cell = neighbour(int(work[AT_KEY + KEY_CELL]), 1 + tries // 16, work, AT_STATE + RANDOM)
        open_cell(plan, table, cell, work, AT_KEY + KEY_NUMBERS)
        candidate = min(int(LANES * uniform(work, AT_STATE + RANDOM)), LANES - 1)
        seed_completed(plan, table, cell, candidate, work, lane)
    _fresh_lane(work, lane)


# ------------------------------------------------------------------------------------------------ lanes


@compiled
def _has_arrived(plan: Floats, work: Floats, lanes: int) -> bool:
    """Whether one of the first lanes has arrived, or does so with its next step; then the answer is written.

    Near the goal a step squares the error, so that the last evaluation of all lanes can be spared.
    """
    marked = 0.0
    for lane in range(LANES):
        has_arrived = meets(plan, work[ROW_POSITION * LANES + lane], work[ROW_ROTATION * LANES + lane])
        is_near = work[ROW_COST * LANES + lane] <= plan[SET_NEAR]
        mark = CONVERGED if has_arrived else CONVERGES_NEXT if is_near else 0.0
        work[AT_MARKS + lane] = mark
        marked += mark
    if marked == 0.0:
        return False
    for lane in range(lanes):
        if work[AT_MARKS + lane] == CONVERGED:
            _answer(plan, work, ROW_EVALUATED * LANES + lane, LANES, SOLVED)
            return True
    for lane in range(lanes):
        if work[AT_MARKS + lane] == CONVERGES_NEXT and _evaluate_at(plan, work, lane, LANES):
            _close(work, SOLVED)
            return True
    return False


@compiled
def _note_progress(work: Floats, stalls: int) -> bool:
    """Bring the lanes' records up to date; True where one of them no longer gets better."""
    settled = 0.0
    for lane in range(LANES):
        cost = work[ROW_COST * LANES + lane]
        best, missed, age = AT_LANES + lane, AT_LANES + LANES + lane, AT_LANES + 2 * LANES + lane
        is_better = cost < RATIO * work[best]
        work[best] = cost if is_better else work[best]
        count = 0.0 if is_better else work[missed] + 1.0
        work[missed] = count
        work[age] += 1.0
        has_settled = (count >= stalls) | (work[age] >= LONGEST)
        work[AT_LANES + SETTLED_LANE * LANES + lane] = 1.0 if has_settled else 0.0
        settled += work[AT_LANES + SETTLED_LANE * LANES + lane]
    return settled > 0.0


@compiled
def _restart_settled(plan: Floats, table: Floats, work: Floats) -> int:
    """Begin again in settled lanes, as often as it is allowed; returns how many lanes are running."""
    running = 0
    for lane in range(LANES):
        if work[AT_LANES + SETTLED_LANE * LANES + lane] > 0.0:
            _keep(work, lane)
            if work[AT_STATE + TRIES] >= plan[SET_RESTARTS]:
                continue
            _seed_again(plan, table, work, lane)
        running += 1
    return running


@compiled
def _keep(work: Floats, lane: int) -> None:
    """Remember x of a lane where it is the best without a solution."""
    cost = work[ROW_COST * LANES + lane]
    if cost < work[AT_STATE + BEST_COST]:
        work[AT_STATE + BEST_COST] = cost
        for i in range(N):
            work[AT_KEPT + i] = work[(ROW_EVALUATED + i) * LANES + lane]


# ------------------------------------------------------------------------------------------------ nearest


@compiled
def _gather(plan: Floats, work: Floats) -> None:
    """Begin to gather solutions: the first set surrounds the start, which has the first lane."""
    work[AT_STATE + DOING] = GATHERING
    work[AT_STATE + IN_USE] = min(LANES, 1.0 + plan[SET_RESTARTS] - work[AT_STATE + TRIES])
    work[AT_STATE + TRIES] += work[AT_STATE + IN_USE] - 1.0
    scale = 0.0
    for lane in range(LANES):
        for i in range(N):
            spread = scale * min(1.0, plan[AT_SEED_UPPER + i] - plan[AT_SEED_LOWER + i])
            value = work[AT_START + i] + spread * (2.0 * uniform(work, AT_STATE + RANDOM) - 1.0)
            low, high = put_joint(plan, i, plan[AT_Q_LOWER + i]), put_joint(plan, i, plan[AT_Q_UPPER + i])
            work[i * LANES + lane] = min(max(value, low), high)
        scale = MIN_SPREAD if lane == 0 else WIDENING * scale
    _fresh(work)


@compiled
def _is_set_over(plan: Floats, work: Floats) -> bool:
    """Whether each lane of a set has arrived or settled, or had its time."""
    if work[AT_LANES + AGE * LANES] >= ITERATIONS_OF_SET:
        return True
    for lane in range(int(work[AT_STATE + IN_USE])):
        has_settled = work[AT_LANES + SETTLED_LANE * LANES + lane] > 0.0
        has_arrived = meets(plan, work[ROW_POSITION * LANES + lane], work[ROW_ROTATION * LANES + lane])
        if not (has_settled | has_arrived):
            return False
    return True


@compiled
def _gathered(plan: Floats, table: Floats, work: Floats) -> bool:
    """Look at a finished set of lanes; True where the gathering is over and the answer written."""
    for lane in range(int(work[AT_STATE + IN_USE])):
        if meets(plan, work[ROW_POSITION * LANES + lane], work[ROW_ROTATION * LANES + lane]):
            distance = _distance_from_start(plan, work, lane)
            if distance < work[AT_STATE + BEST_DISTANCE]:
                work[AT_STATE + BEST_DISTANCE] = distance
                work[AT_STATE + BEST_COST] = -1.0
                for i in range(N):
                    work[AT_KEPT + i] = work[(ROW_EVALUATED + i) * LANES + lane]
        else:
            _keep(work, lane)
    work[AT_STATE + SETS_DONE] += 1.0
    has_best = work[AT_STATE + BEST_DISTANCE] < math.inf
    left = plan[SET_RESTARTS] - work[AT_STATE + TRIES]
    enough = SETS if plan[SET_NEAREST] == 1.0 else 1
    if (has_best and work[AT_STATE + SETS_DONE] >= enough) or left <= 0.0:
        if has_best:
            _answer(plan, work, AT_KEPT, 1, SOLVED)
        else:
            _give_up(plan, work, SETTLED)
        return True
    work[AT_STATE + IN_USE] = min(LANES, left)
    if work[AT_STATE + SETS_DONE] == 1.0:
        _seed_all(plan, table, work)
        work[AT_STATE + TRIES] += work[AT_STATE + IN_USE]
        _fresh(work)
    else:
        for lane in range(int(work[AT_STATE + IN_USE])):
            _seed_again(plan, table, work, lane)
    return False


@compiled
def _distance_from_start(plan: Floats, work: Floats, lane: int) -> float:
    """Sum of squares [rad^2 or m^2] of how far the joints of a lane are from the start."""
    total = 0.0
    for i in range(N):
        difference = (work[(ROW_EVALUATED + i) * LANES + lane] - work[AT_START + i]) / plan[AT_SCALE + i]
        if plan[AT_CIRCULAR + i] == 1.0:
            difference -= FULL_TURN * math.floor(difference / FULL_TURN + 0.5)
        total += difference * difference
    return total


# ------------------------------------------------------------------------------------------------ answer


@compiled
def _end(plan: Floats, work: Floats) -> None:
    """The answer where the budget is spent: the nearest, or what was gathered."""
    if work[AT_STATE + BEST_DISTANCE] < math.inf:
        _answer(plan, work, AT_KEPT, 1, SOLVED)
        return
    lanes = 1 if work[AT_STATE + DOING] == TRACKING else LANES
    for lane in range(lanes):
        _keep(work, lane)
    _give_up(plan, work, SETTLED if work[AT_STATE + TRIES] > 0.0 else SPENT)


@compiled
def _give_up(plan: Floats, work: Floats, code: int) -> None:
    _answer(plan, work, AT_KEPT, 1, UNREACHABLE if work[AT_STATE + PROVED] > 0.0 else code)


@compiled
def _answer(plan: Floats, work: Floats, at: int, stride: int, code: int) -> None:
    """Write the answer for an x in `work`; whether it is solved is up to forward kinematics."""
    is_met = _evaluate_at(plan, work, at, stride)
    _close(work, SOLVED if is_met else SETTLED if code == SOLVED else code)


@compiled
def _evaluate_at(plan: Floats, work: Floats, at: int, stride: int) -> bool:
    """Write q of an x, within its limits, and how far it is from the goal; True where the goal is met."""
    for i in range(N):
        wanted = middle(plan, i)
        if work[AT_STATE + HAS_START] == 1.0:
            wanted = (work[AT_START + i] - plan[AT_OFFSET + i]) / plan[AT_SCALE + i]
        q = configuration(plan, i, work[at + i * stride], wanted)
        work[AT_ANSWER + HEADER + i] = q
        work[AT_EVALUATED + i] = put_joint(plan, i, q)
    for i in range(12):
        work[AT_EVALUATED + ROW_VIEW + i] = work[(ROW_VIEW + i) * LANES]
    evaluate(work[AT_EVALUATED : AT_EVALUATED + ROW_COST], plan)
    position, rotation = work[AT_EVALUATED + ROW_POSITION], work[AT_EVALUATED + ROW_ROTATION]
    work[AT_ANSWER + 1] = (math.sqrt(position) + work[AT_KEY + KEY_CUT]) * plan[SET_LENGTH]
    work[AT_ANSWER + 2] = math.sqrt(rotation)
    is_met = (position <= plan[SET_TOLERANCE]) & (rotation <= plan[SET_TOLERANCE_ROTATION])
    return is_met & (work[AT_STATE + PROVED] == 0.0)


@compiled
def _stay(plan: Floats, start: Floats, work: Floats) -> None:
    """Where the start meets the goal: no iteration, and the start to the bit unless it was moved."""
    if work[AT_ANSWER] == SOLVED:
        work[AT_ANSWER + 3] = 0.0
        if work[AT_STATE + MOVED] == 0.0:
            for i in range(N):
                q = min(max(start[i], plan[AT_Q_LOWER + i]), plan[AT_Q_UPPER + i])
                work[AT_ANSWER + HEADER + i] = q


@compiled
def _close(work: Floats, code: int) -> None:
    work[AT_ANSWER] = code
    work[AT_ANSWER + 3] = work[AT_STATE + USED]
    work[AT_ANSWER + 4] = work[AT_STATE + TRIES]
    work[AT_ANSWER + 5] = work[AT_STATE + MOVED]
