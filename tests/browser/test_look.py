"""What a person sees: themes, sizes, names for screen readers, nothing that jumps."""

import math
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import vendor
from browser.playground import SOLVERS, Playground

STATIC = vendor.VENDOR.parent


def test_the_theme_follows_the_system_and_can_be_chosen(make_playground: Callable[..., Playground]) -> None:
    playground = make_playground(is_fresh=True, color_scheme="dark").open("?cv=0")
    theme = "document.documentElement.dataset.theme"
    assert playground.page.evaluate(theme) == "dark"
    playground.find("#theme").click()
    assert playground.page.evaluate(theme) == "light"
    assert playground.find("#theme").get_attribute("aria-label") == "Theme: light"
    playground.open("?cv=0")
    assert playground.page.evaluate(theme) == "light"  # remembered
    playground.find("#theme").click()
    assert playground.page.evaluate(theme) == "dark"
    playground.find("#theme").click()
    playground.page.emulate_media(color_scheme="light")
    playground.until(lambda: playground.page.evaluate(theme) == "light", "the page follows the system")


def test_nothing_jumps_while_the_page_opens_and_runs(make_playground: Callable[..., Playground]) -> None:
    playground = make_playground(is_fresh=True)
    playground.page.add_init_script(
        """window.shifts = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            for (const { node, previousRect, currentRect } of entry.sources) {
              const { x, y, width, height } = previousRect;
              const [dx, dy] = [currentRect.x - x, currentRect.y - y];
              const name = node?.outerHTML?.slice(0, 80) ?? node?.textContent;
              window.shifts.push(`${name}: by ${dx}, ${dy} from a width of ${width}, a height of ${height}`
                + ` to ${currentRect.width}, ${currentRect.height} after ${entry.startTime} ms`);
            }
          }
        }).observe({type: 'layout-shift', buffered: true});"""
    )
    playground.open("?race=ccd,dls&mv=circle")
    playground.page.wait_for_timeout(700)
    assert playground.page.evaluate("window.shifts") == []


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844), (844, 390)])
def test_everything_fits_and_can_be_pressed(
    make_playground: Callable[..., Playground], width: int, height: int
) -> None:
    playground = make_playground(viewport={"width": width, "height": height}, has_touch=width < 900).open(
        "?pn=1&cv=0"
    )
    assert playground.page.evaluate("document.documentElement.scrollWidth") <= width
    for selector in (
        "#pause",
        "#step",
        "#copy-link",
        *(["#theme"] if width >= 480 else []),
        "#undo",
        "#help-open",
        "#race-switch",
        ".chip[data-solver=ccd]",
        "#n",
    ):
        box = playground.find(selector).bounding_box()
        assert box, selector
        assert box["x"] >= 0, selector
        assert box["x"] + box["width"] <= width, selector
        assert box["y"] + box["height"] <= height, selector
    playground.find(".chip[data-solver=newton]").click()
    assert playground.pressed(".chip[data-solver=newton]")
    playground.find("#px").click()
    assert playground.find("#px").is_checked()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (900, 600), (390, 844), (844, 390)])
def test_base_and_moving_path_are_in_the_open_part_of_a_window_of_any_size(
    make_playground: Callable[..., Playground], width: int, height: int
) -> None:
    playground = make_playground(viewport={"width": width, "height": height})
    playground.open("?n=6&L=90&mv=circle&px=1&mx=300&my=500&tx=600&ty=330", live=False)
    playground.until(lambda: "camera" in playground.state, "the page is built")
    radius = 0.34 * 6 * 90
    around = [(600 + radius * math.sin(k), 330 - radius * math.cos(k)) for k in range(7)]
    for x, y in map(playground.on_screen, [(300, 500), *around]):
        assert 0 <= x <= width
        for selector in ("#plane-tools", ".bar", "#dock", "#panel"):
            box = playground.find(selector).bounding_box()
            is_seen = box and playground.find(selector).is_visible()
            inside = is_seen and box["x"] < x < box["x"] + box["width"]
            assert not (inside and box["y"] < y < box["y"] + box["height"]), selector


@pytest.mark.parametrize(("width", "height"), [(900, 600), (390, 844), (844, 390)])
def test_the_table_of_all_solvers_leaves_the_dock_free_and_scrolls(
    make_playground: Callable[..., Playground], width: int, height: int
) -> None:
    playground = make_playground(viewport={"width": width, "height": height})
    playground.open(f"?race={','.join(SOLVERS)}&px=1&pn=0&cv=0", live=False)
    playground.wait_readout()
    foot, dock = (playground.find(selector).bounding_box() for selector in ("#race-restart", "#dock"))
    bottom = dock["y"] if playground.find("#dock").is_visible() else height
    assert foot["y"] + foot["height"] <= bottom
    last = playground.find("#race-rows tr:last-child")
    last.scroll_into_view_if_needed()
    assert last.bounding_box()["y"] + last.bounding_box()["height"] <= foot["y"]


