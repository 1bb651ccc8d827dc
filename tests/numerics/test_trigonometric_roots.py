"""Real roots of trigonometric polynomials, beside the eigenvalues of companion matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limbik.numerics.trigonometric_roots import bernstein_table, evaluate, from_samples, real_roots
from strategies import SEEDS

DEGREES = st.integers(1, 12)
TURN = 2.0 * np.pi


def roots_of(a: np.ndarray, b: np.ndarray, noise: float = 1e-12) -> np.ndarray:
    roots = np.empty((40, 2))
    table = bernstein_table(len(a) - 1).ravel()
    return roots[: real_roots(a, b, table, noise, roots)]


@given(DEGREES, SEEDS)
def test_all_roots_are_found(degree: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, degree + 1))
    coefficients = np.concatenate([(a + 1j * b)[:0:-1] / 2, a[:1], (a - 1j * b)[1:] / 2])
    z = np.roots(coefficients[::-1])
    if (np.abs(np.abs(np.log(np.abs(z))) - 1e-6) < 1e-6).any():
        return  # nearly coinciding
    expected = np.sort(np.angle(z[np.abs(np.log(np.abs(z))) < 1e-8]) % TURN)
    found = roots_of(a, b)
    assert found.shape == (len(expected), 2)
    assert (found[:, 0] == found[:, 1]).all()
    assert np.allclose(found[:, 0], expected, atol=1e-6)


@given(DEGREES, SEEDS, st.floats(-9.0, 0.0))
def test_roots_close_together_are_told_apart_or_in_one_stretch(degree: int, seed: int, size: float) -> None:
    """Of 1 - cos(x - middle) less a little: a pair of roots around the middle, times what has none."""
    middle, half = np.random.default_rng(seed).uniform(0.5, 5.5), 10.0**size * 0.4
    x = TURN * np.arange(26) / 26
    values = (np.cos(half) - np.cos(x - middle)) * (1.5 + np.sin(x)) ** (degree - 1)
    a, b = np.zeros((2, degree + 1))
    noise = from_samples(values, a, b)
    found = roots_of(a, b, 1e-12 * (1.0 + np.abs(a).sum()) + 10.0 * noise)
    for root in (middle - half, middle + half):
        assert any(first - 1e-5 <= root <= last + 1e-5 for first, last in found)


def test_a_polynomial_of_zeros_is_one_stretch() -> None:
    found = roots_of(np.zeros(4), np.zeros(4))
    assert found == pytest.approx(np.array([[0.0, TURN]]))


def test_a_polynomial_without_roots_has_none() -> None:
    assert len(roots_of(np.array([2.5, 1.0, 0.5]), np.array([0.0, 0.5, -0.4]))) == 0


@given(DEGREES, SEEDS)
def test_coefficients_are_those_of_samples(degree: int, seed: int) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, degree + 1))
    b[0] = 0.0
    x = TURN * np.arange(26) / 26
    values = np.array([evaluate(a, b, each)[0] for each in x])
    again, sines = np.zeros((2, degree + 1))
    assert from_samples(values, again, sines) < 1e-13 * (1.0 + np.abs(a).sum() + np.abs(b).sum())
    assert np.allclose(again, a) and np.allclose(sines, b)


@given(DEGREES, SEEDS)
def test_the_slope_is_that_of_the_values(degree: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, degree + 1))
    x, step = rng.uniform(0.0, TURN), 1e-6
    slope = (evaluate(a, b, x + step)[0] - evaluate(a, b, x - step)[0]) / (2.0 * step)
    assert evaluate(a, b, x)[1] == pytest.approx(slope, abs=1e-6)
