"""Races, the scrubber, moving targets, and goals that are not met."""

from pathlib import Path

import numpy as np

from browser.space.stage import Space, arm_query

ARMS_FILE = Path(__file__).parents[3] / "examples" / "two_arms.arm"
TWO_ARMS = arm_query(ARMS_FILE.read_text(), ARMS_FILE.name)
RACERS = ("ccd", "jt", "dls", "lm")


def test_solvers_race_for_one_goal_and_the_scrubber_shows_how(space: Space) -> None:
    space.show(TWO_ARMS + f"&race={','.join(RACERS)}&it=50&cv=1")
    assert [sorted(arm) for arm in space.state["arms"]] == [sorted(RACERS)] * 2
    for solver in RACERS:
        row = space.find(f"#race-rows tr[data-solver={solver}]")
        assert float(row.locator("[data-cell=error]").inner_text()) < 1, solver
    bodies = space.ask("stage.visibleBodies()")
    assert sorted((body["arm"], body["key"]) for body in bodies) == sorted(
        (arm, solver) for arm in (0, 1) for solver in RACERS
    )
    assert [body["key"] for body in bodies if body["opacity"] == 1] == ["lm", "lm"]
    live = space.q_of(0)
    space.until(lambda: int(space.find("#scrub").get_attribute("max") or 0) > 2, "the solve can be scrubbed")
    space.find("#scrub").focus()
    space.press("Home")
    space.until(lambda: not np.allclose(space.q_of(0), live), "the arms are where they began")
    starts = [space.q_of(0, solver) for solver in RACERS]
    assert np.ptp(starts, axis=0).max() == 0
    space.find("#scrub-live").click()
    space.until(lambda: np.array_equal(space.q_of(0), live), "the arms are back")


def test_a_race_for_the_first_goals_sets_out_from_another_pose(space: Space) -> None:
    """There is nothing to see where all solvers are at the goal when they begin."""
    space.show("robot=panda")
    home = space.q_of(0)
    space.press("r")
    space.until(lambda: int(space.find("#scrub").get_attribute("max") or 0) > 2, "each has something to do")
    space.find("#scrub").focus()
    space.press("Home")
    space.until(lambda: space.error_of(0, "dls") > 0.05, "they begin elsewhere")
    starts = [np.array(runner["q"]) for runner in space.state["arms"][0].values()]
    assert len(starts) > 3 and np.ptp(starts, axis=0).max() == 0
    assert np.abs(starts[0] - home).max() > 0.1


def test_a_race_shows_errors_of_position_and_rotation_step_by_step(space: Space) -> None:
    pose = "0.45,0.25,0.5:1,0,0,0"
    space.show(f"robot=panda&goal=0:flange:pose:{pose}&cv=1")
    space.press("p")
    space.press("r")
    row = space.find("#race-rows tr[data-solver=dls]")

    def turn() -> str:
        return row.locator("[data-cell=turn]").inner_text()

    space.until(lambda: int(space.find("#scrub").get_attribute("max") or 0) > 3, "it can be shown")
    space.until(lambda: turn() != "–", "the rotation has an error")
    starts = [np.array(runner["q"]) for runner in space.state["arms"][0].values()]
    assert len(starts) == 5
    assert np.ptp(starts, axis=0).max() == 0
    before, first = float(turn()), space.error_of(0, "dls")
    for step in (1, 2):
        space.press(".")
        space.until(
            lambda step=step: space.find("#scrub-text").inner_text().startswith(f"step {step} of"),
            "one step further",
        )
    space.wait_readout()
    assert float(turn()) < before
    assert space.error_of(0, "dls") < first
    shown = space.find("#goals output").inner_text()
    assert shown.startswith(space.find("#race-rows tr[data-solver=lm] [data-cell=error]").inner_text())


def test_a_target_moves_on_a_circle_until_space_or_esc_is_pressed(space: Space) -> None:
    space.show(TWO_ARMS)
    home = np.array(space.goals[0]["position"])
    for key, stop in (("c", "Escape"), ("i", " ")):
        space.press(key)
        seen = []
        for _ in range(3):
            at = space.goals[0]["position"]
            space.until(lambda at=at: space.goals[0]["position"] != at, "the target moves")
            seen.append(space.goals[0]["position"])
        assert np.linalg.norm(np.array(seen) - home, axis=1).max() < 2.5
        space.find("#view").focus()
        space.press(stop)
        space.wait_resting()
        stood = space.goals[0]["position"]
        space.page.wait_for_timeout(200)
        assert space.goals[0]["position"] == stood
        space.wait_query(mv="none")
    assert space.goals[1]["position"] == [1, -1, 2]


