/**
 * A picture of the robot that the page shows, without a background: of the same view before black and before white, where
 * the two differ it is clear. size and margin in pixels; quality of WebP, up to 1.
 */
async ({ size, margin, quality }) => {
  const main = document.querySelector('script[type=module]').src;
  const { stage } = await import(new URL('space/main.js', main));
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
};
