"""A browser that draws 3-D without a graphics card, and tabs for the 3-D page."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from browser.conftest import ARGUMENTS
from browser.space.stage import Space
from browser.tabs import Tabs
from limbik.app.address import address_of, listen
from limbik.app.opening import named_robot
from limbik.app.server import make_server, running, serving

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
    "permissions": ["clipboard-read", "clipboard-write"],
}


@pytest.fixture(scope="session")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    """A browser without a window that draws 3-D in software."""
    arguments = [argument for argument in ARGUMENTS if argument != "--disable-gpu"]
    with playwright.chromium.launch(executable_path=chromium, args=[*arguments, *SOFTWARE]) as browser:
        yield browser


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a playground whose robots are drawn from their joints: software takes most of a test's
    time for their meshes."""
    server = make_server("127.0.0.1")
    workshop = server.config.app.state.playground.workshop  # type: ignore[union-attr]
    workshop.robot = lambda name: (*named_robot(name)[:2], ())
    with serving(server, listen("127.0.0.1", 0)) as listener:
        yield address_of("127.0.0.1", listener)


@pytest.fixture
def dressed_address() -> Iterator[str]:
    """The address of a playground whose robots have their meshes."""
    with running() as address:
        yield address


@pytest.fixture(scope="session")
def tabs(browser: Browser, address: str) -> Tabs[Space]:
    """The tabs of all tests, in small windows."""
    return Tabs(browser, address, Space, SMALL)


@pytest.fixture
def make_space(make_playground: Callable[..., Space]) -> Callable[..., Space]:
    """Gives tabs, each in a window of its own; the arguments are those of `Tabs.take`."""
    return make_playground


@pytest.fixture
def space(make_space: Callable[..., Space]) -> Space:
    """One tab, not yet opened."""
    return make_space()
