"""The camera of the plane: what the window does never changes the problem."""

from collections.abc import Callable

import numpy as np

from browser.playground import Playground, Touch, near

PROBLEM = {"base": (400.0, 420.0), "target": (600.0, 300.0)}
QUERY = "?mx=400&my=420&tx=600&ty=300"
SIZES = ((1280, 720), (1920, 1080), (390, 844))


def scale(playground: Playground) -> float:
    return playground.state["camera"][0]


def test_a_first_view_is_the_world_as_it_is(playground: Playground) -> None:
    playground.open(QUERY)
    assert playground.state["camera"] == [1, 0, 0]
    assert playground.problem == PROBLEM


def test_no_window_and_no_panel_changes_the_problem(playground: Playground) -> None:
    playground.open(QUERY)
    for width, height in SIZES:
        playground.page.set_viewport_size({"width": width, "height": height})
        keys = ("#panel-toggle", "#dock-toggle") if width > 760 else ("#tab-settings", "#tab-convergence")
        for key in keys:
            playground.find(key).click()
            playground.wait_readout()
            assert playground.problem == PROBLEM


def test_a_link_of_one_window_opens_the_same_problem_in_any_other(
    make_playground: Callable[..., Playground],
) -> None:
    first = make_playground(viewport={"width": 1920, "height": 1080}).open("?n=6")
    first.page.mouse.click(1000, 500)
    first.wait_at((1000, 500))
    first.page.mouse.move(900, 500)
    first.page.mouse.wheel(0, -300)
    first.until(lambda: scale(first) > 1, "the view is nearer")
    first.until(lambda: "cam" in first.query and "tx" in first.query, "the address has it all")
    second = make_playground()
    for width, height in SIZES:
        second.page.set_viewport_size({"width": width, "height": height})
        second.page.goto(first.page.url)
        second.wait_live()
        assert second.problem == first.problem
        second.wait_reached("dls")
        at = "points => points.map(([x, y]) => document.elementFromPoint(x, y)?.id)"
        seen = second.page.evaluate(at, [second.base, second.target])
        assert seen == ["view", "view"] or (width, height) == (1920, 1080)


def test_the_wheel_zooms_about_the_pointer(playground: Playground) -> None:
    playground.open(QUERY)
    playground.page.mouse.move(600, 300)
    playground.page.mouse.wheel(0, -400)
    playground.until(lambda: scale(playground) > 1.5, "the view is nearer")
    assert near(playground.target, (600, 300))
    assert playground.problem == PROBLEM
    playground.page.mouse.wheel(0, 4000)
    playground.until(lambda: scale(playground) < 0.2, "the view is farther")
    assert near(playground.target, (600, 300))


def test_a_right_drag_shifts_the_view_and_a_drag_then_puts_the_target_under_the_pointer(
    playground: Playground,
) -> None:
    playground.open(QUERY)
    playground.page.mouse.move(300, 300)
    playground.page.mouse.down(button="right")
    playground.page.mouse.move(340, 320, steps=3)
    playground.page.mouse.up(button="right")
    playground.until(lambda: near(playground.target, (640, 320)), "the view is shifted")
    assert playground.problem == PROBLEM
    playground.drag_target((500, 250))
    playground.wait_at((500, 250))
    assert np.allclose(playground.problem["target"], (460, 230))
    playground.wait_reached("dls")


def test_keys_and_buttons_zoom_fit_and_go_home(playground: Playground) -> None:
    playground.open(QUERY)
    for key, button in (("+", "in"), ("-", "out")):
        playground.wait_readout()
        before = scale(playground)
        playground.press(key)
        playground.until(lambda before=before: scale(playground) != before, f"{key} zooms")
        playground.find(f"[data-look={button}]").click()
    playground.press("Home")
    playground.until(lambda: playground.state["camera"] == [1, 0, 0], "the first view is back")
    playground.page.mouse.move(600, 300)
    playground.page.mouse.wheel(0, -2500)
    playground.until(lambda: scale(playground) > 5, "only a part is seen")
    playground.press("f")
    playground.until(lambda: scale(playground) == 1, "all is seen")


def test_two_fingers_zoom_and_shift_and_leave_the_target(make_playground: Callable[..., Playground]) -> None:
    phone = make_playground(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.open("?mx=180&my=560&tx=250&ty=400")
    phone.wait_reached("dls")
    before, problem = scale(phone), phone.problem
    session = Touch(phone.page).session

    def send(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    send("touchStart", (150, 400), (240, 400))
    for step in range(1, 6):
        send("touchMove", (150 - 10 * step, 400), (240 + 10 * step, 400))
    send("touchEnd")
    phone.until(lambda: scale(phone) > 1.5 * before, "the view is nearer")
    assert phone.problem["base"] == problem["base"]


def test_arrow_keys_work_from_the_start(playground: Playground) -> None:
    playground.open(QUERY)
    playground.press("ArrowRight")
    playground.wait_at((608, 300))
    playground.press("Shift+ArrowDown")
    playground.until(lambda: playground.problem["base"] == (400, 428), "the base has moved")
    playground.find("#n").focus()
    playground.press("ArrowUp")
    assert playground.problem["target"] == (608, 300)


def test_nothing_invites_to_drag_before_the_first_answer(make_playground: Callable[..., Playground]) -> None:
    playground = make_playground(is_fresh=True)
    playground.page.add_init_script(
        """window.invited = false;
        new MutationObserver(() => {
          const hint = document.getElementById('drag-hint');
          if (hint && !hint.hidden && !window.limbikReady) window.invited = true;
        }).observe(document, { subtree: true, childList: true, attributes: true });"""
    )
    playground.open()
    assert playground.find("#drag-hint span").is_visible()
    assert not playground.page.evaluate("window.invited")
