/**
 * Draws what `explanation.js` tells of an iteration, in the arm's own coordinates. Widths, gaps and type are in
 * pixels of the screen; `unit` is how long one of them is in those coordinates.
 */

const SHORT = 16; // [px] of a step that is enlarged
const PARTS = [0.4, 0.7, 1]; // of an arrow that words are not to cover
const COLUMN = 84; // [px] of the longest column; the others to scale
const ARC = 46; // [px] largest radius of a turn
const HEAD = 7; // [px] of an arrow
const FONT = '600 12px Inter, system-ui, sans-serif';
const MIN_SHOWN = 0.001; // [°]
const MAX_NUMBERS = 12; // columns that are numbered

/** @typedef {import('./explanation.js').Point} Point */

/**
 * @typedef {object} Pen
 * @property {CanvasRenderingContext2D} ctx
 * @property {number} unit
 * @property {(name: string) => string} colour  of tokens.css
 * @property {string} own  colour of the solver
 * @property {import('../region.js').Region} bounds  that words are to keep to
 */

/** The joint of a sweep that is turned: the arm before, the two lines and the turn. @param {Pen} pen @param {import('./explanation.js').Turn} turn @param {Point} target */
export function drawTurn(pen, { joint, joints, pivot, tip, start, wanted, turn }, target) {
  const { unit, colour, own } = pen;
  drawChain(pen, joints, { colour: colour('text-2'), dash: [4, 4], alpha: 0.8 });
  drawLine(pen, pivot, tip, { colour: own, width: 2.5 });
  drawLine(pen, pivot, target, { colour: colour('target'), width: 2.5 });
  const radius = Math.min(ARC * unit, 0.7 * Math.hypot(tip[0] - pivot[0], tip[1] - pivot[1]));
  drawArc(pen, pivot, radius, start, wanted, { colour: colour('target'), width: 1.5, dash: [3, 4] });
  drawArc(pen, pivot, radius, start, turn, { colour: own, width: 3 });
  const isUpward = tip[1] + target[1] < 2 * pivot[1];
  drawLabel(pen, [pivot[0], pivot[1] + (isUpward ? 24 : -24) * unit], `joint ${joint + 1} turns by ${degrees(turn)}`);
}

/** One pass of FABRIK: the points before, where each is drawn to, and the chain after. @param {Pen} pen @param {Float64Array} before @param {Float64Array} after @param {string} name  of the pass @param {string} colour */
export function drawPass(pen, before, after, name, colour) {
  const { unit } = pen;
  drawChain(pen, before, { colour: pen.colour('text-2'), dash: [4, 4], alpha: 0.8 });
  drawChain(pen, after, { colour, width: 2 });
  for (let k = 0; k < after.length; k += 2) {
    const [from, to] = [[before[k], before[k + 1]], [after[k], after[k + 1]]].map((point) => /** @type {Point} */ (point));
    drawArrow(pen, from, [to[0] - from[0], to[1] - from[1]], { colour, width: 1.5 });
    drawDisc(pen, to, 4, colour);
  }
  const end = after.length - 2;
  const center = name === 'backward' ? [after[end], after[end + 1]] : [after[0], after[1]];
  drawLabel(pen, [center[0], center[1] + 32 * unit], `${name} pass`);
}

