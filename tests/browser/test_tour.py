"""The tour of a first visit: five steps, each left by doing what it says, and never in the way."""

from collections.abc import Callable

import pytest

from browser.playground import Playground, Touch

MakePlayground = Callable[..., Playground]
OUT_OF_REACH = (940.0, 70.0)  # a corner of the open canvas
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def card_of(playground: Playground) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the tour's card."""
    box = playground.find(".tour").bounding_box()
    assert box
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


def wait_step(playground: Playground, step: int) -> None:
    playground.until(
        lambda: playground.find(".tour small").inner_text().startswith(f"{step} of 5"),
        f"step {step} is shown",
    )


def wait_over(playground: Playground) -> None:
    playground.until(lambda: not playground.find(".tour").is_visible(), "the tour is over")


def test_a_first_visit_goes_on_as_the_person_does_what_each_step_says(
    make_playground: MakePlayground,
) -> None:
    playground = make_playground(is_first_visit=True).open()
    wait_step(playground, 1)
    x, y = playground.target
    playground.drag_target((x - 60, y - 20))
    wait_step(playground, 2)
    playground.find("#race-switch").click()
    wait_step(playground, 3)
    playground.find("#lm").click()
    wait_step(playground, 4)
    playground.drag_target(OUT_OF_REACH)
    wait_step(playground, 5)
    playground.find("#to-space").click()
    playground.page.wait_for_url("**view=3d**")


def test_it_is_shown_once_and_again_from_the_help(make_playground: MakePlayground) -> None:
    playground = make_playground(is_first_visit=True).open()
    wait_step(playground, 1)
    playground.open()
    assert not playground.find(".tour").is_visible()
    playground.press("?")
    playground.find("#tour-show").click()
    wait_step(playground, 1)
    assert not playground.find("#help").is_visible()
    for step in (2, 3, 4, 5):
        playground.press("Enter")  # Next has the focus
        wait_step(playground, step)
    assert not playground.find("#tour-skip").is_visible()
    playground.press("Enter")
    wait_over(playground)
    assert playground.page.evaluate("document.activeElement.id") == "view"


def test_a_link_opens_its_state_without_a_tour(make_playground: MakePlayground) -> None:
    playground = make_playground(is_first_visit=True).open("?algo=ccd")
    playground.wait_readout()
    assert not playground.find(".tour").is_visible()
    playground.open()
    wait_step(playground, 1)  # a link is no visit of the bare page


@pytest.mark.parametrize("how", ["Escape", "Skip"])
def test_it_can_be_skipped(make_playground: MakePlayground, how: str) -> None:
    playground = make_playground(is_first_visit=True).open()
    wait_step(playground, 1)
    if how == "Escape":
        playground.press("?")
        playground.press("Escape")  # closes the help alone
        assert playground.find(".tour").is_visible()
        playground.press("Escape")
    else:
        playground.find("#tour-skip").click()
    wait_over(playground)
    playground.find("#race-switch").click()
    assert not playground.find(".tour").is_visible()


def test_a_step_that_was_done_before_waits_for_next(make_playground: MakePlayground) -> None:
    playground = make_playground(is_first_visit=True).open()
    playground.find("#race-switch").click()
    wait_step(playground, 1)
    playground.find("#tour-next").click()
    wait_step(playground, 2)
    playground.page.wait_for_timeout(1000)  # longer than a step stays once it is done
    wait_step(playground, 2)


@pytest.mark.parametrize("window", [{}, PHONE])
def test_it_covers_neither_target_nor_controls(
    make_playground: MakePlayground, window: dict[str, object]
) -> None:
    playground = make_playground(is_first_visit=True, **window).open()
    for step in range(1, 6):
        wait_step(playground, step)
        playground.wait_readout()
        left, top, right, bottom = card_of(playground)
        width, height = playground.page.evaluate("[innerWidth, innerHeight]")
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height
        covered = playground.page.evaluate(
            """([left, top, right, bottom]) => [...document.querySelectorAll('button, input, a')]
              .filter((element) => !element.closest('.tour'))
              .filter((element) => element.checkVisibility({ visibilityProperty: true }))
              .filter((element) => {
                const box = element.getBoundingClientRect();
                return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
              }).map((element) => element.outerHTML)""",
            [left, top, right, bottom],
        )
        assert covered == []
        x, y = playground.target
        assert not (left - 20 < x < right + 20 and top - 20 < y < bottom + 20)
        playground.find("#tour-next").click()
    wait_over(playground)


def test_a_finger_does_it_on_a_phone(make_playground: MakePlayground) -> None:
    playground = make_playground(is_first_visit=True, **PHONE).open()
    wait_step(playground, 1)
    x, y = playground.target
    Touch(playground.page).drag((x, y), (x - 40, y - 40))
    wait_step(playground, 2)
    playground.find("#race-switch").tap()
    wait_step(playground, 3)
    playground.find("#tab-settings").tap()
    playground.until(
        lambda: card_of(playground)[3] <= playground.find("#panel").bounding_box()["y"],  # type: ignore[index]
        "the card stands above the sheet",
    )
    playground.find("#lm").scroll_into_view_if_needed()
    playground.find("#lm").tap()
    wait_step(playground, 4)


def test_it_is_first_after_the_canvas_for_the_keyboard_and_has_names(make_playground: MakePlayground) -> None:
    playground = make_playground(is_first_visit=True).open()
    wait_step(playground, 1)
    playground.find("#view").focus()
    playground.press("Tab")
    assert playground.page.evaluate("document.activeElement.id") == "tour-skip"
    playground.press("Tab")
    assert playground.page.evaluate("document.activeElement.id") == "tour-next"
    dialog = playground.page.get_by_role("dialog", name="Tour")
    assert dialog.locator("[aria-live=polite]").inner_text().endswith("Drag the target: the arm follows.")


def test_without_storage_there_is_no_tour_and_no_fault(make_playground: MakePlayground) -> None:
    playground = make_playground(is_first_visit=True, is_fresh=True)
    playground.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } });"
    )
    playground.open()
    playground.wait_readout()
    assert not playground.find(".tour").is_visible()
