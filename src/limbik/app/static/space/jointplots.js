/** Plots of joints over time, with limits as bands and breaks as stripes. */

import { movingJoints } from './numbers.js';

const DEGREES = 180 / Math.PI;
const MIN = 0.6; // [rad or m] that a plot shows at least; a limit no farther away from the line is in it
const PADDING = 0.12; // of what is shown, above and below
const TINT = 0.22; // opacity of a break
const HIDDEN = 1e-6; // [rad or m] a joint that moves less has no plot

/** @typedef {import('./kinematics.js').JointDescription} Joint */
/** @typedef {{from: number, to: number, colour: string}} Stripe  [s], and a colour of the theme */
/** @typedef {{joint: Joint, canvas: HTMLCanvasElement, value: HTMLElement}} Row */

export class JointPlots {
  /**
   * @param {HTMLElement} list @param {(name: string) => string} colour  of the theme
   * @param {(time: number) => void} onPick  a hand points at a time [s]
   */
  constructor(list, colour, onPick) {
    Object.assign(this, { list, colour, onPick });
    /** @type {Row[]} */
    this.rows = [];
    /** @type {number[]} */
    this.times = [];
    /** @type {number[][]} */
    this.q = [];
    /** @type {Stripe[]} */
    this.stripes = [];
    for (const kind of ['pointerdown', 'pointermove']) list.addEventListener(kind, (event) => this.pick(/** @type {PointerEvent} */ (event)));
    new ResizeObserver(() => this.draw()).observe(list);
  }

  /** @param {import('./kinematics.js').ArmDescription} description @param {number[]} times [M] @param {number[][]} q [M][nq] @param {Stripe[]} stripes */
  show(description, times, q, stripes) {
    Object.assign(this, { times, q, stripes });
    const moved = movingJoints(description).filter((joint) => spread(q, joint.q) > HIDDEN);
    this.rows = moved.map((joint) => makeRow(joint));
    this.list.replaceChildren(...this.rows.map(({ canvas }) => /** @type {HTMLElement} */ (canvas.parentElement)));
    this.draw();
  }

  /** A line across all plots, and the numbers there. @param {number} time [s] @param {number[]} q */
  point(time, q) {
    const last = this.times[this.times.length - 1] || 1;
    this.list.style.setProperty('--at', String(time / last));
    for (const { joint, value } of this.rows) value.textContent = inWords(q[joint.q], joint);
  }

  /** @param {PointerEvent} event */
  pick(event) {
    const canvas = this.rows[0]?.canvas;
    if (!canvas || (event.buttons & 1) === 0) return;
    const { left, width } = canvas.getBoundingClientRect();
    this.onPick(Math.min(1, Math.max(0, (event.clientX - left) / width)) * this.times[this.times.length - 1]);
  }

  draw() {
    for (const row of this.rows) this.drawRow(row);
  }

  /** @param {Row} row */
  drawRow({ joint, canvas }) {
    const ratio = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.scale(ratio, ratio);
    const { low, high } = this.range(joint);
    const last = this.times[this.times.length - 1] || 1;
    const x = (/** @type {number} */ time) => (time / last) * width;
    const y = (/** @type {number} */ value) => height - ((value - low) / (high - low)) * height;
    this.drawLimits(context, joint, y, width, height);
    for (const { from, to, colour } of this.stripes) {
      context.globalAlpha = TINT;
      context.fillStyle = this.colour(colour);
      context.fillRect(x(from) - 1, 0, x(to) - x(from) + 2, height);
    }
    context.globalAlpha = 1;
    context.strokeStyle = this.colour('accent');
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    context.beginPath();
    this.q.forEach((q, k) => context.lineTo(x(this.times[k]), y(q[joint.q])));
    context.stroke();
  }

  /** @param {CanvasRenderingContext2D} context @param {Joint} joint @param {(value: number) => number} y @param {number} width @param {number} height */
  drawLimits(context, { lower, upper }, y, width, height) {
    context.fillStyle = this.colour('danger-soft');
    context.strokeStyle = this.colour('danger');
    for (const [limit, edge] of [[lower, height], [upper, 0]]) {
      if (limit === null) continue;
      const at = y(limit);
      if (at < 0 || at > height) continue;
      context.fillRect(0, Math.min(at, /** @type {number} */ (edge)), width, Math.abs(/** @type {number} */ (edge) - at));
      context.beginPath();
      context.moveTo(0, at);
      context.lineTo(width, at);
      context.stroke();
    }
  }

  /** What a plot shows: the line, and limits that are near. @param {Joint} joint @returns {{low: number, high: number}} */
  range({ q: at, lower, upper }) {
    const values = this.q.map((q) => q[at]);
    let [low, high] = [Math.min(...values), Math.max(...values)];
    const more = Math.max(0, MIN - (high - low)) / 2;
    [low, high] = [low - more, high + more];
    if (lower !== null && low - lower < MIN) low = lower;
    if (upper !== null && upper - high < MIN) high = upper;
    const padding = PADDING * (high - low);
    return { low: low - padding, high: high + padding };
  }
}

/** @param {number[][]} q @param {number} at */
function spread(q, at) {
  const values = q.map((row) => row[at]);
  return Math.max(...values) - Math.min(...values);
}

/** @param {Joint} joint @returns {Row} */
function makeRow(joint) {
  const row = document.createElement('li');
  row.innerHTML = '<span></span><output></output><canvas></canvas>';
  const [name, value, canvas] = /** @type {[HTMLElement, HTMLElement, HTMLCanvasElement]} */ (/** @type {unknown} */ ([...row.children]));
  name.textContent = joint.name;
  const limits = joint.lower === null && joint.upper === null ? 'no limits' : `limits ${inWords(joint.lower, joint)} to ${inWords(joint.upper, joint)}`;
  canvas.title = `${joint.name}: ${limits}`;
  return { joint, canvas, value };
}

/** @param {number|null|undefined} value @param {Joint} joint */
function inWords(value, { kind }) {
  if (value === null || value === undefined) return '∞';
  return kind === 'prismatic' ? `${(1000 * value).toFixed(0)} mm` : `${(DEGREES * value).toFixed(1)}°`;
}
