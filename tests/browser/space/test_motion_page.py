"""The page of motions: a file plays, is changed by hand, measured, saved, and stands in the link."""

from collections.abc import Callable

import numpy as np
import pytest

from browser.space.stage import Space, settings_in
from motion.people import crouching

HIPS, HAND = "Hips", "LeftHand"


def show(space: Space, query: str = "") -> Space:
    space.open(f"?view=motion&sh=0&{query}", live=False)
    space.wait_live()
    return wait_shown(space)


def wait_shown(space: Space) -> Space:
    space.wait_readout()
    space.until(lambda: space.state.get("resting") is True, "the motion is shown")
    return space


def ask(space: Space, expression: str, argument: object = None) -> object:
    return space.page.evaluate(
        f"""async (argument) => {{
          const main = document.querySelector('script[type=module]').src;
          const {{ stage }} = await import(new URL('motion/main.js', main));
          return {expression};
        }}""",
        argument,
    )


def pixel(space: Space, link: str) -> tuple[float, float]:
    found = ask(space, "stage.screenPoint(argument)", space.state["links"][link])
    assert isinstance(found, dict)
    return found["x"], found["y"]


def changes(space: Space) -> list[str]:
    return space.find("#changes li span").all_inner_texts()


def slide(space: Space) -> float:
    """[cm/s] after the changes."""
    return space.state["measures"][1]["slide_cm_s"]


def test_it_plays_steps_and_goes_to_a_time(space: Space) -> None:
    show(space)
    assert space.state["isPlaying"] is False  # who asked for less motion is not moved at
    space.press("ArrowRight")
    space.until(lambda: space.state["frame"] == 1, "the next frame is shown")
    space.press("Space")
    space.until(lambda: space.state["frame"] > 5, "it plays")
    space.press("Space")
    space.until(lambda: not space.state["isPlaying"], "it stands")
    box = space.find("#timeline").bounding_box() if space.find("#timeline").is_visible() else None
    if box is None:
        space.find("#dock-toggle").click()
        box = space.find("#timeline").bounding_box()
    assert box is not None
    space.page.mouse.click(box["x"] + box["width"] - 11, box["y"] + 10)
    space.until(lambda: space.state["frame"] == space.state["frames"] - 1, "its end is shown")


def test_feet_are_put_on_stairs_undone_and_opened_again_from_the_link(
    space: Space, make_space: Callable[[], Space]
) -> None:
    show(space, "t=1.2")
    assert slide(space) > 5.0
    space.find("#panel label:has(input[value=stairs])").click()
    space.find("#stand").click()
    space.until(lambda: space.state["ground"] == "stairs", "there are stairs")
    wait_shown(space)
    assert slide(space) < 0.05
    assert changes(space) == ["Feet on stairs, 12 cm each"]
    assert "Ground.mesh" in (space.find("#motion-python").text_content() or "")
    link = space.copied_link()
    assert settings_in(link)["ch"] == "stand:stairs:12:0.12"
    other = make_space()
    other.page.goto(link)
    other.wait_live()
    wait_shown(other)
    assert other.state["key"] == space.state["key"]
    assert other.state["frame"] == space.state["frame"] == 72
    space.until(lambda: space.find("#undo").is_enabled(), "there is a step to undo")
    space.find("#undo").click()
    space.until(lambda: space.state["ground"] == "level", "the stairs are gone")
    assert changes(space) == []


def test_whatever_was_done_its_link_opens_the_same_in_another_window(
    space: Space, make_space: Callable[..., Space]
) -> None:
    rng = np.random.default_rng(0)
    show(space, "t=0.8")
    for _ in range(10):
        x, y = float(rng.integers(150, 450)), float(rng.integers(150, 400))
        match rng.choice(["key", "flag", "drag", "camera", "undo"]):
            case "key":
                space.press(str(rng.choice(["ArrowRight", "ArrowLeft", "Home"])))
            case "flag":
                flag = space.find(f"#{rng.choice(['gh', 'gr', 'fo', 'mg', 'loop'])}")
                flag.set_checked(not flag.is_checked(), force=True)
            case "drag":
                space.drag(pixel(space, HAND), (x, y), steps=4)
            case "camera":
                space.drag((60, 500), (60 + 0.2 * x, 500 - 0.1 * y), steps=3)
            case "undo" if space.find("#undo").is_enabled():
                space.find("#undo").click()
        wait_shown(space)
    link = space.copied_link()
    other = make_space(viewport={"width": 700, "height": 500})
    other.page.goto(link)
    other.wait_live()
    wait_shown(other)
    for name in ("key", "frame", "links"):
        assert other.state[name] == space.state[name]
    assert changes(other) == changes(space)
    assert ask(other, "stage.getView()") == ask(space, "stage.getView()")
    assert settings_in(other.copied_link()) == settings_in(link)


