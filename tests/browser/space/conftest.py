"""Tabs for the 3-D page."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser

from browser.space.stage import Space
from browser.tabs import Tabs
from limbik.app.server import running

SMALL = {
    "viewport": {"width": 900, "height": 600},
    "device_scale_factor": 0.5,  # software draws every pixel: a quarter of them will do
    "reduced_motion": "reduce",
    "color_scheme": "light",
    "permissions": ["clipboard-read", "clipboard-write"],
}


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
