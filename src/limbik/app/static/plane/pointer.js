/** Pointer and arrow keys on the 2-D canvas: move target, base and view. */

const STEP = 8; // [px] per arrow key
const HINT = 110; // [px] width of the hint beside the target
const TOUCH = 30; // [px] a finger this near to the base takes the base
const WHEEL = 0.0015; // of the logarithm of the scale, for one unit of the wheel
const LINE = 30; // [px] for mice whose wheel counts lines
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** @typedef {[number, number]} Point */

export class Pointer {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./workspace.js').Workspace} parts.workspace
   * @param {import('./camera.js').Camera} parts.camera
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./view.js').View} parts.view
   * @param {() => void} parts.onTake  called when a hand takes hold
   * @param {() => void} parts.onCamera  called when a hand has moved the view
   */
  constructor(canvas, { store, workspace, camera, motion, view, onTake, onCamera }) {
    Object.assign(this, { canvas, store, workspace, camera, motion, view, onTake, onCamera });
    this.hint = /** @type {HTMLElement} */ (document.getElementById('drag-hint'));
    /** Where each finger, or the mouse with a button down, is on the screen. @type {Map<number, Point>} */
    this.pointers = new Map();
    /** Whether these move the view. */
    this.isViewing = false;
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.pointers.has(event.pointerId) && this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', (event) => this.up(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    document.addEventListener('keydown', (event) => this.key(event));
  }

  /** The target can be dragged from now on. */
  invite() {
    this.hint.hidden = this.hint.dataset.used === '1';
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.pointerType === 'mouse' && this.pointers.size > 0) return;
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.classList.add('is-dragging');
    const isSecond = this.pointers.size > 1;
    if (isSecond) this.release();
    this.isViewing = this.isViewing || isSecond || event.button !== 0;
    if (this.isViewing) return;
    this.take(this.wantsBase(event) ? 'base' : 'target');
    this.move(event);
  }

  /** @param {PointerEvent} event */
  wantsBase(event) {
    const [x, y] = this.camera.toScreen(this.workspace.base);
    return event.shiftKey || (event.pointerType === 'touch' && Math.hypot(event.clientX - x, event.clientY - y) < TOUCH);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = [...this.pointers.values()];
    /** @type {Point} */
    const point = [event.clientX, event.clientY];
    this.pointers.set(event.pointerId, point);
    if (this.isViewing) this.moveView(before, [...this.pointers.values()]);
    else if (this.view.held === 'base') this.moveBase(this.workspace.inside(point));
    else if (this.view.held === 'target') this.motion.moveTo(this.workspace.inside(point));
  }

  /** Shift the view with the pointers; two of them zoom as well. @param {Point[]} before @param {Point[]} after */
  moveView(before, after) {
    const [from, to] = [middle(before), middle(after)];
    this.camera.pan(to[0] - from[0], to[1] - from[1]);
    if (after.length > 1) this.camera.zoom(spread(after) / Math.max(spread(before), 1), to);
    this.onCamera();
  }

  /** @param {PointerEvent} event */
  up(event) {
    if (!this.pointers.delete(event.pointerId) || this.pointers.size > 0) return;
    this.canvas.classList.remove('is-dragging');
    this.isViewing = false;
    this.release();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const amount = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1);
    this.camera.zoom(Math.exp(-WHEEL * amount), [event.clientX, event.clientY]);
    this.onCamera();
  }

  /** Arrow keys, unless they belong to a control. @param {KeyboardEvent} event */
  key(event) {
    const arrow = ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)];
    const isOurs = event.target === this.canvas || event.target === document.body;
    if (!arrow || !isOurs || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.take(event.shiftKey ? 'base' : 'target');
    const [x, y] = this.camera.toScreen(event.shiftKey ? this.workspace.base : this.motion.target);
    const point = this.workspace.inside([x + arrow[0], y + arrow[1]]);
    if (event.shiftKey) this.moveBase(point);
    else this.motion.moveTo(point);
    this.release();
  }

  /** @param {'target'|'base'} what */
  take(what) {
    this.view.held = what;
    this.motion.held = what === 'target';
    if (what === 'target') {
      this.hint.hidden = true;
      this.hint.dataset.used = '1';
    }
    this.onTake();
  }

  release() {
    this.view.held = null;
    this.motion.held = false;
    this.view.isStale = true;
  }

  /** @param {Point} point  of the world */
  moveBase([x, y]) {
    this.store.set({ mx: Math.round(x * 10) / 10, my: Math.round(y * 10) / 10 });
  }

  /** Keep the hint beside the target. */
  moveHint() {
    if (this.hint.hidden) return;
    const [x, y] = this.camera.toScreen(this.motion.target);
    this.hint.classList.toggle('is-left', x > this.workspace.region.right - HINT);
    this.hint.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }
}

/** @param {Point[]} points @returns {Point} */
function middle(points) {
  const sum = points.reduce(([x, y], [px, py]) => [x + px, y + py], [0, 0]);
  return [sum[0] / points.length, sum[1] / points.length];
}

/** How far two points are apart [px]. @param {Point[]} points */
function spread([[ax, ay], [bx, by]]) {
  return Math.hypot(ax - bx, ay - by);
}
