"""The gradients of costs that users write: true on any tree, and by words where they cannot be."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

import limbik
from limbik import cost_gradient
from limbik.errors import ConfigurationError, FunctionError, ModelError
from strategies import SEEDS, configuration, models

STEP = 1e-6


def by_differences(model, cost, q):
    """Central differences along each velocity, through plain arrays."""

    def value(moved):
        return cost(moved, {name: model.pose(moved, name) for name in model.frame_names})

    ends = [(model.integrate(q, STEP * e), model.integrate(q, -STEP * e)) for e in np.eye(model.nv)]
    return np.array([(value(ahead) - value(behind)) / (2.0 * STEP) for ahead, behind in ends])


@pytest.mark.slow
@settings(max_examples=25)
@given(models(), SEEDS)
def test_gradients_are_those_of_differences_on_any_tree(model, seed):
    rng = np.random.default_rng(seed)
    weights, along = rng.normal(size=(4, 4)), rng.normal(size=model.nq)
    first, last = model.frame_names[0], model.frame_names[-1]

    def cost(q, frames):
        between = frames[last][:3, 3] - frames[first][:3, 3]
        return np.sin(along @ q) + np.sum(weights * frames[last]) ** 2 + np.linalg.norm(between + 1.0)

    q = model.integrate(configuration(model, seed), np.zeros(model.nv))
    value, gradient = cost_gradient(model, cost, q)
    assert value == pytest.approx(cost(q, {name: model.pose(q, name) for name in model.frame_names}))
    assert_allclose(gradient, by_differences(model, cost, q), rtol=1e-5, atol=1e-5)


@settings(max_examples=25)
@given(models(), SEEDS)
def test_how_q_changes_with_the_velocity_is_that_of_differences(model, seed):
    q = model.integrate(configuration(model, seed), np.zeros(model.nv))
    ends = [(model.integrate(q, STEP * e), model.integrate(q, -STEP * e)) for e in np.eye(model.nv)]
    expected = np.reshape([(ahead - behind) / (2.0 * STEP) for ahead, behind in ends], (model.nv, model.nq)).T
    assert_allclose(model.velocity_map(q), expected, atol=1e-8)
    assert_allclose(model.velocity_map(np.stack([q, q]))[1], model.velocity_map(q))


@pytest.mark.parametrize("name", [name for name in limbik.presets() if name != "planar-N"])
def test_the_gradient_of_a_frames_position_is_a_row_of_the_geometric_jacobian(name):
    model = limbik.load(name)
    q = model.random(3)
    for axis in range(3):
        _, gradient = cost_gradient(model, lambda q, frames, i=axis: frames[model.end_effector][i, 3], q)
        assert_allclose(gradient, model.jacobian(q)[axis], atol=1e-15)


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (lambda q, frames: np.floor(q[0]), "numpy.floor"),
        (lambda q, frames: q, "one finite number"),
        (lambda q, frames: None, "one number"),
        (lambda q, frames: q[0] / np.inf * 0.0 + np.nan, "finite"),
        ("elbow", "a function of q and frames"),
    ],
)
def test_a_cost_that_is_none_is_named(cost, words):
    model = limbik.load("panda")
    with pytest.raises(FunctionError, match=words):
        cost_gradient(model, cost, model.neutral)


def test_unknown_frames_and_bad_configurations_are_named():
    model = limbik.load("panda")
    with pytest.raises(ModelError, match="no frame 'elbow'"):
        cost_gradient(model, lambda q, frames: frames["elbow"][2, 3], model.neutral)
    with pytest.raises(ConfigurationError, match="q"):
        cost_gradient(model, lambda q, frames: q[0], [0.0])


def test_a_cost_that_depends_on_nothing_has_no_slope():
    model = limbik.load("panda")
    value, gradient = cost_gradient(model, lambda q, frames: 3, model.neutral)
    assert value == 3.0 and not gradient.any()
