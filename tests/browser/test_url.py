"""The whole state is in the URL."""

import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from browser.playground import Playground, write_query

EVERYTHING = {
    "algo": "jt",
    "race": "ccd,jt,sdls",
    "n": "7",
    "L": "52.5",
    "it": "9",
    "tol": "0.25",
    "g": "0.35",
    "la": "2.5",
    "d": "0.8",
    "px": "1",
    "rg": "1",
    "tr": "1",
    "km": "0",
    "hw": "1",
    "all": "1",
    "es": "1",
    "ex": "3",
    "ey": "1",
    "lm": "1",
    "ld": "75",
    "sl": "1",
    "rb": "0.12",
    "rq": "10,20,-30,0,5.5,0,0",
    "mv": "eight",
    "sp": "1.7",
    "poses": "up~10,20,30,0,0,0,0|wave%20left~-10,0,0,0,0,0,0",
    "mx": "410",
    "my": "333",
    "tx": "505",
    "ty": "222",
    "pn": "1",
    "jv": "slow",
    "cv": "0",
    "help": "0",
    "theme": "dark",
}
RANGES = {
    "n": (2, 64),
    "L": (10, 300),
    "it": (1, 64),
    "tol": (0.01, 10),
    "g": (0.02, 1),
    "la": (0, 300),
    "d": (0.05, 1),
    "ld": (10, 180),
    "rb": (0, 0.5),
    "sp": (0.2, 3),
}


def shown(playground: Playground) -> dict[str, str]:
    """Every setting as the page's controls show it."""
    numbers = {name: format(playground.value(name), "g") for name in RANGES}
    flags = {
        name: str(int(playground.find(f"#{name}").is_checked()))
        for name in ("px", "rg", "tr", "km", "hw", "all", "es", "lm", "sl")
    }
    chosen = [chip.get_attribute("data-solver") for chip in playground.find(".chip[aria-pressed=true]").all()]
    race = ",".join(name or "" for name in chosen) if playground.pressed("#race-switch") else ""
    opened = {
        "pn": str(int(playground.find("#panel-toggle").get_attribute("aria-expanded") == "true")),
        "cv": str(int(playground.find("#dock-toggle").get_attribute("aria-expanded") == "true")),
        "help": str(int(playground.find("#help").is_visible())),
    }
    return {
        **numbers,
        **flags,
        **opened,
        "race": race,
        "mv": playground.page.evaluate("document.querySelector('input[name=mv]:checked').value"),
        "theme": (playground.find("#theme").get_attribute("title") or "").removeprefix("Theme: "),
    }


def both_are_seen(playground: Playground) -> bool:
    """Whether base and target are on the free part of the canvas."""
    at = "points => points.map(([x, y]) => document.elementFromPoint(x, y)?.id)"
    return playground.page.evaluate(at, [playground.base, playground.target]) == ["view", "view"]


def copied_link(playground: Playground) -> str:
    playground.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    playground.find("#copy-link").click()
    playground.until(lambda: "Link copied" in playground.notices, "the link is copied")
    return playground.page.evaluate("navigator.clipboard.readText()")


def test_the_documented_link_opens_exactly_that(playground: Playground) -> None:
    playground.open("?algo=dls&n=6&L=80&it=16&la=3&d=0.7&rg=1&tr=1&mv=eight&sp=1.2")
    found = shown(playground)
    wanted = {
        "n": "6",
        "L": "80",
        "it": "16",
        "la": "3",
        "d": "0.7",
        "rg": "1",
        "tr": "1",
        "mv": "eight",
        "sp": "1.2",
    }
    assert found.items() >= wanted.items()
    assert playground.pressed(".chip[data-solver=dls]")
    assert playground.q("dls").size == 6
    said = playground.find("#view-state").text_content() or ""
    assert re.fullmatch(
        r"Damped least squares: target at \d+, \d+ px, [\d.e-]+ px off; joints at .* degrees\.", said
    )
    assert playground.find(".notice").count() == 0


