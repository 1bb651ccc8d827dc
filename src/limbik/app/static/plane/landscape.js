/**
 * The error as a landscape over two joints of the arm in front, the others held: contour bands, the limits, where the arm is, the
 * paths of the last solves, and the solutions. A press or a drag puts the arms there: the solvers set out from that point.
 */

import { find } from '../controls.js';
import { points } from './kinematics.js';

const CELLS = 96; // of the map, along each axis
const FEWER = 40; // of the map of an arm with many links
const MANY = 16; // links
const BANDS = 12; // of error, narrower toward the target
const TURN = 2 * Math.PI;

export class Landscape {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./workspace.js').Workspace} parts.workspace
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./view.js').View} parts.view
   * @param {import('../theme.js').Theme} parts.theme
   * @param {(q: number[]) => void} parts.onPose  the arms are to be there
   */
  constructor({ store, arms, workspace, motion, view, theme, onPose }) {
    Object.assign(this, { store, arms, workspace, motion, view, theme, onPose });
    this.box = find(document, '#landscape');
    this.canvas = /** @type {HTMLCanvasElement} */ (find(document, '#landscape-map'));
    this.selects = /** @type {HTMLSelectElement[]} */ ([find(document, '#landscape-x'), find(document, '#landscape-y')]);
    this.ground = document.createElement('canvas');
    /** What the ground, and all of the map, was last drawn of, as text. */
    this.grounded = this.drawn = '';
    this.selects.forEach((select, axis) => select.addEventListener('change', () => this.choose(axis, Number(select.value))));
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.put(event);
    });
    this.canvas.addEventListener('pointermove', (event) => event.buttons && this.put(event));
    store.watch(['es'], () => {
      this.box.hidden = !store.get('es');
      this.drawn = '';
    });
    store.watch(['n', 'ex', 'ey'], () => this.list());
  }

  /** The indices of the joints along x and y: two different ones that the arm has. @returns {[number, number]} */
  get joints() {
    const last = this.store.get('n') - 1;
    const x = Math.min(last, this.store.get('ex') - 1);
    const y = Math.min(last, this.store.get('ey') - 1);
    return [x, y === x ? (x + 1) % (last + 1) : y];
  }

  list() {
    const { joints, store } = this;
    this.selects.forEach((select, axis) => {
      if (select.childElementCount !== store.get('n')) {
        select.replaceChildren(...Array.from({ length: store.get('n') }, (_, i) => new Option(`Joint ${i + 1}`, String(i + 1))));
      }
      select.value = String(joints[axis] + 1);
    });
  }

  /** The joint of an axis; the two are exchanged where the other axis has it. @param {number} axis @param {number} joint  from 1 */
  choose(axis, joint) {
    const [x, y] = this.joints.map((index) => index + 1);
    const other = axis === 0 ? y : x;
    const same = other === joint ? [x, y][axis] : other;
    this.store.set(axis === 0 ? { ex: joint, ey: same } : { ex: same, ey: joint });
  }

  /** Now and then. */
  tick() {
    const { store, canvas, theme, view } = this;
    if (!store.get('es') || canvas.clientWidth === 0) return;
    const { front } = this.arms;
    const q = front.pose(view.step);
    const [i, j] = this.joints;
    const held = [...q].map((angle, k) => (k === i || k === j ? 0 : angle));
    const ground = JSON.stringify([held, i, j, store.get('L'), this.workspace.base, this.motion.target, theme.colour('accent')]);
    const paths = this.arms.list.map(({ solver, recording }) => [solver, recording.last, recording.complete]);
    const all = JSON.stringify([ground, [...q], paths, view.solutions, store.get('lm'), store.get('ld'), canvas.clientWidth]);
    if (all === this.drawn) return;
    this.drawn = all;
    if (ground !== this.grounded) this.drawGround(held);
    this.grounded = ground;
    this.draw(q);
  }

  /** The error over the two joints in bands. @param {number[]} held */
  drawGround(held) {
    const [i, j] = this.joints;
    const { base, reach } = this.workspace;
    const [tx, ty] = this.motion.target;
    const far = Math.hypot(tx - base[0], ty - base[1]) + reach;
    const length = this.store.get('L');
    const cells = held.length > MANY ? FEWER : CELLS;
    const [low, high] = ['accent', 'surface-2'].map((name) => rgb(this.theme.colour(name)));
    const image = new ImageData(cells, cells);
    const q = Float64Array.from(held);
    for (let row = 0; row < cells; row += 1) {
      q[j] = Math.PI - (TURN * (row + 0.5)) / cells;
      for (let column = 0; column < cells; column += 1) {
        q[i] = (TURN * (column + 0.5)) / cells - Math.PI;
        const joints = points(q, length, base);
        const error = Math.hypot(joints[joints.length - 2] - tx, joints[joints.length - 1] - ty);
        const fraction = Math.floor(BANDS * Math.sqrt(Math.min(1, error / far))) / (BANDS - 1);
        const at = 4 * (row * cells + column);
        for (let c = 0; c < 3; c += 1) image.data[at + c] = low[c] + Math.min(1, fraction) * (high[c] - low[c]);
        image.data[at + 3] = 255;
      }
    }
    this.ground.width = this.ground.height = cells;
    /** @type {CanvasRenderingContext2D} */ (this.ground.getContext('2d')).putImageData(image, 0, 0);
  }

  /** @param {ArrayLike<number>} q */
  draw(q) {
    const { canvas, theme, arms, view } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    const size = canvas.clientWidth;
    canvas.width = canvas.height = Math.round(size * ratio);
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.drawImage(this.ground, 0, 0, size, size);
    this.drawLimits(ctx, size);
    const solutions = view.solutions ?? { q: [], colours: [] };
    solutions.q.forEach((each, k) => dot(ctx, this.at(each, size), 4, solutions.colours[k], theme.colour('surface')));
    for (const { solver, recording } of arms.list) if (recording.complete) this.drawPath(ctx, size, recording.trace, theme.colour(solver));
    dot(ctx, this.at(q, size), 6.5, theme.colour('target'), theme.colour('surface'));
    const [x, y] = this.joints.map((index) => `${Math.round((wrapped(q[index]) * 180) / Math.PI)}°`);
    canvas.setAttribute('aria-label', `Error over two joints; the arm is at ${x}, ${y}`);
  }

  /** What is outside the limits is veiled. @param {CanvasRenderingContext2D} ctx @param {number} size */
  drawLimits(ctx, size) {
    if (!this.store.get('lm')) return;
    const half = (this.store.get('ld') / 360) * size;
    const inner = [size / 2 - half, size / 2 - half, 2 * half, 2 * half];
    ctx.beginPath();
    ctx.rect(0, 0, size, size);
    ctx.rect(inner[0], inner[1], inner[2], inner[3]);
    ctx.globalAlpha = 0.6;
    ctx.fillStyle = this.theme.colour('surface-3');
    ctx.fill('evenodd');
    ctx.globalAlpha = 1;
    ctx.strokeStyle = this.theme.colour('danger');
    ctx.strokeRect(inner[0], inner[1], inner[2], inner[3]);
  }

  /** The iterations of a solve. @param {CanvasRenderingContext2D} ctx @param {number} size @param {ArrayLike<number>[]} trace @param {string} colour */
  drawPath(ctx, size, trace, colour) {
    const points = trace.map((q) => this.at(q, size));
    ctx.beginPath();
    points.forEach(([x, y], k) => {
      const [fromX, fromY] = points[k - 1] ?? [NaN, NaN];
      const goesOn = Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) < size / 2; // not around the edge
      if (goesOn) ctx.lineTo(x, y);
      else ctx.moveTo(x, y);
    });
    ctx.lineJoin = 'round';
    for (const [width, stroke] of /** @type {[number, string][]} */ ([[4.5, this.theme.colour('surface')], [2.2, colour]])) {
      ctx.lineWidth = width;
      ctx.strokeStyle = stroke;
      ctx.stroke();
    }
    ctx.lineWidth = 1;
    for (const point of points) dot(ctx, point, 2, colour, colour);
  }

  /** Where a configuration is on the map. @param {ArrayLike<number>} q @param {number} size @returns {[number, number]} */
  at(q, size) {
    const [x, y] = this.joints.map((index) => wrapped(q[index]) / TURN);
    return [size * (0.5 + x), size * (0.5 - y)];
  }

  /** @param {PointerEvent} event */
  put(event) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const within = (/** @type {number} */ fraction) => Math.min(1, Math.max(0, fraction)) * TURN - Math.PI;
    const q = [...this.arms.front.q];
    const [i, j] = this.joints;
    q[i] = within((event.clientX - left) / width);
    q[j] = -within((event.clientY - top) / height);
    this.onPose(q);
  }
}

/** @param {number} angle @returns {number} the same within half a turn */
function wrapped(angle) {
  return angle - TURN * Math.round(angle / TURN);
}

/** @param {CanvasRenderingContext2D} ctx @param {[number, number]} center @param {number} radius @param {string} fill @param {string} edge */
function dot(ctx, [x, y], radius, fill, edge) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, TURN);
  ctx.fillStyle = fill;
  ctx.strokeStyle = edge;
  ctx.fill();
  ctx.stroke();
}

/** @param {string} colour  #rrggbb @returns {number[]} */
function rgb(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}
