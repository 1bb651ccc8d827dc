/** Hands on the canvas: mouse, pen, touch and arrow keys move target and base. */

const STEP = 8; // [px] per arrow key
const HINT = 110; // [px] room for the hint beside the target
const TOUCH = 30; // [px] a finger this near to the base takes the base
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

export class Pointer {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./place.js').Place} parts.place
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./view.js').View} parts.view
   * @param {() => void} parts.onTake  called when a hand takes hold
   */
  constructor(canvas, { store, place, motion, view, onTake }) {
    Object.assign(this, { canvas, store, place, motion, view, onTake });
    this.hint = /** @type {HTMLElement} */ (document.getElementById('drag-hint'));
    this.hint.hidden = false;
    /** @type {number|null} */
    this.pointer = null;
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => event.pointerId === this.pointer && this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', (event) => this.up(event));
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0 || this.pointer !== null) return;
    this.pointer = event.pointerId;
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.classList.add('is-dragging');
    this.take(this.wantsBase(event) ? 'base' : 'target');
    this.move(event);
  }

  /** @param {PointerEvent} event */
  wantsBase(event) {
    const [x, y] = this.place.base;
    return event.shiftKey || (event.pointerType === 'touch' && Math.hypot(event.clientX - x, event.clientY - y) < TOUCH);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.view.held === 'base') this.moveBase(event.clientX, event.clientY);
    else this.motion.moveTo(event.clientX, event.clientY);
  }

  /** @param {PointerEvent} event */
  up(event) {
    if (event.pointerId !== this.pointer) return;
    this.pointer = null;
    this.canvas.classList.remove('is-dragging');
    this.release();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const arrow = ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)];
    if (!arrow || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.take(event.shiftKey ? 'base' : 'target');
    const [x, y] = event.shiftKey ? this.place.base : this.motion.target;
    if (event.shiftKey) this.moveBase(x + arrow[0], y + arrow[1]);
    else this.motion.moveTo(x + arrow[0], y + arrow[1]);
    this.release();
  }

  /** @param {'target'|'base'} what */
  take(what) {
    this.view.held = what;
    this.motion.held = what === 'target';
    if (what === 'target') this.hint.hidden = true;
    this.onTake();
  }

  release() {
    this.view.held = null;
    this.motion.held = false;
    this.view.isStale = true;
  }

  /** @param {number} x @param {number} y */
  moveBase(x, y) {
    const [tx, ty] = this.place.home;
    const [mx, my] = this.place.inside(x, y);
    // The target stays where it is, also where the window had placed it.
    this.store.set({ mx: Math.round(mx * 10) / 10, my: Math.round(my * 10) / 10, tx, ty });
  }

  /** Keep the hint beside the target. */
  placeHint() {
    if (this.hint.hidden) return;
    const [x, y] = this.motion.target;
    this.hint.classList.toggle('is-left', x > this.place.region.right - HINT);
    this.hint.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }
}
