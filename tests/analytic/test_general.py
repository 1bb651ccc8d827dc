"""Every configuration of arms of six revolute joints, of any geometry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import limbik
from limbik.analytic.axes import Axes, axes_of
from limbik.analytic.general import MAX_CONFIGURATIONS, all_general, prepare_general
from limbik.analytic.general_solve import all_configurations, general_configurations
from limbik.analytic.line_coordinates import SIZE, line_coordinates, translate, turned_parts
from limbik.compiler import native
from limbik.errors import GoalError, SolverError
from limbik.model.chain import chain_to
from limbik.spatial import rotation_exp
from six_revolute_arms import ARMS, Table, apart, as_model, random_table, regularity, searched
from strategies import SEEDS

REGULAR = 1e-2  # smallest singular value, of arms of about a metre


@pytest.fixture(scope="module", autouse=True)
def machine_code() -> None:
    native.compile_now(all_configurations())


def check(table: Table, pose: np.ndarray, found: np.ndarray) -> None:
    """Every answer reaches the pose, none is there twice, and none is outside (-pi, pi]."""
    assert found.shape[1:] == (6,) and len(found) <= MAX_CONFIGURATIONS
    assert (found > -np.pi).all() and (found <= np.pi).all()
    assert np.abs(table.frames(found)[:, 6] - pose).max(initial=0.0) < 1e-9
    for k, q in enumerate(found):
        assert all(apart(q, other) > 1e-6 for other in found[:k])


def pose_of(table: Table, q: np.ndarray) -> np.ndarray:
    return table.frames(q[None])[0, 6]


@pytest.mark.parametrize("name", ARMS)
def test_the_configuration_that_made_a_pose_is_found(name: str) -> None:
    table, axes = ARMS[name], ARMS[name].axes
    odd = 0
    for q in np.random.default_rng(1).uniform(-np.pi, np.pi, (100, 6)):
        pose = pose_of(table, q)
        found = general_configurations(axes, pose)
        check(table, pose, found)
        if regularity(table, q) > 1e-4:
            assert min(apart(q, other) for other in found) < 1e-6
        odd += len(found) % 2
    assert odd == 0  # what is not real comes in pairs


@pytest.mark.slow
@settings(max_examples=15)
@given(SEEDS, st.booleans())
def test_the_configuration_that_made_a_pose_is_found_on_any_arm(seed: int, special: bool) -> None:
    table = random_table(seed, special)
    axes = table.axes
    rng = np.random.default_rng(seed)
    trials = [q for q in rng.uniform(-np.pi, np.pi, (8, 6)) if regularity(table, q) > REGULAR]
    assume(len(trials) > 4)
    for q in trials:
        pose = pose_of(table, q)
        found = general_configurations(axes, pose)
        check(table, pose, found)
        assert min(apart(q, other) for other in found) < 1e-6


@pytest.mark.parametrize("name", ["fanuc-crx10ia", "kinova-j2n6s", "xarm6", "sixteen", "random"])
def test_a_search_from_many_starts_finds_nothing_more(name: str) -> None:
    table = random_table(3, special=False) if name == "random" else ARMS[name]
    axes = table.axes
    for seed in range(2):
        q = np.random.default_rng(seed).uniform(-np.pi, np.pi, 6)
        pose = pose_of(table, q)
        found = general_configurations(axes, pose)
        other = searched(table, pose, 400, seed)
        assert len(other) > 1
        for each in other:
            assert min(apart(each, answer) for answer in found) < 1e-6


def test_an_arm_of_sixteen_configurations_has_sixteen() -> None:
    table = ARMS["sixteen"]
    axes = table.axes
    counts = []
    for q in np.random.default_rng(0).uniform(-np.pi, np.pi, (100, 6)):
        pose = pose_of(table, q)
        found = general_configurations(axes, pose)
        check(table, pose, found)
        counts.append(len(found))
    assert max(counts) == 16


@pytest.mark.parametrize("name", ["fanuc-crx10ia", "kinova-j2n6s", "xarm6", "agilex-piper", "ur5"])
def test_right_angles_are_no_special_case(name: str) -> None:
    """There several configurations share joints, and others may be singular."""
    table, axes = ARMS[name], ARMS[name].axes
    missed = trials = 0
    for q in np.random.default_rng(2).integers(-3, 5, (60, 6)) * (np.pi / 4):
        pose = pose_of(table, q)
        found = general_configurations(axes, pose)
        check(table, pose, found)
        if regularity(table, q) > REGULAR:
            trials += 1
            missed += not len(found) or min(apart(q, other) for other in found) > 1e-6
    assert trials > 20
    assert missed <= 0.02 * trials


def test_a_pose_out_of_reach_has_none() -> None:
    pose = np.eye(4)
    pose[:3, 3] = 3.0, 0.0, 0.0
    for table in ARMS.values():
        far = pose.copy()
        far[:3, 3] *= 5.0
        assert general_configurations(table.axes, far).shape == (0, 6)


def test_joints_in_a_row_of_another_end_are_the_same_arm() -> None:
    axes = ARMS["kinova-j2n6s"].axes
    q = np.array([0.3, -1.0, 0.7, 2.0, -0.4, 1.1])
    found = general_configurations(axes, axes.pose(q))
    back = general_configurations(axes.reversed(), np.linalg.inv(axes.pose(q)))
    assert len(found) == len(back)
    for each in back[:, ::-1]:
        assert min(apart(each, other) for other in found) < 1e-6


def test_a_larger_arm_has_the_same_configurations() -> None:
    axes = ARMS["fanuc-crx10ia"].axes
    home = axes.home.copy()
    home[:3, 3] *= 1000.0
    larger = Axes(axes.directions, axes.points * 1000.0, axes.is_prismatic, home)
    q = np.array([0.3, -1.0, 0.7, 2.0, -0.4, 1.1])
    found = general_configurations(axes, axes.pose(q))
    assert np.allclose(found, general_configurations(larger, larger.pose(q)), atol=1e-6)


def test_interpreted_and_compiled_find_the_same() -> None:
    axes = random_table(5, special=False).axes
    constants = prepare_general(axes)
    assert constants is not None
    pose = axes.pose(np.array([0.3, -1.0, 0.7, 2.0, -0.4, 1.1]))
    found = np.empty((MAX_CONFIGURATIONS + 1, 6))
    count = all_general(constants, pose.ravel(), found)
    compiled = general_configurations(axes, pose)
    assert count == len(compiled) > 0
    for each in found[:count]:
        assert min(apart(each, other) for other in compiled) < 1e-6


def at_right_angles(rng: np.random.Generator) -> np.ndarray:
    """A configuration of which about two thirds of the joints stand at right angles."""
    q = rng.uniform(-np.pi, np.pi, 6)
    is_special = rng.random(6) < 0.65
    q[is_special] = 0.5 * np.pi * rng.integers(-1, 3, is_special.sum())
    return q


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fanuc-crx10ia", "kinova-j2n6s", "xarm6", "sixteen"])
def test_where_configurations_meet_each_comes_once_and_none_hides_behind_complete(name: str) -> None:
    axes = ARMS[name].axes
    model = as_model(axes)
    rng = np.random.default_rng(7)
    missing = 0
    for _ in range(60):
        q = at_right_angles(rng)
        pose = axes.pose(q)
        found = model.solve_all(pose, limits=False)
        distances = [apart(q, each) for each in found]
        assert not found.complete or min(distances) < 1e-4
        for k, each in enumerate(found.q):
            assert np.abs(axes.pose(each) - pose).max() < 1e-8
            assert all(apart(each, other) > 1e-4 for other in found.q[:k])
        if not found.complete and found.free:
            for motion in found.free:
                others = np.delete(found.q, motion.solution, axis=0)
                assert not any(is_on(motion.q, other) for other in others)
            continue
        missing += min(distances, default=np.inf) > 1e-4
    assert missing <= 3  # of 60, where several of these meet in one


def is_on(curve: np.ndarray, q: np.ndarray) -> bool:
    change = np.angle(np.exp(1j * (curve - q)))
    return bool(np.linalg.norm(change, axis=1).min() < 0.01)


def test_a_batch_is_complete_where_each_of_its_poses_is() -> None:
    axes = ARMS["fanuc-crx10ia"].axes
    model = as_model(axes)
    regular, folded = (
        np.array([0.3, 0.5, -0.4, 1.1, 0.7, -0.2]),
        0.5 * np.pi * np.array([-1.0, 0, -2, -1, 0, 1]),
    )
    poses = np.array([axes.pose(regular), axes.pose(folded)])
    assert model.solve_all_batch(poses[:1], limits=False).complete
    assert not model.solve_all_batch(poses, limits=False).complete


@pytest.mark.parametrize(
    ("name", "q"),
    [
        ("fanuc-crx10ia", [-1, 0, -2, -1, 0, 1]),  # as its makers draw it, folded
        ("kinova-j2n6s", [1, -1, 1, 1, -1, -1]),  # two configurations meet in one
    ],
)
def test_a_singular_configuration_is_found_itself_or_on_its_curve(name: str, q: list[int]) -> None:
    axes = ARMS[name].axes
    there = 0.5 * np.pi * np.array(q, dtype=float)
    found = as_model(axes).solve_all(axes.pose(there), limits=False)
    assert not found.complete
    assert min(apart(there, each) for each in found) < 1e-4 or any(is_on(m.q, there) for m in found.free)


def test_the_last_digits_of_a_pose_do_not_decide_the_order_of_its_configurations() -> None:
    model = as_model(ARMS["sixteen"].axes)
    rng = np.random.default_rng(2)
    for q in rng.uniform(-3.0, 3.0, (40, 6)):
        pose = model.pose(q)
        near = pose + rng.uniform(-2e-16, 2e-16, (4, 4)) * [[1], [1], [1], [0]]
        found, again = (model.solve_all(each, limits=False) for each in (pose, near))
        np.testing.assert_allclose(found.q, again.q, atol=1e-3)


def test_arms_that_cannot_move_in_all_directions_are_refused() -> None:
    flat = Table((1.0,) * 6, (0.0,) * 6, (0.0,) * 6).axes
    ball = Table((0.0,) * 6, (1.0, -1.0, 0.5, 1.0, -2.0, 0.0), (0.0,) * 6).axes
    sliding = Axes(flat.directions, flat.points, np.arange(6) == 2, flat.home)
    for axes in (flat, ball, sliding):
        with pytest.raises(SolverError, match="six revolute"):
            general_configurations(axes, np.eye(4))


def locked(axes: Axes, joint: int, angle: float) -> Axes:
    """The arm with one joint held."""
    turn, point = rotation_exp(angle * axes.directions[joint]), axes.points[joint]
    directions, points, home = axes.directions.copy(), axes.points.copy(), axes.home.copy()
    directions[joint + 1 :] = directions[joint + 1 :] @ turn.T
    points[joint + 1 :] = point + (points[joint + 1 :] - point) @ turn.T
    home[:3] = np.column_stack([turn @ home[:3, :3], point + turn @ (home[:3, 3] - point)])
    rest = [k for k in range(axes.size) if k != joint]
    return Axes(directions[rest], points[rest], np.zeros(axes.size - 1, bool), home)


@pytest.mark.parametrize("name", ["sawyer", "xarm7", "gen3", "panda"])
@pytest.mark.parametrize("joint", [0, 2, 6])
def test_an_arm_of_seven_joints_is_solved_with_one_held(name: str, joint: int) -> None:
    model = limbik.load(name)
    seven = axes_of(chain_to(model, model.end_effector))
    assert seven is not None
    six = locked(seven, joint, 0.7)
    for q in np.random.default_rng(joint).uniform(-2.5, 2.5, (10, 6)):
        pose = seven.pose(np.insert(q, joint, 0.7))
        found = general_configurations(six, pose)
        assert min(apart(q, other) for other in found) < 1e-6
        for each in found:
            assert np.abs(seven.pose(np.insert(each, joint, 0.7)) - pose).max() < 1e-9


def test_an_arm_of_two_spherical_joints_is_refused() -> None:
    model = limbik.load("iiwa7")
    seven = axes_of(chain_to(model, model.end_effector))
    assert seven is not None
    with pytest.raises(SolverError, match="two spherical joints"):
        general_configurations(locked(seven, 2, 0.7), np.eye(4))


def test_what_is_not_a_pose_is_refused() -> None:
    axes = ARMS["ur5"].axes
    with pytest.raises(GoalError, match="pose"):
        general_configurations(axes, np.full((4, 4), np.nan))
    with pytest.raises(GoalError, match="pose"):
        general_configurations(axes, np.eye(3))


@given(SEEDS)
def test_line_coordinates_are_linear_in_every_motion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    direction, axis = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    point, step, angle = rng.normal(size=3), rng.normal(size=3), rng.uniform(-3.0, 3.0)
    line, moved, wanted = np.empty((3, SIZE))
    line_coordinates(direction, point, line)
    translate(step, line, moved)
    line_coordinates(direction, point + step, wanted)
    assert np.allclose(moved, wanted)
    still, cosine, sine = np.empty((3, SIZE))
    turned_parts(axis, line, still, cosine, sine)
    turn = rotation_exp(angle * axis)
    line_coordinates(turn @ direction, turn @ point, wanted)
    assert np.allclose(still + np.cos(angle) * cosine + np.sin(angle) * sine, wanted)
