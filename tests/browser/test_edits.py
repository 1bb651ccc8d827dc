"""Undo and redo, reset, and poses with names."""

import numpy as np

from browser.playground import Playground, near

QUERY = "?n=3&mx=400&my=420&tx=560&ty=300"


def settled(playground: Playground) -> None:
    """Wait until what was changed counts as one step."""
    playground.wait_reached("dls", 0.1)
    rested(playground)


def rested(playground: Playground) -> None:
    """Wait until the page has seen that nothing was changed for a while."""
    playground.page.wait_for_timeout(400)
    playground.wait_readout()


def test_undo_takes_back_one_change_after_the_other_and_redo_brings_them_again(
    playground: Playground,
) -> None:
    playground.open(QUERY)
    settled(playground)
    start = playground.q("dls")
    assert playground.find("#undo").is_disabled()
    playground.drag_target((500, 250))
    settled(playground)
    playground.press("2")
    playground.until(lambda: "fabrik" in playground.state["arms"], "another solver runs")
    rested(playground)
    playground.press("Control+z")
    playground.until(lambda: playground.pressed(".chip[data-solver=dls]"), "the solver is back")
    assert near(playground.target, (500, 250))
    playground.press("Control+z")
    playground.wait_at((560, 300))
    playground.until(lambda: np.allclose(playground.q("dls"), start, atol=1e-5), "the arm is back")
    assert playground.find("#undo").is_disabled()
    playground.press("Control+Shift+z")
    playground.wait_at((500, 250))
    playground.find("#redo").click()
    playground.until(lambda: playground.pressed(".chip[data-solver=fabrik]"), "all is done again")
    assert playground.find("#redo").is_disabled()


def test_changes_in_quick_succession_are_steps_of_their_own(playground: Playground) -> None:
    playground.open(QUERY)
    settled(playground)
    playground.drag_target((500, 250))
    playground.until(lambda: near(playground.target, (500, 250)), "the frame after the last move is drawn")
    playground.press("2")
    playground.press("Control+z")
    playground.until(lambda: playground.pressed(".chip[data-solver=dls]"), "the solver is back")
    assert near(playground.target, (500, 250))


def test_undo_inside_a_field_belongs_to_the_field(playground: Playground) -> None:
    playground.open(QUERY)
    settled(playground)
    playground.drag_target((500, 250))
    settled(playground)
    playground.find("#pose-form").evaluate("form => form.closest('details').open = true")
    playground.find("#pose-name").focus()
    playground.press("Control+z")
    playground.page.wait_for_timeout(100)
    assert near(playground.target, (500, 250))


def test_zero_brings_back_the_first_pose_and_the_first_target(playground: Playground) -> None:
    playground.open(QUERY + "&px=1")
    playground.drag_target((500, 250))
    playground.find("#shuffle").click()
    playground.press("0")
    playground.wait_at((560, 300))
    playground.until(lambda: np.allclose(playground.q("dls"), np.pi / 6, atol=1e-6), "the first pose is back")


def test_a_pose_is_kept_under_its_name_in_the_address_and_taken_again(playground: Playground) -> None:
    playground.open(QUERY)
    settled(playground)
    kept = playground.q("dls")
    playground.find("summary", has_text="Saved poses").click()
    playground.find("#pose-name").fill("over there, 100 %")
    playground.find("#pose-name").press("Enter")
    playground.until(lambda: "poses" in playground.query, "the address has it")
    playground.drag_target((300, 300))
    playground.wait_reached("dls")
    rested(playground)
    playground.page.reload()
    playground.wait_live()
    playground.find("summary", has_text="Saved poses").click()
    playground.find("#poses button", has_text="over there, 100 %").click()
    playground.until(lambda: np.allclose(playground.q("dls"), kept, atol=1e-4), "the arm stands so again")
    playground.wait_at((560, 300))
    playground.find("#poses [aria-label='Remove the pose over there, 100 %']").click()
    assert playground.find("#poses li").count() == 0


def test_a_pose_of_another_arm_is_refused_and_one_that_is_none_is_said(playground: Playground) -> None:
    playground.open(QUERY + "&poses=short~10,20|bad", live=False)
    playground.until(lambda: "poses: bad is not NAME~NUMBERS" in playground.notices, "the page says so")
    playground.wait_live()
    playground.find("summary", has_text="Saved poses").click()
    playground.find("#poses button", has_text="short").click()
    playground.until(
        lambda: "short: it is of an arm with 2 links." in playground.notices, "the page says why"
    )
