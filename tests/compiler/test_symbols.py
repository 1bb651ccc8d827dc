"""Scalar mathematics means the same on floats, on arrays and on symbols."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fast_chains import evaluated
from limbik.compiler.symbols import (
    Tape,
    absolute,
    cross,
    dot,
    floor,
    larger,
    polynomial,
    select,
    smaller,
    sqrt,
)
from strategies import numbers

TRIPLES = st.lists(numbers(), min_size=3, max_size=3)


def everything(x, y, z):
    """Every operation at least once."""
    return [
        x + 2.0 * y - z * x,
        1.0 - x,
        2.0 - (-y),
        x / (1.0 + y * y),
        1.0 / (2.0 + z * z),
        sqrt(x * x + y * y),
        floor(3.0 * x) + absolute(y),
        smaller(x, y) - larger(y, 0.5),
        select((x < y) & (y <= z), x, -y),
        select((x > y) | (y >= 0.25), z, 1.0),
        polynomial((0.5, -1.0, 2.0), x),
        dot([x, y, z], [z, x, y]),
        *cross([x, y, z], [y, 1.0, x]),
    ]


@given(TRIPLES)
def test_floats_and_symbols_agree_to_the_last_bit(values):
    tape = Tape()
    results = everything(*(tape.symbol(name) for name in "xyz"))
    found = evaluated(tape, results, **dict(zip("xyz", values, strict=True)))
    assert found == everything(*values)


@given(st.lists(TRIPLES, min_size=1, max_size=9))
def test_floats_and_arrays_agree_to_the_last_bit(problems):
    together = everything(*np.array(problems).T)
    for k, values in enumerate(problems):
        assert [float(np.broadcast_to(result, len(problems))[k]) for result in together] == everything(
            *values
        )


def test_one_array_is_enough_to_make_an_operation_one_on_arrays():
    x = np.array([-1.0, 0.5])
    assert_allclose(larger(0.0, x), [0.0, 0.5])
    assert_allclose(smaller(x, 0.0), [-1.0, 0.0])
    assert_allclose(select(x > 0.0, 1.0, 2.0), [2.0, 1.0])
    assert_allclose(sqrt(absolute(x)), [1.0, math.sqrt(0.5)])


def test_what_was_written_once_is_not_written_again():
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    first, second = (x + y) * (x - y), (x + y) * (x - y)
    assert first is second
    assert [line[1:] for line in tape.lines] == [("+", ("x", "y")), ("-", ("x", "y")), ("*", ("v0", "v1"))]
    assert sqrt(x * y) is sqrt(x * y)
    assert len(tape.lines) == 5


def test_names_are_given_once():
    tape = Tape()
    x = tape.symbol("x")
    for k in range(20):
        x = x + float(k + 1)
    names = [line.name for line in tape.lines]
    assert len(set(names)) == len(names) == 20


def test_nothing_is_written_for_zeros_and_ones():
    tape = Tape()
    x = tape.symbol("x")
    for same in (x + 0.0, 0.0 + x, x - 0.0, x * 1.0, 1.0 * x, x + 0, x * 1):
        assert same is x
    for nothing in (x * 0.0, 0.0 * x, x * 0):
        assert nothing == 0.0
    assert tape.lines == []
    for negative in (-x, x * -1.0, -1.0 * x, 0.0 - x):
        assert negative.name == "v0"
    assert tape.lines == [("v0", "negative", ("x",))]


@pytest.mark.parametrize("number", [1.0 / 3.0, 1e-300, -2.5e17, 0.1, 2.0])
def test_numbers_are_written_in_full(number):
    tape = Tape()
    value = tape.symbol("x") + number
    assert evaluated(tape, [value], x=0.0) == [number]


def test_symbols_take_no_part_in_operations_of_numpy():
    tape = Tape()
    x = tape.symbol("x")
    assert (np.float64(2.0) * x).name == "v0"
    assert tape.lines == [("v0", "*", ("x", 2.0))]
