"""What the page says a method did in an iteration is what the solver did."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page

from browser.playground import tip
from limbik.app.protocol.plane import BOUNDS, read_solve
from limbik.app.protocol.reading import Reader
from limbik.app.session import SOLVERS, Session

STEPS = [name for name in SOLVERS if name not in ("ccd", "fabrik")]
REQUEST: dict[str, Any] = {
    "id": 1,
    "links": 5,
    "length": 70,
    "base": [400, 400],
    "target": [520, 210],
    "settings": {"iterations": 8, "damping": 0.7, "lambda": 0.5, "gamma": 0.5, "limits": False},
    "trace": True,
}
EXPLAIN = """async (iterations) => {
  const { explain } = await import('/static/plane/explanation.js');
  const plain = (value) => (value instanceof Float64Array ? [...value] : value);
  return iterations.map((one) => JSON.parse(JSON.stringify(explain(one), (key, value) => plain(value))));
}"""


@pytest.fixture(scope="module")
def page(window: BrowserContext, address: str) -> Iterator[Page]:
    """A page that may import the playground's modules."""
    page = window.new_page()
    page.goto(address)
    yield page
    page.close()


def solved(solver: str, **settings: Any) -> tuple[dict[str, Any], np.ndarray]:
    """A request and the configurations of its iterations [k+1, links], in single precision as on the wire."""
    request = {**REQUEST, "solvers": [solver], "settings": {**REQUEST["settings"], **settings}}
    frame = Session().solve(read_solve(Reader(request, BOUNDS), SOLVERS))
    trace = frame.arms[0].trace
    assert trace is not None
    return request, np.asarray(trace, np.float32)


def explained(page: Page, solver: str, request: dict[str, Any], rows: np.ndarray) -> list[dict[str, Any]]:
    iterations = [
        {"solver": solver, "from": list(map(float, a)), "to": list(map(float, b)), "request": request}
        for a, b in zip(rows[:-1], rows[1:], strict=True)
    ]
    return page.evaluate(EXPLAIN, iterations)


@pytest.mark.parametrize("solver", STEPS)
@pytest.mark.parametrize("limits", [False, True])
def test_the_steps_of_the_jacobian_methods_are_those_that_the_solver_took(
    page: Page, solver: str, limits: bool
) -> None:
    request, rows = solved(solver, limits=limits, limit_degrees=20)
    steps = explained(page, solver, request, rows)
    print(solver, limits, [s["taken"] for s in steps])
    assert steps[0]["taken"] == 1
