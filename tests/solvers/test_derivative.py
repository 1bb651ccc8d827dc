"""How solutions follow their targets: as real solves do, from the solution on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from limbik import Direction, JointKind, Pose, Position, solution_jacobian
from limbik.errors import ConfigurationError, SingularError, SolverError
from limbik.solvers.derivative import gradient_by_pose
from limbik.spatial import pose_from, rotation_exp
from strategies import SEEDS, chains

STEP = 1e-4  # [m and rad]
FINE = {"tolerance": 1e-10, "tolerance_rotation": 1e-10}
ROBOTS = [name for name in limbik.presets() if name != "planar-N"]
MOVING = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)


def moved(pose, twist):
    """A pose after a twist of its origin, along the axes of the world."""
    out = pose.copy()
    out[:3, 3] += twist[:3]
    out[:3, :3] = rotation_exp(twist[3:]) @ pose[:3, :3]
    return out


def by_solves(model, q, target, twists, **options):
    """Central differences of real solves, from q [nq]; NaN where one fails."""

    def at(twist):
        answer = model.solve(target(twist), start=q, **{**FINE, "limits": False, **options})
        return answer.q if answer.success else np.full(model.nq, np.nan)

    columns = [(at(STEP * twist) - at(-STEP * twist)) / (2.0 * STEP) for twist in twists]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("name", ["ur5e", "panda", "iiwa14", "z1", "gen3"])
def test_a_derivative_is_that_of_real_solves_on_their_branch(name):
    """On arms with seven joints, too: the least motion that follows is what a solve from there does."""
    model = limbik.load(name)
    for seed in range(3):
        q = model.random(seed)
        pose = model.pose(q)
        D = solution_jacobian(model, q, limits=False)
        found = by_solves(model, q, lambda twist, at=pose: moved(at, twist), np.eye(6))
        assert_allclose(D, found, atol=2e-3 * np.abs(D).max())


@settings(max_examples=25)
@given(st.sampled_from(ROBOTS).map(limbik.load), SEEDS)
def test_moving_by_it_moves_the_frame_by_the_twist(model, seed):
    q = model.clip(0.98 * model.random(seed) + 0.02 * model.neutral)
    if model.nv < 6:
        return
    try:
        D = solution_jacobian(model, q)
    except SingularError:
        return
    assert_allclose(model.jacobian(q) @ D, np.eye(6), atol=1e-6)


@settings(max_examples=20)
@given(chains(MOVING, 5, 9), SEEDS, st.sampled_from(["pose", "position", "orientation"]))
def test_it_is_the_shortest_of_all_that_follow(model, seed, of):
    """The conditions of Moore and Penrose, by the model's own Jacobian."""
    q = model.random(seed)
    rows = {"pose": slice(0, 6), "position": slice(0, 3), "orientation": slice(3, 6)}[of]
    J = model.jacobian(q)[rows]
    try:
        D = solution_jacobian(model, q, of=of, limits=False)
    except SingularError:
        return
    if np.linalg.matrix_rank(J) == len(J) and np.linalg.cond(J) < 1e6:
        assert_allclose(D, np.linalg.pinv(J), atol=1e-8 * np.abs(D).max())


def test_joints_at_a_limit_stay():
    model = limbik.load("panda")
    q = model.random(3)
    q[2] = model.upper[2]
    D = solution_jacobian(model, q)
    assert (D[2] == 0.0).all()
    assert_allclose(model.jacobian(q) @ D, np.eye(6), atol=1e-9)
    locked = solution_jacobian(model, q, limits=False, locked=["panda_joint3"])
    assert_allclose(D, locked)
    found = by_solves(model, q, lambda twist: moved(model.pose(q), twist), np.eye(6), locked=["panda_joint3"])
    assert_allclose(D, found, atol=2e-3 * np.abs(D).max())
    assert np.abs(solution_jacobian(model, q, limits=False)[2]).max() > 0.0


