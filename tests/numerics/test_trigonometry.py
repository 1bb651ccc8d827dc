"""Sines, turns and limits of revolute joints, compared with Python's own."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik.numerics.trigonometry import (
    angle_between,
    nearest_turn,
    nearest_within_limits,
    sincos,
    turn_within_limits,
)

ANGLES = st.floats(-10.0, 10.0)


@given(st.floats(-1e5, 1e5))
def test_sine_and_cosine_are_those_of_the_c_library(angle):
    sine, cosine = sincos(angle)
    assert abs(sine - math.sin(angle)) <= 3e-16
    assert abs(cosine - math.cos(angle)) <= 3e-16


def test_sine_and_cosine_are_right_at_whole_quarters_and_beside_them():
    quarters = 0.5 * math.pi * np.arange(-200_000, 200_000, 997)
    for angle in np.concatenate([quarters, np.nextafter(quarters, 1e9), np.nextafter(quarters, -1e9)]):
        sine, cosine = sincos(angle)
        assert abs(sine - math.sin(angle)) <= 3e-16
        assert abs(cosine - math.cos(angle)) <= 3e-16


@pytest.mark.parametrize("angle", [0.0, -0.0, 1e-300, 5e-324, 1e-20, -1e-10])
def test_small_angles_are_their_own_sine(angle):
    assert sincos(angle) == (angle, 1.0)


@given(st.floats(-1e3, 1e3))
def test_the_nearest_turn_is_within_half_a_turn(angle):
    turn = nearest_turn(angle)
    assert abs(turn) <= math.pi + 1e-12
    assert math.cos(turn - angle) == pytest.approx(1.0)


@given(st.floats(-50.0, 50.0), st.floats(-50.0, 50.0))
def test_the_angle_between_headings_is_that_of_their_vectors(a, b):
    expected = abs(math.atan2(math.sin(a - b), math.cos(a - b)))
    assert angle_between(a, b) == pytest.approx(expected, abs=1e-12)


@st.composite
def ranges(draw):
    """A value of a revolute joint, and limits around it."""
    value = draw(ANGLES)
    below, above = (draw(st.one_of(st.just(0.0), st.just(math.inf), st.floats(0.0, 8.0))) for _ in range(2))
    return value, value - below, value + above


def gap(a: float, b: float) -> float:
    return abs(math.remainder(a - b, 2.0 * math.pi))


@given(ranges(), st.floats(-math.pi, math.pi))
def test_a_turn_within_limits_ends_as_near_as_any_legal_one(hinge, turn):
    value, lower, upper = hinge
    ended = value + turn_within_limits(value, turn, lower, upper)
    assert lower - 1e-9 <= ended <= upper + 1e-9
    wanted = value + turn
    others = np.linspace(max(lower, value - 8.0), min(upper, value + 8.0), 200)
    assert gap(ended, wanted) <= min(gap(other, wanted) for other in others) + 1e-9
    if lower <= wanted <= upper:
        assert ended == pytest.approx(wanted, abs=1e-12)


@given(st.floats(-30.0, 30.0), st.floats(-30.0, 30.0), st.one_of(st.just(0.0), st.floats(0.0, 8.0)))
def test_the_nearest_legal_angle_is_as_near_as_any(wanted, lower, width):
    upper = lower + width
    found = nearest_within_limits(wanted, lower, upper)
    assert lower <= found <= upper
    others = np.linspace(lower, upper, 200)
    assert gap(found, wanted) <= min(gap(other, wanted) for other in others) + 1e-9


@given(st.floats(-30.0, 30.0), ANGLES)
def test_a_limit_on_one_side_is_kept(wanted, limit):
    assert nearest_within_limits(wanted, limit, math.inf) >= limit
    assert nearest_within_limits(wanted, -math.inf, limit) <= limit
    assert nearest_within_limits(wanted, -math.inf, math.inf) == wanted
