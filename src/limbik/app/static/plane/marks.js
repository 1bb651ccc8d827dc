/** Draws target, base, reach circle, the target's path and the trace of the end effector. */

/** @typedef {CanvasRenderingContext2D} Context */

/** @param {Context} ctx @param {[number, number]} point @param {string} colour @param {boolean} isHeld */
export function drawTarget(ctx, [x, y], colour, isHeld) {
  ctx.save();
  ctx.translate(x, y);
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineCap = 'round';
  ctx.globalAlpha = isHeld ? 0.24 : 0.13;
  disc(ctx, isHeld ? 24 : 19);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2.5;
  ctx.beginPath();
  ctx.arc(0, 0, 10, 0, 2 * Math.PI);
  for (let side = 0; side < 4; side += 1) {
    const [dx, dy] = [[1, 0], [0, 1], [-1, 0], [0, -1]][side];
    ctx.moveTo(6 * dx, 6 * dy);
    ctx.lineTo(17 * dx, 17 * dy);
  }
  ctx.stroke();
  disc(ctx, 2);
  ctx.restore();
}

/** From the end effector to a target that it cannot reach. @param {Context} ctx @param {[number, number]} from @param {[number, number]} to @param {string} colour */
export function drawLeash(ctx, from, to, colour) {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([5, 5]);
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  ctx.restore();
}

/** @param {Context} ctx @param {[number, number]} point @param {{base: string, joint: string}} colours @param {boolean} isHeld */
export function drawBase(ctx, [x, y], colours, isHeld) {
  ctx.save();
  ctx.translate(x, y);
  ctx.fillStyle = colours.base;
  ctx.globalAlpha = isHeld ? 0.3 : 0.16;
  disc(ctx, isHeld ? 27 : 22);
  ctx.globalAlpha = 1;
  disc(ctx, 11);
  ctx.fillStyle = colours.joint;
  disc(ctx, 4.5);
  ctx.restore();
}

/** @param {Context} ctx @param {number} radius */
function disc(ctx, radius) {
  ctx.beginPath();
  ctx.arc(0, 0, radius, 0, 2 * Math.PI);
  ctx.fill();
}

/** @param {Context} ctx @param {[number, number]} base @param {number} reach @param {string} colour */
export function drawReach(ctx, [x, y], reach, colour) {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([6, 7]);
  ctx.beginPath();
  ctx.arc(x, y, reach, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.restore();
}

/** @param {Context} ctx @param {[number, number][]} path  closed @param {string} colour */
export function drawPath(ctx, path, colour) {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.globalAlpha = 0.55;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([2, 6]);
  ctx.lineCap = 'round';
  ctx.beginPath();
  for (const [x, y] of path) ctx.lineTo(x, y);
  ctx.closePath();
  ctx.stroke();
  ctx.restore();
}

const FADES = 8; // strokes of growing opacity that make the trace

/** @param {Context} ctx @param {ArrayLike<number>} trail  x y x y ..., oldest first @param {string} colour */
export function drawTrail(ctx, trail, colour) {
  const count = trail.length / 2;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2;
  ctx.lineJoin = 'round';
  for (let part = 0; part < FADES; part += 1) {
    const from = Math.floor((part * (count - 1)) / FADES);
    const to = Math.floor(((part + 1) * (count - 1)) / FADES);
    ctx.globalAlpha = (0.85 * (part + 1)) / FADES;
    ctx.beginPath();
    for (let i = from; i <= to; i += 1) ctx.lineTo(trail[2 * i], trail[2 * i + 1]);
    ctx.stroke();
  }
  ctx.restore();
}

/** The rest pose as a thin line. @param {Context} ctx @param {Float64Array} joints @param {string} colour */
export function drawRest(ctx, joints, colour) {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 3;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
  ctx.setLineDash([1, 7]);
  ctx.beginPath();
  for (let i = 0; i < joints.length; i += 2) ctx.lineTo(joints[i], joints[i + 1]);
  ctx.stroke();
  ctx.restore();
}
