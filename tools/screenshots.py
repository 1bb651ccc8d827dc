"""Take the pictures of the playground that the documents show.

    python tools/screenshots.py [FOLDER]

It needs limbik[app], playwright and a Chromium; the pictures go to `docs/images/` unless a folder is named.
Every scene is driven to a still state first, so that two runs give almost the same picture.
"""

import argparse
import base64
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, sync_playwright

import limbik
from chromium import find_chromium
from limbik import app
from limbik.app.reach_maps import ReachMap
from limbik.scale import reach_map

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs/images"
STILL = 4000  # [ms] until what moves has come to rest
ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--force-color-profile=srgb",
    "--use-gl=angle",
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One picture: the name of its file, a link, and what is done before it is taken."""

    name: str
    query: str
    theme: Literal["light", "dark"]
    size: tuple[int, int] = (1280, 800)
    act: Callable[[Page], None] = lambda page: None


def race(page: Page) -> None:
    """Start all arms from the first pose again and look at an early step of the solve."""
    for x, y in ((330, 330), (720, 330), (480, 160), (700, 180), (430, 260), (650, 250)):
        page.mouse.click(x, y)
        page.wait_for_timeout(500)
    page.click("#race-restart")
    page.wait_for_timeout(8000)  # it runs in slow motion
    scrub(page)
    page.mouse.move(700, 420)


def scrub(page: Page) -> None:
    """Look at the second iteration of the last solve."""
    slider = "slider => { slider.value = 2; slider.dispatchEvent(new Event('input')); }"
    page.locator("#scrub").evaluate(slider)


def gallery(page: Page) -> None:
    """Open the gallery of robots."""
    page.click("#robots-open")


def pull_up(page: Page) -> None:
    """Draw the goal up by the arrow of the gizmo, farther than the arm can reach."""
    point = page.evaluate(
        """async () => {
          const main = document.querySelector('script[type=module]').src;
          return (await import(new URL('space/main.js', main))).stage.gizmoPoint('z');
        }""",
    )
    page.mouse.move(point["x"], point["y"])
    page.mouse.down()
    page.mouse.move(point["x"], point["y"] - 170, steps=5)
    page.mouse.up()


def follow(page: Page) -> None:
    """Show the arm on its path, before the place where that leaves the reach."""
    page.locator("#path-section").scroll_into_view_if_needed()
    page.locator("#path-section").evaluate("section => section.scrollIntoView()")
    slider = "slider => { slider.value = slider.max * 0.24; slider.dispatchEvent(new Event('input')); }"
    page.locator("#path-time").evaluate(slider)


def judged(page: Page) -> None:
    """Wait until the collision shapes are there and the solutions are listed; show both sections."""
    end = time.monotonic() + 120
    while page.locator("#solutions-list li[aria-disabled=true]").count() == 0 and time.monotonic() < end:
        page.wait_for_timeout(200)
    page.locator("#objects-section").evaluate("section => section.scrollIntoView()")


def reached(page: Page) -> None:
    """Click a voxel of the map; show what is reached there."""
    page.locator("#map-section").evaluate("section => section.scrollIntoView()")
    page.mouse.click(560, 330)


def mapped(folder: str) -> ReachMap:
    """A reach map of a UR5e."""
    return ReachMap(reach_map(limbik.load("ur5e"), folder, voxel=0.05, orientations=60))


def packed(name: str) -> str:
    """The file of an example as a link carries it."""
    text = (ROOT / "examples" / name).read_bytes()
    deflated = zlib.compress(text, level=9, wbits=-15)
    return base64.urlsafe_b64encode(deflated).decode().rstrip("=")


SCENES = (
    Scene(
        name="playground-dark.png",
        query="?race=ccd,fabrik,jt,dls&n=6&L=72&it=8&d=0.6&rg=1&mx=520&my=450",
        theme="dark",
        size=(1280, 720),
        act=race,
    ),
    Scene(
        name="playground-how-light.png",
        query="?algo=dls&n=4&L=90&it=16&hw=1&mx=400&my=420&tx=600&ty=240",
        theme="light",
        size=(1280, 720),
        act=scrub,
    ),
    Scene(name="space-gallery-dark.jpg", query="?view=3d&robot=panda&cv=0", theme="dark", act=gallery),
    Scene(name="space-humanoid-light.jpg", query="?view=3d&robot=g1&cv=0", theme="light"),
    Scene(
        name="space-race-dark.jpg",
        query="?view=3d&robot=panda&race=lm,dls,ccd,fabrik&sl=0",
        theme="dark",
        act=pull_up,
    ),
    Scene(
        name="space-path-light.jpg",
        query="?view=3d&robot=ur5e&cv=0&path=circle&ps=0.45",
        theme="light",
        act=follow,
    ),
    Scene(
        name="space-objects-light.jpg",
        query="?view=3d&robot=ur5e&co=1&all=1&cv=0&osel=1&obj=table:box:1.4,1,0.04:-0.4,0,-0.03:::base,link1;"
        "beam:box:0.1,0.6,0.1:-0.3,-0.1,0.5;can:cylinder:0.05,0.3:-0.6,0.25,0.15;ball:sphere:0.08:-0.5,-0.35,0.3",
        theme="light",
        act=judged,
    ),
    Scene(
        name="space-reach-light.jpg",
        query="?view=3d&robot=ur5e&cv=0&sh=0&ms=y&map={key}",
        theme="light",
        act=reached,
    ),
    Scene(
        name="motion-stairs-light.jpg",
        query="?view=motion&ch=stand:stairs:12:0.12&ground=stairs&t=1.6&robot=g1",
        theme="light",
    ),
    Scene(
        name="space-branches-light.jpg",
        query=f"?view=3d&arm={packed('branches.arm')}&name=branches.arm&sl=1&branches=coupled&algo=fabrik",
        theme="light",
    ),
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
    parser.add_argument("--only", help="the file name of one picture")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("there is no Chromium")
    with (
        tempfile.TemporaryDirectory() as temporary,
        app.running(maps=[shown := mapped(temporary)]) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for scene in SCENES:
            if arguments.only not in (None, scene.name):
                continue
            width, height = scene.size
            page = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme=scene.theme,
                reduced_motion="reduce",
            )
            page.add_init_script("localStorage.setItem('limbik-tour', 'shown')")
            page.goto(f"{address}/{scene.query.replace('{key}', shown.key)}")
            wait_live(page)
            page.wait_for_timeout(STILL)
            scene.act(page)
            page.wait_for_timeout(STILL)
            path = folder / scene.name
            page.screenshot(path=path, **({"type": "jpeg", "quality": 85} if path.suffix == ".jpg" else {}))
            page.close()
            sys.stdout.write(f"{path}\n")
        browser.close()


if __name__ == "__main__":
    main()
