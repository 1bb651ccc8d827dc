"""Which frame a tool is held in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import limbik
from limbik import Pose, Position
from limbik.spatial import pose_from

TOOL = pose_from(translation=(0.0, 0.1, 0.2))
Q = [0.3, -0.9, 1.2, -0.4, 0.7, 0.2]


@pytest.fixture
def robot():
    return limbik.load("ur5e")


@pytest.mark.parametrize("solver", ["lm", "ccd", "dls", "fabrik"])
@pytest.mark.parametrize("frame", [None, "link3", "link5"])
def test_a_single_goal_is_for_the_tool_in_its_own_frame(robot, frame, solver):
    target = (robot.pose(Q, frame) @ TOOL)[:3, 3]
    solution = robot.solve(
        Position(frame=frame, target=target), start=np.add(Q, 0.05), tool=TOOL, solver=solver, tolerance=1e-3
    )
    assert solution.success
    assert_allclose((robot.pose(solution.q, frame) @ TOOL)[:3, 3], target, atol=1e-3)


def test_of_several_goals_the_end_effector_alone_holds_the_tool(robot):
    hand, elbow = (robot.pose(Q) @ TOOL)[:3, 3], robot.pose(Q, "link3")[:3, 3]
    goals = [Position(target=hand), Position(frame="link3", target=elbow)]
    solution = robot.solve(goals, start=np.add(Q, 0.05), tool=TOOL, tolerance=1e-3)
    assert solution.success
    assert_allclose((robot.pose(solution.q) @ TOOL)[:3, 3], hand, atol=1e-3)
    assert_allclose(robot.pose(solution.q, "link3")[:3, 3], elbow, atol=1e-3)


def test_the_tool_is_told_of_the_goals_that_it_meets(robot):
    goals = [Position(target=[0.3, 0.2, 0.4]), Position(frame="link3", target=[0.2, 0.0, 0.3])]
    hand, elbow = robot.solve(goals, tool=TOOL, iterations=5).explain().goals
    assert hand.startswith("the tool in frame 'flange'") and elbow.startswith("frame 'link3'")
    alone = Pose(frame="link3", target=robot.pose(Q, "link3"))
    assert (
        robot.solve(alone, tool=TOOL, iterations=5).explain().goals[0].startswith("the tool in frame 'link3'")
    )
