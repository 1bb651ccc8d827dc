"""What is said of goals that are not met, and that each remedy helps."""

import math

import numpy as np
import pytest

from limbik.app.protocol.reading import MessageError
from limbik.app.protocol.space import decode_move
from limbik.app.scene_opener import SceneOpener
from limbik.app.space_session import SpaceSession
from limbik.errors import ModelError
from space_scenes import MJCF, URDF, goal, moving, opening, request

WORKSHOP = SceneOpener()
DOWN = {"quat_xyzw": [1.0, 0.0, 0.0, 0.0]}
FOLLOWERS = """<robot name="gripper">
  <link name="base"/> <link name="first"/> <link name="second"/>
  <joint name="lead" type="revolute">
    <parent link="base"/><child link="first"/><axis xyz="0 0 1"/><limit lower="-0.5" upper="0.5"/>
  </joint>
  <joint name="follow" type="revolute">
    <parent link="first"/><child link="second"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1"/><mimic joint="lead" multiplier="2"/>
  </joint>
</robot>
"""


def began(**asked):
    session = SpaceSession(WORKSHOP)
    session.open(request(**opening(**asked)))
    return session


@pytest.fixture
def crane():
    return began(text=URDF)


@pytest.fixture
def panda():
    return began(names=["panda"])


def explained(session, goals, **others):
    q = session._opened.arms[0].start.tolist()
    return session.explain(request(type="explain", arm=0, q=q, goals=goals, **others))


def searched(session, goals, **entry):
    asked = request(**moving(goals, search=True, entry=entry))
    (arm,) = decode_move(session.move(asked).encode()).arms
    return arm


def kinds(told):
    return [remedy["kind"] for remedy in told.remedies]


def wider(told):
    """What a page sends of the limits that are to be widened."""
    (remedy,) = [remedy for remedy in told.remedies if remedy["kind"] == "widen"]
    return [{"joint": limit["joint"], limit["side"]: limit["value"]} for limit in remedy["limits"]]


def test_a_goal_too_far_away_is_said_in_one_sentence_and_can_be_moved_to_the_nearest_point(crane):
    told = explained(crane, [goal("hook", (9.0, 0.0, 1.0))])
    assert told.culprit.startswith("The target is 9.055 m from joint 'slew'")
    assert kinds(told) == ["widen", "move"]  # a longer slide would reach it
    model = crane._opened.arms[0].model
    nearest = model.pose(np.array(told.nearest), "hook")[:3, 3]
    assert searched(crane, [goal("hook", nearest.tolist())]).status == "solved"


def test_a_locked_joint_that_is_needed_is_named_and_unlocked(crane):
    asked = [goal("hook", (-0.4, 0.0, 1.9))]
    told = explained(crane, asked, locked=["slew"])
    assert told.culprit == "Joint 'slew' is locked, and the goal needs it."
    assert told.remedies[0] == {"kind": "unlock", "joints": ["slew"]}
    assert searched(crane, asked, locked=["slew"]).status != "solved"
    assert searched(crane, asked).status == "solved"


def test_limits_that_bind_are_widened_as_far_as_is_needed(crane):
    asked = [goal("hook", (1.6, 0.0, 1.0))]
    told = explained(crane, asked)
    assert told.culprit.startswith("Joint 'lift' would have to go")
    (remedy,) = [remedy for remedy in told.remedies if remedy["kind"] == "widen"]
    (limit,) = remedy["limits"]
    assert (limit["joint"], limit["side"], limit["unit"]) == ("lift", "upper", "m")
    assert limit["value"] == pytest.approx(1.1, abs=1.1e-3)
    assert searched(crane, asked).status != "solved"
    arm = searched(crane, asked, widened=wider(told))
    assert (arm.status, arm.violations) == ("solved", 0)
    assert explained(crane, asked, widened=wider(told)).status == "solved"
    assert crane._opened.arms[0].model.joint("lift").upper == 1.0  # of this page, not of all


def test_several_limits_are_widened_to_whole_degrees(panda):
    asked = [goal("flange", (0.05, 0.0, 0.3), "pose", **DOWN)]
    told = explained(panda, asked)
    assert told.status == "limits_bind"
    (remedy,) = [remedy for remedy in told.remedies if remedy["kind"] == "widen"]
    assert len(remedy["limits"]) == len(told.joints) > 1
    for limit in remedy["limits"]:
        degrees = math.degrees(limit["value"])
        assert degrees == pytest.approx(round(degrees), abs=1e-9)
    assert searched(panda, asked, widened=wider(told)).status == "solved"


