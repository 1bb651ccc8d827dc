"""The 3-D page as a page: sizes, names for screen readers, themes, help, no globals."""

from pathlib import Path

import limbik
from browser.space.stage import Space, arm_query

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_ARMS = arm_query((EXAMPLES / "two_arms.arm").read_text(), "two_arms.arm")


def test_everything_has_a_name_and_fits_every_window(space: Space) -> None:
    space.show(TWO_ARMS + "&pn=1")
    nameless = space.page.evaluate(
        """[...document.querySelectorAll('button, input, select, a, canvas[tabindex], dialog')]
          .filter((e) => !e.ariaLabel && !e.getAttribute('aria-labelledby') && !e.textContent.trim())
          .filter((e) => !e.labels?.length)
          .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    twice = space.page.evaluate(
        """[...document.querySelectorAll('[id]')].map((e) => e.id)
          .filter((id, i, all) => all.indexOf(id) !== i)"""
    )
    assert twice == []
    for width, height in ((1440, 900), (1024, 700), (390, 844)):
        space.page.set_viewport_size({"width": width, "height": height})
        space.until(lambda width=width: space.page.evaluate("innerWidth") == width, "it is that wide")
        space.wait_readout()
        assert space.page.evaluate("document.documentElement.scrollWidth") <= width
        for selector in (
            "#to-plane",
            "#pause",
            "#copy-link",
            "#help-open",
            "#race-switch",
            "[data-tool=home]",
        ):
            box = space.find(selector).bounding_box()
            assert box, selector
            assert box["x"] >= 0, selector
            assert box["x"] + box["width"] <= width, selector
            assert box["y"] >= 0, selector
            assert box["y"] + box["height"] <= height, selector


HANDLE = 76  # [px] the longest arrow of the goal in hand; two thirds of it in a low picture


def test_no_card_covers_the_goal_and_a_row_without_room_says_where_it_goes_on(space: Space) -> None:
    for width, height in ((1440, 900), (900, 600), (390, 844), (844, 390)):
        space.page.set_viewport_size({"width": width, "height": height})
        for race in ("", "&race=ccd,dls,lm"):
            space.show(f"robot=ur5e&pn=0&algo=lm{race}")
            x, y = space.goal_point(0)
            for card in ("#hud", "#race", "#tools", ".bar", "#dock"):
                box = space.find(card).bounding_box()
                inside = box and box["x"] < x < box["x"] + box["width"]
                assert not (inside and box["y"] < y < box["y"] + box["height"]), (width, race, card)
            bar = space.find(".bar").bounding_box()
            size = HANDLE if height > 450 else 0.67 * HANDLE
            assert y - size >= bar["y"] + bar["height"], (width, race)
            row = space.find("#solver-chips")
            cut = row.evaluate(
                """row => [row.scrollLeft > 1, row.scrollLeft + row.clientWidth < row.scrollWidth - 1]"""
            )
            marked = row.evaluate(
                """row => ['goes-on-left', 'goes-on-right'].map((name) => row.classList.contains(name))"""
            )
            assert marked == cut, width
            assert any(cut) == (width < 1440), width
            edges = row.bounding_box(), space.find(".chip[data-solver=lm]").bounding_box()
            assert edges[0]["x"] <= edges[1]["x"]
            assert edges[1]["x"] + edges[1]["width"] <= edges[0]["x"] + edges[0]["width"]


def test_the_panel_shows_the_settings_that_the_solver_has(space: Space) -> None:
    space.show(TWO_ARMS)
    fields = {"damping": "d", "lambda_": "la", "gamma": "g", "anneal": "an"}
    for solver in limbik.solvers.describe(compiled=True):
        space.find(f".chip[data-solver={solver.name}]").click()
        assert space.pressed(f".chip[data-solver={solver.name}]")
        shown = {name for name in fields.values() if space.find(f"#{name}").is_visible()}
        assert shown == {fields[parameter.name] for parameter in solver.parameters}, solver.name
    space.wait_query(algo=solver.name)
    depth = space.find("[data-number=depth] input[type=range]")
    assert [float(depth.get_attribute(end) or "nan") for end in ("min", "max")] == [-2, 2]


def test_the_only_global_is_limbik_ready_and_the_help_names_the_keys(space: Space) -> None:
    space.show(TWO_ARMS)
    added = space.page.evaluate(
        """() => {
          const bare = document.body.appendChild(document.createElement('iframe')).contentWindow;
          const names = Object.getOwnPropertyNames(window);
          return names.filter((name) => !(name in bare) && !/^[0-9]+$/.test(name));
        }"""
    )
    assert set(added) <= {"limbikReady", "__THREE__"}
    space.press("?")
    assert space.find("#help").is_visible()
    assert "solve from anywhere" in space.find("#help").inner_text()
    space.press("Escape")
    assert not space.find("#help").is_visible()
    space.find("#theme").click()
    space.wait_query(theme="light")
    space.find("#theme").click()
    space.wait_query(theme="dark")
