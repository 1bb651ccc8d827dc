"""Numeric Jacobians: as precise as their methods promise, and only ever inside the bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from limbik import numeric_jacobian
from limbik.errors import ConfigurationError, FunctionError
from strategies import SEEDS

ROBOTS = st.sampled_from([name for name in limbik.presets() if name != "planar-N"]).map(limbik.load)
ERRORS = {"forward": 1e-6, "central": 1e-8, "complex": 1e-13}  # of values of about 1


def planar(q):
    """The tip and the direction of a planar arm of links 1, in NumPy alone."""
    angles = np.cumsum(q)
    return np.stack([np.cos(angles).sum(), np.sin(angles).sum(), angles[-1]])


def planar_jacobian(q):
    angles = np.cumsum(q)
    rows = -np.sin(angles), np.cos(angles)
    return np.array([*(np.cumsum(row[::-1])[::-1] for row in rows), np.ones(q.size)])


@pytest.mark.parametrize("method", ERRORS)
@settings(max_examples=30)
@given(st.integers(1, 6), SEEDS)
def test_each_method_is_as_precise_as_it_promises(method, joints, seed):
    q = np.random.default_rng(seed).uniform(-3.0, 3.0, joints)
    assert_allclose(
        numeric_jacobian(planar, q, method=method), planar_jacobian(q), atol=ERRORS[method] * joints
    )


@settings(max_examples=25)
@given(ROBOTS, SEEDS)
def test_central_differences_of_the_forward_kinematics_are_the_geometric_jacobian(model, seed):
    q = model.random(seed)
    J = numeric_jacobian(lambda q: model.pose(q)[:3, 3], q)
    assert_allclose(J, model.jacobian(q)[:3], atol=1e-8)


@settings(max_examples=30)
@given(SEEDS, st.sampled_from(["forward", "central"]), st.booleans())
def test_the_function_is_called_only_inside_the_bounds(seed, method, is_narrow):
    rng = np.random.default_rng(seed)
    lower = rng.uniform(-2.0, 1.0, 3)
    upper = lower + (1e-7 if is_narrow else rng.uniform(1e-4, 2.0, 3))
    q = np.array([lower[0], upper[1], rng.uniform(lower[2], upper[2])])

    def guarded(at):
        assert (lower <= at).all() and (at <= upper).all()
        return planar(at)

    found = numeric_jacobian(guarded, q, method=method, bounds=(lower, upper))
    assert_allclose(found, planar_jacobian(q), atol=1e-2 if is_narrow else 1e-4)


def test_functions_of_any_shape_and_of_no_numbers_have_jacobians():
    assert numeric_jacobian(lambda q: np.outer(q, q), [1.0, 2.0]).shape == (2, 2, 2)
    assert numeric_jacobian(lambda q: q @ q, [1.0, 2.0]).tolist() == pytest.approx([2.0, 4.0])
    assert numeric_jacobian(lambda q: np.ones(3), []).shape == (3, 0)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda q: np.abs(q), "real numbers for complex q"),
        (lambda q: np.arctan2(q, 1.0), "takes no complex numbers"),
        (lambda q: q / 0.0, "not finite"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_complex_step_says_what_it_cannot_differentiate(function, words):
    with pytest.raises(FunctionError, match=words):
        numeric_jacobian(function, [0.5], method="complex")


@pytest.mark.parametrize(
    ("given_", "error", "words"),
    [
        ({"function": lambda q: [np.nan]}, FunctionError, "finite, found nan"),
        ({"function": lambda q: np.ones(int(1e8 * q[0]) % 2 + 1)}, FunctionError, "shape"),
        ({"function": 3}, FunctionError, "the function"),
        ({"method": "backward"}, FunctionError, "'forward', 'central', 'complex'"),
        ({"step": 0.0}, ConfigurationError, "`step`"),
        ({"q": [[0.0]]}, ConfigurationError, "`q`"),
        ({"bounds": (1.0, 0.0)}, ConfigurationError, "cross"),
        ({"bounds": 1.0}, ConfigurationError, "`bounds`"),
        ({"bounds": (0.5, 0.5)}, ConfigurationError, "no space"),
    ],
)
def test_bad_input_is_named(given_, error, words):
    with pytest.raises(error, match=words):
        numeric_jacobian(**{"function": np.sin, "q": [0.5], **given_})