def test_every_setting_goes_into_the_page_and_into_the_link(playground: Playground) -> None:
    playground.open(write_query(EVERYTHING))
    found = shown(playground)
    assert found == {name: value for name, value in EVERYTHING.items() if name in found}
    assert playground.problem == {"base": (410, 333), "target": (505, 222)}
    assert set(playground.state["arms"]) == {"ccd", "jt", "sdls"}
    assert playground.find("tr.is-front").get_attribute("data-solver") == "jt"
    assert playground.find(".notice").count() == 0
    link = dict(parse_qsl(urlsplit(copied_link(playground)).query))
    assert len(link.pop("q").split(";")) == 3  # how the arms stand
    assert link == EVERYTHING
    playground.find("#rg").click()
    playground.wait_query(**EVERYTHING | {"rg": "0"})


def test_a_copied_link_opens_the_same_elsewhere(make_playground: Callable[..., Playground]) -> None:
    first, second = make_playground(), make_playground()
    first.open("?n=4")
    first.page.mouse.click(444, 222)
    first.press("g")
    first.press("2")
    first.type_number("L", 88)
    first.wait_at((444, 222))
    link = copied_link(first)
    second.page.goto(link)
    second.wait_live()
    assert shown(second) == shown(first)
    assert second.problem == first.problem
    assert second.pressed(".chip[data-solver=fabrik]")
    np.testing.assert_allclose(second.q("fabrik"), first.q("fabrik"), atol=1e-4)
    first.until(lambda: "q" in first.query, "the address says how the arm stands")
    np.testing.assert_allclose(
        np.radians([*map(float, first.query["q"].split(","))]), first.q("fabrik"), atol=1e-4
    )


def test_numbers_out_of_range_are_clamped_and_said_so(playground: Playground) -> None:
    beyond = {name: high + 7.5 for name, (_, high) in RANGES.items()}
    playground.open(write_query(beyond), live=False)
    playground.until(lambda: playground.notices, "the page says what it has changed")
    told = playground.notices
    for name, (low, high) in RANGES.items():
        assert playground.value(name) == high, name
        assert f"{name}={beyond[name]:g} is outside {low:g} to {high:g}" in told
    playground.press("g")
    playground.wait_query(rg="0", **{name: f"{high:g}" for name, (_, high) in RANGES.items()})


def test_what_is_no_value_at_all_is_said_and_the_default_is_used(playground: Playground) -> None:
    bad = "?n=abc&L=&it=1e999&d=NaN&algo=magic&mv=spiral&rg=maybe&race=ccd,magic&rq=1,x&tx=left"
    playground.open(bad, live=False)
    playground.until(lambda: playground.notices, "the page says so")
    told = playground.notices
    for name in ("n", "L", "it", "d", "algo", "mv", "rg", "race", "rq", "tx"):
        assert f"{name}" in told
    playground.wait_live()
    assert (playground.value("n"), playground.value("L"), playground.value("it")) == (4, 90, 8)
    assert set(playground.state["arms"]) == {"ccd"}


def test_unknown_names_are_ignored(playground: Playground) -> None:
    playground.open("?n=3&utm_source=x&constructor=1&__proto__=2&toString=3")
    assert playground.q("dls").size == 3
    assert playground.find(".notice").count() == 0
    playground.press("t")
    playground.wait_query(n="3", tr="1")
    assert set(playground.query) == {"n", "tr", "mx", "my", "tx", "ty", "q"}


def test_places_outside_the_window_are_fitted_into_it(playground: Playground) -> None:
    playground.open("?tx=1200&ty=100&mx=400&my=5000&pn=0&cv=0")
    assert playground.problem == {"base": (400, 5000), "target": (1200, 100)}
    for width, height in ((1280, 720), (800, 500), (390, 844)):
        playground.page.set_viewport_size({"width": width, "height": height})
        playground.until(lambda: both_are_seen(playground), f"both are inside {width} x {height}")
        assert playground.problem == {"base": (400, 5000), "target": (1200, 100)}
    assert playground.find(".notice").count() == 0


