"""The plots, and the scrubber through the last solve."""

import numpy as np

from browser.playground import Playground, tip


def settled(playground: Playground, query: str, click: tuple[float, float] = (300, 260)) -> int:
    """Open, move the target once, wait until the arm is there; the number of iterations of that solve."""
    playground.open(query)
    playground.page.mouse.click(*click)
    playground.wait_at(click)
    playground.wait_reached("dls", 0.1)  # the tolerance: there are no more iterations
    last = playground.find("#hud-iterations").inner_text()
    playground.until(
        lambda: playground.find("#scrub-text").inner_text() == f"last solve: {last}",
        "the solve can be scrubbed",
    )
    assert int(last) > 3
    return int(last)


def scrub_to(playground: Playground, step: int) -> None:
    playground.find("#scrub").evaluate(
        "(slider, step) => { slider.value = step; slider.dispatchEvent(new Event('input')); }",
        step,
    )
    playground.until(
        lambda: playground.find("#scrub-text").inner_text().startswith(f"step {step} of"),
        f"step {step} is shown",
    )
    playground.wait_readout()


def test_the_last_solve_is_scrubbed_and_replayed_until_the_target_is_moved(playground: Playground) -> None:
    last = settled(playground, "?n=5&L=60&it=4&d=0.5&cv=1")
    live = playground.q("dls")
    distances = []
    for step in (0, 1, last // 2, last):
        scrub_to(playground, step)
        end = tip(playground.q("dls"), 60, playground.base)
        distances.append(np.hypot(end[0] - 300, end[1] - 260))
    assert distances[0] > distances[2] > distances[3]
    assert distances[3] < 0.2
    assert np.allclose(playground.q("dls"), live, atol=1e-6)
    scrub_to(playground, 1)
    assert not np.allclose(playground.q("dls"), live, atol=1e-3)
    playground.find("#scrub-live").click()
    playground.until(lambda: np.allclose(playground.q("dls"), live, atol=1e-6), "the arm is back")
    assert playground.find("#scrub-text").inner_text() == f"last solve: {last}"
    assert playground.page.evaluate(REPLAYED) == [False, True]  # it has begun, it has ended
    assert playground.find("#scrub-text").inner_text() == f"last solve: {last}"
    scrub_to(playground, 0)
    playground.page.mouse.click(520, 300)
    playground.wait_at((520, 300))
    playground.wait_reached("dls")
    playground.until(lambda: playground.find("#scrub-live").is_disabled(), "the present is shown")


REPLAYED = """() => new Promise((done) => {
  const live = document.getElementById('scrub-live');
  const heard = [];
  const hear = () => heard.push(live.disabled) === 2 && done(heard);
  new MutationObserver(hear).observe(live, { attributeFilter: ['disabled'] });
  document.getElementById('replay').click();
  setTimeout(done, 60000, heard);
})"""


def test_opened_later_the_scrubber_still_knows_the_last_solve(playground: Playground) -> None:
    playground.open("?n=5&L=60&it=4&d=0.5&cv=0")
    playground.page.mouse.click(300, 260)
    playground.wait_at((300, 260))
    playground.wait_reached("dls", 0.1)
    playground.find("#dock-toggle").click()
    playground.until(
        lambda: int(playground.find("#scrub").get_attribute("max") or 0) > 3, "the solve can be scrubbed"
    )


def test_both_plots_draw_every_solver_and_a_click_picks_a_step(playground: Playground) -> None:
    playground.open("?race=ccd,dls&n=5&L=60&it=4&cv=1")
    playground.page.mouse.click(300, 260)
    playground.wait_at((300, 260))
    for solver in ("ccd", "dls"):
        playground.wait_reached(solver)
    playground.wait_readout()
    for plot in ("#plot-iterations", "#plot-frames"):
        box = playground.find(f"{plot} canvas").bounding_box()
        assert box
        assert box["width"] > 200
        colours = playground.find(f"{plot} canvas").evaluate(
            """(canvas) => {
              const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
              const seen = new Set();
              for (let i = 0; i < data.length; i += 4) {
                if (data[i + 3] > 250) seen.add(data.slice(i, i + 3).join());
              }
              return [...seen];
            }"""
        )
        assert {"0,124,169", "7,24,177"} <= set(colours)  # CCD and DLS in the light theme
    playground.find("#plot-iterations .u-over").click(position={"x": 4, "y": 20})
    playground.until(
        lambda: playground.find("#scrub-text").inner_text().startswith("step 0 of"), "step 0 is shown"
    )


def test_scrubbing_stops_a_moving_target(playground: Playground) -> None:
    playground.open("?mv=circle&sp=2&it=4&cv=1")
    playground.until(
        lambda: int(playground.find("#scrub").get_attribute("max") or 0) > 0, "a frame was solved"
    )
    scrub_to(playground, 0)
    stood = playground.target
    playground.page.wait_for_timeout(250)
    assert playground.target == stood
    playground.find("#scrub-live").click()
    playground.until(lambda: playground.target != stood, "the target moves again")


def test_the_scrubber_drives_the_numbers_of_the_card(playground: Playground) -> None:
    last = settled(playground, "?n=5&L=60&it=4&d=0.5&cv=1")
    live = playground.find("#hud-error").inner_text()
    for step in (0, 2, last):
        scrub_to(playground, step)
        end = tip(playground.q("dls"), 60, playground.base)
        missed = np.hypot(end[0] - 300, end[1] - 260)
        assert abs(float(playground.find("#hud").get_attribute("data-error") or "nan") - missed) < 0.01
        assert playground.find("#hud-iterations").inner_text() == str(step)
        assert abs(playground.error("dls") - missed) < 0.01
    playground.find("#scrub-live").click()
    playground.until(lambda: playground.find("#hud-error").inner_text() == live, "the present is back")


def test_the_scrubber_drives_the_table_of_a_race(playground: Playground) -> None:
    playground.open("?race=ccd,dls&n=5&L=60&it=4&cv=1")
    playground.page.mouse.click(300, 260)
    playground.wait_at((300, 260))
    for solver in ("ccd", "dls"):
        playground.wait_reached(solver, 0.1)
    playground.until(
        lambda: playground.find("#scrub-text").inner_text().startswith("last solve"), "it can be scrubbed"
    )
    needed = int(playground.find("tr[data-solver=dls] [data-cell=tolerance]").inner_text())
    scrub_to(playground, needed - 1)
    row = playground.find("tr[data-solver=dls]")
    assert row.get_attribute("data-reached") == "false"
    assert row.locator("[data-cell=tolerance]").inner_text() == f"> {needed - 1}"
    assert float(row.get_attribute("data-error") or "nan") > 0.1
    scrub_to(playground, needed)
    assert row.get_attribute("data-reached") == "true"
    assert float(row.get_attribute("data-error") or "nan") <= 0.1


def test_plots_say_what_is_under_the_pointer(playground: Playground) -> None:
    playground.open("?race=ccd,dls&n=5&L=60&it=4&cv=1")
    playground.page.mouse.click(300, 260)
    playground.wait_at((300, 260))
    for solver in ("ccd", "dls"):
        playground.wait_reached(solver)
    playground.wait_readout()
    for plot, title, x in (("#plot-iterations", "Iteration 0", 0.0), ("#plot-frames", "Last frame", 1.0)):
        over = playground.find(f"{plot} .u-over")
        box = over.bounding_box()
        assert box
        readout = playground.find(f"{plot} .plot-readout")
        assert not readout.is_visible()
        playground.page.mouse.move(box["x"] + 1 + x * (box["width"] - 2), box["y"] + 30)
        playground.until(readout.is_visible, "it is said")
        assert readout.locator("strong").inner_text() == title
        assert readout.locator("span").count() == 2
        errors = [float(text) for text in readout.locator("b").all_inner_texts()]
        assert all(error > 50 for error in errors) if x == 0 else all(error < 1 for error in errors)
        playground.page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 200)
        playground.until(lambda readout=readout: not readout.is_visible(), "it is gone")