def test_a_goal_out_of_reach_is_explained_with_the_nearest_configuration_as_a_ghost(space: Space) -> None:
    space.show(TWO_ARMS + "&goal=0:arm1.tip:position:-1,1,9")
    assert space.status_of(0) != "solved"
    space.until(lambda: space.find("#explanation").is_visible(), "the explanation is there")
    text = space.find("#explanation").inner_text()
    assert "reach" in text.lower()
    if space.find("#explanation-take").is_visible():
        space.until(
            lambda: any(body["isGhost"] for body in space.ask("stage.visibleBodies()")), "the ghost is there"
        )
    fields = space.find("#goal-position input")
    fields.nth(2).fill("2")
    fields.nth(2).press("Enter")
    space.until(lambda: space.goals[0]["position"] == [-1, 1, 2], "the goal is where it was typed")
    space.wait_resting()
    space.until(lambda: space.status_of(0) == "solved", "it is met")
    assert not space.find("#explanation").is_visible()
    assert not any(body["isGhost"] for body in space.ask("stage.visibleBodies()"))


def test_nothing_of_a_scene_is_left_in_the_next_one(space: Space) -> None:
    space.show(TWO_ARMS + "&goal=0:arm1.tip:position:-1,1,9&plane=xy&depth=0.5&cv=1")
    space.until(lambda: space.find("#explanation").is_visible(), "the explanation is there")
    space.find("#scrub").focus()
    space.press("Home")
    space.until(lambda: space.find("#scrub-live").is_enabled(), "the past is shown")
    space.drop(("next.arm", ARMS_FILE.read_text()))
    space.until(lambda: space.find("#scene-title").inner_text() == "next.arm", "it is open")
    space.wait_resting()
    assert not space.find("#explanation").is_visible()
    assert space.find("#depth").input_value() == ""
    assert space.ask("stage.plane().point.toArray()") == space.goals[0]["position"]
    space.drag_goal("z", 0, -15)
    assert space.status_of(0) == "solved"


def test_solve_from_anywhere_finds_what_no_straight_way_leads_to(space: Space) -> None:
    space.show("robot=panda&q=0,0,0,-1.5708,0,0,0&goal=0:flange:pose:0.3595,0,0.8:-0.707107,0,0.707107,0")
    first = space.status_of(0)
    space.press("a")
    space.until(lambda: space.status_of(0) == "solved", f"an answer is found where there was none ({first})")


STUCK = "robot=panda&q=0,0,0,-1.5708,0,0,0&goal=0:flange:pose:0.3595,0,0.8:-0.707107,0,0.707107,0"


def test_a_search_is_made_while_the_page_is_paused(space: Space) -> None:
    space.show(STUCK)
    space.press("p")
    space.press("a")
    space.until(lambda: space.status_of(0) == "solved", "an answer is found")


def test_what_is_under_way_does_not_move_an_arm_that_was_stopped(space: Space) -> None:
    space.show(STUCK)
    before = space.q_of(0)
    # The arm is stopped when the search has been asked for, before there can be an answer.
    space.page.evaluate(
        """async () => {
          const pressed = (key) => new KeyboardEvent('keydown', { key, bubbles: true });
          const { send } = WebSocket.prototype;
          const asked = new Promise((done) => {
            WebSocket.prototype.send = function (message) {
              send.call(this, message);
              if (String(message).includes('"search":true')) done();
            };
          });
          document.body.dispatchEvent(pressed('a'));
          await asked;
          WebSocket.prototype.send = send;
          document.body.dispatchEvent(pressed('Escape'));
        }"""
    )
    space.wait_resting()
    space.page.wait_for_timeout(300)
    assert np.array_equal(space.q_of(0), before)
    space.press("a")
    space.until(lambda: space.status_of(0) == "solved", "it moves again when it is asked to")


def test_a_moving_goal_stays_where_it_is_when_another_one_is_selected(space: Space) -> None:
    space.show(TWO_ARMS)
    home = space.goals[0]["position"]
    space.press("c")
    space.until(lambda: space.goals[0]["position"] != home, "the goal moves")
    space.press("n")
    space.until(lambda: space.state["selected"] == 1, "the other one is selected")
    left = space.goals[0]["position"]
    assert left != home
    space.until(lambda: space.goals[1]["position"] != [1, -1, 2], "the other one moves")
    assert space.goals[0]["position"] == left