def test_an_orientation_that_is_not_available_can_be_given_up(panda):
    asked = [goal("flange", (0.85, 0.0, 0.33), "pose", **DOWN)]
    told = explained(panda, asked)
    assert told.culprit == "The point can be reached, but not in this orientation."
    assert kinds(told) == ["position", "move"]
    assert searched(panda, asked).status != "solved"
    assert searched(panda, [goal("flange", (0.85, 0.0, 0.33))]).status == "solved"


def test_goals_that_can_be_met_are_to_be_looked_for(crane):
    told = explained(crane, [goal("hook", (0.6, 0.6, 1.4))])
    assert (told.status, kinds(told)) == ("solved", ["search"])


def test_goals_in_conflict_are_named(crane):
    told = explained(crane, [goal("hook", (0.6, 0.6, 1.4)), goal("hook", (-0.6, 0.6, 1.4))])
    assert "goals 1 and 2 were never met together" in told.culprit
    assert kinds(told) == ["move"]


# How far a goal is out of reach


def test_a_motion_says_how_far_each_goal_is_out_of_reach(crane):
    far, near = goal("hook", (9.0, 0.0, 1.0)), goal("boom", (0.0, 0.0, 1.0))
    (arm,) = decode_move(crane.move(request(**moving([near, far]))).encode()).arms
    np.testing.assert_allclose(arm.out_of_reach, [0.0, math.hypot(9.0, 1.0) - 2.5], atol=1e-6)
    (arm,) = decode_move(crane.move(request(**moving([goal("hook", (0.6, 0.6, 1.4))]))).encode()).arms
    assert arm.out_of_reach.tolist() == [0.0]
    (arm,) = decode_move(crane.move(request(**moving([]))).encode()).arms
    assert arm.out_of_reach.size == 0


# Wider limits


def test_what_follows_a_joint_goes_as_far_as_its_leader_now_may():
    session = began(text=FOLLOWERS, name="gripper.urdf")
    target = [math.cos(0.8), math.sin(0.8), 0.0]
    asked = [goal("second", target)]
    assert searched(session, asked).status != "solved"
    arm = searched(session, asked, widened=[{"joint": "lead", "upper": 0.9}])
    assert arm.status == "solved"
    assert arm.q[0] == pytest.approx(0.8, abs=1e-3)


def test_a_limit_is_widened_but_never_narrowed(crane):
    asked = [goal("hook", (1.4, 0.0, 1.0))]  # lift at 0.9
    assert searched(crane, asked, widened=[{"joint": "lift", "upper": 0.2}]).status == "solved"


def test_an_exported_scene_has_the_wider_limits(crane):
    widened = [[{"joint": "lift", "upper": 2.5}]]
    told = crane.export(request(type="export", format="urdf", q=[], goals=[], widened=widened))
    assert 'upper="2.5"' in told.text


@pytest.mark.parametrize(
    ("joint", "text", "said"),
    [("slew", URDF, "no limits to widen"), ("nothing", URDF, "nothing"), ("follow", FOLLOWERS, "follow")],
)
def test_a_joint_without_such_limits_is_named(joint, text, said):
    session = began(text=text, name="robot.urdf")
    frame = "hook" if text is URDF else "second"
    asked = request(
        **moving([goal(frame, (1.0, 0.0, 1.0))], entry={"widened": [{"joint": joint, "upper": 9}]})
    )
    try:
        (arm,) = decode_move(session.move(asked).encode()).arms
    except ModelError as error:
        assert said in str(error)
    else:
        assert said in arm.refused


def test_a_limit_that_is_no_number_is_refused():
    with pytest.raises(MessageError, match=r"arms\[0\].widened\[0\].upper"):
        request(**moving([], entry={"widened": [{"joint": "lift", "upper": "far"}]}))


def test_the_wider_limits_of_a_scene_are_forgotten_with_it(crane):
    searched(crane, [goal("hook", (1.6, 0.0, 1.0))], widened=[{"joint": "lift", "upper": 2.0}])
    crane.open(request(**opening(text=MJCF, name="twin.xml")))
    assert crane._wider == {}
