"""All solutions of the arm in the plane."""

import numpy as np

from browser.playground import Playground

ROWS = "#solutions-list li"


def distances(playground: Playground) -> list[str]:
    return playground.find(f"{ROWS} span:nth-of-type(1)").all_inner_texts()


def test_two_links_have_two_solutions_and_the_arm_goes_to_the_one_that_is_taken(
    playground: Playground,
) -> None:
    playground.open("?n=2&algo=lm")
    playground.wait_reached("lm")
    playground.press("x")
    playground.until(lambda: distances(playground)[:1] == ["here"], "the arm is at one of them")
    assert len(distances(playground)) == 2
    playground.wait_query(all="1")
    before = playground.q("lm")
    playground.press("ArrowDown")
    playground.press("ArrowDown")
    playground.press("Enter")
    playground.until(lambda: distances(playground)[1] == "here", "the arm is at the other")
    playground.wait_reached("lm")
    assert abs(playground.q("lm")[1] + before[1]) < 0.02  # the elbow on the other side
    assert np.abs(playground.q("lm") - before).max() > 0.1


def test_a_longer_arm_shows_twelve_and_another_number_of_links_asks_again(playground: Playground) -> None:
    playground.open("?n=2&all=1")
    playground.until(lambda: len(distances(playground)) == 2, "there are two")
    playground.type_number("n", 4)
    playground.until(lambda: len(distances(playground)) == 12, "twelve are shown")
    assert playground.find("#solutions-text").inner_text().startswith("12 of ")
    playground.find("#all").click(force=True)
    assert playground.find("#solutions").is_hidden()
