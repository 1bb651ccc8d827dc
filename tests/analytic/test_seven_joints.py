"""Arms of seven joints: by the swivel of the elbow, or with the first or last joint at sampled values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import limbik
from limbik.analytic.axes import axes_of
from limbik.analytic.swivel import swivel_arm
from limbik.model.chain import chain_to
from limbik.spatial import nearest_angles

BY_SWIVEL = ["iiwa7", "iiwa14"]
BY_JOINT = ["panda", "fr3", "gen3"]
ARMS = {name: limbik.load(name) for name in [*BY_SWIVEL, *BY_JOINT]}


def reaches(model: limbik.Model, q: np.ndarray, pose: np.ndarray) -> None:
    np.testing.assert_allclose(model.pose(q), np.broadcast_to(pose, (len(q), 4, 4)), atol=1e-9)
    assert model.is_within_limits(q).all()


@pytest.mark.slow
@given(st.sampled_from([*BY_SWIVEL, *BY_JOINT]), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_all_solutions_reach_the_pose_and_the_start_is_among_them(name, seed) -> None:
    model = ARMS[name]
    q = model.random(seed)
    pose = model.pose(q)
    found = model.solve_all(pose, start=q)
    assert not found.complete
    reaches(model, found.q, pose)
    np.testing.assert_allclose(found.q[0], q, atol=1e-6)


@pytest.mark.parametrize("name", ["iiwa14", "panda"])
def test_a_start_with_a_joint_at_its_limit_is_the_first_solution(name) -> None:
    """It is at the end of a legal interval, up to rounding."""
    model = ARMS[name]
    for k, q in enumerate(model.random(7, 28)):
        q[k % 7] = (model.lower, model.upper)[k // 7 % 2][k % 7]
        np.testing.assert_allclose(model.solve_all(model.pose(q), start=q).q[0], q, atol=1e-6)


@pytest.mark.parametrize("name", ["iiwa14", "panda"])
def test_a_start_beside_a_sample_is_no_second_solution(name) -> None:
    model = ARMS[name]
    pose = model.pose(model.random(1))
    for sample in model.solve_all(pose).q[::20]:
        start = sample + 1e-6 * np.linalg.svd(model.jacobian(sample))[2][-1]
        found = model.solve_all(pose, start=start).q
        np.testing.assert_allclose(found[0], start, atol=1e-9)
        assert np.abs(found[1:] - found[0]).max(axis=1).min() > 1e-4


@pytest.mark.slow
@given(st.sampled_from(BY_SWIVEL), st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_the_intervals_of_the_swivel_angle_are_exact(name, seed) -> None:
    """Inside every limit holds; at an end a joint stands at its limit, and a step farther is beyond it."""
    model = ARMS[name]
    pose = model.pose(model.random(seed))
    for motion in model.solve_all(pose).free:
        reaches(model, motion.q, pose)
        assert motion.parameter == "swivel angle [rad]"
        if motion.closed:
            np.testing.assert_allclose(motion.along[-1] - motion.along[0], 2.0 * math.pi)
            continue
        for end, said in zip((motion.q[0], motion.q[-1]), motion.ends, strict=True):
            room = np.minimum(end - model.lower, model.upper - end)
            assert room.min() < 1e-8
            assert said.startswith(model.joint_names[int(room.argmin())]) or room.min() > -1e-8


@pytest.mark.slow
def test_no_legal_swivel_angle_is_left_out() -> None:
    """An independent oracle: solves of the fast core, whose branch has an interval with that swivel angle."""
    model = ARMS["iiwa14"]
    pose = model.pose(model.random(5))
    motions = model.solve_all(pose).free
    for start in model.random(1, 60):
        solution = model.solve(pose, start=start)
        if solution.success:
            nearest = min(np.abs(motion.q - solution.q).max(axis=1).min() for motion in motions)
            assert nearest < 0.05  # curves have a configuration every 0.03 rad of the swivel


def test_more_samples_give_more_solutions() -> None:
    for name in ("iiwa14", "panda"):
        model = ARMS[name]
        pose = model.pose(0.3 * (model.lower + model.upper) + 0.1)
        assert len(model.solve_all(pose, samples=200)) > 2 * len(model.solve_all(pose, samples=50)) > 0


@pytest.mark.parametrize("width", [0.0, 1e-9, 1e-6, 1e-3])
def test_a_sampled_joint_with_a_narrow_range_makes_no_answer_twice(width: float) -> None:
    builder = limbik.ModelBuilder("narrow")
    for name, axis in zip("abcdef", "zyzyzy", strict=True):
        origin = (0.1, 0.0, 0.2) if name != "f" else (0.0, 0.05, 0.1)
        builder = builder.revolute(name, axis=axis, origin=origin, limits=3.0)
    arm = builder.revolute("g", axis="x", origin=(0.1, 0.0, 0.1), limits=(0.5, 0.5 + width)).build()
    found = arm.solve_all(arm.pose([0.3, 0.5, -0.4, 0.9, 0.2, 0.7, 0.5 + 0.5 * width]))
    apart = np.abs(found.q[:, None] - found.q).max(axis=2)[np.triu_indices(len(found), 1)]
    assert "g at sampled values" in found.method and len(found) and apart.min() > 0.99e-4


def test_a_self_motion_curve_keeps_the_pose_until_a_joint_meets_its_limit() -> None:
    model = ARMS["panda"]
    q = np.array([0.3, -0.5, 0.4, -1.9, 0.3, 1.7, 0.5])
    pose = model.pose(q)
    found = model.solve_all(pose, start=q, samples=1)
    assert found.free
    for motion in found.free:
        reaches(model, motion.q, pose)
        assert (np.diff(motion.along) >= 0.0).all()
        if not motion.closed:
            for end in (motion.q[0], motion.q[-1]):
                assert np.minimum(end - model.lower, model.upper - end).min() < 1e-6


def test_which_arms_swivel() -> None:
    for name, swivels in (
        ("iiwa14", True),
        ("iiwa7", True),
        ("panda", False),
        ("gen3", False),
        ("sawyer", False),
    ):
        axes = axes_of(chain_to(limbik.load(name)))
        assert axes is not None
        assert (swivel_arm(axes) is not None) == swivels


def test_six_joints_without_a_closed_form_have_all_solutions_by_elimination() -> None:
    model = limbik.load("xarm6")
    for q in model.random(4, 10):
        pose = model.pose(q)
        found = model.solve_all(pose, start=q)
        assert found.complete
        reaches(model, found.q, pose)
        np.testing.assert_allclose(found.q[0], q, atol=1e-8)
        assert "there is no other" in found.explain()


@pytest.mark.parametrize("name", [*BY_SWIVEL, *BY_JOINT])
def test_out_of_reach_there_is_none_and_it_is_said(name) -> None:
    model = ARMS[name]
    pose = np.eye(4)
    pose[:3, 3] = 5.0, 0.0, 0.0
    found = model.solve_all(pose)
    assert len(found) == 0
    assert "Out of reach" in found.explain()
    assert found.free == ()


@pytest.mark.slow
def test_a_batch_has_what_each_pose_has() -> None:
    for name in ("iiwa14", "panda"):
        model = ARMS[name]
        poses = model.pose(model.random(3, 3))
        batch = model.solve_all_batch(poses)
        for k, pose in enumerate(poses):
            np.testing.assert_allclose(batch.of(k), model.solve_all(pose).q, atol=1e-9)


def test_bad_arguments_are_named() -> None:
    model = ARMS["panda"]
    pose = model.pose(model.neutral)
    with pytest.raises(limbik.errors.SolverError, match="`samples` needs a whole number from 1 to 1,000,000"):
        model.solve_all(pose, samples=0)
    with pytest.raises(limbik.errors.ConfigurationError, match="`start` needs 7 numbers"):
        model.solve_all(pose, start=[0.0, math.nan])
    with pytest.raises(limbik.errors.GoalError, match="shape"):
        model.solve_all_batch(np.eye(3))
    with pytest.raises(limbik.errors.SolverError, match="closed form"):
        limbik.planar_arm(5).solve_all_batch(np.eye(4)[None])


@pytest.mark.parametrize("name", ["ur5e", "panda", "iiwa14"])
def test_what_is_no_pose_is_refused(name) -> None:
    arm = limbik.load(name)
    for number in (math.nan, math.inf):
        bad = np.eye(4)
        bad[0, 3] = number
        with pytest.raises(limbik.errors.GoalError, match=r"[pP]ose"):
            arm.solve_all(bad)
        with pytest.raises(limbik.errors.GoalError, match=r"[pP]ose"):
            arm.solve_all_batch(bad[None])
    with pytest.raises(limbik.errors.GoalError, match=r"[pP]ose"):
        arm.solve_all(2.0 * np.eye(4))
    with pytest.raises(limbik.errors.GoalError, match=r"[pP]ose"):
        arm.solve_all_batch(2.0 * np.eye(4)[None])


@pytest.mark.parametrize(
    ("name", "q"),
    [
        ("iiwa14", [0.7, -0.9, -2.4, 0.0, 1.6, 1.5, 0.6]),
        ("gen3", [0.5 * np.pi, 1.3, -0.9, 0.0, 0.5 * np.pi, -1.65, 1.04]),
    ],
)
def test_a_straight_elbow_has_a_solution_where_a_search_finds_one(name, q):
    model = limbik.load(name)
    pose = model.pose(q)
    found = model.solve_all(pose)
    assert len(found)
    assert not found.complete
    for each in found:
        assert np.abs(model.pose(each) - pose).max() < 1e-6
        assert model.is_within_limits(each)
    assert model.solve_all_batch(pose[None]).count.tolist() == [len(found)]


@pytest.mark.parametrize("name", ["gen3", "xarm7", "sawyer"])
def test_a_start_at_a_sampled_value_makes_no_solution_twice(name: str) -> None:
    model = limbik.load(name)
    for last in (0.0, np.pi):
        q = model.random(4)
        q[6] = last
        found = model.solve_all(model.pose(q), start=q)
        apart = np.abs(nearest_angles(found.q[:, None] - found.q)).max(axis=2)
        assert len(found) and (apart + np.eye(len(found)) > 1e-4).all()
        assert np.abs(nearest_angles(found.q[0] - q)).max() < 1e-6


@pytest.mark.parametrize("zeros", [(3,), (1,), (5,), (1, 3), (3, 5), (1, 5), (1, 3, 5), tuple(range(7))])
@pytest.mark.parametrize("name", BY_SWIVEL)
def test_a_straight_elbow_and_axes_in_line_are_solved(name, zeros) -> None:
    """One joint may take the motion of another there, and two bends or two flips are one."""
    model = ARMS[name]
    for seed in range(4):
        q = model.random(seed)
        q[list(zeros)] = 0.0
        pose = model.pose(q)
        found = model.solve_all(pose, start=q)
        reaches(model, found.q, pose)
        np.testing.assert_allclose(found.q[0], q, atol=1e-6)
        apart = np.abs(nearest_angles(found.q[:, None] - found.q)).max(axis=2)
        assert apart[np.triu_indices(len(apart), 1)].min() > 1e-5
        assert found.free
        for motion in found.free:
            np.testing.assert_allclose(
                model.pose(motion.q), np.broadcast_to(pose, (*motion.along.shape, 4, 4)), atol=1e-7
            )


@pytest.mark.parametrize("bend", [1e-12, 1e-9, 1e-7, 1e-5, 1e-3])
def test_a_nearly_straight_elbow_has_its_configurations(bend) -> None:
    model = ARMS["iiwa14"]
    q = np.array([0.5, 0.0, 0.3, bend, 0.7, 0.9, 0.2])
    for index in (1, 3, 5):
        q[index] += bend
        found = model.solve_all(model.pose(q), start=q)
        reaches(model, found.q, model.pose(q))
        assert len(found) > 50
