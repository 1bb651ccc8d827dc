"""Dual numbers: the derivatives of NumPy's functions, and clear words about what has none."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from limbik import automatic_jacobian, cost_gradient, load, numeric_jacobian
from limbik.derivatives import Dual, rules
from limbik.errors import FunctionError
from strategies import SEEDS

# Analytic: differentiated by a complex step as well, to the last digits.
ANALYTIC = {
    "powers": lambda q: q**2 + 2.0**q + q**3.0 - np.square(q) / (3.0 + q * q),
    "waves": lambda q: np.sin(q) * np.cos(q[0]) + np.tan(0.3 * q) - np.arctan(q) + np.tanh(q),
    "growth": lambda q: np.exp(q) + np.log(3.0 + q * q) + np.expm1(q) * np.log1p(q * q) - np.sinh(q),
    "roots": lambda q: (
        np.sqrt(1.0 + q * q) + np.arcsin(0.2 * q) * np.arccos(0.2 * q) + np.reciprocal(4.0 + q)
    ),
    "matrices": lambda q: np.outer(q, np.cos(q)) @ np.outer(q, q) @ q + np.dot(np.ones((3, 3)), q),
    "products": lambda q: np.cross(q, np.array([1.0, 2.0, 3.0])) * np.inner(q, q) + np.prod(q),
    "sums": lambda q: np.sum(np.outer(q, q), axis=0) + q.mean() + sum(q) + np.trace(np.outer(q, q)),
    "lists": lambda q: np.concatenate([q, q[::-1], np.ones(2)]) * np.stack([q[0]] * 8),
    "shapes": lambda q: np.outer(q, q).T.reshape(-1)[[0, 2, 5]] + q[None, :][0] - np.ravel(q)[::-1],
    "differences": lambda q: (
        np.diff(q, prepend=0.0) if not isinstance(q, Dual) else np.diff(np.concatenate([[0.0], q]))
    ),
}
# With kinks or without complex forms: compared with central differences away from them.
REAL = {
    "norms": lambda q: np.linalg.norm(q - 5.0) + np.linalg.norm(np.outer(q, q) + 1.0, axis=1),
    "angles": lambda q: np.arctan2(q, 4.0 + q[0]) + np.hypot(q, 1.0) + np.radians(q),
    "choices": lambda q: np.where(q > 0.05, np.exp(q), q**3) + np.abs(q + 9.0) + np.clip(q, -9.0, 9.0),
    "extremes": lambda q: (
        np.max(np.outer(q, q) + np.arange(3.0) * 50.0)
        + np.maximum(q, -9.0)
        + np.min(q + 90.0 * np.arange(3.0))
    ),
    "rows": lambda q: np.max(np.outer(q, q) + 50.0 * np.eye(3), axis=1) + np.cbrt(q + 9.0),
}


def somewhere(seed):
    q = np.random.default_rng(seed).uniform(-2.0, 2.0, 3)
    return np.where(np.abs(q - 0.05) < 1e-3, 0.1, q)


@pytest.mark.parametrize("name", ANALYTIC)
@settings(max_examples=20)
@given(SEEDS)
def test_derivatives_are_those_of_a_complex_step(name, seed):
    q = somewhere(seed)
    found = automatic_jacobian(ANALYTIC[name], q)
    expected = numeric_jacobian(ANALYTIC[name], q, method="complex")
    assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", REAL)
@settings(max_examples=20)
@given(SEEDS)
def test_derivatives_are_those_of_central_differences(name, seed):
    q = somewhere(seed)
    assert_allclose(automatic_jacobian(REAL[name], q), numeric_jacobian(REAL[name], q), atol=1e-6, rtol=1e-6)


@settings(max_examples=30)
@given(SEEDS, st.integers(0, 4))
def test_any_number_of_directions_is_carried(seed, count):
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(count, 3))
    q = somewhere(seed)
    found = np.linalg.norm(np.outer(Dual(q, directions), np.cos(q)), axis=0)
    every = automatic_jacobian(lambda each: np.linalg.norm(np.outer(each, np.cos(q)), axis=0), q)
    assert_allclose(found.tangent, directions @ every.T, atol=1e-12)


def test_comparisons_are_of_the_values():
    x = Dual([1.0, -1.0], np.eye(2))
    assert (x > 0.0).tolist() == [True, False]
    assert np.argmax(x) == 0
    assert bool(x[0]) and len(x) == x.size == 2


def test_at_a_kink_the_derivative_is_finite():
    zero = np.zeros(2)
    assert automatic_jacobian(np.linalg.norm, zero).tolist() == [0.0, 0.0]
    assert automatic_jacobian(np.abs, zero).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert automatic_jacobian(lambda q: np.sqrt(q @ q), zero).tolist() == [0.0, 0.0]
    assert automatic_jacobian(lambda q: np.hypot(q[0], q[1]), zero).tolist() == [0.0, 0.0]


def test_a_function_that_does_not_depend_on_q_has_zeros():
    assert (
        automatic_jacobian(lambda q: np.ones((2, 2)), [1.0, 2.0, 3.0]).tolist()
        == np.zeros((2, 2, 3)).tolist()
    )


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (np.floor, "numpy.floor has no derivative"),
        (lambda q: np.linalg.inv(np.outer(q, q)), "numpy.inv has no derivative"),
        (lambda q: np.sort(q), "numpy.sort has no derivative"),
        (lambda q: q.std(), "numpy.std has no derivative"),
        (lambda q: q.flatten(), "numpy.flatten has no derivative"),
        (lambda q: q.astype(int), "numpy.astype has no derivative"),
        (lambda q: round(q[0], 2), "cannot become a plain one"),
        (lambda q: np.array([q[0], 1.0]), "numpy.stack"),
        (lambda q: math.sin(q[0]), "numpy.sin for math.sin"),
        (lambda q: np.sqrt(q[0]), "numpy.sqrt has no derivative at"),
        (lambda q: q * np.nan, "numpy.multiply gives nan"),
        (lambda q: np.linalg.norm(q, ord=1), "Euclidean"),
        (lambda q: np.linalg.norm(q, keepdims=True), "numpy.norm with these options"),
        (lambda q: np.multiply.accumulate(q), "numpy.multiply with these options"),
        (lambda q: 1.0 / q, "numpy.(divide|true_divide|reciprocal) has no derivative at"),
    ],
)
def test_what_has_no_derivative_is_named(function, words):
    with pytest.raises(FunctionError, match=words):
        automatic_jacobian(function, [0.0, 1.0])


@pytest.mark.parametrize("name", ["max", "min", "prod", "sum", "mean", "cumsum", "ravel", "copy"])
def test_methods_of_arrays_are_those_of_numpy(name):
    q = [0.3, 0.9, 0.2]
    found = automatic_jacobian(lambda q: getattr(q * q, name)(), q)
    np.testing.assert_array_equal(found, automatic_jacobian(lambda q: getattr(np, name)(q * q), q))
    assert not hasattr(Dual(q, np.eye(3)), "nothing")


def test_a_cost_that_writes_to_q_is_told_to_build_arrays():
    def cost(q, frames):
        q[0] = 1.0
        return q @ q

    with pytest.raises(FunctionError, match=r"cannot be written to: build arrays with numpy\.stack"):
        cost_gradient(load("ur5e"), cost, np.zeros(6))


def test_a_dual_needs_a_tangent_of_its_shape():
    with pytest.raises(FunctionError, match="tangent"):
        Dual([1.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize("ufunc", rules.PARTIALS, ids=lambda ufunc: ufunc.__name__)
def test_every_elementwise_rule_is_that_of_central_differences(ufunc):
    q = np.array([0.3, 0.7])
    takes = len(rules.PARTIALS[ufunc])
    assert takes == ufunc.nin
    function = ufunc if takes == 1 else lambda q: ufunc(q[0], q[1])
    assert_allclose(automatic_jacobian(function, q), numeric_jacobian(function, q), atol=1e-8)


@pytest.mark.parametrize("function", [lambda q: 1j * q, lambda q: np.sqrt(q + 0j)])
def test_complex_numbers_are_refused(function):
    with pytest.raises(FunctionError, match="needs real numbers, not complex ones"):
        automatic_jacobian(function, [0.3])
    with pytest.raises(FunctionError, match="needs real numbers, not complex ones"):
        cost_gradient(load("panda"), lambda q, _: function(q)[0], np.zeros(7))
