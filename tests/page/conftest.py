"""One process of Node.js for all tests of the page's modules."""

from collections.abc import Iterator

import pytest

from page.modules import Modules


@pytest.fixture(scope="session")
def modules() -> Iterator[Modules]:
    """A process of Node.js that runs functions with the page's modules."""
    modules = Modules()
    yield modules
    modules.close()
