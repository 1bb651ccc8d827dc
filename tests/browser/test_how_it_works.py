"""The switch "How it works": the drawing beside the arm, its words in the panel, the step's source text."""

import re
from collections.abc import Callable

from browser.playground import SOLVERS, Playground, Point
from browser.test_convergence import scrub_to
from limbik.app.method_source import method_source


def count_colour(playground: Playground, colour: str) -> int:
    """How many pixels of the canvas have a colour of tokens.css, to rounding."""
    return playground.find("#view").evaluate(
        """(canvas, name) => {
          const probe = document.createElement('canvas').getContext('2d');
          probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
          probe.fillRect(0, 0, 1, 1);
          const wanted = probe.getImageData(0, 0, 1, 1).data;
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) {
            count += [0, 1, 2, 3].every((k) => Math.abs(data[i + k] - wanted[k]) < 3);
          }
          return count;
        }""",
        colour,
    )


def moved(playground: Playground, query: str) -> None:
    """Open the page and move its target far."""
    playground.open(query)
    move(playground, playground.query["algo"], (640, 200))


def move(playground: Playground, solver: str, point: Point) -> None:
    """Move the target, and wait until the arm is there."""
    playground.page.mouse.click(*point)
    playground.wait_at(point)
    playground.until(lambda: solver in playground.state["arms"], f"{solver} runs")
    playground.wait_reached(solver, 0.1)  # the tolerance: there are no more iterations
    playground.wait_readout()


def words(playground: Playground) -> str:
    playground.wait_readout()
    return playground.find("#how-text").inner_text()


def test_every_method_is_drawn_and_told(playground: Playground) -> None:
    playground.open("?n=5&L=80&tol=0.1&cv=1")
    for i, solver in enumerate(SOLVERS):
        playground.press(str(i + 1))
        move(playground, solver, ((640, 200), (460, 240))[i % 2])
        scrub_to(playground, 0)
        # The line to the target, the points of a pass, the columns of the Jacobian.
        colour = "target" if solver in ("ccd", "fabrik") else "text-2"
        plain = count_colour(playground, colour)
        assert not playground.find("#how").is_visible()
        playground.find("#hw").click()
        name = "JT classic" if solver == "transpose-classic" else solver
        told = rf"{name}, iteration 1 of \d+: "
        assert re.match(told, words(playground), re.IGNORECASE), solver
        assert count_colour(playground, colour) > plain + 20, solver
        playground.find("#hw").click()
        playground.wait_readout()
        assert count_colour(playground, colour) == plain, solver


def test_the_turns_of_a_sweep_are_stepped_through(playground: Playground) -> None:
    moved(playground, "?algo=ccd&n=5&L=80&hw=1&cv=1")
    scrub_to(playground, 0)
    joints = []
    while playground.find("#how-back").is_enabled():
        playground.find("#how-back").click()
    for turn in range(1, 6):
        assert playground.find("#how-part").inner_text() == f"turn {turn} of 5"
        found = re.search(r"joint (\d) turns by −?[\d.]+°, of the −?[\d.]+° that would", words(playground))
        assert found
        joints.append(int(found[1]))
        if turn < 5:
            playground.find("#how-on").click()
    assert joints == [5, 4, 3, 2, 1]
    assert playground.find("#how-on").is_disabled()


def test_fabrik_has_two_passes_and_a_step_has_no_parts(playground: Playground) -> None:
    moved(playground, "?algo=fabrik&n=5&L=80&hw=1&cv=1")
    scrub_to(playground, 0)
    assert "put on the target" in words(playground)
    playground.find("#how-on").click()
    assert "put back on the base" in words(playground)
    assert playground.find("#how-part").inner_text() == "pass 2 of 2"
    playground.press("4")
    assert words(playground) == "No iteration to show yet: move the target."  # the arm is there already
    playground.page.mouse.click(560, 240)
    playground.until(lambda: words(playground).startswith("DLS, iteration"), "the step of DLS is told")
    assert not playground.find("#how-parts").is_visible()


def test_newton_says_what_damping_does_to_its_convergence(playground: Playground) -> None:
    moved(playground, "?algo=newton&d=0.6&n=5&L=80&hw=1&cv=0")
    assert "each leaves 40 % of the error" in words(playground)
    playground.find("#d").fill("1")
    playground.press("Enter")
    move(playground, "newton", (460, 240))
    assert "such a step squares the error" in words(playground)


def test_the_words_follow_the_scrubber_and_without_it_tell_the_first_iteration(
    playground: Playground,
) -> None:
    moved(playground, "?algo=jt&n=5&L=80&it=4&hw=1&cv=1")
    count = int(playground.find("#scrub").get_attribute("max") or 0)
    assert words(playground).startswith(f"JT, iteration 1 of {count}: ")
    scrub_to(playground, 2)
    assert words(playground).startswith(f"JT, iteration 3 of {count}: ")
    scrub_to(playground, count)
    assert words(playground).startswith(f"JT, iteration {count} of {count}: ")


def test_it_has_its_iterations_also_when_switched_on_later_without_the_scrubber(
    playground: Playground,
) -> None:
    moved(playground, "?algo=dls&n=5&L=80&cv=0")
    playground.find("#hw").click()
    playground.until(lambda: "iteration" in words(playground), "the last solve is told")


def test_a_paused_page_that_has_solved_nothing_says_so(playground: Playground) -> None:
    playground.open("?px=1&hw=1&algo=dls")
    assert words(playground) == "No iteration to show yet: move the target."
    playground.find("#step").click()
    playground.until(lambda: words(playground).startswith("DLS, iteration 1 of 1"), "one iteration is told")


def test_the_source_text_of_the_step_is_shown_with_its_file(playground: Playground) -> None:
    playground.open("?algo=dls&cv=0")
    assert not playground.find("#source-text").is_visible()
    playground.find("#source summary").click()
    for key, solver in (("4", "dls"), ("1", "ccd"), ("2", "fabrik"), ("8", "lm")):
        playground.press(key)
        source = method_source(solver)
        playground.until(
            lambda source=source: playground.find("#source-text").text_content() == source.text,
            f"the step of {solver} is shown",
        )
        assert playground.find("#source-file").inner_text() == source.file


def test_a_server_that_does_not_answer_is_told(make_playground: Callable[..., Playground]) -> None:
    playground = make_playground(is_fresh=True).open("?algo=dls&cv=0")
    playground.page.route("**/source/*", lambda route: route.fulfill(status=500, body="broken"))
    playground.is_offline_expected = True
    playground.find("#source summary").click()
    playground.until(
        lambda: playground.find("#source-file").inner_text() == "The server did not answer.", "it is told"
    )
    playground.page.unroute("**/source/*")
    playground.find("#source summary").click()
    playground.find("#source summary").click()
    playground.until(
        lambda: playground.find("#source-file").inner_text().endswith("dls.py"), "it is asked again"
    )
    playground.faults.clear()  # the browser's own word on the broken answer
