"""Take the small pictures of robots that the playground's gallery shows.

    python tools/robot_pictures.py [NAME ...]

Of each robot that can be loaded here, or of those that are named, a picture of 192 x 192 pixels goes to
`src/limbik/app/static/robots/`, without a background, so that it suits both themes. It needs limbik[app],
playwright and a Chromium, and the packages that hold the robots' meshes (`limbik info` lists them).
"""

import argparse
import base64
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from chromium import find_chromium
from limbik import app
from limbik.formats import registry
from screenshots import ARGUMENTS, wait_live

FOLDER = Path(__file__).resolve().parents[1] / "src/limbik/app/static/robots"
DRAWN = 352  # [px] the side of the view, from which the picture is scaled down
MAX_BYTES = 8000  # of a picture
LONGEST = 120_000  # [ms] until the meshes are there

TAKE = (Path(__file__).parent / "robot_picture.js").read_text().rstrip(";\n")
DRESSED = """async () => {
  const main = document.querySelector('script[type=module]').src;
  const { stage } = await import(new URL('space/main.js', main));
  const isDressed = (arm) => arm.hasMeshes || arm.description.visuals.length === 0;
  return stage.visibleBodies().length > 0 && stage.crew.arms.every(isDressed);
}"""


def picture(page: Page, address: str, name: str) -> bytes:
    """The picture of one robot as it stands when it is opened, as WebP."""
    page.goto(f"{address}/?view=3d&robot={name}&px=1&cv=0&pn=0&sh=0&theme=light")
    wait_live(page)
    fault = page.locator("#fault")
    if fault.is_visible():
        raise SystemExit(f"{name}: {fault.inner_text()}")
    page.wait_for_function(DRESSED, timeout=LONGEST)
    for quality in (0.8, 0.6, 0.4):
        taken = page.evaluate(TAKE, {"size": 192, "margin": 10, "quality": quality})
        data = base64.b64decode(taken.partition(",")[2])
        if len(data) <= MAX_BYTES:
            return data
    raise SystemExit(f"{name}: its picture has {len(data):,} bytes, more than {MAX_BYTES:,}")


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    names = parser.parse_args().names or [robot.name for robot in registry.robots() if robot.is_available]
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("there is no Chromium")
    FOLDER.mkdir(exist_ok=True)
    with app.running() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": DRAWN, "height": DRAWN}, reduced_motion="reduce")
        for name in names:
            data = picture(page, address, name)
            (FOLDER / f"{name}.webp").write_bytes(data)
            sys.stdout.write(f"{name}: {len(data):,} bytes\n")
        browser.close()


if __name__ == "__main__":
    main()
