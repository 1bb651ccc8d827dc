"""How many files a reader goes through who follows a solve to the kernel and back."""

import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

import limbik
from limbik import Direction, Pose, Position

PACKAGE = Path(limbik.__file__).parent


def stays(run: Callable[[], object]) -> list[str]:
    """The files of limbik that a call goes into, one after the other; that it comes back is not counted."""
    entered: list[str] = []

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            entered.append(path.relative_to(PACKAGE).with_suffix("").as_posix())

    run()  # makes the plan
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return [name for name, _ in groupby(entered)]


@pytest.mark.usefixtures("compiled_panda")
@pytest.mark.parametrize("start", [None, np.full(7, 0.1)])
def test_a_pose_has_at_most_ten(start):
    panda = limbik.load("panda")
    pose = panda.pose(panda.random(1))
    goal = Pose(target=pose)
    assert len(stays(lambda: panda.solve(pose, start=start))) <= 3
    assert len(stays(lambda: panda.solve(goal, start=start))) <= 10


@pytest.mark.usefixtures("compiled_trees")
def test_goals_on_a_tree_have_at_most_twelve():
    robot = limbik.load("tiago_dual")
    q = robot.random(1)
    left, right = (robot.pose(q, f"arm_{side}_tool_link") for side in ("left", "right"))
    goals = [
        Position(frame="arm_left_tool_link", target=left[:3, 3]),
        Direction(frame="arm_right_tool_link", axis=(1.0, 0.0, 0.0), target=right[:3, 0]),
    ]
    start = robot.random(2)
    assert len(stays(lambda: robot.solve(goals, start=start))) <= 12