def test_a_hand_is_dragged_in_one_frame(space: Space) -> None:
    show(space, "t=1&ch=stand:level:12:0.12")
    before = np.array(space.state["links"][HAND])
    feet = np.array(space.state["links"]["LeftFoot"])
    x, y = pixel(space, HAND)
    space.drag((x, y), (x + 20, y - 40), steps=4)
    space.until(lambda: len(changes(space)) == 2, "the drag is a change")
    wait_shown(space)
    after = np.array(space.state["links"][HAND])
    assert np.linalg.norm(after - before) > 0.05
    assert after[2] > before[2] + 0.03
    assert np.array(space.state["links"]["LeftFoot"]) == pytest.approx(feet, abs=1e-4)
    assert changes(space)[1] == "LeftHand moved at 1.00 s"
    space.find("#changes li:nth-child(2) button").click()
    space.until(lambda: len(changes(space)) == 1, "the drag is taken back")
    wait_shown(space)
    assert np.array(space.state["links"][HAND]) == pytest.approx(before, abs=1e-4)


def test_a_file_is_dropped_a_robot_follows_and_both_are_saved(space: Space) -> None:
    show(space)
    space.drop(("crouch.bvh", crouching().replace("CHANNELS 3", "CHANNELS three", 1)))
    space.until(lambda: space.find("#fault").is_visible(), "the fault is shown")
    assert "crouch.bvh" in space.find("#fault").inner_text()
    assert "three" in space.find("#fault").inner_text()
    space.find("#fault-close").click()
    space.drop(("crouch.bvh", crouching()))
    space.until(lambda: "crouch.bvh" in space.find("#motion-about").inner_text(), "the file is open")
    wait_shown(space)
    space.find("#robot").select_option("human")
    space.until(lambda: space.state["robot"] is not None, "somebody is beside it")
    assert len(ask(space, "stage.visibleBodies()")) == 2  # type: ignore[arg-type]
    with space.page.expect_download() as saved:
        space.find("#saves a").first.click()
    assert saved.value.suggested_filename == "crouch-changed.bvh"


def test_a_motion_that_is_dropped_in_3d_is_offered_to_the_page_of_motions(space: Space) -> None:
    space.show("robot=ur5e")
    space.drop(("crouch.bvh", crouching()))
    space.until(lambda: "crouch.bvh is a motion." in space.notices, "it is offered")
    space.find(".notice a").click()
    space.until(lambda: "crouch.bvh" in space.find("#motion-about").inner_text(), "the motion is open")


def test_a_file_that_is_refused_leaves_what_is_open(space: Space) -> None:
    """With its changes, and in the address: a reload shows the same."""
    show(space, "t=1&ch=stand:level:12:0.12")
    key = space.state["key"]
    space.drop(("x.bvh", "hello"))
    space.until(lambda: space.find("#fault").is_visible(), "the fault is shown")
    assert "x.bvh could not be opened" in space.find("#fault").inner_text()
    space.find("#fault-close").click()
    assert len(changes(space)) == 1 and space.state["key"] == key
    space.until(lambda: "token" not in settings_in(space.page.url), "the address is that of what is open")
    assert settings_in(space.page.url)["ch"] == "stand:level:12:0.12"
    space.page.reload()
    space.wait_live()
    wait_shown(space)
    assert space.state["key"] == key


def test_a_change_that_cannot_be_made_is_taken_back(space: Space) -> None:
    show(space, "t=1&ch=stand:level:12:0.12&hz=400")
    key = space.state["key"]
    space.find("#clean").click()
    space.until(lambda: "This cannot be done" in space.notices, "it is said why not")
    assert "cutoff" in space.notices
    space.until(lambda: len(changes(space)) == 1, "the change is taken back")
    wait_shown(space)
    assert space.state["key"] == key
    assert not space.find("#fault").is_visible()


def test_a_link_that_makes_no_sense_is_told_of(space: Space) -> None:
    show(space, "ch=fly:1")
    assert "is no change of a motion" in space.notices
    assert changes(space) == []
