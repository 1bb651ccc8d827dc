"""All solutions as ghosts and as a list."""

import numpy as np

from browser.space.stage import Space

ROWS = "#solutions-list li"


def ghosts(space: Space) -> dict[str, float]:
    """The opacity of each ghost of a solution."""
    bodies = space.ask("stage.visibleBodies()")
    return {body["key"]: body["opacity"] for body in bodies if body["key"].startswith("solution")}


def distances(space: Space) -> list[str]:
    return space.find(f"{ROWS} span:nth-of-type(1)").all_inner_texts()


def test_the_list_goes_by_keys_and_the_arm_stays_on_the_branch_that_is_taken(space: Space) -> None:
    space.show("robot=puma560")
    assert ghosts(space) == {}
    space.press("x")
    space.until(lambda: space.find(ROWS).count() > 1, "the solutions are listed")
    space.wait_query(all="1")
    space.until(lambda: distances(space)[0] == "here", "the arm is at the nearest")
    count = space.find(ROWS).count()
    space.until(lambda: len(ghosts(space)) == count - 1, "the others are ghosts")
    assert "there is no other" in space.find("#solutions-text").inner_text()

    before, goals = space.q_of(0), space.goals
    space.press("ArrowDown")
    space.press("ArrowDown")
    space.until(lambda: ghosts(space)["solution-1"] > 2 * ghosts(space)["solution-2"], "it stands out")
    space.press("Enter")
    space.until(lambda: distances(space)[1] == "here", "the arm is there")
    space.wait_resting()
    taken = space.q_of(0)
    assert np.abs(taken - before).max() > 0.1
    assert space.status_of(0) == "solved"
    assert space.goals == goals
    space.press("Control+z")
    space.until(lambda: np.allclose(space.q_of(0), before, atol=1e-4), "the arm is back")
    space.press("x")
    space.until(lambda: ghosts(space) == {}, "the ghosts are gone")


def test_the_solutions_follow_the_target_and_a_click_takes_one(space: Space) -> None:
    space.show("robot=puma560&all=1")
    space.until(lambda: len(ghosts(space)) > 0, "there are ghosts")
    space.drag_goal("z", 0, 30)
    space.wait_resting()
    space.until(lambda: distances(space)[0] == "here", "the solutions are those of the new target")
    row = space.find(ROWS).nth(1)
    row.hover()
    space.until(lambda: max(ghosts(space).values()) > 0.5, "the one below the pointer stands out")
    row.click()
    space.until(lambda: distances(space)[1] == "here", "the arm is there")
    space.wait_resting()
    assert space.error_of(0) < 0.01


def test_a_point_is_searched_for_when_the_arm_rests_and_the_page_says_what_it_shows(space: Space) -> None:
    space.show("robot=ur5&all=1&goal=0:flange:position:0.4,0.3,0.4:0,0,0,1")
    space.until(lambda: space.find(ROWS).count() == 12, "twelve are shown")
    text = space.find("#solutions-text").inner_text()
    assert text.startswith("12 of ")
    assert "There may be more" in text
