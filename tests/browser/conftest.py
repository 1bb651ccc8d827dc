"""A browser, a server and tabs for the whole session."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from browser.playground import Playground
from browser.tabs import Tabs
from limbik.app.scene_opener import named_robot
from limbik.app.server import make_server
from limbik.service.address import address_of, listen
from limbik.service.running import serving

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # 3-D is drawn without a graphics card, and the page around it as it would be without 3-D, in less time.
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",
]
USUAL = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce", "color_scheme": "light"}


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives browsers; there can be one at a time."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    """A browser without a window, for the pages of both views."""
    with playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS) as browser:
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


@pytest.fixture(scope="session")
def tabs(browser: Browser, address: str) -> Tabs[Playground]:
    """The tabs of all tests."""
    return Tabs(browser, address, Playground, USUAL)


@pytest.fixture
def make_playground(
    tabs: Tabs[Playground], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Playground]]:
    """Gives tabs, each in a window of its own; the arguments are those of `Tabs.take`."""
    failed = request.session.testsfailed
    yield tabs.take
    assert tabs.give_back(has_failed=request.session.testsfailed > failed) == []


@pytest.fixture
def playground(make_playground: Callable[..., Playground]) -> Playground:
    """One tab, not yet opened."""
    return make_playground()
