"""Goals that are added, chosen, typed, taken away; keys and clicks."""

from pathlib import Path

import numpy as np

import limbik
from browser.space.stage import Space, arm_query
from limbik.spatial import quat_to_matrix

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_ARMS = arm_query((EXAMPLES / "two_arms.arm").read_text(), "two_arms.arm")


def test_a_click_puts_the_selected_goal_on_the_plane_that_faces_the_camera(space: Space) -> None:
    space.show(TWO_ARMS)
    before = space.goals
    forward = np.array(space.ask("stage.camera.forward.toArray()"))
    x, y = space.goal_point(0)
    space.page.mouse.click(x - 70, y - 40)
    space.until(lambda: space.goals[0] != before[0], "the goal is there")
    moved = np.subtract(space.goals[0]["position"], before[0]["position"])
    assert np.linalg.norm(moved) > 0.1
    assert abs(moved @ forward) < 1e-4
    at = space.goal_point(0)
    assert np.hypot(at[0] - x + 70, at[1] - y + 40) < 1
    assert space.goals[1] == before[1]
    space.wait_resting()


def test_keys_choose_goals_and_tools_and_none_while_something_is_typed(space: Space) -> None:
    space.show(TWO_ARMS)
    for key, selected in (("n", 1), ("n", 0), ("v", 1)):
        space.press(key)
        space.until(lambda s=selected: space.state["selected"] == s, f"goal {selected} is selected")
    assert space.find("#goals li.is-selected").count() == 1
    for key, setting in (("e", {"gizmo": "rotate"}), ("m", {"gizmo": "move"}), ("l", {"axes": "local"})):
        space.press(key)
        space.wait_query(**setting)
    view = space.view
    space.press("o")
    space.until(lambda: space.view != view, "the projection is another")
    assert space.pressed("[data-tool=parallel]")
    space.find("#view").focus()
    for key in ("ArrowLeft", "Shift+ArrowUp", "+", "-", "Home", "f"):
        view = space.view
        space.press(key)
        space.until(lambda view=view: space.view != view, f"{key} has moved the camera")
    space.find("#goal-position input").first.focus()
    space.press("n")
    assert space.state["selected"] == 1


def test_a_link_is_pulled_by_a_goal_of_its_own_or_by_the_one_that_holds_it(space: Space) -> None:
    space.show(TWO_ARMS)
    foot = space.ask("stage.screenPoint([2.1, -0.13, 0.02])")
    space.page.keyboard.down("Shift")
    space.page.mouse.click(foot["x"], foot["y"])
    space.page.keyboard.up("Shift")
    space.until(lambda: "does not move" in space.notices, "the page says that the base stands")
    assert len(space.goals) == 2

    tip = space.goals[0]["position"]
    elbow = space.ask("stage.crew.framePoint(0, 'arm1.s1').toArray()")
    x, y = seen(space, 0, "arm1.s1")
    space.page.mouse.move(x, y)
    assert space.page.evaluate("document.getElementById('view').style.cursor") == ""
    space.page.keyboard.down("Shift")
    space.page.mouse.move(x, y + 1)
    assert space.page.evaluate("document.getElementById('view').style.cursor") == "grab"
    view = space.view
    space.drag((x, y), (x + 20, y - 12))
    space.page.keyboard.up("Shift")
    space.until(lambda: len(space.goals) == 3, "the link has a goal")
    space.wait_resting()
    pulled = space.goals[2]
    assert (pulled["arm"], space.state["selected"], space.view) == (0, 2, view)
    assert pulled["frame"].startswith("arm1.s")
    assert np.linalg.norm(np.subtract(pulled["position"], elbow)) > 0.05
    assert space.goals[0]["position"] == tip
    space.find("#goals li").last.locator("[data-remove]").click()
    space.wait_resting()

    x, y = space.goal_point(1)
    space.find("#goal-pick").click()
    space.drag((x, y), (x - 30, y - 10))
    space.until(lambda: space.state["selected"] == 1, "the goal that holds the last link is in the hand")
    space.wait_resting()
    assert len(space.goals) == 2
    assert space.goals[1]["position"] != [1, -1, 2]
    assert not space.pressed("#goal-pick")