def test_default_places_suit_every_window(make_playground: Callable[..., Playground]) -> None:
    playground = make_playground().open()
    for width, height in ((1280, 720), (1920, 1080), (390, 844), (844, 390), (320, 480)):
        playground.page.set_viewport_size({"width": width, "height": height})
        playground.until(
            lambda: both_are_seen(playground),
            f"base and target can be seen at {width} x {height}",
        )


def test_typed_numbers_out_of_range_are_clamped_with_a_notice(playground: Playground) -> None:
    playground.open()
    playground.type_number("d", 9)
    assert playground.value("d") == 1
    assert "d=9 is outside 0.05 to 1" in playground.notices
    playground.type_number("n", "")
    assert playground.value("n") == 4


def test_every_slider_writes_its_name(playground: Playground) -> None:
    playground.open("?race=jt,dls&lm=1&mv=circle&px=1")
    changed = {}
    for name, bounds in RANGES.items():
        slider = playground.find(f"[data-number={name}] input[type=range]")
        assert float(slider.get_attribute("min") or "nan") == bounds[0]
        slider.focus()
        playground.press("End")
        assert slider.input_value() == slider.get_attribute("max")
        changed[name] = format(playground.value(name), "g")
    playground.wait_query(**changed)
    assert (changed["n"], changed["L"], changed["it"], changed["la"]) == ("12", "140", "64", "50")


def act(playground: Playground, rng: np.random.Generator) -> None:
    """What a person might do next."""
    x, y = float(rng.integers(380, 700)), float(rng.integers(180, 420))
    numbers = [("n", 3), ("n", 8), ("L", 25.5), ("d", 0.3), ("ld", 45), ("sp", 1.7), ("tol", 2.5)]
    name, value = numbers[rng.integers(len(numbers))]
    match rng.choice(["key", "number", "click", "drag", "zoom"]):
        case "key":
            playground.press(str(rng.choice(list("123456789crtgks0+-"))))
        case "number":
            playground.type_number(name, value)
        case "click":
            playground.page.mouse.click(x, y)
        case "drag":
            playground.drag(playground.base, (x, y))
        case "zoom":
            playground.page.mouse.move(x, y)
            playground.page.mouse.wheel(0, float(rng.integers(-200, 200)))


def test_a_change_is_in_the_address_at_once(playground: Playground) -> None:
    """Of which a reload, or the way back to the page, would tell nothing else."""
    playground.open("?n=4&cv=0")
    playground.page.mouse.click(520, 260)
    playground.page.wait_for_timeout(1000)  # until nothing waits to be written
    address = playground.page.evaluate(
        """() => {
          document.getElementById('px').click();
          return location.search;
        }"""
    )
    assert dict(parse_qsl(address[1:]))["px"] == "1"


@pytest.mark.parametrize("seed", range(2))
def test_whatever_was_done_its_link_opens_the_same_in_another_window(
    make_playground: Callable[..., Playground], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    first = make_playground().open("?n=5&L=60&cv=0&pn=1&jv=once")
    for _ in range(12):
        act(first, rng)
        first.wait_readout()
    first.find("#px").set_checked(True, force=True)
    first.wait_query(px="1")
    first.wait_readout()
    link, before = first.query, first.state
    second = make_playground(viewport={"width": 900, "height": 640})
    second.open(write_query(link), live=False)
    second.until(lambda: second.find("#n").input_value() != "", "the controls are there")
    second.wait_readout()
    after = second.state
    opened = dict(second.query)
    if "cam" not in link:  # a smaller window zooms out where it would not show the whole arm
        opened.pop("cam", None)
    assert opened == link
    assert {**shown(second), "pn": "1"} == {**shown(first), "pn": "1"}
    assert after["base"] == before["base"]
    assert set(after["arms"]) == set(before["arms"])
    for solver, arm in before["arms"].items():
        assert np.allclose(after["arms"][solver]["q"], arm["q"], atol=2e-3), solver
