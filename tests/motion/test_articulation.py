"""Groups of joints make the rotations that are asked for, and where they cannot, the nearest."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import limbik
from limbik import Joint, JointKind, Mimic, Model
from limbik.errors import ConfigurationError, ModelError
from limbik.motion.articulation import Articulation
from limbik.motion.batches import hinge_angles
from limbik.spatial import (
    pose_from,
    quat_conjugate,
    quat_exp,
    quat_multiply,
    quat_to_matrix,
    rotation_exp,
    rotation_log,
)
from strategies import unit_vectors
from walker import skeleton

FREE = (np.full(3, -math.inf), np.full(3, math.inf))
angles = st.floats(-7.0, 7.0)
LOCKS = (0.0, 0.5 * math.pi, -0.5 * math.pi, math.pi)


def compose(axes: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Quaternions [T, 4] of turns about axes [n, 3] by angles [T, n]."""
    turn = np.tile([0.0, 0.0, 0.0, 1.0], (len(angles), 1))
    for k, axis in enumerate(axes):
        turn = quat_multiply(turn, quat_exp(axis * angles[:, k, None]))
    return turn


def error(axes: np.ndarray, turn: np.ndarray, found: np.ndarray) -> float:
    """The rotation that is left over [rad]."""
    left = quat_multiply(quat_conjugate(turn), compose(axes, found))
    return float(2.0 * np.abs(left[..., :3]).max())


@given(st.permutations(range(3)), st.lists(angles, min_size=3, max_size=3), angles)
def test_three_hinges_make_every_rotation_they_can(
    order: list[int], turns: list[float], start: float
) -> None:
    axes = np.eye(3)[order]
    turn = compose(axes, np.array([turns]))
    found = hinge_angles(axes, turn, np.full((1, 3), start), *FREE)
    assert error(axes, turn, found) < 1e-10


@given(unit_vectors(), unit_vectors(), unit_vectors(), st.lists(angles, min_size=3, max_size=3))
def test_so_do_hinges_of_any_axes(
    first: np.ndarray, second: np.ndarray, third: np.ndarray, turns: list[float]
) -> None:
    axes = np.array([first, second, third])
    turn = compose(axes, np.array([turns]))
    found = hinge_angles(axes, turn, np.zeros((1, 3)), *FREE)
    assert np.isfinite(found).all()
    assert error(axes, turn, found) < 1e-7  # nearly parallel axes lose half of the digits


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("order", [[2, 0, 1], [2, 1, 2]])
def test_gimbal_lock_has_answers_near_the_start(order: list[int], lock: float) -> None:
    axes = np.eye(3)[order]
    away = np.concatenate([[0.0], 10.0 ** np.arange(-18.0, -1.0)])
    turns = np.column_stack([np.full(len(away), 1.0), lock + away, np.full(len(away), -2.0)])
    turn = compose(axes, turns)
    found = hinge_angles(axes, turn, turns + np.array([0.3, 0.0, -0.2]), *FREE)
    assert error(axes, turn, found) < 1e-11
    assert np.abs(found[0] - turns[0]).max() < 0.4


def test_angles_continue_over_whole_turns() -> None:
    axes = np.eye(3)[[2, 0, 1]]
    turns = np.linspace([0.0, 0.2, 0.0], [40.0, -0.3, -25.0], 500)
    found = np.empty_like(turns)
    near = turns[:1]
    for k, turn in enumerate(compose(axes, turns)):
        near = found[k : k + 1] = hinge_angles(axes, turn[None], near, *FREE)
    assert_allclose(found, turns, atol=1e-9)


