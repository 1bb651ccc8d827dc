"""Goals that are added, chosen, typed, taken away; keys and clicks."""

from pathlib import Path

import numpy as np

from browser.space.stage import Space, arm_query

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
    for key, selected in (("2", 1), ("2", 0), ("1", 1)):
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
    space.press("1")
    assert space.state["selected"] == 1


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
    middle = space.ask("stage.screenPoint(stage.crew.framePoint(0, 'arm1.s1').toArray())")
    space.page.mouse.click(middle["x"], middle["y"])
    space.until(lambda: len(space.goals) == 4, "the picked link has a goal")
    assert space.goals[3]["arm"] == 0
    assert space.goals[3]["frame"] in {"arm1.s0", "arm1.s1"}
    for _ in range(2):
        space.find("#goals li").last.locator("[data-remove]").click()
    space.until(lambda: len(space.goals) == 2, "they are gone")
    space.find("#goal-kind input[value=pose]").check(force=True)
    space.until(lambda: "pose" in {goal["kind"] for goal in space.goals}, "a pose is asked")
    assert space.find("#goal-turn").is_visible()