/** Columns of the Jacobian, the step and the undamped one. @param {Pen} pen @param {import('./explanation.js').Step} step @param {Point[]} seen  points that words are not to cover */
export function drawStep(pen, { tip, columns, proposed, undamped, largest, turn }, seen) {
  const { unit, colour, own } = pen;
  const longest = Math.max(...columns.map(([x, y]) => Math.hypot(x, y)), 1e-9);
  const scale = (COLUMN * unit) / longest;
  columns.forEach(([x, y], j) => {
    const reached = drawArrow(pen, tip, [scale * x, scale * y], { colour: colour('text-2'), width: 1.5 });
    if (reached && columns.length <= MAX_NUMBERS) drawLabel(pen, beyond(tip, [scale * x, scale * y], 12 * unit), String(j + 1));
  });
  const times = enlargement(Math.hypot(...proposed) / unit);
  const [step, whole] = [proposed, undamped ?? proposed].map(([x, y]) => /** @type {Point} */ ([times * x, times * y]));
  if (undamped) drawArrow(pen, tip, whole, { colour: colour('target'), width: 2, dash: [4, 4], alpha: 0.75 });
  drawArrow(pen, tip, step, { colour: own, width: 4 });
  const arrows = [step, whole, ...columns.map(([x, y]) => [scale * x, scale * y])];
  const covered = [...seen, ...arrows.flatMap(([x, y]) => PARTS.map((part) => /** @type {Point} */ ([tip[0] + part * x, tip[1] + part * y])))];
  const text = `joint ${largest + 1} turns farthest, by ${degrees(turn)}${times > 1 ? `; steps × ${times}` : ''}`;
  drawLabel(pen, clearest(pen, tip, text, covered), text);
}

/** The position about a point where words cover fewest others. @param {Pen} pen @param {Point} point @param {string} text @param {Point[]} others @returns {Point} */
function clearest({ ctx, unit, bounds }, [x, y], text, others) {
  const half = [0.5 * widthOf(ctx, text) + 6, 15].map((pixels) => pixels * unit);
  const positions = [40, 70, 100, 130].flatMap((far) => [[0, -1], [0, 1], [-1, -1], [1, -1], [-1, 1], [1, 1]].map(([across, down]) => (
    /** @type {Point} */ ([x + across * half[0], y + down * far * unit]))));
  const { a, e, f } = ctx.getTransform();
  const seen = (/** @type {number} */ value, /** @type {number} */ shift) => (a * value + shift) / devicePixelRatio; // [px]
  const isOutside = (/** @type {Point} */ [u, v]) => seen(u - half[0], e) < bounds.left || seen(u + half[0], e) > bounds.right
    || seen(v - half[1], f) < bounds.top || seen(v + half[1], f) > bounds.bottom;
  const covers = (/** @type {Point} */ [u, v]) => (isOutside([u, v]) ? others.length : 0)
    + others.filter((other) => Math.abs(other[0] - u) < half[0] && Math.abs(other[1] - v) < half[1]).length;
  return positions.reduce((best, each) => (covers(each) < covers(best) ? each : best));
}

/** How many times a step is enlarged that would be hard to see: 2 or 5 times a power of ten, so that it is no longer than a column. @param {number} length [px] */
function enlargement(length) {
  if (length > SHORT) return 1;
  const max = Math.min(1e6, COLUMN / Math.max(length, 1e-9));
  const power = 10 ** Math.floor(Math.log10(Math.max(max, 1)));
  return power * ([5, 2].find((factor) => factor * power <= max) ?? 1);
}

/** The arm before or after, as a thin line. @param {Pen} pen @param {Float64Array} joints */
export function drawOther(pen, joints) {
  drawChain(pen, joints, { colour: pen.own, width: 2, alpha: 0.5 });
}

/** @param {number} angle [rad] @returns {string} */
export function degrees(angle) {
  const value = (angle * 180) / Math.PI;
  if (value !== 0 && Math.abs(value) < MIN_SHOWN) return `less than ${MIN_SHOWN}°`;
  return `${value.toFixed(Math.abs(value) < 0.095 ? 3 : 1).replace('-', '−')}°`;
}

/**
 * @typedef {object} Stroke
 * @property {string} colour @property {number} [width] [px] @property {number[]} [dash] [px] @property {number} [alpha]
 */

/** @param {Pen} pen @param {Stroke} stroke @param {(ctx: CanvasRenderingContext2D) => void} trace */
function strokeOf({ ctx, unit }, { colour, width = 1.5, dash = [], alpha = 1 }, trace) {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.globalAlpha = alpha;
  ctx.lineWidth = width * unit;
  ctx.lineJoin = 'round';
  ctx.lineCap = dash.length ? 'butt' : 'round';
  ctx.setLineDash(dash.map((length) => length * unit));
  ctx.beginPath();
  trace(ctx);
  ctx.stroke();
  ctx.restore();
}