def test_a_direction_is_one_of_any_axis_of_the_frame_also_in_the_link(space: Space) -> None:
    space.show("robot=puma560&q=0.1,0.5,-1,0.2,0.6,0")
    space.find("#goal-kind input[value=direction]").check(force=True)
    space.find("#goal-axis input[value=x]").check(force=True)
    space.until(lambda: space.goals[0].get("axis") == "x", "the axis is chosen")
    space.wait_resting()
    space.until(lambda: space.status_of(0) == "solved", "it is met")
    goal = space.goals[0]
    pose = limbik.load("puma560").pose(space.q_of(0), goal["frame"])
    wanted = quat_to_matrix(goal["quat_xyzw"])[:, 2]
    np.testing.assert_allclose(pose[:3, 0], wanted, atol=1e-3)
    assert ":direction-x:" in space.copied_link()


def seen(space: Space, arm: int, frame: str) -> tuple[float, float]:
    """Where a frame is seen [px]."""
    at = space.ask(f"stage.screenPoint(stage.crew.framePoint({arm}, '{frame}').toArray())")
    return at["x"], at["y"]


def test_a_number_that_is_typed_changes_nothing_else_of_the_goal(space: Space) -> None:
    quat = "0.123456,0.234567,0.345678,0.900306"
    space.show(f"robot=puma560&goal=0:wrist:pose:0.412345,-0.150052,0.312345:{quat}")
    fields = space.find("#goal-position input")
    fields.nth(0).fill("0.4")
    fields.nth(0).press("Enter")
    space.until(lambda: space.goals[0]["position"] == [0.4, -0.150052, 0.312345], "x is as it was typed")
    turned = space.find("#goal-turn input").nth(2)
    before = quat_to_matrix(space.goals[0]["quat_xyzw"])
    turned.fill("0")
    turned.press("Enter")
    space.until(lambda: space.goals[0]["quat_xyzw"][2] != 0.345678, "the goal is turned")
    after = quat_to_matrix(space.goals[0]["quat_xyzw"])
    np.testing.assert_allclose(after[2], before[2], atol=3e-6)  # a turn about the world's z axis


def test_a_race_without_a_goal_moves_nothing_and_says_so(space: Space) -> None:
    space.show("robot=panda")
    before = space.q_of(0)
    space.find("#goals li").last.locator("[data-remove]").click()
    space.press("r")
    space.until(
        lambda: space.find("#race").inner_text().count("Nothing to race for") == 1,
        "the race says that it is none",
    )
    for solver in ("ccd", "fabrik", "lm"):
        assert np.allclose(space.q_of(0, solver), before)


def test_goals_are_added_by_picking_a_link_or_from_the_list_and_removed(space: Space) -> None:
    space.show(TWO_ARMS)
    space.find("#goal-frame").select_option("arm2.s2")
    space.find("#goal-add").click()
    space.until(lambda: len(space.goals) == 3, "the goal is added")
    assert (space.goals[2]["arm"], space.goals[2]["frame"], space.state["selected"]) == (1, "arm2.s2", 2)
    space.wait_resting()
    assert space.status_of(1) == "solved"
    space.find("#goal-pick").click()
    space.find("#goals li[data-goal='0'] .goal").click()
    space.page.mouse.click(*seen(space, 0, "arm1.s1"))
    space.until(lambda: len(space.goals) == 4, "the picked link has a goal")
    assert space.goals[3]["arm"] == 0
    assert space.goals[3]["frame"] in {"arm1.s0", "arm1.s1"}
    for _ in range(2):
        space.find("#goals li").last.locator("[data-remove]").click()
    space.until(lambda: len(space.goals) == 2, "they are gone")
    space.find("#goal-kind input[value=pose]").check(force=True)
    space.until(lambda: "pose" in {goal["kind"] for goal in space.goals}, "a pose is asked")
    assert space.find("#goal-turn").is_visible()


def test_a_typed_goal_that_is_out_of_sight_comes_into_view(space: Space) -> None:
    space.show("robot=ur5e&pn=1")
    field = space.find("#goal-position input").nth(0)
    field.fill("3")
    field.press("Enter")
    width, height = space.page.evaluate("[innerWidth, innerHeight]")

    def is_seen() -> bool:
        x, y = space.goal_point(0)
        at = "([x, y]) => document.elementFromPoint(x, y)?.id"
        return 0 < x < width and 0 < y < height and space.page.evaluate(at, [x, y]) == "view"

    space.until(is_seen, "the goal is in the open part of the picture")
