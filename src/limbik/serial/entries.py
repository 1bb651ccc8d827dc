"""The kernels that the programs of serial chains begin with: they take addresses, and make arrays of them."""

from __future__ import annotations

from typing import Any

from limbik.compiler.kernel import compiled, to_be_bound, view
from limbik.serial import batch, lanes
from limbik.serial.batch import COUNTERS
from limbik.serial.lanes import HEADER

AT_SIZE = TABLE_SIZE = WORK_SIZE = AT_ANSWER = N = WIDTH = to_be_bound()
solve_one = lanes.solve
solve_many = batch.solve_many


@compiled
def one(plan: Any, table: Any, pose: Any, start: Any, mode: int, work: Any) -> int:
    """One problem in the fast core; returns the code of the answer."""
    numbers = view(work, WORK_SIZE)
    solve_one(view(plan, AT_SIZE), view(table, TABLE_SIZE), view(pose, 16), view(start, N), mode, numbers)
    return int(numbers[AT_ANSWER])


@compiled
def many(
    plan: Any,
    table: Any,
    poses: Any,
    starts: Any,
    count: int,
    has_starts: int,
    first: int,
    last: int,
    answers: Any,
    work: Any,
    counters: Any,
    watch: Any,
) -> int:
    """Many problems in the fast core."""
    solve_many(
        view(plan, AT_SIZE),
        view(table, TABLE_SIZE),
        view(poses, 16 * count),
        view(starts, N * count),
        has_starts,
        first,
        last,
        view(answers, (HEADER + N) * count),
        view(work, WORK_SIZE),
        view(counters, COUNTERS * WIDTH),
        watch,
    )
    return 0
