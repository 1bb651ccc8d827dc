"""The gallery of robots: pictures and kinds, search, keys, and what was opened last."""

from collections.abc import Callable

import pytest

from browser.space.stage import Space, arm_query
from limbik.formats import registry

ARM = arm_query("arm 1 0 0 0\nseg 1 3.2 1.5\n", "one.arm")
FOCUSED = "document.activeElement.dataset.robot ?? document.activeElement.id"


def gallery(space: Space) -> Space:
    """The page on one small arm, with the gallery open."""
    space.show(ARM)
    space.press("b")
    space.until(lambda: space.find("#robots").is_visible(), "the gallery is open")
    return space


def headings(space: Space) -> list[str]:
    return space.page.locator("#robots-list h3").all_text_contents()


def names(space: Space) -> list[str]:
    return space.page.evaluate(
        "[...document.querySelectorAll('#robots-list .robot')].map((card) => card.dataset.robot)"
    )


def choose(space: Space, name: str) -> None:
    """Open a robot by its name, and wait until it stands."""
    space.press("b")
    space.find("#robots-search").fill(name)
    space.press("Enter")
    space.until(lambda: f"robot={name}" in space.page.url, f"{name} is open")
    space.wait_resting()


def test_robots_are_shown_by_kind_with_pictures_or_a_sign(space: Space) -> None:
    gallery(space)
    assert headings(space)[-5:] == [
        "Arms",
        "Mobile robots",
        "Humanoids",
        "Quadrupeds",
        "Hands and grippers",
    ]
    picture = space.find("#robots-list [data-robot=ur5e] img")
    picture.scroll_into_view_if_needed()
    space.until(lambda: picture.evaluate("image => image.naturalWidth") == 192, "the picture is there")
    count = "document.querySelectorAll('#robots-list .robot').length"
    shown = "document.querySelectorAll('#robots-list .robot > :is(img, .robot-glyph)').length"
    assert space.page.evaluate(shown) == space.page.evaluate(count) == len(set(names(space)))
    space.find("#robots-kinds input[value=quadruped]").check()
    space.until(lambda: headings(space) == ["Quadrupeds"], "only robots with four legs are shown")
    assert "go2" in names(space)


def test_a_robot_that_is_not_installed_says_what_it_needs_and_is_not_opened(space: Space) -> None:
    space.open(f"?view=3d&{ARM}", live=False)
    space.wait_scene()
    space.press("b")
    card = "#robots-list .robot[aria-disabled=true]"
    if space.page.locator(card).count() == 0:
        return  # every package is installed here
    first = space.page.locator(card).first
    assert "pip install --no-deps" in first.inner_text()
    first.click(force=True)
    assert space.find("#robots").is_visible()


def test_an_alias_finds_a_robot_and_a_misspelt_name_what_may_be_meant(space: Space) -> None:
    gallery(space)
    space.find("#robots-search").fill("pmua560")
    space.until(lambda: names(space) == [], "nothing is found")
    assert "Did you mean Unimation Puma 560?" in space.find("#robots-none").inner_text()
    space.find("#robots-none button").click()
    space.until(lambda: names(space) == ["puma560"], "it is found")
    space.find("#robots-search").fill("xxxxxxxxxx")
    space.until(lambda: names(space) == [], "nothing is found")
    assert space.find("#robots-none").inner_text() == "No robot has such a name."
    space.find("#robots-search").fill("unitree_go2")
    space.until(lambda: names(space) == ["go2"], "it is found")


def test_robots_are_chosen_by_keyboard(space: Space) -> None:
    gallery(space)
    space.find("#robots-kinds input[value=arm]").check()
    space.find("#robots-search").fill("universal")
    space.find("#robots-search").focus()
    order = names(space)
    assert order[:3] == ["ur3", "ur3e", "ur5"]
    space.press("ArrowDown")
    assert space.page.evaluate(FOCUSED) == "ur3"
    space.press("ArrowRight")
    space.press("ArrowRight")
    assert space.page.evaluate(FOCUSED) == "ur5"
    space.press("ArrowLeft")
    space.press("ArrowDown")
    below = space.page.evaluate(FOCUSED)
    assert order.index(below) > 2
    space.press("ArrowUp")
    assert space.page.evaluate(FOCUSED) == "ur3e"
    space.press("ArrowUp")
    assert space.page.evaluate(FOCUSED) == "robots-search"
    space.press("ArrowDown")
    space.press("End")
    assert space.page.evaluate(FOCUSED) == order[-1]
    space.press("Enter")
    space.until(lambda: f"robot={order[-1]}" in space.page.url, "it is open")
    space.wait_resting()
    assert not space.find("#robots").is_visible()


def test_robots_that_were_opened_last_come_first(space: Space) -> None:
    space.show(ARM)
    choose(space, "puma560")
    choose(space, "ur10e")
    space.press("b")
    assert headings(space)[0] == "Recent"
    assert names(space)[:2] == ["ur10e", "puma560"]
    assert names(space).count("puma560") == 1


def test_without_storage_the_gallery_works(make_space: Callable[..., Space]) -> None:
    space = make_space(is_fresh=True)
    forbidden = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } });"
    space.page.add_init_script(forbidden)
    space.show(ARM)
    choose(space, "puma560")
    space.press("b")
    assert headings(space)[0] == "Arms"


def test_a_robot_wears_its_meshes(make_space: Callable[..., Space], dressed_address: str) -> None:
    found = registry.find("panda")
    if found is None or found.robot.installed is None:
        pytest.skip("needs the description of panda")
    space = make_space(server=dressed_address)
    space.show("robot=panda")
    space.until(lambda: space.ask("stage.visibleBodies()[0].hasMeshes"), "the meshes are there")
