"""Take the pictures of the playground that the documents show, in both themes.

    python tools/screenshots.py [FOLDER]

It needs limbik[app], playwright and a Chromium; the pictures go to `docs/images/` unless a folder is named.
Every scene is driven to a still state first, so that two runs give almost the same picture.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from chromium import find_chromium
from limbik import app

IMAGES = Path(__file__).resolve().parents[1] / "docs/images"
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One picture: a link, and what is done before it is taken."""

    name: str
    query: str
    size: tuple[int, int] = (1280, 720)
    scale: float = 1.0
    act: Callable[[Page], None] = lambda page: None
    themes: tuple[str, ...] = ("light", "dark")
    seconds: float = 1.5  # from the last act to the picture


def sweep(page: Page) -> None:
    """Drag the target along an arc, so that the trace shows how the arm came here."""
    page.mouse.move(690, 420)
    page.mouse.down()
    for i in range(61):
        angle = 0.1 + 1.4 * i / 60
        page.mouse.move(430 + 255 * math.cos(angle), 430 - 255 * math.sin(angle) + 18 * math.sin(6 * angle))
        page.wait_for_timeout(20)
    page.mouse.up()


def race(page: Page) -> None:
    """Start all arms from the first pose again and look at an early step of the solve."""
    for x, y in ((330, 330), (720, 330), (480, 160), (700, 180), (430, 260), (650, 250)):
        page.mouse.click(x, y)
        page.wait_for_timeout(500)
    page.click("#race-restart")
    page.wait_for_timeout(1500)
    slider = "slider => { slider.value = 2; slider.dispatchEvent(new Event('input')); }"
    page.locator("#scrub").evaluate(slider)
    page.mouse.move(700, 420)


SCENES = (
    Scene(
        name="playground",
        query="?race=ccd,fabrik,jt,dls&n=6&L=72&it=8&d=0.6&rg=1&mx=520&my=450",
        act=race,
    ),
    Scene(name="trace", query="?algo=dls&n=6&L=64&rg=1&tr=1&mx=430&my=450", act=sweep),
    Scene(
        name="limits",
        query="?algo=ccd&n=6&L=64&lm=1&ld=50&sl=1&it=32&mx=420&my=440&tx=560&ty=200",
    ),
    Scene(name="phone", query="?algo=fabrik&rg=1", size=(390, 844), scale=2, themes=("dark",)),
)


def wait_live(page: Page) -> None:
    """Wait until the page is live; kernels may be compiled before."""
    end = time.monotonic() + 600
    while not page.evaluate("window.limbikReady === true"):
        if time.monotonic() > end:
            raise SystemExit("the playground did not come alive")
        page.wait_for_timeout(100)


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    path = find_chromium()
    if path is None:
        raise SystemExit("there is no Chromium")
    with app.running() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        for scene in SCENES:
            for theme in scene.themes:
                name = f"{scene.name}-{theme}.png" if len(scene.themes) > 1 else f"{scene.name}.png"
                is_phone = scene.size[0] < 500
                window = browser.new_context(
                    viewport={"width": scene.size[0], "height": scene.size[1]},
                    device_scale_factor=scene.scale,
                    color_scheme="dark" if theme == "dark" else "light",
                    has_touch=is_phone,
                    is_mobile=is_phone,
                )
                page = window.new_page()
                page.goto(f"{address}/{scene.query}")
                wait_live(page)
                page.wait_for_timeout(1000)
                scene.act(page)
                page.wait_for_timeout(1000 * scene.seconds)
                page.screenshot(path=folder / name)
                window.close()
                sys.stdout.write(f"{folder / name}\n")
        browser.close()


if __name__ == "__main__":
    main()
