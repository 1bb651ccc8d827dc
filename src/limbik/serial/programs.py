"""Fast core: the compiled programs for each shape of chain."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from limbik.compiler.kernel import compiled, to_be_bound, view
from limbik.compiler.program import Program
from limbik.serial import batch, lanes
from limbik.serial.kernels import SINGLE_ROUNDING, WIDTHS, functions_of_many, functions_of_one
from limbik.serial.lanes import ROUNDING
from limbik.serial.layout import LANES, Layout
from limbik.serial.seed_table import CANDIDATES, Shape

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
NUMBER = None

AT_SIZE = TABLE_SIZE = WORK_SIZE = AT_ANSWER = N = to_be_bound()
solve_one = lanes.solve
OF_ONE = (DOUBLE, SINGLE, DOUBLE, DOUBLE, NUMBER, DOUBLE)


@compiled
def one(plan: Any, table: Any, pose: Any, start: Any, mode: int, work: Any) -> int:
    """`serial.lanes.solve` of addresses; returns the code of the answer."""
    numbers = view(work, WORK_SIZE)
    solve_one(view(plan, AT_SIZE), view(table, TABLE_SIZE), view(pose, 16), view(start, N), mode, numbers)
    return int(numbers[AT_ANSWER])


@functools.cache
def one_problem(shape: Shape) -> Program:
    """One problem in the fast core: `serial.lanes.solve`."""
    layout = Layout(shape)
    return Program(
        name="one",
        kernel=one.bind(WIDTH=LANES),
        arguments=OF_ONE,
        as_bytes=(2, 3),
        constants=_constants(shape) | lanes.working_offsets(shape.n, layout.rows),
        functions=functions_of_one(shape),
        stem=shape.stem,
    )


@functools.cache
def many_problems(shape: Shape, is_single: bool) -> Program:
    """Many problems in the fast core: `serial.batch.solve_many`."""
    width, rounding = WIDTHS[is_single], SINGLE_ROUNDING if is_single else ROUNDING
    return Program(
        name="many_single" if is_single else "many",
        kernel=batch.solve_many.bind(WIDTH=width, LARGEST_DEVIATION=rounding),
        types={"number": SINGLE if is_single else DOUBLE},
        constants=_constants(shape) | batch.working_offsets(shape.n, Layout(shape).rows, width),
        functions=functions_of_many(shape, width, is_single),
        stem=shape.stem,
    )


def _constants(shape: Shape) -> dict[str, int]:
    return Layout(shape).constants | {"TABLE_SIZE": shape.cells * shape.depth * CANDIDATES}
