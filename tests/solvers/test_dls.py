"""Damping that follows the manipulability, and joints that count more than others."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from limbik import Pose, Position
from limbik.errors import SolverError
from limbik.numerics.linear import manipulability
from limbik.solvers import DLS
from limbik.solvers.plans import plan_of
from limbik.spatial import rotation_exp, rotation_log
from strategies import SEEDS

PANDA = limbik.load("panda")
JOINTS = PANDA.joint_names

pytestmark = pytest.mark.usefixtures("compiled_methods")


def near(model, seed, size):
    """A configuration, and a pose a little way from its own."""
    q = 0.9 * model.random(seed) + 0.1 * model.neutral
    pose, rng = model.pose(q), np.random.default_rng(seed)
    pose[:3, 3] += size * rng.normal(size=3)
    pose[:3, :3] = rotation_exp(size * rng.normal(size=3)) @ pose[:3, :3]
    return q, pose


def rows_and_error(model, q, target, length):
    """J and r of a pose with positions in lengths of the model, by the model's own kinematics."""
    here, J = model.pose(q), model.jacobian(q)
    J[:3] /= length
    J[3:] *= 0.5
    turn = rotation_log(target[:3, :3] @ here[:3, :3].T)
    return J, np.concatenate([(target[:3, 3] - here[:3, 3]) / length, 0.5 * turn])


def damped_step(J, r, damping, factors):
    """Minimises |J dq - r|^2 + damping^2 |diag(factors) dq|^2: the stacked least squares itself."""
    stacked = np.vstack([J, damping * np.diag(factors)])
    return np.linalg.lstsq(stacked, np.concatenate([r, np.zeros(len(factors))]), rcond=None)[0]


@settings(max_examples=25)
@given(SEEDS, st.floats(0.0, 3.0), st.floats(0.01, 0.2))
def test_a_step_is_that_of_nakamura_and_hanafusa(seed, share, damping):
    q, target = near(PANDA, seed, 1e-4)
    length = plan_of(PANDA, [Pose(target=target)], {"solver": DLS(manipulability=1.0)}).length
    J, r = rows_and_error(PANDA, q, target, length)
    w = math.sqrt(max(np.linalg.det(J @ J.T), 0.0))
    least = max(share * w, 1e-9)
    faded = damping * max(0.0, 1.0 - w / least)
    solver = DLS(lambda_=damping * length, manipulability=least)
    trace = PANDA.trace(target, start=q, solver=solver, iterations=1, limits=False)
    expected = damped_step(J, r, faded, np.ones(7))
    if np.abs(expected).max() < 0.1:
        assert_allclose(trace.q[1] - q, expected, rtol=1e-4, atol=1e-6 + 1e-2 * np.abs(expected).max())


@settings(max_examples=25)
@given(SEEDS, st.lists(st.floats(0.1, 10.0), min_size=7, max_size=7))
def test_stiff_joints_count_more_in_the_length_of_a_step(seed, factors):
    q, target = near(PANDA, seed, 1e-4)
    solver = DLS(stiffness=dict(zip(JOINTS, factors, strict=True)))
    length = plan_of(PANDA, [Pose(target=target)], {"solver": solver}).length
    J, r = rows_and_error(PANDA, q, target, length)
    trace = PANDA.trace(target, start=q, solver=solver, iterations=1, limits=False)
    expected = damped_step(J, r, 0.03, np.array(factors))
    assert_allclose(trace.q[1] - q, expected, rtol=1e-4, atol=1e-2 * np.abs(expected).max())


@given(SEEDS, st.integers(1, 6), st.integers(1, 9))
def test_the_manipulability_is_the_product_of_the_singular_values(seed, rows, columns):
    J = np.random.default_rng(seed).normal(size=(rows, columns))
    expected = np.prod(np.linalg.svd(J, compute_uv=False)) if rows <= columns else 0.0
    assert manipulability.interpreted(J, np.empty((rows, rows))) == pytest.approx(
        expected, rel=1e-6, abs=1e-6
    )


@pytest.mark.parametrize("name", ["panda", "ur5e", "z1"])
@pytest.mark.parametrize("parameters", [{"manipulability": 0.05}, {"stiffness": 4.0}])
def test_success_is_true_with_either(name, parameters):
    model = limbik.load(name)
    if "stiffness" in parameters:
        parameters = {"stiffness": {model.joint_names[0]: parameters["stiffness"]}}
    for seed in range(3):
        target = model.pose(model.random(seed))
        solution = model.solve(target, solver=DLS(**parameters))
        assert solution.success
        assert_allclose(model.pose(solution.q), target, atol=2e-6)
        assert model.is_within_limits(solution.q)


def test_a_stiff_joint_moves_less():
    start = PANDA.random(1)
    target = Position(target=PANDA.pose(start)[:3, 3] + [0.05, 0.05, 0.05])
    moved = [
        abs(PANDA.solve(target, start=start, solver=DLS(stiffness=stiffness)).q[1] - start[1])
        for stiffness in ({JOINTS[1]: 1e-1}, {JOINTS[1]: 1.0}, {JOINTS[1]: 1e2})
    ]
    assert moved[0] > moved[1] > moved[2]


def test_by_default_nothing_changes():
    target = PANDA.pose(PANDA.random(2))
    same = [
        PANDA.solve(target, solver=solver) for solver in ("dls", DLS(), DLS(manipulability=0, stiffness={}))
    ]
    assert (same[0].q == same[1].q).all() and (same[0].q == same[2].q).all()


def test_solvers_with_parameters_can_be_compared_and_kept():
    solver = DLS(stiffness={JOINTS[1]: 2, JOINTS[0]: 3.0})
    assert solver == DLS(stiffness=((JOINTS[0], 3.0), (JOINTS[1], 2.0)))
    assert hash(solver) == hash(pickle.loads(pickle.dumps(solver)))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"manipulability": -1.0}, "`manipulability`"),
        ({"manipulability": math.nan}, "`manipulability`"),
        ({"stiffness": {"a": 0.0}}, "`stiffness`"),
        ({"stiffness": {1: 1.0}}, "`stiffness`"),
        ({"stiffness": 3.0}, "`stiffness`"),
        ({"stiffness": [("a", 1.0, 2.0)]}, "`stiffness`"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(SolverError, match=words):
        DLS(**parameters)


def test_an_unknown_joint_is_named():
    with pytest.raises(SolverError, match="no joint of 'panda'"):
        PANDA.solve([0.5, 0.0, 0.5], solver=DLS(stiffness={"elbow": 2.0}))