def test_many_at_once_are_the_same_as_one_after_the_other():
    model = limbik.load("panda")
    q = model.random(1, 12).reshape(3, 4, 7)
    found = solution_jacobian(model, q)
    assert found.shape == (3, 4, 7, 6)
    for place in np.ndindex(3, 4):
        assert_allclose(found[place], solution_jacobian(model, q[place]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "q", "words"),
    [
        ("ur5e", [0.3, -1.0, 0.0, 0.4, 1.0, 0.2], "5 of 6"),  # the elbow straight
        ("ur5e", [0.3, -1.0, 0.7, 0.4, 0.0, 0.2], "5 of 6"),  # the wrist straight
        ("planar-3", [0.4, 0.0, 0.0], "of 3"),
    ],
)
def test_singular_configurations_have_none(name, q, words):
    model = limbik.load(name)
    with pytest.raises(SingularError, match=words):
        solution_jacobian(model, q)
    with pytest.raises(SingularError, match=r"q\[1\] is singular"):
        solution_jacobian(model, [model.random(1), q])


def test_a_limit_that_holds_the_only_way_is_named():
    model = limbik.load("ur5e")
    q = model.random(1)
    q[2] = model.upper[2]
    with pytest.raises(SingularError, match="with elbow_joint at a limit"):
        solution_jacobian(model, q)


def test_an_arm_in_a_plane_follows_in_its_plane():
    arm = limbik.planar_arm(3)
    q = np.array([0.4, 0.7, -0.5])
    D = solution_jacobian(arm, q)
    assert_allclose((arm.jacobian(q) @ D)[[0, 1, 5]], np.eye(6)[[0, 1, 5]], atol=1e-12)
    assert_allclose(D[:, 2:5], 0.0, atol=1e-12)


def test_a_solution_knows_its_derivative():
    model = limbik.load("panda")
    start = model.random(5)
    tool = pose_from(translation=(0.1, 0.0, 0.2))
    solution = model.solve(model.pose(start) @ tool, start=start, tool=tool, locked=["panda_joint1"], **FINE)
    D = solution.derivative()
    found = by_solves(
        model,
        solution.q,
        lambda twist: moved(model.pose(start) @ tool, twist),
        np.eye(6),
        tool=tool,
        locked=["panda_joint1"],
    )
    assert (D[0] == 0.0).all()
    assert_allclose(D, found, atol=2e-3 * np.abs(D).max())
    point = model.solve(Position(target=model.pose(start)[:3, 3]), start=start)
    assert point.derivative().shape == (7, 3)


def test_only_what_is_met_and_has_one_target_has_a_derivative():
    model = limbik.load("panda")
    target = model.pose(model.neutral)
    with pytest.raises(SolverError, match="meets its goal"):
        model.solve([5.0, 0.0, 0.0]).derivative()
    with pytest.raises(SolverError, match="one Pose, Position or Orientation"):
        model.solve(Direction(axis=(0, 0, 1), target=target[:3, 2]), start=model.neutral).derivative()
    with pytest.raises(SolverError, match="one Pose, Position or Orientation"):
        goal = Pose(target=target, weights=(1, 1, 1, 1, 1, 0))
        model.solve(goal, start=model.neutral).derivative()


def test_bad_input_is_named():
    model = limbik.load("panda")
    with pytest.raises(SolverError, match="`of`"):
        solution_jacobian(model, model.neutral, of="twist")
    with pytest.raises(ConfigurationError, match="q"):
        solution_jacobian(model, [0.0])
    with pytest.raises(SolverError, match="`tool`"):
        solution_jacobian(model, model.random(1), tool=np.zeros((4, 4)))


@given(SEEDS)
def test_the_gradient_by_a_pose_agrees_with_that_by_its_twist(seed):
    rng = np.random.default_rng(seed)
    pose = pose_from(rotation_exp(rng.normal(size=3)), rng.normal(size=3))
    by_twist, twist = rng.normal(size=6), rng.normal(size=6)
    change = (moved(pose, 1e-6 * twist) - moved(pose, -1e-6 * twist)) / 2e-6
    assert_allclose(np.sum(gradient_by_pose(pose, by_twist) * change), by_twist @ twist, atol=1e-8)
