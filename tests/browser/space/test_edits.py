"""Undo, reset, removal of goals and poses with names, in space."""

from pathlib import Path

import numpy as np

from browser.space.stage import Space, arm_query

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_ARMS = arm_query((EXAMPLES / "two_arms.arm").read_text(), "two_arms.arm")


def settled(space: Space) -> None:
    """Wait until what was changed counts as one step."""
    space.wait_resting()
    space.page.wait_for_timeout(400)
    space.wait_readout()


def test_goals_and_locks_are_undone_with_the_arms_as_they_were(space: Space) -> None:
    space.show(TWO_ARMS)
    settled(space)
    goals, q = space.goals, space.q_of(0)
    space.drag_goal("z", 0, -20)
    settled(space)
    space.find("#joints .lock").first.click()
    settled(space)
    space.press("Control+z")
    space.wait_query(lock="")
    space.press("Control+z")
    space.until(lambda: space.goals == goals, "the goal is back")
    space.wait_resting()
    assert np.allclose(space.q_of(0), q, atol=1e-5)
    space.press("Control+Shift+z")
    space.until(lambda: space.goals != goals, "it has gone again")


def test_delete_removes_the_goal_and_zero_brings_the_first_ones(space: Space) -> None:
    space.show(TWO_ARMS)
    first, q = space.goals, space.q_of(0)
    space.drag_goal("z", 0, -20)
    space.press("Delete")
    space.until(lambda: len(space.goals) == len(first) - 1, "one goal less")
    space.press("0")
    space.until(lambda: len(space.goals) == len(first), "the first goals are back")
    space.wait_resting()
    assert np.allclose(
        [goal["position"] for goal in space.goals], [goal["position"] for goal in first], atol=1e-5
    )
    assert space.q_of(0).shape == q.shape


def test_a_pose_is_kept_and_taken_again_with_its_goals(space: Space) -> None:
    space.show(TWO_ARMS)
    kept = space.q_of(0)
    space.find("summary", has_text="Saved poses").click()
    space.find("#pose-name").fill("ready")
    space.find("#pose-name").press("Enter")
    space.until(lambda: "poses" in space.query, "the address has it")
    space.find("#view").focus()
    space.drag_goal("z", 0, -20)
    assert not np.allclose(space.q_of(0), kept, atol=1e-4)
    space.find("#poses button", has_text="ready").click()
    space.until(lambda: np.allclose(space.q_of(0), kept, atol=1e-5), "the arm stands so again")
    space.wait_resting()
    assert np.allclose(space.q_of(0), kept, atol=1e-4)
    assert space.error_of(0) < 0.01
