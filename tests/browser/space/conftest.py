"""A browser that draws 3-D without a graphics card, and tabs for the 3-D page."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright

from browser.conftest import ARGUMENTS, NO_TOUR
from browser.space.stage import Space

SOFTWARE = [
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",  # the page around the scene is drawn without it, in less time
]
SMALL = {
    "viewport": {"width": 900, "height": 600},
    "device_scale_factor": 0.5,  # software draws every pixel: a quarter of them will do
    "reduced_motion": "reduce",
    "color_scheme": "light",
}


@pytest.fixture(scope="session")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    """A browser without a window that draws 3-D in software."""
    arguments = [argument for argument in ARGUMENTS if argument != "--disable-gpu"]
    with playwright.chromium.launch(executable_path=chromium, args=[*arguments, *SOFTWARE]) as browser:
        yield browser


@pytest.fixture(scope="session")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A small window that the tests share."""
    with browser.new_context(**SMALL, permissions=["clipboard-read", "clipboard-write"]) as window:
        window.add_init_script(NO_TOUR)
        yield window


@pytest.fixture
def make_space(window: BrowserContext, address: str) -> Iterator[Callable[[], Space]]:
    """Opens tabs."""
    opened: list[Space] = []

    def make() -> Space:
        opened.append(Space(window.new_page(), address))
        return opened[-1]

    yield make
    for space in opened:
        space.page.close()
    assert [space.faults for space in opened] == [[] for _ in opened]


@pytest.fixture
def space(make_space: Callable[[], Space]) -> Space:
    """One tab, not yet opened."""
    return make_space()
