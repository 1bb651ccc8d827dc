"""How far the target is out of reach, told while it is dragged."""

import re

import numpy as np
import pytest

from browser.playground import Playground

SHORT = "?n=3&L=40&d=1&cv=0"


def drawn(playground: Playground, name: str) -> int:
    """How many pixels of the picture have exactly the colour of a variable of tokens.css."""
    return playground.page.evaluate(
        """(name) => {
          const view = document.getElementById('view');
          const { width, height } = view;
          const wanted = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
          const [r, g, b] = [1, 3, 5].map((i) => parseInt(wanted.slice(i, i + 2), 16));
          const { data } = view.getContext('2d').getImageData(0, 0, width, height);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) {
            if (data[i] === r && data[i + 1] === g && data[i + 2] === b) count += 1;
          }
          return count;
        }""",
        name,
    )


def test_a_target_out_of_reach_changes_its_colour_and_says_how_far(playground: Playground) -> None:
    playground.open(SHORT)
    line = playground.find("#reach-line")
    x, y = playground.base
    playground.drag_target((x + 60, y - 50))
    playground.until(lambda: playground.state["outOfReach"] == 0, "it is in reach")
    assert not line.is_visible()
    playground.wait_readout()
    assert drawn(playground, "target") > 0
    assert drawn(playground, "out-of-reach") == 0
    playground.page.mouse.move(*playground.target)
    playground.page.mouse.down()
    playground.page.mouse.move(x + 200, y - 150, steps=5)
    playground.until(lambda: line.is_visible(), "the line is there while the hand holds the target")
    playground.until(lambda: playground.state["outOfReach"] > 0, "the state says so")
    away = np.hypot(200, 150) - 3 * 40
    playground.until(
        lambda: playground.state["outOfReach"] == pytest.approx(away, abs=0.1), "it is what is missing"
    )
    playground.wait_readout()
    said = re.fullmatch(r"([\d.]+) px out of reach", line.inner_text())
    assert said
    assert float(said[1]) == pytest.approx(away, abs=1.0)
    assert drawn(playground, "target") == 0
    assert drawn(playground, "out-of-reach") > 0
    playground.page.mouse.move(x + 60, y - 50, steps=5)
    playground.until(lambda: not line.is_visible(), "it is in reach again")
    playground.page.mouse.up()


def test_the_line_stands_below_the_table_of_a_race_too(playground: Playground) -> None:
    playground.open(f"{SHORT}&race=dls,ccd")
    x, y = playground.base
    playground.drag_target((x + 200, y - 150))
    line = playground.find("#reach-line")
    playground.until(lambda: line.is_visible(), "the line is there")
    assert playground.find("#race").is_visible()
    assert "out of reach" in line.inner_text()