/** @param {Pen} pen @param {Float64Array} chain @param {Stroke} stroke */
function drawChain(pen, chain, stroke) {
  strokeOf(pen, stroke, (ctx) => {
    for (let k = 0; k < chain.length; k += 2) ctx.lineTo(chain[k], chain[k + 1]);
  });
}

/** @param {Pen} pen @param {Point} from @param {Point} to @param {Stroke} stroke */
function drawLine(pen, from, to, stroke) {
  strokeOf(pen, stroke, (ctx) => {
    ctx.moveTo(...from);
    ctx.lineTo(...to);
  });
}

/** A turn about a point, with its head. @param {Pen} pen @param {Point} centre @param {number} radius @param {number} start @param {number} turn  counter-clockwise [rad] @param {Stroke} stroke */
function drawArc(pen, centre, radius, start, turn, stroke) {
  strokeOf(pen, stroke, (ctx) => ctx.arc(...centre, radius, -start, -start - turn, turn > 0));
  const end = start + turn;
  const tip = /** @type {Point} */ ([centre[0] + radius * Math.cos(end), centre[1] - radius * Math.sin(end)]);
  const side = Math.sign(turn);
  if (radius * Math.abs(turn) > HEAD * pen.unit) drawHead(pen, tip, [-side * Math.sin(end), -side * Math.cos(end)], stroke);
}

/** @param {Pen} pen @param {Point} from @param {Point} vector @param {Stroke} stroke @returns {boolean} whether it is long enough to be seen */
function drawArrow(pen, from, vector, stroke) {
  const length = Math.hypot(...vector);
  if (length < 2 * pen.unit) return false;
  const along = /** @type {Point} */ ([vector[0] / length, vector[1] / length]);
  const end = /** @type {Point} */ ([from[0] + vector[0], from[1] + vector[1]]);
  const neck = Math.min(length, HEAD * pen.unit);
  drawLine(pen, from, [end[0] - neck * along[0], end[1] - neck * along[1]], stroke);
  drawHead(pen, end, along, stroke);
  return true;
}

/** @param {Pen} pen @param {Point} tip @param {Point} along  of length 1 @param {Stroke} stroke */
function drawHead({ ctx, unit }, [x, y], [dx, dy], { colour, width = 1.5, alpha = 1 }) {
  const size = (HEAD + width) * unit;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.globalAlpha = alpha;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x - size * dx - 0.45 * size * dy, y - size * dy + 0.45 * size * dx);
  ctx.lineTo(x - size * dx + 0.45 * size * dy, y - size * dy - 0.45 * size * dx);
  ctx.closePath();
  ctx.fill();
  ctx.restore();
}

/** @param {Pen} pen @param {Point} point @param {number} radius [px] @param {string} colour */
function drawDisc({ ctx, unit }, [x, y], radius, colour) {
  ctx.save();
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, radius * unit, 0, 2 * Math.PI);
  ctx.fill();
  ctx.restore();
}

/** Words on the ground's colour, to be read across lines. @param {Pen} pen @param {number[]} center @param {string} text */
function drawLabel({ ctx, unit, colour }, [x, y], text) {
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(unit, unit);
  ctx.font = FONT;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  const width = widthOf(ctx, text) + 8;
  ctx.fillStyle = colour('ground');
  ctx.globalAlpha = 0.85;
  ctx.beginPath();
  ctx.roundRect(-width / 2, -9, width, 18, 5);
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.fillStyle = colour('text');
  ctx.fillText(text, 0, 1);
  ctx.restore();
}

/** @param {CanvasRenderingContext2D} ctx @param {string} text @returns {number} [px] of a label */
function widthOf(ctx, text) {
  ctx.font = FONT;
  return ctx.measureText(text).width;
}

/** The point a little farther than the end of an arrow. @param {Point} from @param {Point} vector @param {number} more @returns {Point} */
function beyond(from, vector, more) {
  const factor = 1 + more / Math.hypot(...vector);
  return [from[0] + factor * vector[0], from[1] + factor * vector[1]];
}
