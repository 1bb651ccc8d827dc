"""The arm follows the hand."""

from collections.abc import Callable

import numpy as np

from browser.playground import SOLVERS, Playground, Touch, near, tip


def test_every_solver_reaches_a_target_that_is_dragged(playground: Playground) -> None:
    playground.open("?n=6&L=60&it=32&cv=0&mx=420&my=420")
    for key, solver in enumerate(SOLVERS, 1):
        playground.press(str(key))
        for end in ((620.0, 300.0), (300.0, 250.0)):
            playground.drag_target(end)
            playground.wait_at(end)
            playground.until(lambda s=solver: s in playground.state["arms"], f"{solver} runs")
            playground.wait_reached(solver)
            assert near(tip(playground.q(solver), 60.0, playground.base), end), solver


def test_the_hint_stays_until_the_first_drag_and_a_click_moves_the_target(playground: Playground) -> None:
    playground.open()
    assert playground.find("#drag-hint span").is_visible()
    assert playground.find("#drag-hint span").inner_text() == "drag me"
    playground.drag_target((500, 300))
    assert not playground.find("#drag-hint span").is_visible()
    playground.page.mouse.click(333, 222)
    playground.wait_at((333, 222))
    playground.wait_query(tx="333", ty="222")


def test_shift_drag_moves_the_base_and_leaves_the_target(playground: Playground) -> None:
    playground.open("?tx=500&ty=300")
    playground.page.keyboard.down("Shift")
    playground.drag(playground.base, (300, 350))
    playground.page.keyboard.up("Shift")
    playground.until(lambda: near(playground.base, (300, 350)), "the base has moved")
    assert near(playground.target, (500, 300))
    playground.wait_query(mx="300", my="350")
    playground.wait_reached("dls")


def test_arrow_keys_move_target_and_base_when_the_arm_view_is_focused(playground: Playground) -> None:
    playground.open("?tx=500&ty=300&mx=400&my=400")
    playground.find("#view").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        playground.press(key)
    playground.wait_at((516, 292))
    playground.press("Shift+ArrowLeft")
    playground.until(lambda: near(playground.base, (392, 400)), "the base has moved")
    playground.press("Tab")
    playground.press("ArrowRight")
    playground.page.wait_for_timeout(150)
    assert near(playground.target, (516, 292))


def test_a_finger_drags_target_and_base(make_playground: Callable[..., Playground]) -> None:
    phone = make_playground(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.open("?tx=250&ty=400&mx=180&my=560")
    finger = Touch(phone.page)
    finger.drag((250, 400), (130, 420))
    phone.wait_at((130, 420))
    phone.wait_reached("dls")
    finger.drag((180, 560), (220, 600))
    phone.until(lambda: near(phone.base, (220, 600)), "the base has moved")
    assert near(phone.target, (130, 420))


def test_out_of_reach_the_arm_comes_to_rest_stretched_toward_the_target(playground: Playground) -> None:
    playground.open("?n=4&L=40&it=64&cv=0&mx=300&my=400&tx=700&ty=400&race=" + ",".join(SOLVERS))
    playground.until(
        lambda: all(abs(playground.error(solver) - 240) < 1 for solver in SOLVERS), "all arms are stretched"
    )

    def stand() -> bool:
        before = playground.state["arms"]
        playground.page.wait_for_timeout(300)
        after = playground.state["arms"]
        return all(np.allclose(before[solver]["q"], after[solver]["q"], atol=1e-3) for solver in SOLVERS)

    playground.until(stand, "all arms stand")
    assert all(abs(playground.error(solver) - 240) < 1 for solver in SOLVERS)


def test_up_to_64_links_by_typing_while_the_slider_ends_at_12(playground: Playground) -> None:
    playground.open("?L=30")
    slider = playground.find("[data-number=n] input[type=range]")
    assert (slider.get_attribute("min"), slider.get_attribute("max")) == ("2", "12")
    playground.type_number("n", 64)
    playground.until(lambda: playground.q("dls").size == 64, "the arm has 64 links")
    playground.wait_reached("dls")
    playground.wait_query(n="64")


def test_reset_and_random_pose(playground: Playground) -> None:
    playground.open("?px=1&n=4")
    playground.find("#shuffle").click()
    bend = np.full(4, np.pi / 8)
    playground.until(lambda: np.abs(playground.q("dls") - bend).max() > 1e-3, "the pose is another one")
    playground.find("#reset").click()
    playground.until(lambda: np.allclose(playground.q("dls"), bend, atol=1e-6), "the pose is the first one")


def test_paused_the_arm_stands_and_a_step_is_one_iteration(playground: Playground) -> None:
    playground.open("?px=1&algo=dls&n=4&L=60")
    first = playground.q("dls")
    playground.page.mouse.click(300, 250)
    playground.page.wait_for_timeout(200)
    assert np.array_equal(playground.q("dls"), first)
    playground.find("#step").click()
    playground.until(lambda: not np.array_equal(playground.q("dls"), first), "the arm has moved")
    assert playground.find("#hud-iterations").inner_text() == "1"
    playground.press(".")
    playground.until(
        lambda: playground.find("#hud-iterations").inner_text() == "2", "two iterations are done"
    )
    playground.press("p")
    playground.wait_reached("dls")


def test_the_target_moves_by_itself_and_the_arm_tracks_it(playground: Playground) -> None:
    playground.open("?mv=circle&sp=3&cv=0&it=64")
    seen = {playground.target}
    for _ in range(3):
        playground.until(lambda: playground.target not in seen, "the target moves")
        seen.add(playground.target)
    assert playground.error("dls") < 5
    playground.press("s")
    playground.until(lambda: playground.query.get("mv") == "none", "the target has stopped")
    playground.wait_readout()
    stopped = playground.target
    playground.page.wait_for_timeout(250)
    assert near(playground.target, stopped)
