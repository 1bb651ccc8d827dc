"""Inverse kinematics of black boxes: true answers inside the bounds, on robots nobody tuned it on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from limbik import Status, solve_function
from limbik.errors import ConfigurationError, FunctionError, SolverError
from limbik.model.joints import JointKind
from strategies import SEEDS, chains

ROBOTS = ["panda", "ur5e", "z1"]
MOVING = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)


def planar(q):
    angles = np.cumsum(q)
    return np.stack([np.cos(angles).sum(), np.sin(angles).sum()])


@pytest.mark.parametrize("method", ["forward", "central"])
@pytest.mark.parametrize("name", ROBOTS)
def test_poses_of_robots_are_met_inside_their_limits(name, method):
    model = limbik.load(name)
    for seed in range(3):
        target = model.pose(model.random(seed))
        found = solve_function(
            model.pose, model.neutral, target=target, bounds=(model.lower, model.upper), method=method
        )
        assert found.success and found and found.status is Status.SOLVED
        assert np.abs(model.pose(found.q) - target).max() <= 1e-6
        assert model.is_within_limits(found.q)


@settings(max_examples=15)
@given(chains(MOVING, 2, 7), SEEDS)
def test_success_is_true_and_q_is_inside_the_bounds(model, seed):
    target = model.pose(model.random(seed))[:3, 3]
    found = solve_function(
        lambda q: model.pose(q)[:3, 3],
        model.neutral,
        target=target,
        bounds=(model.lower, model.upper),
        restarts=2,
        iterations=60,
    )
    error = float(np.abs(model.pose(found.q)[:3, 3] - target).max())
    assert found.error == error
    assert found.success == (error <= 1e-6)
    assert ((model.lower <= found.q) & (found.q <= model.upper)).all()


@pytest.mark.slow
@settings(max_examples=20)
@given(SEEDS, st.sampled_from(["forward", "central", "complex"]))
def test_targets_on_the_bounds_are_met(seed, method):
    rng = np.random.default_rng(seed)
    upper = rng.uniform(0.3, 1.5, 3)
    q = np.array([upper[0], rng.uniform(0.0, upper[1]), 0.0])
    found = solve_function(planar, upper / 2.0, target=planar(q), bounds=(0.0, upper), method=method)
    assert found.success
    assert ((found.q >= 0.0) & (found.q <= upper)).all()


@settings(max_examples=20)
@given(SEEDS)
def test_the_function_is_never_called_outside_the_bounds(seed):
    rng = np.random.default_rng(seed)
    lower = rng.uniform(-1.0, 0.0, 3)
    upper = lower + rng.uniform(0.0, 2.0, 3) * (rng.uniform(size=3) < 0.8)

    def guarded(q):
        assert (lower <= q).all() and (q <= upper).all()
        return planar(q)

    solve_function(guarded, rng.uniform(-2.0, 2.0, 3), target=[1.5, 1.5], bounds=(lower, upper), restarts=1)


def test_a_target_out_of_reach_is_said_to_be_so():
    found = solve_function(planar, [0.1, 0.2, 0.3], target=[4.0, 0.0])
    assert not found and found.status is Status.LIKELY_UNREACHABLE
    assert found.error == pytest.approx(1.0, abs=1e-6)
    assert found.restarts == 10
    assert "likely out of reach" in found.explain()


def test_bounds_that_hold_an_answer_back_are_named():
    found = solve_function(planar, [0.1, 0.2, 0.3], target=[0.0, 3.0], bounds=(-1.0, [1.0, 2.0, 2.0]))
    assert not found
    assert "q[0] is on its upper bound" in found.explain()


def test_a_budget_that_is_spent_is_said_to_be_so():
    found = solve_function(planar, [0.1, 0.2, 0.3], target=[-1.0, 1.0], iterations=2)
    assert found.status is Status.BUDGET_SPENT


def test_same_seed_same_answer_and_calls_are_counted():
    calls = []

    def counted(q):
        calls.append(q)
        return planar(q)

    first = solve_function(counted, [0.0, 0.0, 0.0], target=[1.0, 1.0], seed=3)
    assert first.evaluations == len(calls)
    assert (first.q == solve_function(planar, [0.0, 0.0, 0.0], target=[1.0, 1.0], seed=3).q).all()


@pytest.mark.parametrize("target", [[1.0, 1.0], [9.0, 9.0]])
def test_bounds_beyond_all_measure_are_none(target):
    unbounded = solve_function(planar, [0.1, 0.2, 0.3], target=target)
    found = solve_function(planar, [0.1, 0.2, 0.3], target=target, bounds=(-1e308, 1e300))
    assert (found.q == unbounded.q).all()


@pytest.mark.parametrize("bounds", [None, (-1.0, 2.0)])
@pytest.mark.parametrize("size", [1e-100, 1e-40, 1e39])
def test_a_function_of_any_size_meets_its_target(size, bounds):
    found = solve_function(
        lambda q: size * np.cos(q), [0.5, 1.0], target=[0.5 * size, 0.3 * size], bounds=bounds,
        tolerance=1e-6 * size,
    )  # fmt: skip
    assert found.success
    assert np.cos(found.q) == pytest.approx([0.5, 0.3], abs=1e-6)


def test_a_function_that_returns_residuals_needs_no_target():
    found = solve_function(lambda q: q @ q - 2.0, [1.0, 0.5])
    assert found.success and found.q @ found.q == pytest.approx(2.0, abs=1e-6)
    assert found.rank == 1
    assert "largest residual" in found.explain()


@pytest.mark.parametrize(
    ("given_", "error", "words"),
    [
        ({"target": [1.0]}, SolverError, "`target`"),
        ({"target": [np.nan, 0.0]}, SolverError, "`target`"),
        ({"target": [1e41, 0.0]}, SolverError, r"`target` needs numbers up to 1e\+40, found 1e\+41"),
        ({"tolerance": 0.0}, SolverError, "`tolerance`"),
        ({"iterations": 0}, SolverError, "`iterations`"),
        ({"restarts": -1}, SolverError, "`restarts`"),
        ({"method": "newton"}, FunctionError, "`method`"),
        ({"start": []}, ConfigurationError, "`start`"),
        ({"bounds": (1.0, -1.0)}, ConfigurationError, "cross"),
        ({"bounds": (1e300, np.inf)}, ConfigurationError, "`bounds` needs .*, up to 1e\\+40"),
        ({"function": lambda q: [np.inf]}, FunctionError, "finite"),
    ],
)
def test_bad_input_is_named(given_, error, words):
    with pytest.raises(error, match=words):
        solve_function(**{"function": planar, "start": [0.1, 0.2, 0.3], **given_})


def test_a_function_that_returns_nothing_is_refused():
    with pytest.raises(FunctionError, match="at least one number"):
        solve_function(lambda q: np.zeros(0), [0.1, 0.1])
