"""Paths that the page follows: planned, in seconds, with their breaks in words."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limbik import load
from limbik.app.protocol.reading import MessageError
from limbik.app.scene_opener import SceneOpener
from limbik.app.space_session import SpaceSession
from limbik.errors import FormatError, GoalError, ModelError, SolverError
from limbik.formats.path_csv import read_poses
from limbik.spatial import pose_from, quat_from_matrix, quat_to_matrix
from space_scenes import URDF, opening, request

WORKSHOP = SceneOpener()
READY = (0.3, -1.2, 1.5, -1.8, -1.5, 0.2)
TURN = [1.0, 0.0, 0.0, 0.0]
POSES = [[0.4, -0.2, 0.5, *TURN], [0.4, 0.2, 0.5, *TURN]]
FAR = [0.4, 1.4, 0.5, *TURN]
CSV = "time,x,y,z,roll,pitch,yaw\n0,0.4,-0.2,0.5,3.1415926,0,0\n2,0.4,0.2,0.5,3.1415926,0,0\n"


def followed(robot="ur5e", **asked):
    session = SpaceSession(WORKSHOP)
    session.open(request(**opening(names=[robot])))
    q = asked.pop("q", READY)
    message = {"type": "path", "id": 3, "arm": 0, "frame": load(robot).end_effector, "q": list(q), **asked}
    return json.loads(session.follow_path(request(**message)).encode())


def test_poses_become_joints_over_time() -> None:
    path = followed(poses=POSES)
    arm = load("ur5e")
    q, times = np.array(path["q"]), np.array(path["times"])
    assert (path["type"], path["id"], path["complete"], path["breaks"]) == ("path", 3, True, [])
    assert_allclose(path["poses"], POSES, atol=1e-12)
    assert_allclose(arm.pose(q[[0, -1]])[:, :3, 3], [[0.4, -0.2, 0.5], [0.4, 0.2, 0.5]], atol=1e-3)
    rates = np.abs(np.diff(q, axis=0)) / np.diff(times)[:, None]
    assert 0.9 < rates.max() <= 1.0 + 1e-9
    assert "1 rad/s" in path["pace"]
    assert read_poses(path["csv"]).times.tolist() == times.tolist()


def circle(at, radius=0.1):
    angles = np.linspace(0.0, 2.0 * np.pi, 31)
    around = np.column_stack([np.sin(angles), 0.0 * angles, np.cos(angles) - 1.0])
    return [[*point, *at[3:]] for point in np.array(at[:3]) + radius * around]


def test_it_begins_as_the_arm_stands_and_says_how_far_its_ends_are():
    arm = load("ur5e")
    begun = 0
    for each in arm.solve_all(arm.pose(READY)):
        pose = arm.pose(each)
        at = [*pose[:3, 3], *quat_from_matrix(pose[:3, :3])]
        path = followed(poses=circle(at), q=each)
        if path["ends"].startswith("As the arm stands it would break more often: to its beginning"):
            poses = [pose_from(quat_to_matrix(np.array(each[3:])), each[:3]) for each in circle(at)]
            assert arm.solve_path(poses, first=each).breaks
            assert path["complete"]
        else:
            assert_allclose(path["q"][0], each, atol=1e-6)
            assert path["ends"].startswith("It begins as the arm stands.")
            begun += 1
    assert begun == 4
    path = followed(poses=POSES)
    turn = np.degrees(np.abs(np.array(path["q"][0]) - READY))
    worst = arm.joints[int(turn.argmax())].name
    assert path["ends"] == f"To its beginning {worst!r} turns by {turn.max():.3g}°."


def test_a_closed_cycle_of_an_arm_with_a_spare_joint_ends_as_it_begins():
    arm = load("panda")
    q = arm.random(5)
    pose = arm.pose(q)
    poses = circle([*pose[:3, 3], *quat_from_matrix(pose[:3, :3])], 0.05)
    open_, closed = (followed("panda", poses=poses, q=q, closed=each) for each in (False, True))
    assert "From its beginning to its end, at the same pose, " in open_["ends"]
    assert (open_["closed"], closed["closed"]) == (False, True)
    assert np.abs(np.subtract(open_["q"][0], open_["q"][-1])).max() > 1e-3
    assert_allclose(closed["q"][0], closed["q"][-1], atol=1e-9)
    assert closed["ends"].endswith("It ends as it begins.")
    line = followed(poses=POSES, closed=True)
    assert not line["closed"]
    assert line["ends"].endswith("Its ends do not meet, so that it is no cycle.")


def test_joints_are_as_fast_as_the_description_says() -> None:
    session = SpaceSession(WORKSHOP)
    text = URDF.replace('upper="1.5"', 'upper="1.5" velocity="0.5"').replace(
        'upper="1"', 'upper="1" velocity="2"'
    )
    session.open(request(**opening(text=text)))
    poses = [[0.9, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [1.4, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]]
    asked = {"type": "path", "id": 3, "arm": 0, "frame": "hook", "q": [0.0, 0.0, 0.4], "poses": poses}
    path = json.loads(session.follow_path(request(**asked)).encode())
    assert path["pace"] == (
        "The joints move as fast as the robot's description lets them, the others at 1 rad/s at most."
    )
    rates = np.abs(np.diff(path["q"], axis=0)) / np.diff(path["times"])[:, None]
    assert 0.25 < rates[:, 2].max() <= 2.0 + 1e-9


def test_a_break_says_where_and_why_and_between_which_knots() -> None:
    path = followed(poses=[*POSES, FAR, *POSES[::-1]])
    (found,) = path["breaks"]
    before, after = found["knots"]
    assert after == before + 1
    assert 1.0 < found["begin"] < 2.0 < found["end"] < 3.0
    assert (found["reason"], found["text"]) == (
        "no solution",
        "no configuration reaches the poses that follow",
    )
    assert not path["complete"]


def test_a_break_at_an_end_has_no_knots_behind_it() -> None:
    path = followed(poses=[*POSES, FAR])
    assert [each["knots"] for each in path["breaks"]] == [None]
    nowhere = followed(poses=[FAR])
    assert nowhere["q"] == [] and nowhere["times"] == []


def test_a_file_gives_poses_and_times() -> None:
    path = followed(csv=CSV, name="poses.csv")
    assert_allclose(np.array(path["poses"])[:, :3], np.array(POSES)[:, :3], atol=1e-9)
    assert (path["times"][0], path["times"][-1]) == (0.0, 2.0)
    assert path["pace"] == "Times are those of the file."
    fast = followed(csv=CSV.replace("\n2,", "\n0.2,"), name="poses.csv")
    assert "times as fast as it may" in fast["pace"]


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"csv": "x,y,z\n1,2,3\n", "name": "poses.csv"}, FormatError, r"poses\.csv:1: the header needs"),
        (
            {"csv": "x,y,z,roll,pitch,yaw\n" + 401 * "1,0,0,0,0,0\n", "name": "poses.csv"},
            GoalError,
            "at most 400 poses, found 401",
        ),
        ({"poses": [POSES[0], [9.0e3, 0, 0, *TURN]]}, GoalError, "too long for the page"),
        ({"poses": POSES, "frame": "nose"}, ModelError, "nose"),
        ({"poses": POSES, "q": [1.0]}, MessageError, "needs 6 numbers"),
        ({"poses": POSES, "csv": CSV, "name": "a.csv"}, MessageError, "either `poses` or `csv`"),
        ({}, MessageError, "either `poses` or `csv`"),
        ({"poses": []}, MessageError, "1 to 400 lists"),
        ({"poses": [[0.0] * 6]}, MessageError, "7 numbers"),
        ({"poses": [[0.0] * 7]}, MessageError, "quaternion that is not 0"),
    ],
)
def test_what_has_no_meaning_is_refused(asked, error, said) -> None:
    with pytest.raises(error, match=said):
        followed(**asked)


def test_a_floating_robot_is_refused_in_words() -> None:
    session = SpaceSession(WORKSHOP)
    session.open(request(**opening(names=["ur5e"], base="floating")))
    q = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, *READY]
    with pytest.raises(SolverError, match="revolute and prismatic joints alone"):
        session.follow_path(
            request(type="path", id=3, arm=0, frame=load("ur5e").end_effector, q=q, poses=POSES)
        )
