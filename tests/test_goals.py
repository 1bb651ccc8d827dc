"""Goals: what they take, what they keep, what they refuse."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal
from scipy.spatial.transform import RigidTransform, Rotation

from limbik import Goal, Orientation, Pose, Position
from limbik.errors import GoalError
from limbik.goals import as_goal
from strategies import SEEDS


def random_pose(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    return matrix


@pytest.mark.parametrize(
    "target", [[1.0, 2.0, 3.0], (1, 2), np.array([1.0, 2.0, 3.0]), np.float32([1.0, 2.0])]
)
def test_a_point_has_two_or_three_numbers(target):
    goal = Position(target=target)
    assert_array_equal(goal.target, target)
    assert goal.target.dtype == np.float64
    assert goal.frame is None


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ([], "2 or 3 numbers"),
        ([1.0], "2 or 3 numbers"),
        ([1.0, 2.0, 3.0, 4.0], "2 or 3 numbers"),
        (1.0, "2 or 3 numbers"),
        (None, "2 or 3 numbers"),
        ("here", "2 or 3 numbers"),
        (["a", "b"], "2 or 3 numbers"),
        ([[1.0, 2.0, 3.0]], "2 or 3 numbers"),
        ([[1.0], [2.0, 3.0]], "2 or 3 numbers"),
        ([1j, 2.0, 3.0], "2 or 3 numbers"),
        ([1.0, math.nan], "finite.*nan"),
        ([1.0, math.inf, 0.0], "finite.*inf"),
    ],
)
def test_what_is_no_point_is_refused(target, words):
    with pytest.raises(GoalError, match=f"target of Position needs {words}"):
        Position(target=target)


@given(SEEDS)
def test_a_pose_is_a_matrix_or_a_rigid_transform(seed):
    matrix = random_pose(seed)
    assert_array_equal(Pose(target=matrix).target, matrix)
    assert_array_equal(Pose(target=matrix.tolist()).target, matrix)
    given_as_scipy = Pose(target=RigidTransform.from_matrix(matrix)).target
    np.testing.assert_allclose(given_as_scipy, matrix, atol=1e-15)


@given(SEEDS)
def test_an_orientation_is_a_matrix_or_a_rotation(seed):
    rotation = Rotation.random(rng=np.random.default_rng(seed))
    assert_array_equal(Orientation(target=rotation.as_matrix()).target, rotation.as_matrix())
    assert_array_equal(Orientation(target=rotation).target, rotation.as_matrix())


SHEARED = np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
MIRRORED = np.diag([1.0, 1.0, -1.0])
ROUGH = np.eye(3) + 1e-3


def as_pose(rotation: np.ndarray) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    return matrix


@pytest.mark.parametrize("rotation", [SHEARED, MIRRORED, ROUGH, 2.0 * np.eye(3), np.zeros((3, 3))])
def test_what_is_no_rotation_is_refused(rotation):
    with pytest.raises(GoalError, match="Orientation"):
        Orientation(target=rotation)
    with pytest.raises(GoalError, match="Pose"):
        Pose(target=as_pose(rotation))


@pytest.mark.parametrize(
    "target",
    [
        None,
        "up",
        1.0,
        np.eye(2),
        np.eye(5),
        np.full((4, 4), math.nan),
        np.zeros((2, 4, 4)),
        [[1.0], [2.0, 3.0]],
    ],
)
def test_what_is_no_matrix_is_refused(target):
    with pytest.raises(GoalError, match="target of Pose"):
        Pose(target=target)
    with pytest.raises(GoalError, match="target of Orientation"):
        Orientation(target=target)


def test_the_last_row_of_a_pose_is_checked():
    matrix = np.eye(4)
    matrix[3, 0] = 1.0
    with pytest.raises(GoalError, match="target of Pose"):
        Pose(target=matrix)


@pytest.mark.parametrize(
    ("kind", "target"), [(Position, np.zeros(3)), (Orientation, np.eye(3)), (Pose, np.eye(4))]
)
def test_a_goal_never_changes(kind, target):
    goal = kind(target=target, frame="tip")
    target[0] = 7.0  # the goal keeps a copy
    assert goal.target.max() <= 1.0
    with pytest.raises(ValueError, match="read-only"):
        goal.target[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        goal.frame = "other"
    assert isinstance(goal, Goal)


def test_bare_points_and_poses_are_goals_of_the_end_effector():
    assert isinstance(as_goal([1.0, 2.0]), Position)
    assert isinstance(as_goal((1.0, 2.0, 3.0)), Position)
    assert isinstance(as_goal(np.eye(4)), Pose)
    assert isinstance(as_goal(np.eye(4).tolist()), Pose)
    assert isinstance(as_goal(RigidTransform.identity()), Pose)
    for value in ([1.0, 2.0], np.eye(4)):
        assert as_goal(value).frame is None
    goal = Orientation(target=np.eye(3))
    assert as_goal(goal) is goal


@pytest.mark.parametrize(
    "value", [None, 1.0, "tip", [], [1.0] * 4, np.eye(3), {}, object(), [[1.0], [2.0, 3.0]]]
)
def test_anything_else_is_no_goal(value):
    with pytest.raises(GoalError, match="goal"):
        as_goal(value)
