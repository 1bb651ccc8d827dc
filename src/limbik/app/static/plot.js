/** A plot of log10 error, one line per solver; uPlot draws it. */

import { length } from './format.js';
import { solverInfo } from './settings.js';
import uPlot from './vendor/uplot/uPlot.esm.js';

const LOWEST = 1e-4; // [px or mm] errors below are drawn there
const HEIGHT = 128;
/** Lines differ in more than colour. */
const DASHES = { ccd: [], fabrik: [8, 3], jt: [2, 3], dls: [], pinv: [10, 3, 2, 3], sdls: [5, 3], newton: [3, 6], lm: [12, 4], 'transpose-classic': [4, 4] };

/** @param {number} error @returns {number} */
export function log10(error) {
  return Math.log10(Math.max(error, LOWEST));
}

export class Plot {
  /**
   * @param {HTMLElement} box
   * @param {object} parts
   * @param {(name: string) => string} parts.colour
   * @param {() => number} parts.tolerance
   * @param {() => number|null} parts.mark  where a vertical line stands on the x axis
   * @param {((x: number) => void)|null} parts.onPick  called with the x that was clicked
   * @param {(x: number) => string} parts.title  what an x is, in words
   */
  constructor(box, { colour, tolerance, mark, onPick, title }) {
    Object.assign(this, { box, colour, tolerance, mark, onPick, title });
    this.readout = document.createElement('div');
    this.readout.className = 'plot-readout';
    this.readout.hidden = true;
    /** @type {string[]} */
    this.solvers = [];
    /** @type {uPlot|null} */
    this.plot = null;
  }

  /** Begin again with these lines. @param {string[]} solvers */
  rebuild(solvers) {
    this.plot?.destroy();
    this.solvers = solvers;
    this.readout.hidden = true;
    this.plot = new uPlot(this.options(solvers), [[0], ...solvers.map(() => [null])], this.box);
    this.plot.over.append(this.readout);
    if (this.onPick) {
      this.plot.over.style.cursor = 'pointer';
      this.plot.over.addEventListener('click', (event) => this.onPick(Math.round(this.plot.posToVal(event.offsetX, 'x'))));
    }
  }

  /** @param {string[]} solvers */
  options(solvers) {
    const axis = { stroke: this.colour('text-2'), font: '11px Inter, sans-serif', ticks: { show: false } };
    const grid = { stroke: this.colour('line'), width: 1 };
    return {
      width: Math.max(80, this.box.clientWidth),
      height: HEIGHT,
      padding: [8, 10, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 7 } },
      scales: {
        x: { time: false, range: (/** @type {uPlot} */ _, /** @type {number} */ low, /** @type {number} */ high) => [low, Math.max(low + 4, high)] },
        y: { range: (/** @type {uPlot} */ _, /** @type {number} */ low, /** @type {number} */ high) => this.yRange(low, high) },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 22, gap: 3, space: 48, values: (/** @type {uPlot} */ _, /** @type {number[]} */ splits) => splits.map(String), incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
        { ...axis, grid, size: 44, gap: 5, splits: everyDecade, values: (/** @type {uPlot} */ _, /** @type {number[]} */ splits) => splits.map(decade) },
      ],
      series: [{}, ...solvers.map((solver) => this.line(solver))],
      hooks: {
        draw: [(/** @type {uPlot} */ plot) => this.drawMarks(plot)],
        setCursor: [(/** @type {uPlot} */ plot) => this.read(plot)],
      },
    };
  }

  /** @param {string} solver */
  line(solver) {
    const stroke = this.colour(solver);
    const dash = DASHES[/** @type {keyof typeof DASHES} */ (solver)];
    return { stroke, width: 2, dash, points: { size: 5, fill: stroke, width: 0 } };
  }

  /** @param {number|null} low @param {number|null} high @returns {[number, number]} whole decades, the tolerance among them */
  yRange(low, high) {
    const tolerance = log10(this.tolerance());
    const from = Math.floor(Math.min(low ?? tolerance, tolerance) - 0.1);
    return [from, Math.max(from + 2, Math.ceil(Math.max(high ?? 2, tolerance + 1, 2)))];
  }

  /** The tolerance, and the step that the scrubber shows. @param {uPlot} plot */
  drawMarks(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeStyle = this.colour('guide');
    ctx.setLineDash([3 * devicePixelRatio, 4 * devicePixelRatio]);
    const y = plot.valToPos(log10(this.tolerance()), 'y', true);
    segment(ctx, bbox.left, y, bbox.left + bbox.width, y);
    const step = this.mark();
    if (step !== null) {
      ctx.setLineDash([]);
      ctx.lineWidth = 2 * devicePixelRatio;
      ctx.strokeStyle = this.colour('accent');
      const x = plot.valToPos(step, 'x', true);
      segment(ctx, x, bbox.top, x, bbox.top + bbox.height);
    }
    ctx.restore();
  }

  /** Say what is under the pointer. @param {uPlot} plot */
  read(plot) {
    const i = plot.cursor.idx;
    const errors = this.solvers.flatMap((solver, k) => {
      const error = i === null || i === undefined ? null : plot.data[k + 1]?.[i];
      return error === null || error === undefined ? [] : [entry(solver, length(10 ** error))];
    });
    this.readout.hidden = errors.length === 0;
    if (errors.length === 0) return;
    const title = Object.assign(document.createElement('strong'), { textContent: this.title(plot.data[0][i]) });
    this.readout.replaceChildren(title, ...errors);
    const isRight = plot.cursor.left > plot.over.clientWidth / 2;
    this.readout.style.left = isRight ? '' : `${plot.cursor.left + 10}px`;
    this.readout.style.right = isRight ? `${plot.over.clientWidth - plot.cursor.left + 10}px` : '';
  }

  /** @param {(number|null)[][]} data */
  show(data) {
    this.plot?.setData(data);
  }

  resize() {
    if (this.box.clientWidth > 0) this.plot?.setSize({ width: this.box.clientWidth, height: HEIGHT });
  }
}

/** One solver's error. @param {string} solver @param {string} error */
function entry(solver, error) {
  const line = document.createElement('span');
  line.dataset.solver = solver;
  line.append(Object.assign(document.createElement('i'), { className: 'dot' }), solverInfo(solver).short, Object.assign(document.createElement('b'), { textContent: error }));
  return line;
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
function segment(ctx, x0, y0, x1, y1) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

/** @param {uPlot} plot @param {number} axis @param {number} low @param {number} high */
function everyDecade(plot, axis, low, high) {
  const step = high - low > 5 ? 2 : 1;
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step);
}

/** @param {number} power */
function decade(power) {
  return power < -3 || power > 4 ? `1e${power}` : String(Number((10 ** power).toFixed(4)));
}
