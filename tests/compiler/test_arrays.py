"""What kernels take, as their annotations say it."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import pytest

from limbik.compiler.arrays import Size, array, kinds, largest, zeros
from limbik.compiler.call import Call
from limbik.compiler.kernel import Floats, Matrix, Records, Watch, compiled, is_stopped
from limbik.compiler.program import Program

n, m = Size("n"), Size("m")
POINT = np.dtype([("x", np.float64), ("weight", np.float64)])


class Parts(NamedTuple):
    """Arrays of a problem."""

    vector: Annotated[Floats, array(2 * n + 1)]
    table: Annotated[Floats, array(largest(n, m, 4), m * m)]
    fixed: Annotated[Floats, array(3, 5)]


class Whole(NamedTuple):
    """Parts, and who stops."""

    parts: Parts
    watch: Watch


@compiled
def sums(whole: Whole, points: Annotated[Records, array(n, dtype=POINT)], last: int, rows: Matrix) -> int:
    """How many points were summed up into the vector."""
    for k in range(last):
        if is_stopped(whole.watch, k):
            return k
        whole.parts.vector[0] += points[k].weight * points[k].x * rows[k, 0]
    return last


@pytest.mark.parametrize(
    ("sizes", "rows"), [({"n": 2, "m": 3}, 4), ({"n": 9, "m": 1}, 9), ({"n": 0, "m": 7}, 7)]
)
def test_arrays_have_the_sizes_of_the_problem(sizes, rows) -> None:
    parts = zeros(Parts, sizes)
    assert parts.vector.shape == (2 * sizes["n"] + 1,)
    assert parts.table.shape == (rows, sizes["m"] ** 2)
    assert parts.fixed.shape == (3, 5)


def test_a_call_reads_and_writes_arrays_where_they_are() -> None:
    points, rows = np.zeros(4, POINT), np.full((4, 1), 2.0)
    points["x"], points["weight"] = [1.0, 2.0, 3.0, 4.0], 10.0
    whole = Whole(zeros(Parts, {"n": 4, "m": 1}), watch=lambda: True)
    call = Call(Program(name="sums", kernel=sums), whole, points, 4, rows)
    assert call.interpret(lambda: False) == 4
    assert whole.parts.vector[0] == 200.0
    assert call.interpret(lambda: True) == 0
    other = call.changed(last=1, rows=rows / 2.0)
    assert other.interpret() == 1
    assert whole.parts.vector[0] == 210.0


def test_an_argument_without_a_type_is_named() -> None:
    @compiled
    def unclear(q: Floats, settings: Records) -> None:
        """Nothing."""

    with pytest.raises(TypeError, match=r"'settings' of .*unclear needs the type of an array"):
        kinds(unclear.function)
