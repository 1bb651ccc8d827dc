"""The programs: what each is made of, and what is linked to it for a shape of chain."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from limbik.compiler.kernel import Kernel
from limbik.compiler.program import Program
from limbik.core import batch, lanes
from limbik.core.answer import PLACE
from limbik.core.descent import SETTINGS
from limbik.core.desk import Desk
from limbik.core.entries import chain, many, one, tree
from limbik.core.lanes import ROUNDING
from limbik.core.layout import LANES, Layout
from limbik.core.methods import Method
from limbik.core.programs import SINGLE_ROUNDING, WIDTHS, functions_of_many, functions_of_one
from limbik.core.seeds import CANDIDATES, Shape
from limbik.core.spatial_chain import JOINT
from limbik.core.tasks import TASK
from limbik.core.tree import LINK

DOUBLE, SINGLE, WHOLE = np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int64)
NUMBER = None

OF_ONE = (DOUBLE, SINGLE, DOUBLE, DOUBLE, NUMBER, DOUBLE)
OF_TREE = (LINK, JOINT, *[DOUBLE] * 3, TASK, *[DOUBLE] * (3 + len(Desk._fields) + 6), *[NUMBER] * 9)


@functools.cache
def one_problem(shape: Shape) -> Program:
    """One problem in the fast core: `core.lanes.solve`."""
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
    """Many problems in the fast core: `core.batch.solve_many`."""
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


@functools.cache
def general() -> Program:
    """Any goals on any tree, by Levenberg-Marquardt: `core.whole_body.solve`."""
    return Program(name="general", kernel=tree, arguments=OF_TREE)


@functools.cache
def by_method(method: Method) -> Program:
    """Any goals on any tree, by a classical method: `core.branched.solve`."""
    return Program(
        name=f"method-{method.stem}",
        kernel=tree.bind(solve_tree=method.kernel),
        arguments=OF_TREE,
        source=(f"{__name__}:by_text", method.text),
    )


def by_text(text: str) -> Program:
    """The program of `by_method`, for another process."""
    return by_method(Method(text))


@functools.cache
def on_chain(name: str, solve: Kernel[..., Any], records: Any) -> Program:
    """One goal on a chain, by a method that is bound into `core.answer.answer`; records: of its joints."""
    return Program(
        name=f"chain-{name}",
        kernel=chain.bind(solve_chain=solve),
        arguments=(records, PLACE, DOUBLE, SETTINGS, *[DOUBLE] * 6, *[NUMBER] * 4),
    )