def test_on_a_phone_one_sheet_is_open_at_a_time(make_playground: Callable[..., Playground]) -> None:
    playground = make_playground(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ).open()
    assert not playground.find("#panel").is_visible()
    playground.find("#tab-settings").tap()
    assert playground.find("#panel").is_visible()
    playground.find("#tab-convergence").tap()
    assert playground.find("#dock").is_visible()
    assert not playground.find("#panel").is_visible()
    playground.find("#tab-convergence").tap()
    assert not playground.find("#dock").is_visible()


def test_every_control_has_a_name_and_every_label_its_control(playground: Playground) -> None:
    playground.open("?race=ccd,dls")
    nameless = playground.page.evaluate(
        """[...document.querySelectorAll('button, input, a, canvas[tabindex]')]
          .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length))
          .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    orphans = playground.page.evaluate(
        "[...document.querySelectorAll('label[for]')].filter((e) => !e.control).map((e) => e.htmlFor)"
    )
    assert orphans == []
    assert playground.find("#notices").get_attribute("aria-live") == "polite"


def test_the_only_global_is_limbik_ready(playground: Playground) -> None:
    playground.open()
    added = playground.page.evaluate(
        """() => {
          const bare = document.body.appendChild(document.createElement('iframe')).contentWindow;
          const names = Object.getOwnPropertyNames(window);
          return names.filter((name) => !(name in bare) && !/^[0-9]+$/.test(name));
        }"""
    )
    assert added == ["limbikReady"]


# The files, without a browser

PROTANOPIA = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
DEUTERANOPIA = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]
TRITANOPIA = [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.303900],
]


def tokens(theme: str) -> dict[str, str]:
    text = (STATIC / "css/tokens.css").read_text()
    block = text.split(':root[data-theme="dark"]')[1 if theme == "dark" else 0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def linear(colour: str) -> np.ndarray:
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """Ottosson's colour space, in which distances are alike to the eye."""
    to_cones = [
        [0.41222147, 0.53633254, 0.05144599],
        [0.21190350, 0.68069955, 0.10739696],
        [0.08830246, 0.28171884, 0.62997870],
    ]
    to_lab = [
        [0.21045426, 0.79361779, -0.00407205],
        [1.97799850, -2.42859221, 0.45059371],
        [0.02590404, 0.78277177, -0.80867577],
    ]
    return np.array(to_lab) @ np.cbrt(np.array(to_cones) @ np.clip(rgb, 0, 1))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_solver_colours_keep_apart_in_colour_blind_sight(theme: str) -> None:
    """Machado et al. 2009, full dichromacy; 0.1 in OKLab is five times a just noticeable difference."""
    colours = tokens(theme)
    solvers = SOLVERS
    ground = linear(colours["ground"]) @ [0.2126, 0.7152, 0.0722]
    for sight in (np.eye(3), PROTANOPIA, DEUTERANOPIA, TRITANOPIA):
        seen = {solver: oklab(np.array(sight) @ linear(colours[solver])) for solver in solvers}
        for a, b in combinations(solvers, 2):
            assert np.linalg.norm(seen[a] - seen[b]) > 0.1, (a, b)
    for solver in solvers:
        assert oklab(linear(colours[solver]))[0] > 0.35, solver  # nearer to black no hue is seen
        light = linear(colours[solver]) @ [0.2126, 0.7152, 0.0722]
        assert (max(light, ground) + 0.05) / (min(light, ground) + 0.05) >= 3, solver


@pytest.mark.parametrize("sheet", ["settings", "convergence"])
def test_a_low_window_with_a_sheet_shows_the_arm_alone_beside_it(
    make_playground: Callable[..., Playground], sheet: str
) -> None:
    """As one of 1280 x 800 at 200 %."""
    playground = make_playground(viewport={"width": 640, "height": 400}).open("?n=4")
    assert playground.find("#metrics").is_visible()
    playground.find(f"#tab-{sheet}").click()
    playground.until(lambda: playground.find("#metrics").is_hidden(), "the metrics make room")
    assert playground.find("#view").is_visible()


def test_vendored_libraries_are_the_listed_ones_with_their_licences() -> None:
    assert vendor.check() == []
    for package in vendor.PACKAGES:
        assert (vendor.VENDOR / package.folder / "LICENSE").stat().st_size > 500


def own_files() -> list[Path]:
    return [
        path
        for path in STATIC.rglob("*")
        if path.suffix in {".js", ".css", ".html", ".svg"} and "vendor" not in path.parts
    ]


def test_the_page_loads_nothing_from_elsewhere_and_every_file_it_names_exists() -> None:
    for path in own_files():
        text = path.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert "http://" not in text, path
        assert "https://" not in text, path
        for name in re.findall(r"(?:from|import\() ?'(\.{1,2}/[^']+)'", text):
            assert (path.parent / name).is_file(), (path, name)
        for name in re.findall(r'(?:src|href)="(static/[^"]+)"', text):
            assert (STATIC.parent / name).is_file(), name
