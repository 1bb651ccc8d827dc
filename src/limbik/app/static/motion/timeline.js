/** The timeline: when each foot stands, how fast feet slide and how deep they sink, before and after; a press goes to that time. */

const LEFT = 92; // [px] for names
const RIGHT = 10;
const TOP = 6;
const BAR = 13; // [px] of a foot's row
const CURVE = 34; // [px] of a curve's
const GAP = 5;
const AXIS = 16;
const CURVES = [
  { title: 'Slide', unit: 'cm/s', before: 'slide_before', after: 'slide_after', min: 2 },
  { title: 'In ground', unit: 'mm', before: 'depth_before', after: 'depth_after', min: 5 },
];

export class Timeline {
  /**
   * @param {object} parts
   * @param {HTMLCanvasElement} parts.canvas
   * @param {import('./player.js').Player} parts.player
   * @param {import('../theme.js').Theme} parts.theme
   */
  constructor({ canvas, player, theme }) {
    Object.assign(this, { canvas, player, theme });
    /** @type {import('./protocol.js').Shown|null} */
    this.shown = null;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.seek(event);
    });
    canvas.addEventListener('pointermove', (event) => canvas.hasPointerCapture(event.pointerId) && this.seek(event));
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  /** @param {import('./protocol.js').Shown} shown */
  show(shown) {
    this.shown = shown;
    this.canvas.style.height = `${this.height}px`;
    this.draw();
  }

  get height() {
    const rows = this.shown?.feet.length ?? 0;
    return TOP + rows * (BAR + GAP) + (rows ? CURVES.length * (CURVE + GAP) : 0) + AXIS;
  }

  /** @param {PointerEvent} event */
  seek({ clientX }) {
    const { left, width } = this.canvas.getBoundingClientRect();
    this.player.pause();
    this.player.seek(((clientX - left - LEFT) / (width - LEFT - RIGHT)) * this.player.duration);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (!steps) return;
    event.preventDefault();
    event.stopPropagation();
    this.player.step(steps);
  }

  draw() {
    const { canvas, player } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !this.shown) return;
    const scale = devicePixelRatio;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    pen.scale(scale, scale);
    pen.font = '11px Inter, sans-serif';
    pen.textBaseline = 'middle';
    const span = width - LEFT - RIGHT;
    const at = (/** @type {number} */ frame) => LEFT + (span * frame) / Math.max(1, player.frames - 1);
    let y = TOP;
    for (const foot of this.shown.feet) {
      this.bars(pen, foot, y, at);
      y += BAR + GAP;
    }
    if (this.shown.feet.length) {
      for (const curve of CURVES) {
        this.curve(pen, curve, y, at);
        y += CURVE + GAP;
      }
    }
    this.axis(pen, y, span);
    pen.strokeStyle = this.theme.colour('text');
    pen.lineWidth = 1.5;
    line(pen, [[at(player.time / player.dt), 2], [at(player.time / player.dt), y + 2]]);
    canvas.setAttribute('aria-valuenow', player.time.toFixed(2));
    canvas.setAttribute('aria-valuemax', player.duration.toFixed(2));
    canvas.setAttribute('aria-valuetext', `${player.time.toFixed(2)} of ${player.duration.toFixed(2)} seconds`);
  }

  /** @param {CanvasRenderingContext2D} pen @param {import('./protocol.js').Shown['feet'][0]} foot @param {number} y @param {(frame: number) => number} at */
  bars(pen, { name, spans }, y, at) {
    this.name(pen, name, y + BAR / 2);
    pen.fillStyle = this.theme.colour('surface-2');
    pen.fillRect(LEFT, y, at(this.player.frames - 1) - LEFT, BAR);
    pen.fillStyle = this.theme.colour('base');
    for (const [first, last] of spans) pen.fillRect(at(first), y, Math.max(2, at(last) - at(first)), BAR);
  }

  /** @param {CanvasRenderingContext2D} pen @param {typeof CURVES[0]} curve @param {number} y @param {(frame: number) => number} at */
  curve(pen, { title, unit, before, after, min }, y, at) {
    const curves = /** @type {Record<string, number[]>} */ (this.shown?.curves);
    const max = Math.max(min, ...curves[before], ...curves[after]);
    this.name(pen, title, y + 10);
    pen.fillStyle = this.theme.colour('text-2');
    pen.fillText(`${shortNumber(max)} ${unit}`, 10, y + 24);
    pen.fillStyle = this.theme.colour('surface-2');
    pen.fillRect(LEFT, y, at(this.player.frames - 1) - LEFT, CURVE);
    const drawn = [['guide', before, 1.3], ['accent', after, 1.8]];
    for (const [colour, key, width] of /** @type {[string, string, number][]} */ (drawn)) {
      pen.strokeStyle = this.theme.colour(colour);
      pen.lineWidth = width;
      line(pen, curves[key].map((value, frame) => [at(frame), y + CURVE - 2 - (CURVE - 5) * Math.min(1, value / max)]));
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} y @param {number} span [px] */
  axis(pen, y, span) {
    const { duration } = this.player;
    pen.fillStyle = this.theme.colour('text-2');
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600].find((each) => (span * each) / duration > 54) ?? 1200;
    for (let time = 0; time <= duration + 1e-9; time += step) {
      const x = LEFT + (span * time) / (duration || 1);
      const text = `${+time.toFixed(1)} s`;
      pen.fillText(text, Math.min(x, LEFT + span - pen.measureText(text).width), y + AXIS / 2 + 1);
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {string} text @param {number} y */
  name(pen, text, y) {
    pen.fillStyle = this.theme.colour('text');
    let short = text;
    while (pen.measureText(short).width > LEFT - 16 && short.length > 4) short = `${short.slice(0, -2)}…`;
    pen.fillText(short, 10, y);
  }
}

/** @param {CanvasRenderingContext2D} pen @param {number[][]} points */
function line(pen, points) {
  pen.beginPath();
  for (const [x, y] of points) pen.lineTo(x, y);
  pen.stroke();
}

/** @param {number} value */
function shortNumber(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}
