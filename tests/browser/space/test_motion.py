"""What is seen of an arm follows what is solved: over time after a jump, at once in a hand."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from browser.space.stage import Space, arm_query

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_ARMS = arm_query((EXAMPLES / "two_arms.arm").read_text(), "two_arms.arm")
SEEN = "[...stage.crew.arms[argument].bodies.get('lm').q]"


@pytest.fixture
def moving(make_space: Callable[..., Space]) -> Space:
    """A tab of someone who has not asked for less motion."""
    return make_space(reduced_motion="no-preference")


def seen(space: Space, arm: int = 0) -> np.ndarray:
    return np.array(space.ask(SEEN, arm))


def type_height(space: Space, height: float) -> None:
    field = space.find("#goal-position input").nth(2)
    field.fill(str(height))
    field.press("Enter")
    space.until(lambda: space.goals[0]["position"][2] == height, "the goal is where it was typed")


# What is seen of the first arm when the numbers say that it meets another goal; a key is pressed at once.
CATCH = """(key) => {
  const main = document.querySelector('script[type=module]').src;
  const view = document.getElementById('view');
  const arm = () => JSON.parse(view.dataset.state).arms[0].lm;
  const before = String(arm().q);
  window.caught = import(new URL('space/main.js', main)).then(({ stage }) => new Promise((done) => {
    const look = () => {
      if (String(arm().q) === before || arm().status !== 'solved') return requestAnimationFrame(look);
      if (key) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      done([...stage.crew.arms[0].bodies.get('lm').q]);
    };
    look();
  }));
}"""


def caught(space: Space, height: float, key: str = "") -> np.ndarray:
    """Type a height, and press a key when it is solved; what was seen of the first arm then."""
    space.page.evaluate(CATCH, key)
    type_height(space, height)
    return np.array(space.page.evaluate("window.caught"))


def saved_motion(space: Space) -> list[dict[str, str]]:
    with space.page.expect_download() as download:
        space.find("[data-export=motion]").click()
    return list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))


def test_a_jump_is_a_motion_under_the_limit_of_the_joint_speed(moving: Space) -> None:
    moving.show("robot=puma560&jv=slow")
    before = seen(moving)
    on_its_way = caught(moving, 0.7)
    moving.wait_resting()
    solved = moving.q_of(0)  # the numbers are those of the solved configuration
    assert np.abs(solved - before).max() > 0.3
    assert np.abs(on_its_way - solved).max() > 0.05  # which nobody saw yet
    moving.until(lambda: np.array_equal(seen(moving), moving.q_of(0).astype(np.float32)), "the arm is there")

    rows = saved_motion(moving)
    assert list(rows[0])[:3] == ["time [s]", "solver", "joint1 [rad]"]
    times = np.array([float(row["time [s]"]) for row in rows])
    ways = np.array([[float(row[f"joint{k} [rad]"]) for k in range(1, 7)] for row in rows])
    assert len(rows) > 3
    assert times[0] == 0
    np.testing.assert_allclose(ways[0], before, atol=1e-6)
    np.testing.assert_allclose(ways[-1], solved, atol=1e-6)
    rates = np.abs(np.diff(ways, axis=0)).max(axis=1) / np.diff(times)
    assert rates.max() < 0.6 * 1.02
    # All joints arrive together: each is as far on its way as the others.
    parts = (ways - ways[0])[:, np.abs(ways[-1] - ways[0]) > 0.1] / (ways[-1] - ways[0])[
        np.abs(ways[-1] - ways[0]) > 0.1
    ]
    assert np.ptp(parts, axis=1).max() < 1e-3


def test_a_pause_holds_an_arm_on_its_way_and_escape_leaves_it_there(moving: Space) -> None:
    moving.show("robot=puma560&jv=slow")
    caught(moving, 0.7, "p")
    moving.wait_query(px="1")
    held = seen(moving)
    assert np.abs(held - moving.q_of(0)).max() > 0.01
    moving.page.wait_for_timeout(200)
    assert np.array_equal(seen(moving), held)
    moving.press("p")
    moving.until(lambda: not np.array_equal(seen(moving), held), "it goes on")
    moving.find("#view").focus()
    moving.press("Escape")
    moving.until(lambda: np.array_equal(seen(moving), moving.q_of(0).astype(np.float32)), "it stands")
    stood = seen(moving)
    moving.page.wait_for_timeout(200)
    assert np.array_equal(seen(moving), stood)


def test_the_scrubber_shows_the_past_at_once(moving: Space) -> None:
    moving.show("robot=puma560&jv=slow")
    before = seen(moving)
    moving.find("#dock-toggle").click()
    type_height(moving, 0.7)
    moving.wait_resting()
    moving.until(lambda: int(moving.find("#scrub").get_attribute("max") or 0) > 0, "there is a past")
    moving.find("#scrub").focus()
    moving.press("Home")
    moving.until(lambda: np.allclose(seen(moving), before, atol=1e-6), "the arm is where it began")
    moving.find("#scrub-live").click()
    moving.wait_readout()
    np.testing.assert_array_equal(seen(moving), moving.q_of(0).astype(np.float32))


def test_a_hand_is_followed_at_once(moving: Space) -> None:
    moving.show("robot=puma560&jv=lively")
    x, y = moving.grip("z")
    moving.page.mouse.move(x, y)
    moving.page.mouse.down()
    moving.page.mouse.move(x, y - 12, steps=3)
    before = seen(moving)
    moving.page.mouse.move(x, y - 14)
    moving.until(lambda: not np.array_equal(seen(moving), before), "the arm moves")
    moving.page.mouse.up()
    moving.wait_resting()
    moving.until(lambda: np.array_equal(seen(moving), moving.q_of(0).astype(np.float32)), "the arm is there")


def test_nothing_moves_by_itself_where_less_motion_is_wanted(space: Space) -> None:
    space.show("robot=puma560&jv=slow")
    type_height(space, 0.7)
    space.wait_resting()
    np.testing.assert_array_equal(seen(space), space.q_of(0).astype(np.float32))


def test_the_joint_speed_is_a_setting(moving: Space) -> None:
    moving.show("robot=puma560")
    assert moving.find("[name=jv][value=lively]").is_checked()
    moving.find("[name=jv][value=once]").check(force=True)
    moving.wait_query(jv="once")
    type_height(moving, 0.7)
    moving.wait_resting()
    np.testing.assert_array_equal(seen(moving), moving.q_of(0).astype(np.float32))


def test_every_end_effector_leaves_a_trace_where_it_was_seen(space: Space) -> None:
    space.show(TWO_ARMS + "&tr=1")
    traces = "[...stage.scenery.byKey].map(([name, { path }]) => [name, path])"
    before = dict(space.ask(traces))
    space.drag_goal("z", 0, -25)
    after = dict(space.ask(traces))
    assert list(after) == ["0 lm arm1.tip", "1 lm arm2.tip"]
    assert len(after["0 lm arm1.tip"]) > len(before["0 lm arm1.tip"])
    tip = space.ask("stage.crew.framePoint(0, 'arm1.tip').toArray()")
    np.testing.assert_allclose(after["0 lm arm1.tip"][-3:], tip)
    assert space.ask(
        "[...stage.scenery.byKey.values()].every(({ ribbon }) => ribbon.uniforms.fade.value === 1)"
    )
    space.press("0")
    space.until(
        lambda: len(dict(space.ask(traces))["0 lm arm1.tip"]) < len(after["0 lm arm1.tip"]), "it is gone"
    )
