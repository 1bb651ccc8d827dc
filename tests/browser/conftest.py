"""A browser, a server and tabs for the whole session."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from browser.playground import Playground
from browser.tabs import Tabs

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
USUAL = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce", "color_scheme": "light"}


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What drives browsers; there can be one at a time."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    """A browser without a window."""
    with playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS) as browser:
        yield browser


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a running playground."""
    from limbik import app

    with app.running() as address:
        yield address


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