@given(unit_vectors(), unit_vectors(), st.integers(0, 2**32 - 1))
def test_two_hinges_come_as_near_as_any_angles_do(first: np.ndarray, second: np.ndarray, seed: int) -> None:
    axes = np.array([first, second])
    rng = np.random.default_rng(seed)
    turn = compose(np.eye(3), rng.uniform(-3.0, 3.0, (1, 3)))
    found = hinge_angles(axes, turn, np.zeros((1, 2)), FREE[0][:2], FREE[1][:2])
    others = compose(axes, rng.uniform(-math.pi, math.pi, (500, 2)))
    nearness = abs(float((compose(axes, found) * turn).sum()))
    assert nearness >= np.abs(others @ turn[0]).max() - 1e-12


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_limits_hold_and_what_is_within_them_is_met(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    axes, lower, upper = np.eye(3)[:count], -rng.uniform(0.1, 1.0, count), rng.uniform(0.1, 1.0, count)
    legal = compose(axes, rng.uniform(lower, upper, (20, count)))
    assert error(axes, legal, hinge_angles(axes, legal, np.zeros((20, count)), lower, upper)) < 1e-9
    beyond = compose(np.eye(3), rng.uniform(-3.0, 3.0, (20, 3)))
    found = hinge_angles(axes, beyond, np.zeros((20, count)), lower, upper)
    assert ((found >= lower) & (found <= upper)).all()
    if count == 1:
        grid = compose(axes, np.linspace(lower, upper, 200))
        assert (
            np.abs((compose(axes, found) * beyond).sum(axis=-1))
            >= np.abs(beyond @ grid.T).max(axis=1) - 1e-12
        ).all()


# --- models -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["euler", "ball"])
def test_a_skeleton_has_a_group_for_each_bone(kind: str) -> None:
    motion = skeleton(kind)
    articulation = Articulation(motion)
    assert set(articulation.links) == set(motion.links)
    q = motion.model.random(3, 5)
    rotations = articulation.rotations_of(q)
    assert rotations.shape == (5, len(articulation.links), 3, 3)
    again = motion.q[0]
    for k, link in enumerate(articulation.links):
        again = articulation.q_with(again, link, rotations[:, k])
    assert_allclose(articulation.rotations_of(again), rotations, atol=1e-9)


@pytest.mark.parametrize("kind", ["euler", "ball"])
def test_a_bone_takes_a_rotation_of_the_world(kind: str) -> None:
    motion = skeleton(kind)
    model, articulation = motion.model, Articulation(motion)
    q = model.random(4, 6)
    wanted = rotation_exp(np.random.default_rng(1).normal(size=(6, 3)))
    turned = articulation.q_with(q, "LeftLeg", wanted, axes="world")
    assert_allclose(model.pose(turned, "LeftLeg")[:, :3, :3], wanted, atol=1e-9)
    assert_allclose(model.pose(turned, "LeftLeg")[:, :3, 3], model.pose(q, "LeftLeg")[:, :3, 3], atol=1e-12)
    changed = np.flatnonzero((turned != q).any(axis=0))
    group = articulation.group("LeftLeg")
    assert set(changed) <= set(group.hinge_indices) or group.quaternion is not None


def test_hinges_of_a_robot_that_meet_are_one_group() -> None:
    arm = (
        limbik.ModelBuilder("arm")
        .revolute("yaw", axis="z", limits=(-1.0, 1.0))
        .revolute("pitch", axis="y")
        .revolute("roll", axis="x", child="upper")
        .revolute("elbow", axis="y", origin=pose_from(translation=[0.3, 0.0, 0.0]), child="fore")
        .build()
    )
    articulation = Articulation(arm)
    assert articulation.links == ("upper", "fore")
    assert [len(group.axes) for group in articulation.groups] == [3, 1]
    by_bones = Articulation(arm, bones=[arm.joint("yaw").child])
    assert [len(group.axes) for group in by_bones.groups] == [1, 2, 1]
    q = articulation.q_with(np.zeros(4), "upper", rotation_exp(np.array([0.2, -0.3, 2.5])))
    assert arm.is_within_limits(q)


def test_the_panda_has_a_shoulder_an_elbow_and_a_wrist() -> None:
    groups = [group for group in Articulation(limbik.load("panda")).groups if len(group.axes)]
    assert [len(group.axes) for group in groups] == [3, 1, 2, 1]


def test_a_ball_joint_keeps_its_cone() -> None:
    ball = Joint(name="hip", kind=JointKind.BALL, parent="base", child="leg", swing=0.5)
    model = Model("leg", [ball])
    q = Articulation(model).q_with(model.neutral, "leg", rotation_exp(np.array([1.2, 0.0, 0.0])))
    assert model.is_within_limits(q)
    assert_allclose(rotation_log(quat_to_matrix(q)), [0.5, 0.0, 0.0], atol=1e-9)


def test_what_cannot_be_turned_is_named() -> None:
    motion = skeleton("euler")
    articulation = Articulation(motion)
    with pytest.raises(ModelError, match="did you mean 'LeftFoot'"):
        articulation.group("LeftFeet")
    with pytest.raises(ConfigurationError, match="orthonormal"):
        articulation.q_with(motion.q, "LeftFoot", 2.0 * np.eye(3))
    with pytest.raises(ConfigurationError, match="shape"):
        articulation.q_with(motion.q, "LeftFoot", np.eye(4))
    joints = [
        Joint(name="lead", kind=JointKind.REVOLUTE, parent="base", child="one"),
        Joint(
            name="follow",
            kind=JointKind.REVOLUTE,
            parent="one",
            child="two",
            origin=pose_from(translation=[0.0, 1.0, 0.0]),
            mimic=Mimic(joint="lead"),
        ),
    ]
    with pytest.raises(ModelError, match="follow"):
        Articulation(Model("pair", joints)).q_with(np.zeros(1), "two", np.eye(3))
