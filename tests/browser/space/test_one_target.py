"""The goals that arms begin with, and one target for all of them."""

import numpy as np

from browser.space.stage import Space, arm_query, settings_in

TOOL = """<mujoco model="tooled"><worldbody>
<body name="upper"><joint axis="0 1 0" range="-90 90"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
<body name="lower" pos="0 0 1"><joint axis="0 1 0" range="-90 90"/>
<geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/><site name="tool" pos="0 0 1"/></body></body>
</worldbody></mujoco>
"""
SEGMENTS = "seg 1 3.2 1.5\n" * 2
LONG = "arm 4 0 0 0\n" + "seg 1 3.2 1.5\n" * 4
THREE_ARMS = arm_query(
    "".join(f"arm 2 {x} 0 0\n{SEGMENTS}goal {x} 0.6 1.4\n" for x in (-0.8, 0, 0.8)), "three.arm"
)


def points(space: Space) -> list[list[float]]:
    return [goal["position"] for goal in space.goals]


def test_an_arm_without_a_goal_is_asked_for_a_point_and_meets_a_click(space: Space) -> None:
    space.show(arm_query(LONG, "long.arm"))
    (goal,) = space.goals
    assert (goal["frame"], goal["kind"]) == ("arm1.tip", "position")
    x, y = space.goal_point(0)
    for dx, dy in ((-60, 40), (40, 60)):
        before = points(space)
        space.page.mouse.click(x + dx, y + dy)
        space.until(lambda before=before: points(space) != before, "the goal is there")
        space.wait_resting()
        assert space.status_of(0) == "solved"
        assert space.error_of(0) < 0.1


def test_the_goal_of_an_mjcf_stands_at_its_tool(space: Space) -> None:
    space.show("robot=puma560")
    space.drop(("tooled.xml", TOOL))
    space.until(lambda: [goal["frame"] for goal in space.goals] == ["tool"], "the goal is for the tool")
    space.wait_resting()


def test_one_target_is_followed_by_all_arms_and_is_in_the_link(space: Space) -> None:
    space.show(THREE_ARMS)
    first = points(space)
    assert len({tuple(point) for point in first}) == 3
    space.select(1)
    space.find("#one").check()
    space.until(lambda: points(space) == [first[1]] * 3, "all goals are at the selected one's")
    space.wait_resting()
    space.drag_goal("z", 0, -10)
    one = points(space)
    assert one == [one[0]] * 3
    assert one[0][2] > first[1][2]
    space.wait_query(one="1")
    link = space.copied_link()
    assert settings_in(link)["one"] == "1"
    space.find("#one").uncheck()
    space.drag_goal("z", 0, 8)
    assert points(space)[0] == points(space)[2] == one[0] != points(space)[1]
    space.open_link(link)
    assert points(space) == one
    assert space.find("#one").is_checked()


def test_one_target_moves_for_all_arms(space: Space) -> None:
    space.show(f"{THREE_ARMS}&one=1&sel=2")
    home = points(space)
    assert home == [home[2]] * 3
    space.press("c")
    space.until(lambda: np.abs(np.subtract(points(space)[0], home[0])).max() > 0.02, "the target moves")
    moving = points(space)
    assert moving == [moving[0]] * 3
    space.press("s")
    space.wait_resting()
    assert points(space) == [points(space)[0]] * 3


def test_one_target_is_not_offered_for_a_single_arm(space: Space) -> None:
    space.show(arm_query(LONG, "long.arm") + "&one=1")
    assert not space.find("#one-row").is_visible()
