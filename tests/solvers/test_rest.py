"""The pull toward a rest pose, and what it must not cost."""

import numpy as np
import pytest

import limbik
from limbik import Model
from limbik.errors import ConfigurationError, SolverError
from solvers.arms import ARMS, CASES, SOLVERS, directions, hinge_arm

pytestmark = pytest.mark.usefixtures("compiled_methods")

TOLERANCE = 1e-4
TARGETS = 40


def apart(model: Model, q: np.ndarray, rest: np.ndarray) -> float:
    """How far two configurations are apart [rad], each joint the shorter way round."""
    turns = model.difference(rest, q)
    return float(np.linalg.norm((turns + np.pi) % (2.0 * np.pi) - np.pi))


def limited(kind: str) -> Model:
    if kind == "planar":
        return limbik.planar_arm(6, 1.0, limits=2.0)
    return limbik.ball_arm([1.0] * 6, swing=2.0) if kind == "ball" else hinge_arm(6, (-2.0, 2.0))


@pytest.mark.parametrize("with_limits", [False, True])
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_a_rest_bias_brings_the_answer_nearer_to_the_rest_pose_and_still_to_the_goal(
    kind, solver, with_limits
):
    model = limited(kind) if with_limits else ARMS[kind]
    rng = np.random.default_rng(0)
    rest = model.integrate(model.neutral, 0.4 * rng.choice([-1.0, 1.0], model.nv))
    without, with_bias, nearer = 0.0, 0.0, 0
    for point in 4.0 * directions(TARGETS, 1, is_flat=kind == "planar"):
        start = model.random(rng)
        plain, pulled = (
            model.solve(point, solver=solver, start=start, rest=rest, rest_bias=bias, tolerance=TOLERANCE)
            for bias in (0.0, 0.2)
        )
        assert pulled.success
        without += apart(model, plain.q, rest)
        with_bias += apart(model, pulled.q, rest)
        nearer += apart(model, pulled.q, rest) < apart(model, plain.q, rest)
    assert with_bias < 0.9 * without
    assert nearer >= 0.75 * TARGETS


@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_without_a_bias_the_rest_pose_changes_nothing(kind, solver):
    model = ARMS[kind]
    start, rest = model.random(1), model.random(2)
    point = model.pose(model.random(3))[:3, 3]
    plain = model.solve(point, solver=solver, start=start)
    for options in ({"rest": rest}, {"rest_bias": 0.0}, {"rest": rest, "rest_bias": 0}):
        other = model.solve(point, solver=solver, start=start, **options)
        assert other.q.tobytes() == plain.q.tobytes()
        assert other.iterations == plain.iterations


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_rest_pose_is_neutral_unless_given(solver):
    model = ARMS["planar"]
    start = model.random(4)
    given, default = (
        model.solve([2.0, 3.0, 0.0], solver=solver, start=start, rest_bias=0.3, **options)
        for options in ({"rest": model.neutral}, {})
    )
    assert given.q.tobytes() == default.q.tobytes()


@pytest.mark.parametrize("bias", [0.01, 0.5])
@pytest.mark.parametrize(("kind", "solver"), CASES)
def test_the_error_settles_out_of_reach_with_a_rest_bias_too(kind, solver, bias):
    """At the end of a long run, however strong the pull was at its beginning."""
    model = ARMS[kind]
    point = np.array([5.0, 6.0, 0.0])
    trace = model.trace(
        point, solver=solver, start=model.random(5), rest_bias=bias, iterations=3000, restarts=0
    )
    assert trace.error[-1] - (np.linalg.norm(point) - 6.0) <= 1e-2 * 6.0
    assert trace.error[-1] <= trace.error.min() + 1e-3 * 6.0


@pytest.mark.parametrize("bias", [-0.01, 0.51, float("nan"), float("inf"), "0.1", None])
def test_a_bias_out_of_its_range_is_refused(bias):
    with pytest.raises(SolverError, match=r"`rest_bias` needs a fraction from 0 to 0\.5"):
        ARMS["planar"].solve([1.0, 1.0, 0.0], rest_bias=bias)


@pytest.mark.parametrize("rest", [[0.0] * 5, [float("nan")] * 6, "rest", 1.0])
def test_a_rest_pose_that_is_none_is_refused(rest):
    with pytest.raises(ConfigurationError, match="`rest` needs"):
        ARMS["planar"].solve([1.0, 1.0, 0.0], rest=rest, rest_bias=0.1)
