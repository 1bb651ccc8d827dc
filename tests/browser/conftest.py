"""A browser and a server for the whole session, a fresh tab for every test."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright

from browser.playground import Playground

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# The tour of a first visit is over; its own tests open pages without this.
NO_TOUR = "try { localStorage.setItem('limbik-tour', 'shown'); } catch { /* a page without storage */ }"
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


@pytest.fixture
def make_playground(browser: Browser, address: str) -> Iterator[Callable[..., Playground]]:
    """Opens tabs, each in a window of its own; the arguments are those of a browser context."""
    opened: list[Playground] = []

    def make(*, server: str | None = None, is_first_visit: bool = False, **context: object) -> Playground:
        window = browser.new_context(**USUAL | context)
        if not is_first_visit:
            window.add_init_script(NO_TOUR)
        opened.append(Playground(window.new_page(), server or address))
        return opened[-1]

    yield make
    for playground in opened:
        playground.page.context.close()
    assert [playground.faults for playground in opened] == [[] for _ in opened]


@pytest.fixture(scope="session")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A window that most tests share."""
    with browser.new_context(**USUAL) as window:
        window.add_init_script(NO_TOUR)
        yield window


@pytest.fixture
def playground(window: BrowserContext, address: str) -> Iterator[Playground]:
    """One tab, not yet opened."""
    playground = Playground(window.new_page(), address)
    yield playground
    playground.page.close()
    assert playground.faults == []
