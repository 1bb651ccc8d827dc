"""Take the small pictures of robots that the playground's gallery shows.

    python tools/robot_pictures.py [NAME ...]

Of each robot that can be loaded here, or of those that are named, a picture of 192 x 192 pixels without a background
goes to `src/limbik/app/static/robots/`, so that it suits both themes. It needs limbik[app], playwright and a Chromium, and
the packages that hold the robots' descriptions and meshes (`limbik info` lists them).
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
MOST_BYTES = 8000  # of a picture
LONGEST = 120_000  # [ms] until the meshes are there

# A picture without its background, from the same view before black and before white: where the two differ it is clear.
TAKE = """async ({ size, margin, quality }) => {
  const { stage } = await import('/static/space/main.js');
  const { Color } = await import('three');
  const { crew, studio, camera, canvas } = stage;
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame); // the page has drawn it itself
  for (const part of [studio.background, stage.scenery, stage.handles, stage.gizmo]) part.removeFromParent();
  stage.setTheme('light');
  stage.setRegion(null);
  stage.home({ softly: false });
  studio.draw(camera.eye); // bodies stand where their box is looked for
  stage.frame(crew.box(), camera.state, false);
  const side = Math.min(canvas.width, canvas.height);
  const pixels = (colour) => {
    studio.scene.background = new Color(colour);
    studio.draw(camera.eye);
    const flat = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    const context = flat.getContext('2d');
    context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  };
  const [black, white] = [pixels('#000000'), pixels('#ffffff')];
  let [left, top, right, bottom] = [canvas.width, canvas.height, 0, 0];
  for (let i = 0; i < black.data.length; i += 4) {
    const clear = Math.max(...[0, 1, 2].map((k) => white.data[i + k] - black.data[i + k])) / 255;
    const alpha = Math.min(1, Math.max(0, 1 - clear));
    for (let k = 0; k < 3; k += 1) black.data[i + k] = alpha > 0 ? black.data[i + k] / alpha : 0;
    black.data[i + 3] = 255 * alpha;
    if (alpha < 0.1) continue;
    const [x, y] = [(i / 4) % canvas.width, Math.floor(i / 4 / canvas.width)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  const cut = await createImageBitmap(black, left, top, right - left + 1, bottom - top + 1);
  const small = Object.assign(document.createElement('canvas'), { width: size, height: size });
  const context = small.getContext('2d');
  const scale = (size - 2 * margin) / Math.max(cut.width, cut.height);
  const [width, height] = [scale * cut.width, scale * cut.height];
  context.imageSmoothingQuality = 'high';
  context.drawImage(cut, (size - width) / 2, (size - height) / 2, width, height);
  return small.toDataURL('image/webp', quality);
}"""

DRESSED = """async () => {
  const { stage } = await import('/static/space/main.js');
  return stage.visibleBodies().length > 0 && stage.crew.arms.every((arm) => arm.hasMeshes || arm.description.visuals.length === 0);
}"""


def picture(page: Page, address: str, name: str) -> bytes:
    """The picture of one robot as it stands when it is opened, as WebP."""
    page.goto(f"{address}/?view=3d&robot={name}&px=1&cv=0&pn=0&sh=0&theme=light")
    wait_live(page)
    fault = page.locator("#fault")
    if fault.is_visible():
        raise SystemExit(f"{name}: {fault.inner_text()}")
    page.wait_for_function(DRESSED, timeout=LONGEST)
    for quality in (0.9, 0.8, 0.7, 0.5):
        taken = page.evaluate(TAKE, {"size": 192, "margin": 10, "quality": quality})
        data = base64.b64decode(taken.partition(",")[2])
        if len(data) <= MOST_BYTES:
            return data
    raise SystemExit(f"{name}: its picture has {len(data):,} bytes, more than {MOST_BYTES:,}")


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
