"""The programs of the fast core: what each is made of, and what is linked to it for a shape of chain."""

from __future__ import annotations

import functools

import numpy as np

from limbik.compiler.program import Program
from limbik.serial import batch, lanes
from limbik.serial.entries import many, one
from limbik.serial.kernels import SINGLE_ROUNDING, WIDTHS, functions_of_many, functions_of_one
from limbik.serial.lanes import ROUNDING
from limbik.serial.layout import LANES, Layout
from limbik.serial.seed_table import CANDIDATES, Shape

DOUBLE, SINGLE, WHOLE = np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int64)
NUMBER = None

OF_ONE = (DOUBLE, SINGLE, DOUBLE, DOUBLE, NUMBER, DOUBLE)


@functools.cache
def one_problem(shape: Shape) -> Program:
    """One problem in the fast core: `serial.lanes.solve`."""
    layout = Layout(shape)
    return Program(
        name="one",
        kernel=one.bind(WIDTH=LANES),
        arguments=OF_ONE,
        is_watched=False,
        as_bytes=(2, 3),
        constants=_constants(shape) | lanes.working_places(shape.n, layout.rows),
        functions=functions_of_one(shape),
        stem=shape.stem,
    )


@functools.cache
def many_problems(shape: Shape, is_single: bool) -> Program:
    """Many problems in the fast core: `serial.batch.solve_many`."""
    width, numbers = WIDTHS[is_single], SINGLE if is_single else DOUBLE
    return Program(
        name="many_single" if is_single else "many",
        kernel=many.bind(WIDTH=width, LARGEST_DEVIATION=SINGLE_ROUNDING if is_single else ROUNDING),
        arguments=(numbers, SINGLE, DOUBLE, DOUBLE, *[NUMBER] * 4, DOUBLE, numbers, WHOLE),
        constants=_constants(shape) | batch.working_places(shape.n, Layout(shape).rows, width),
        functions=functions_of_many(shape, width, is_single),
        stem=shape.stem,
    )


def _constants(shape: Shape) -> dict[str, int]:
    return Layout(shape).constants | {"TABLE_SIZE": shape.cells * shape.depth * CANDIDATES}
