"""How soon the page follows a drag: a new server with an empty cache and a real browser for every row.

python benchmarks/page_startup.py             print the table; needs Playwright and Chromium
python benchmarks/page_startup.py --write     and store it in docs/playground.md
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import report
from machine import progress
from playground import server
from tables import number

SCRIPT = "benchmarks/page_startup.py"
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "playground.md"
CHROMIUM = os.environ.get("LIMBIK_CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu"]
SOLVERS = ("ccd", "fabrik", "jt", "dls", "pinv", "sdls", "newton", "lm")
PAGES = {f"plane, {name}": f"?algo={name}" for name in SOLVERS} | {
    f"space, {name}": f"?view=3d&algo={name}&cv=0" for name in SOLVERS
}
ANSWERED = "() => window.limbikReady === true"
PATIENCE_MS = 20_000


def seconds(browser: Browser, address: str, query: str) -> tuple[float, float]:
    """From load to the first answer, and from a drag (in space a click) to the arm's first move [s]."""
    page = browser.new_page(viewport={"width": 1280, "height": 720}, bypass_csp=True)
    page.goto(f"{address}/{query}", wait_until="load")
    began = time.perf_counter()
    page.wait_for_function(ANSWERED, timeout=PATIENCE_MS)
    ready = time.perf_counter() - began
    page.wait_for_function("() => document.getElementById('view').dataset.state", timeout=PATIENCE_MS)
    before = page.evaluate("document.getElementById('view').dataset.state")
    began = time.perf_counter()
    page.mouse.move(420, 300)
    page.mouse.down()
    if "view=3d" not in query:  # there, a drag beside the goal would turn the view
        page.mouse.move(440, 280)
    page.mouse.up()
    page.wait_for_function(MOVED, arg=before, timeout=PATIENCE_MS)
    moved = time.perf_counter() - began
    page.close()
    return ready, moved


# The configuration of the first arm is another one.
MOVED = """(before) => {
  const q = (text) => JSON.stringify(Object.values([JSON.parse(text).arms].flat()[0])[0]);
  return q(document.getElementById('view').dataset.state) !== q(before);
}"""


def page_table() -> str:
    """Seconds of each page, with an empty cache of its own."""
    lines = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, query in PAGES.items():
            progress(name)
            with tempfile.TemporaryDirectory(prefix="limbik-cache-") as folder:
                os.environ["LIMBIK_CACHE_DIR"] = folder
                with server() as address:
                    lines.append([name, *map(number, seconds(browser, address, query))])
        browser.close()
    return report.table(["s", "load to first answer", "drag or click to the arm's first move"], lines)


def main() -> None:
    """Print the table; with --write store it."""
    machine = f"Python {sys.version.split()[0]}, numpy {version('numpy')}, {os.cpu_count()} cores, no GPU"
    report.publish(DOCUMENT, SCRIPT, {"page": f"{page_table()}\n\n{machine}."}, "--write" in sys.argv)


if __name__ == "__main__":
    main()
