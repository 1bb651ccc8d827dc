"""Start of each attempt of the fast core: random, or a candidate from the seed table; also the conversion of
x to q and back, and the test of the tolerance.

All of it for one lane, which the solve of one pose and that of a batch have in common.

The lanes of a block lie side by side: number i of a lane stands at `work[i * WIDTH + lane]`.
"""

from __future__ import annotations

import math

from limbik.compiler.kernel import Floats, compiled, to_be_bound
from limbik.numerics.random_numbers import uniform
from limbik.serial.layout import (
    COMPLETED_BASE_YAW,
    COMPLETED_DISTANCE,
    COMPLETED_ROWS,
    COMPLETED_TOOL_ROLL,
    GRID_BOUNDS,
    GRID_SIZE,
    KEY_COUNT,
)
from limbik.serial.seed_table import CANDIDATES, FULL_TURN, HELD

LARGEST_SEED = 2147483646
MANY_TRIES = 32  # after which the table has had its chance
SOME_AT_LIMITS, MAX_AT_LIMITS = 2.0, 8.0  # widths of a box, in that of the limits
WITHIN = 0.99  # of the tolerance: a little inside, for the rounding of the answer

WIDTH = N = DEPTH = BASE_YAW = TOOL_ROLL = D0 = D1 = D2 = D3 = D4 = to_be_bound()
AT_SCALE = AT_OFFSET = AT_Q_LOWER = AT_Q_UPPER = AT_SEED_LOWER = AT_SEED_UPPER = AT_CIRCULAR = to_be_bound()
AT_LOWER = AT_UPPER = AT_GRID = AT_COMPLETED = to_be_bound()
SET_TOLERANCE = SET_TOLERANCE_ROTATION = SET_SEED = to_be_bound()
complete = to_be_bound()


@compiled
def first_random(plan: Floats) -> int:
    """The state with which `uniform` begins."""
    return 1 + (int(plan[SET_SEED]) * 7919) % LARGEST_SEED


@compiled
def seed_random(plan: Floats, work: Floats, lane: int, states: Floats, index: int, stretch: float) -> None:
    """A random configuration into a lane, from the box of the limits; or, with a stretch above 1, from one
    so much wider, moved inside the limits: many joints then stand at one.
    """
    for i in range(N):
        lower, upper = plan[AT_SEED_LOWER + i], plan[AT_SEED_UPPER + i]
        fraction = 0.5 + stretch * (uniform(states, index) - 0.5)
        work[i * WIDTH + lane] = lower + (upper - lower) * min(max(fraction, 0.0), 1.0)


@compiled
def is_random(tries: int) -> bool:
    """Whether an attempt after so many begins at a random configuration: every fourth, and every second of
    those that follow when the table has had its chance.
    """
    return (tries % 4 == 3) | ((tries >= MANY_TRIES) & (tries % 2 == 1))


@compiled
def stretch_of(tries: int) -> float:
    """For `seed_random`, of an attempt after so many: many of them look for goals that only joints at their
    limits reach.
    """
    kind = tries // 4 % 3
    return 1.0 if kind == 0 else SOME_AT_LIMITS if kind == 1 else MAX_AT_LIMITS


@compiled
def neighbour(cell: int, distance: int, states: Floats, row: int) -> int:
    """A random cell near another one."""
    rest, index, stride = cell, 0, 1
    for axis in range(5):
        count = D4 if axis == 0 else D3 if axis == 1 else D2 if axis == 2 else D1 if axis == 3 else D0
        shift = math.floor((2 * distance + 1) * uniform(states, row)) - distance
        index += stride * min(max(rest % count + shift, 0), count - 1)
        rest = rest // count
        stride *= count
    return index


@compiled
def open_cell(plan: Floats, table: Floats, cell: int, work: Floats, key: int) -> None:
    """Complete a cell's candidates for a goal's key, whose numbers stand at `key` in `work`."""
    begin = cell * DEPTH * CANDIDATES
    complete(
        work[AT_COMPLETED : AT_COMPLETED + COMPLETED_ROWS * CANDIDATES],
        work[key : key + KEY_COUNT],
        plan[AT_GRID + GRID_BOUNDS : AT_GRID + GRID_SIZE],
        table[begin : begin + HELD * CANDIDATES],
    )


@compiled
def seed_candidate(
    plan: Floats,
    table: Floats,
    cell: int,
    candidate: int,
    work: Floats,
    at: int,
    base_yaw: float,
    tool_roll: float,
) -> None:
    """A candidate of a cell, completed, into a lane: `at` is the index of its first number."""
    held = (cell * DEPTH + HELD) * CANDIDATES + candidate
    for i in range(N):
        if i == BASE_YAW:
            value = base_yaw
        elif i == TOOL_ROLL:
            value = tool_roll
        else:
            # The table is rounded to single precision.
            value = min(max(table[held], plan[AT_LOWER + i]), plan[AT_UPPER + i])
            held += CANDIDATES
        work[at + i * WIDTH] = value


@compiled
def seed_completed(plan: Floats, table: Floats, cell: int, candidate: int, work: Floats, lane: int) -> None:
    """A candidate of the cell that was completed, into a lane."""
    base_yaw = work[AT_COMPLETED + COMPLETED_BASE_YAW * CANDIDATES + candidate]
    tool_roll = work[AT_COMPLETED + COMPLETED_TOOL_ROLL * CANDIDATES + candidate]
    seed_candidate(plan, table, cell, candidate, work, lane, base_yaw, tool_roll)


@compiled
def nearest_candidate(work: Floats) -> int:
    """The completed candidate that is nearest to the goal; it is not found a second time."""
    distances = AT_COMPLETED + COMPLETED_DISTANCE * CANDIDATES
    nearest = 0
    for candidate in range(1, CANDIDATES):
        if work[distances + candidate] < work[distances + nearest]:
            nearest = candidate
    work[distances + nearest] = math.inf
    return nearest


@compiled(inline=True)
def meets(plan: Floats, position: float, rotation: float) -> bool:
    """Whether squared errors are within tolerance, a little inside for the rounding of the answer."""
    return (position <= WITHIN * plan[SET_TOLERANCE]) & (rotation <= WITHIN * plan[SET_TOLERANCE_ROTATION])


@compiled
def configuration(plan: Floats, i: int, x: float, wanted: float) -> float:
    """Joint i's q for its x, within its limits; of equal rotations, the one nearest to `wanted`."""
    lower, upper = plan[AT_Q_LOWER + i], plan[AT_Q_UPPER + i]
    q = (x - plan[AT_OFFSET + i]) / plan[AT_SCALE + i]
    if plan[AT_CIRCULAR + i] == 1.0:
        q -= FULL_TURN * math.floor((q - wanted) / FULL_TURN + 0.5)
        if q > upper:
            q -= FULL_TURN
        elif q < lower:
            q += FULL_TURN
    return min(max(q, lower), upper)


@compiled(inline=True)
def put_joint(plan: Floats, i: int, q: float) -> float:
    """Joint i's x for its q."""
    return plan[AT_SCALE + i] * q + plan[AT_OFFSET + i]


@compiled
def middle(plan: Floats, i: int) -> float:
    """The middle of where a revolute joint without limits is searched, as q."""
    return plan[AT_SEED_LOWER + i] + 0.5 * FULL_TURN - plan[AT_OFFSET + i]
