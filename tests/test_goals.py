"""Goals: what they take, what they keep, what they refuse."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal
from scipy.spatial.transform import RigidTransform, Rotation

from limbik.errors import GoalError
from limbik.goals import (
    CenterOfMass,
    Direction,
    DistanceBetween,
    Goal,
    JointValue,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    Relative,
    as_goal,
    as_goals,
    axes_of,
    frames_of,
    is_plain,
)
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


# ------------------------------------------------------------------------- what each goal takes and refuses

ORIGIN, UP, STILL = [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], np.eye(4)
THREE = "1 or 3 numbers, each 0 or from 1e-6 to 1e6, not all of them 0"
SIX = "6 numbers, each 0 or from 1e-6 to 1e6, not all of them 0"
BOX, CONE = "1 or 3 finite numbers of at least 0", "a finite number of at least 0"
MADE = {  # a plain goal of each kind, and what it needs
    Position: {"target": ORIGIN},
    Orientation: {"target": np.eye(3)},
    Pose: {"target": STILL},
    Relative: {"target": STILL, "reference": "hand"},
    Direction: {"axis": UP, "target": UP},
    LookAt: {"axis": UP, "target": ORIGIN},
    PointOnLine: {"point": ORIGIN, "direction": UP},
    PointOnPlane: {"point": ORIGIN, "normal": UP},
    DistanceBetween: {"other": "hand", "value": 0.4},
    CenterOfMass: {"target": ORIGIN},
    JointValue: {"joint": "elbow", "value": 0.5},
    Posture: {"q": [0.1, 0.2]},
}
REFUSED = [
    (Position, {"weight": -1}, f"the weight of Position needs {THREE}; found -1"),
    (Position, {"weight": 0}, f"the weight of Position needs {THREE}; found 0"),
    (Position, {"weight": [1, 2]}, f"the weight of Position needs {THREE}; found [1, 2]"),
    (Position, {"weight": (1, math.nan, 1)}, f"the weight of Position needs {THREE}; found (1, nan, 1)"),
    (Position, {"weight": 1e7}, f"the weight of Position needs {THREE}; found 10000000.0"),
    (Position, {"weight": 1e-7}, f"the weight of Position needs {THREE}; found 1e-07"),
    (Position, {"weight": 5e-324}, f"the weight of Position needs {THREE}; found 5e-324"),
    (Position, {"weight": "heavy"}, f"the weight of Position needs {THREE}, found 'heavy'"),
    (Position, {"tolerance": -1}, f"the tolerance of Position needs {BOX}; found -1"),
    (Position, {"tolerance": math.inf},
     f"the tolerance of Position needs {BOX}; found inf"),
    (Position, {"axes": "tool"}, "the axes of Position needs 'world' or 'frame', found 'tool'"),
    (Orientation, {"weight": (0, 0, 0)}, f"the weight of Orientation needs {THREE}; found (0, 0, 0)"),
    (Orientation, {"axes": None}, "the axes of Orientation needs 'world' or 'frame', found None"),
    (Pose, {"weights": 1.0}, f"the weights of Pose need {SIX}; found 1.0"),
    (Pose, {"weights": (0,) * 6}, f"the weights of Pose need {SIX}; found (0, 0, 0, 0, 0, 0)"),
    (Pose, {"tolerance": 0.1}, "the tolerance of Pose needs 6 finite numbers of at least 0; found 0.1"),
    (Relative, {"target": np.eye(3)}, "the target of Relative needs a 4x4 pose, found shape (3, 3)"),
    (Relative, {"reference": None}, "the reference of Relative needs a name, found None"),
    (Direction, {"axis": ORIGIN}, "the axis of Direction needs a direction, found 0 0 0"),
    (Direction, {"target": ORIGIN}, "the target of Direction needs a direction, found 0 0 0"),
    (
        Direction,
        {"axis": "up"},
        "the axis of Direction needs three numbers or one of x, y, z, -x, -y, -z, found 'up'",
    ),
    (Direction, {"axis": [0, 1]}, "the axis of Direction needs 3 numbers, found shape (2,)"),
    (Direction, {"weight": 0}, "the weight of Direction needs a number from 1e-6 to 1e6; found 0"),
    (Direction, {"tolerance": -0.1}, f"the tolerance of Direction needs {CONE}; found -0.1"),
    (LookAt, {"target": [1, 2]}, "the target of LookAt needs 3 numbers [m], found shape (2,)"),
    (LookAt, {"target": [1, 2, math.nan]},
     "the target of LookAt needs finite numbers [m], found [1.0, 2.0, nan]"),
    (PointOnLine, {"point": [1]}, "the point of PointOnLine needs 3 numbers [m], found shape (1,)"),
    (PointOnLine, {"direction": ORIGIN}, "the direction of PointOnLine needs a direction, found 0 0 0"),
    (PointOnPlane, {"normal": ORIGIN}, "the normal of PointOnPlane needs a direction, found 0 0 0"),
    (PointOnPlane, {"tolerance": (0, 0)},
     f"the tolerance of PointOnPlane needs {CONE}; found (0, 0)"),
    (DistanceBetween, {"other": None}, "the other frame of DistanceBetween needs a name, found None"),
    (DistanceBetween, {"value": -0.1},
     "the value of DistanceBetween needs a distance [m] of at least 0, found -0.1"),
    (DistanceBetween, {"value": math.inf},
     "the value of DistanceBetween needs a distance [m] of at least 0, found inf"),
    (CenterOfMass, {"target": [1, 2]}, "the target of CenterOfMass needs 3 numbers [m], found shape (2,)"),
    (CenterOfMass, {"frame": "tip"}, "CenterOfMass is about no frame, found frame 'tip'"),
    (JointValue, {"frame": "tip"}, "JointValue is about no frame, found frame 'tip'"),
    (JointValue, {"joint": 3}, "the joint of JointValue needs a name, found 3"),
    (JointValue, {"value": "far"}, "the value of JointValue needs a number [rad or m], found 'far'"),
    (JointValue, {"value": math.nan}, "the value of JointValue needs a number [rad or m], found nan"),
    (JointValue, {"value": [1]}, "the value of JointValue needs a number [rad or m], found [1]"),
    (Posture, {"frame": "tip"}, "Posture is about no frame, found frame 'tip'"),
    (Posture, {"q": [[1]]}, "the q of Posture needs finite numbers (nq), found [[1]]"),
    (Posture, {"q": [math.nan]}, "the q of Posture needs finite numbers (nq), found [nan]"),
    (Posture, {"q": "rest"}, "the q of Posture needs one number per index in q, found 'rest'"),
    (Posture, {"weight": [0, 0]},
     "the weight of Posture needs 2 numbers, each 0 or from 1e-6 to 1e6, not all of them 0; found [0, 0]"),
    (Posture, {"weight": []}, "the weight of Posture needs a number from 1e-6 to 1e6; found []"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "wrong", "message"), REFUSED)
def test_what_is_wrong_is_named_with_what_would_be_right(kind, wrong, message):
    with pytest.raises(GoalError) as caught:
        kind(**{**MADE[kind], **wrong})
    assert str(caught.value) == message


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("priority", [3, -1, 1.0, True, "high", None])
def test_priorities_are_0_1_and_2(kind, priority):
    with pytest.raises(GoalError) as caught:
        kind(**MADE[kind], priority=priority)
    assert str(caught.value) == f"the priority of {kind.__name__} needs 0, 1 or 2, found {priority!r}"


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind not in (CenterOfMass, JointValue, Posture)])
@pytest.mark.parametrize("frame", [3, ["tip"], np.eye(4)])
def test_a_frame_is_a_name(kind, frame):
    with pytest.raises(GoalError, match=f"the frame of {kind.__name__} needs a name, found"):
        kind(**MADE[kind], frame=frame)


@pytest.mark.parametrize("kind", MADE)
def test_a_posture_comes_after_all_other_goals(kind):
    assert kind(**MADE[kind]).priority == (1 if kind is Posture else 0)


@pytest.mark.parametrize("kind", MADE)
def test_no_number_of_a_goal_ever_changes(kind):
    goal = kind(**MADE[kind])
    for field in dataclasses.fields(goal):
        value = getattr(goal, field.name)
        assert not isinstance(value, list)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable


def test_one_number_stands_for_all_axes():
    for kind in (Position, Orientation):
        assert axes_of(kind(**MADE[kind], weight=2, tolerance=0.5).weight) == (2.0,) * 3
        assert axes_of(kind(**MADE[kind], weight=2, tolerance=0.5).tolerance) == (0.5,) * 3


def test_directions_have_names():
    goal = Direction(axis="z", target="-z")
    assert_array_equal(goal.axis, [0.0, 0.0, 1.0])
    assert_array_equal(goal.target, [0.0, 0.0, -1.0])
    assert_array_equal(LookAt(axis="-x", target=(1, 2, 3)).axis, [-1.0, 0.0, 0.0])
    with pytest.raises(GoalError, match="the axis of Direction needs three numbers or one of x, y, z, -x"):
        Direction(axis="down", target="-z")


@pytest.mark.parametrize("length", [1e-200, 1.0, 1e200])
def test_directions_may_have_any_length(length):
    goal = Direction(axis=[0.0, 3.0 * length, 4.0 * length], target=[-length, 0.0, 0.0])
    np.testing.assert_allclose(goal.axis, [0.0, 0.6, 0.8], atol=1e-15)
    assert_array_equal(goal.target, [-1.0, 0.0, 0.0])


def test_an_orientation_may_be_given_as_a_pose():
    pose = random_pose(1)
    assert_array_equal(Orientation(target=pose).target, pose[:3, :3])


def test_several_goals_come_in_a_list():
    one, other = Position(target=ORIGIN), Posture(q=[0.0])
    assert as_goals([one, other]) == as_goals((one, other)) == (one, other)
    assert as_goals(one) == (one,)
    assert len(as_goals(np.eye(4))) == 1
    for point in ([1, 2.5, -3], (0.5, 0.25)):
        (goal,), (expected,) = as_goals(point), as_goals(Position(target=point))
        assert goal.structure == expected.structure
        assert_array_equal(goal.target, expected.target)
        assert not goal.target.flags.writeable


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "a list of goals needs at least one"),
        (
            [Position(target=ORIGIN), None],
            "a list of goals needs goals only, such as limbik.Pose; found None",
        ),
        (
            [Posture(q=[0.0]), np.eye(4)],
            "a list of goals needs goals only, such as limbik.Pose; found an array of shape (4, 4)",
        ),
        (
            "x",
            "a goal needs a point of 2 or 3 numbers, a 4x4 pose, a RigidTransform, a goal such as "
            "limbik.Pose or a list of goals; found 'x'",
        ),
    ],
)
def test_what_is_no_list_of_goals_is_refused(value, message):
    with pytest.raises(GoalError) as caught:
        as_goals(value)
    assert str(caught.value) == message


def test_a_message_stays_on_one_line():
    with pytest.raises(GoalError) as caught:
        as_goals([np.eye(4), np.eye(4)])
    assert "\n" not in str(caught.value)


def test_the_bare_goal_is_none():
    for value in (Goal(), [Goal()]):
        with pytest.raises(GoalError, match=r"such as limbik\.Pose"):
            as_goals(value)


@pytest.mark.parametrize("kind", MADE)
def test_only_all_of_a_position_a_rotation_or_a_pose_is_plain(kind):
    assert is_plain(kind(**MADE[kind])) == (kind in (Position, Orientation, Pose))
    assert not is_plain(kind(**MADE[kind], priority=2))
    if kind in (Position, Orientation):
        assert not is_plain(kind(**MADE[kind], weight=(1, 1, 0)))
        assert not is_plain(kind(**MADE[kind], tolerance=0.1))


def test_frames_of_goals_are_those_that_they_are_about():
    goals = [kind(**MADE[kind]) for kind in (Posture, JointValue, CenterOfMass)]
    assert frames_of(goals) == set()
    assert frames_of([Position(target=ORIGIN), Pose(target=STILL, frame="left")]) == {None, "left"}
    assert frames_of([Relative(**MADE[Relative], frame="tip")]) == {"tip", "hand"}


def test_a_frame_by_a_text_of_numpy_is_that_frame() -> None:
    assert repr(Position(target=(0, 0, 1), frame=np.array(["hand"])[0]).frame) == "'hand'"
