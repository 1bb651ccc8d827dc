"""Joints that a person moves, locks and gives room to."""

from pathlib import Path

import numpy as np
from playwright.sync_api import Locator

from browser.space.stage import Space, arm_query

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_ARMS = arm_query((EXAMPLES / "two_arms.arm").read_text(), "two_arms.arm")
FIRST = "#joints li[data-joint='arm1.s0.theta']"


def test_sliders_move_the_arm_within_its_limits_and_its_goals_come_along(space: Space) -> None:
    space.show(TWO_ARMS)
    still = space.q_of(1)
    slider = space.find(f"{FIRST} input[type=range]")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    space.drag((box["x"] + box["width"] / 2, y), (box["x"] + box["width"] + 40, y))
    space.wait_resting()
    space.until(lambda: abs(space.q_of(0)[0] - 1.57) < 1e-6, "the joint is at its limit, and not beyond")
    assert space.status_of(0) == "solved"
    assert space.find(FIRST).get_attribute("class") == "joint is-at-limit"
    space.find(f"{FIRST} input[type=number]").fill("20")
    space.find(f"{FIRST} input[type=number]").press("Enter")
    space.until(lambda: abs(space.q_of(0)[0] - np.deg2rad(20)) < 1e-6, "the joint is where it was typed")
    space.wait_resting()
    assert np.array_equal(space.q_of(1), still)
    assert space.error_of(0) < 0.01


def test_locked_joints_stay_and_the_link_says_so(space: Space) -> None:
    space.show(TWO_ARMS)
    before = space.q_of(0)
    for joint in ("arm1.s0.theta", "arm1.s0.phi"):
        space.find(f"#joints li[data-joint='{joint}'] .lock").click()
    space.wait_query(lock="0:arm1.s0.theta;0:arm1.s0.phi")
    space.drag_goal("z", 0, -20)
    after = space.q_of(0)
    assert np.array_equal(after[:2], before[:2])
    assert np.abs(after[2:] - before[2:]).max() > 0.01
    assert space.status_of(0) == "solved"
    space.find("#unlock").click()
    space.wait_query(lock="")


def slide(space: Space) -> Locator:
    """Drag the null-space slider; return it when the joints have moved."""
    before, slider = space.q_of(0), space.find("#slide")
    slider.scroll_into_view_if_needed()
    space.until(lambda: slider.is_enabled(), "there are joints to spare")
    box = slider.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    space.drag((x, y), (x + 30, y), steps=4)
    space.until(lambda: np.abs(space.q_of(0) - before).max() > 0.05, "the joints have moved")
    return slider


def test_the_null_space_slider_moves_joints_and_holds_the_goal(space: Space) -> None:
    space.show(TWO_ARMS)
    goals = space.goals
    slider = slide(space)
    space.wait_resting()
    assert space.goals == goals
    assert space.status_of(0) == "solved"
    assert float(slider.input_value()) == 0


def test_a_posture_draws_the_joints_to_it(space: Space) -> None:
    space.show(TWO_ARMS)
    free = space.q_of(0)
    space.find("#pw").fill("0.5")
    space.find("#pw").press("Enter")
    space.until(lambda: np.abs(space.q_of(0) - free).max() > 0.01, "the joints go")
    space.wait_resting()
    assert space.status_of(0) == "solved"
    assert np.linalg.norm(space.q_of(0)) < np.linalg.norm(free)  # the neutral configuration is 0


def test_the_null_space_slider_leaves_locked_joints_and_works_while_paused(space: Space) -> None:
    space.show(TWO_ARMS + "&lock=0:arm1.s0.theta")
    space.press("p")
    before, goals = space.q_of(0), space.goals
    slide(space)
    assert space.q_of(0)[0] == before[0]
    assert space.goals == goals


BALL = """<mujoco model="ball"><worldbody><body name="arm">
  <joint name="shoulder" type="ball" range="0 60" limited="true"/>
  <geom type="capsule" fromto="0 0 0 .5 0 0" size=".04"/>
  <body name="fore" pos=".5 0 0">
    <joint name="elbow" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04"/>
  </body>
</body></worldbody></mujoco>"""


def test_the_sliders_of_a_ball_joint_end_at_its_limits_and_the_goal_stays_with_the_arm(space: Space) -> None:
    space.show(arm_query(BALL, "ball.xml"))
    row = space.find("#joints li[data-joint='shoulder']").first
    assert "swing up to" in (row.locator(".joint-name").get_attribute("title") or "")
    field = row.locator("input[type=number]")
    field.fill("170")
    field.press("Enter")
    space.until(lambda: np.abs(space.q_of(0)[:3]).max() > 0.2, "the joint has turned")
    space.wait_resting()
    assert space.status_of(0) == "solved"
    assert space.error_of(0) < 0.01
    x, y, z, w = space.q_of(0)[:4]
    assert 2 * np.arctan2(np.linalg.norm([x, y, z]), abs(w)) < np.deg2rad(60.1)


def test_a_direction_along_any_axis_of_a_frame_comes_along(space: Space) -> None:
    space.show(TWO_ARMS)
    space.find("#goal-kind input[value=direction]").check(force=True)
    for axis in ("x", "y", "z"):
        space.find(f"#goal-axis input[value={axis}]").check(force=True)
        for angle in (20, 35):
            space.find(f"{FIRST} input[type=number]").fill(str(angle))
            space.find(f"{FIRST} input[type=number]").press("Enter")
            space.until(
                lambda angle=angle: abs(space.q_of(0)[0] - np.deg2rad(angle)) < 1e-6, "the joint is there"
            )
            space.wait_resting()
            assert abs(space.q_of(0)[0] - np.deg2rad(angle)) < 1e-5, axis
            assert space.status_of(0) == "solved"


def test_the_null_space_slider_is_the_whole_curve_where_it_is_known(space: Space) -> None:
    space.show("robot=panda&goal=0:flange:pose:0.45,0.25,0.5:1,0,0,0")
    slider, ends = space.find("#slide"), space.find("#slide-ends span")
    space.until(lambda: ends.first.is_visible() and slider.is_enabled(), "the curve is known")
    space.until(lambda: "limit" in " ".join(ends.all_inner_texts()), "its ends are told")
    goals, before = space.goals, space.q_of(0)
    for key, end in zip(("Home", "End"), ends.all_inner_texts(), strict=True):
        slider.focus()
        space.press(key)
        space.until(
            lambda before=before: np.abs(space.q_of(0) - before).max() > 0.1,
            f"the arm has moved to its {key}",
        )
        space.wait_resting()
        assert space.status_of(0) == "solved"
        assert space.goals == goals
        assert slider.is_enabled()
        if "limit" in end:
            row = space.find(f"#joints li[data-joint='{end.split(' at ')[0]}']")
            assert "is-at-limit" in (row.get_attribute("class") or "")
        before = space.q_of(0)
