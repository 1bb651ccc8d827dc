"""All solutions as the page is told them: each meets the goals, and few enough are shown to be told apart."""

import json

import numpy as np
import pytest

from limbik.app.protocol.reading import MessageError
from limbik.app.scene_opener import SceneOpener
from limbik.app.session import Session
from limbik.app.solution_choice import MAX, spread
from limbik.app.space_session import SpaceSession
from limbik.errors import GoalError
from limbik.spatial import quat_from_matrix
from space_scenes import goal, opening, request


def opened(name):
    session = SpaceSession(SceneOpener())
    session.open(request(**opening(names=[name])))
    return session, session._opened.arms[0].model


def told(session, q, wanted, **others):
    """The answer as the page reads it."""
    asked = request(type="solutions", arm=0, q=list(q), goals=[wanted], **others)
    return json.loads(session.solve_all(asked).encode())


def pose_goal(model, pose):
    frame = model.end_effector
    return goal(frame, pose[:3, 3], "pose", quat_xyzw=quat_from_matrix(pose[:3, :3]).tolist())


@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_every_solution_meets_the_pose_within_limits_and_the_first_is_where_the_arm_is(name):
    session, model = opened(name)
    q = model.random(5)
    pose = model.pose(q)
    answer = told(session, q, pose_goal(model, pose))
    found = np.array(answer["q"])
    np.testing.assert_allclose(model.pose(found), np.tile(pose, (len(found), 1, 1)), atol=1e-6)
    np.testing.assert_allclose(found[0], q, atol=1e-6)
    assert model.is_within_limits(found).all()
    room = np.minimum(found - model.lower, model.upper - found).min(axis=1)
    np.testing.assert_allclose(answer["margins"], room, atol=1e-9)
    assert len(found) == len(answer["branches"]) == len(answer["manipulability"]) <= MAX
    assert answer["complete"] == (name == "puma560")
    assert answer["is_quick"]


def test_a_point_is_searched_for_and_the_answer_says_that_there_may_be_more():
    session, model = opened("ur5")
    q = model.random(2)
    answer = told(session, q, goal(model.end_effector, model.pose(q)[:3, 3]))
    assert len(answer["q"]) == MAX < answer["count"]
    assert not answer["complete"]
    assert not answer["is_quick"]
    assert "There may be more" in answer["text"]


def test_what_is_out_of_reach_has_no_solution_and_a_reason():
    session, model = opened("puma560")
    far = model.pose(model.neutral).copy()
    far[:3, 3] = (0, 0, 9)
    answer = told(session, model.neutral, pose_goal(model, far))
    assert answer["q"] == []
    assert answer["count"] == 0
    assert answer["text"]


def test_requests_without_meaning_are_refused():
    session, model = opened("puma560")
    with pytest.raises(MessageError, match="`q` needs 6 numbers"):
        told(session, [0, 0], pose_goal(model, np.eye(4)))
    with pytest.raises(GoalError, match="cannot move"):
        told(session, model.neutral, goal(model.root, (0, 0, 0)))


def test_those_that_are_shown_are_the_nearest_and_far_from_each_other():
    rng = np.random.default_rng(3)
    q = np.concatenate([rng.normal(scale=1e-3, size=(40, 3)), np.eye(3), -np.eye(3)])
    places = spread(q, 7)
    assert places[0] == 0
    assert places == sorted(set(places))
    assert set(range(40, 46)) <= set(places)
    assert spread(q[:5], 7) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("links", [2, 5])
def test_in_the_plane_every_solution_reaches_the_target_within_limits(links):
    base, target = np.array([300.0, 400.0]), np.array([390.0, 330.0])
    q = [0.3] * links
    asked = {"links": links, "length": 90, "base": base.tolist(), "target": target.tolist(), "q": q}
    limits = {"limits": True, "limit_degrees": 150}
    answer = json.loads(Session().solve_all(request(type="plane_solutions", **asked, **limits)).encode())
    found = np.array(answer["q"])
    headings = np.cumsum(found, axis=1)
    ends = base + 90 * np.stack([np.cos(headings), -np.sin(headings)], axis=2).sum(axis=1)
    np.testing.assert_allclose(ends, np.tile(target, (len(found), 1)), atol=0.05)
    assert np.abs(found).max() <= np.deg2rad(150) + 1e-9
    assert len(found) == (2 if links == 2 else MAX)


def test_whole_turns_are_no_distance_for_joints_that_turn_without_end():
    session, model = opened("gen3")
    goal_of_one = pose_goal(model, model.pose(model.neutral))
    assert told(session, model.neutral, goal_of_one)["circular"] == [0, 2, 4, 6]
    asked = {"links": 3, "length": 90, "base": [0, 0], "target": [90, 90], "q": [0.3] * 3}
    free = json.loads(Session().solve_all(request(type="plane_solutions", **asked, limits=False)).encode())
    assert free["circular"] == [0, 1, 2]
    limits = {"limits": True, "limit_degrees": 150}
    kept = json.loads(Session().solve_all(request(type="plane_solutions", **asked, **limits)).encode())
    assert kept["circular"] == []


def test_the_curve_of_self_motion_holds_the_pose_from_limit_to_limit_through_where_the_arm_is():
    session, model = opened("panda")
    q = model.random(0)
    pose = model.pose(q)
    asked = {"type": "selfmotion", "arm": 0, "q": q.tolist(), "goals": [pose_goal(model, pose)]}
    answer = json.loads(session.self_motion(request(**asked)).encode())
    found = np.array(answer["q"])
    np.testing.assert_allclose(model.pose(found), np.tile(pose, (len(found), 1, 1)), atol=1e-6)
    assert np.linalg.norm(found - q, axis=1).min() < 0.04
    assert not answer["closed"]
    for row, end in zip((found[0], found[-1]), answer["ends"], strict=True):
        joint, side = end.split(" at its ")
        place = model.q_slice(joint).start
        limit = (model.lower if side == "lower limit" else model.upper)[place]
        assert row[place] == pytest.approx(limit, abs=1e-6)
    assert np.diff(found, axis=0).max() < 0.1


@pytest.mark.parametrize("name", ["puma560", "so100"])
def test_where_no_curve_is_known_none_is_told(name):
    session, model = opened(name)
    q = model.random(0)
    asked = {"type": "selfmotion", "arm": 0, "q": q.tolist()}
    point = goal(model.end_effector, model.pose(q)[:3, 3])
    for wanted in (pose_goal(model, model.pose(q)), point):
        assert json.loads(session.self_motion(request(**asked, goals=[wanted])).encode())["q"] == []
