"""Why a goal is not met: told soon and beside it, with buttons that help; and how far it is out of reach."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from browser.space.stage import Space, arm_query, settings_in
from space_scenes import URDF

CRANE = arm_query(
    URDF, "crane.urdf"
)  # slew, luff up to 1.5 rad, lift from 0 to 1 m; the hook 0.5 m before it
FAR = f"{CRANE}&goal=0:hook:position:2.5,0.5,1.2"
LIMITED = f"{CRANE}&goal=0:hook:position:1.6,0,1"
LOCKED = f"{CRANE}&goal=0:hook:position:-0.4,0,1.9&lock=0:slew"
TURNED = "robot=panda&goal=0:flange:pose:0.85,0,0.33:1,0,0,0"
ROOM = 12  # [px] a goal is drawn so far around its place
SLOW = """() => {
  const next = window.requestAnimationFrame.bind(window);
  window.turns = 0;
  window.requestAnimationFrame = (draw) => window.setTimeout(() => next((now) => {
    window.turns += 1;
    draw(now);
  }), 500);
}"""


def wait_explanation(space: Space) -> str:
    space.until(lambda: space.find("#explanation").is_visible(), "the explanation is there")
    return space.find("#explanation-culprit").inner_text()


def press(space: Space, remedy: str) -> None:
    space.find(f"#explanation-remedies [data-remedy={remedy}]").click()


def wait_met(space: Space) -> None:
    space.until(lambda: space.status_of(0) == "solved", "the goal is met")
    space.until(lambda: not space.find("#explanation").is_visible(), "nothing is left to explain")


def remedies(space: Space) -> list[str]:
    buttons = space.find("#explanation-remedies button").all()
    return [button.get_attribute("data-remedy") for button in buttons]


# What is told, and where


def test_one_sentence_comes_first_and_the_rest_is_folded(space: Space) -> None:
    space.show(LIMITED)
    assert wait_explanation(space).startswith(
        "Joint 'lift' would have to go 0.1 m (100 mm) beyond its upper limit"
    )
    text = space.find("#explanation-text")
    assert not text.is_visible()
    space.find("#explanation-more summary").click()
    assert "The joint limits are in the way" in text.inner_text()
    space.find("#explanation-close").click()
    assert not space.find("#explanation").is_visible()


def covers(space: Space) -> list[str]:
    """What the card stands on of the goal, the end effector and the ghost, where that is not in the arm."""
    box = space.find("#explanation").bounding_box()
    assert box is not None
    left, top = box["x"] - ROOM, box["y"] - ROOM
    right, bottom = box["x"] + box["width"] + ROOM, box["y"] + box["height"] + ROOM
    points = space.ask(
        """(() => {
          const { crew, handles } = stage;
          const see = (point) => stage.screenPoint(point);
          const { frame } = handles.handles.get('0').goal;
          const seen = { goal: stage.goalPoint('0'), hand: see(crew.framePoint(0, frame).toArray()) };
          const ghost = crew.bodies.find(({ body }) => body.look.isGhost && body.poses.size > 0);
          const arm = crew.front(0).poses;
          for (const [link, pose] of ghost?.body.poses ?? []) {
            const { elements } = arm.get(link);
            if (pose.elements.every((value, k) => Math.abs(value - elements[k]) < 0.01)) continue;
            seen[`ghost ${link}`] = see(pose.elements.slice(12, 15));
          }
          return seen;
        })()"""
    )
    return [name for name, point in points.items() if left < point["x"] < right and top < point["y"] < bottom]


@pytest.mark.parametrize(("width", "height", "panel"), [(900, 600, 1), (900, 600, 0), (390, 844, 0)])
def test_the_card_never_stands_over_goal_hand_or_ghost(
    make_space: Callable[[], Space], width: int, height: int, panel: int
) -> None:
    space = make_space()
    space.page.set_viewport_size({"width": width, "height": height})
    # Stopped in another pose than the nearest one, so that there is a ghost.
    space.show(f"{FAR}&pn={panel}")
    wait_explanation(space)
    assert covers(space) == []
    inside = space.find("#explanation").evaluate("(card) => card.classList.contains('is-in-panel')")
    assert inside == bool(panel)
    # From another side the goal is seen elsewhere: the card gives way.
    for _ in range(2):
        before = space.view
        space.find("#view").focus()
        for _ in range(6):
            space.press("ArrowLeft")
        space.until(lambda before=before: space.view != before, "the view has turned")
        space.page.wait_for_timeout(700)  # until the view is told to rest
        space.until(lambda: covers(space) == [], "the card has given way")
    card = space.find("#explanation").bounding_box()
    assert card is not None
    assert card["x"] >= 0 and card["y"] >= 0
    assert card["x"] + card["width"] <= width and card["y"] + card["height"] <= height


def test_a_phone_whose_link_opens_both_sheets_has_the_settings_and_no_card_over_the_arm(
    make_space: Callable[[], Space],
) -> None:
    space = make_space()
    space.page.set_viewport_size({"width": 390, "height": 844})
    space.show(FAR)
    space.page.goto(space.page.url.replace("cv=0", "cv=1&pn=1"))
    space.until(lambda: space.find("#explanation").get_attribute("hidden") is None, "the answer is there")
    assert not space.find("#explanation").is_visible()
    tabs = [space.find(f"#tab-{name}").get_attribute("aria-expanded") for name in ("settings", "convergence")]
    assert tabs == ["true", "false"]
    space.find("#tab-settings").click()
    assert space.find("#explanation").is_visible()


def test_it_comes_without_waiting_for_display_frames(make_space: Callable[[], Space]) -> None:
    space = make_space(is_fresh=True)
    space.page.add_init_script(f"({SLOW})()")
    space.show(f"{CRANE}&goal=0:hook:position:1.2,0.5,1.2")
    space.page.evaluate(
        """() => {
          const card = document.getElementById('explanation');
          new MutationObserver(() => {
            if (!card.hidden) window.turnsAtCard ??= window.turns;
          }).observe(card, { attributes: true });
        }"""
    )
    field = space.find("#goal-position input").nth(0)
    field.fill("2.5")
    before = space.page.evaluate("window.turns")
    field.press("Enter")
    wait_explanation(space)
    # An arm stands for eight rounds of its solver before it rests; frames are fewer.
    assert space.page.evaluate("window.turnsAtCard") - before < 8


# What the buttons do


def test_a_locked_joint_is_unlocked(space: Space) -> None:
    space.show(LOCKED)
    assert wait_explanation(space) == "Joint 'slew' is locked, and the goal needs it."
    assert remedies(space) == ["unlock", "move"]
    press(space, "unlock")
    wait_met(space)
    space.wait_query(lock="")


def test_a_limit_is_widened_for_this_page_and_its_links(
    space: Space, make_space: Callable[[], Space]
) -> None:
    space.show(LIMITED)
    wait_explanation(space)
    assert space.find("#explanation-remedies button").first.inner_text() == "Widen lift to 1100 mm"
    press(space, "widen")
    wait_met(space)
    assert space.q_of(0)[2] == pytest.approx(1.1, abs=1e-3)
    row = space.find("#joints li[data-joint=lift] input[type=range]")
    assert row.get_attribute("title") == "0 to 1100 mm"
    link = space.copied_link()
    assert settings_in(link)["wide"] == "0:lift:,1.1"
    other = make_space().open_link(link)
    assert other.status_of(0) == "solved"
    space.find("#own-limits").click()
    wait_explanation(space)
    space.until(lambda: space.q_of(0)[2] <= 1.0 + 1e-6, "the joint is within its own limit")


def test_the_target_is_moved_to_the_nearest_point(space: Space) -> None:
    space.show(FAR)
    wait_explanation(space)
    before = np.array(space.goals[0]["position"])
    press(space, "move")
    wait_met(space)
    after = np.array(space.goals[0]["position"])
    assert np.linalg.norm(after) < np.linalg.norm(before)
    assert space.state["outOfReach"] == [0]


def test_an_orientation_is_given_up(space: Space) -> None:
    space.show(TURNED)
    assert wait_explanation(space) == "The point can be reached, but not in this orientation."
    assert remedies(space) == ["position", "move"]
    press(space, "position")
    wait_met(space)
    assert space.goals[0]["kind"] == "position"


def test_what_the_link_says_of_limits_and_view_and_cannot_be_had_is_told(space: Space) -> None:
    space.show(f"{CRANE}&cam=nowhere&wide=0:slew:,9;0:lift:,far")
    space.until(lambda: "cam=nowhere is not a view" in space.notices, "the view is said to be none")
    assert "wide: 0:lift:,far is not ARM:JOINT:LOWER,UPPER" in space.notices
    assert "has no joint slew with limits to widen" in space.notices
    space.until(lambda: space.query.get("wide", "") == "", "the address has no such limits")


# Reach


def colours(space: Space) -> list[str]:
    """Of the selected goal's halo and of the thread to it."""
    return space.ask(
        """(({ halo, string }) => [halo, string].map(({ material }) => {
          const { color, uniforms } = material;
          const values = Object.values(uniforms ?? {}).map(({ value }) => value);
          return `#${(color ?? values.find((value) => value.isColor)).getHexString()}`;
        }))(stage.handles.selected)"""
    )


def token(space: Space, name: str) -> str:
    return space.page.evaluate(
        f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()"
    )


def is_said(space: Space) -> bool:
    """Whether the line has the distance that the goal is farther away than the crane is long."""
    said = re.fullmatch(r"At least ([\d.]+) mm out of reach", space.find("#reach-line").inner_text())
    away = 1e3 * (np.linalg.norm(space.goals[0]["position"]) - 2.5)
    return said is not None and abs(float(said[1]) - away) <= 1.0


def test_while_a_goal_is_dragged_out_of_reach_goal_leash_and_line_say_so(space: Space) -> None:
    space.show(f"{CRANE}&goal=0:hook:position:1.2,0.2,1.2")
    line = space.find("#reach-line")
    assert not line.is_visible()
    assert token(space, "out-of-reach") not in colours(space)
    x, y = space.grip("x")
    space.page.mouse.move(x, y)
    space.page.mouse.down()
    far = space.ask("stage.screenPoint([5, 0.2, 1.2])")
    space.page.mouse.move(far["x"], far["y"], steps=4)
    space.until(lambda: line.is_visible(), "the line is there while the hand holds the goal")
    space.until(lambda: space.state["outOfReach"][0] > 0, "the state says so")
    space.until(lambda: is_said(space), "the line says how far")
    reached = {token(space, "out-of-reach")}
    space.until(lambda: set(colours(space)) == reached, "goal and leash have the colour")
    assert not space.find("#explanation").is_visible()
    space.page.mouse.move(x, y, steps=4)
    space.until(lambda: not line.is_visible(), "it is in reach again")
    space.page.mouse.up()
    space.until(lambda: not reached & set(colours(space)), "goal and leash have their own colours")
