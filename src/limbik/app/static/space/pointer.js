/** Pointer on the 3-D canvas: orbits, pans, zooms, drags goals, objects, links and the gizmo. */

import { Vector3 } from 'three';
import { onPlane } from './camera.js';

const CLICK = 5; // [px] a hand that moves less has clicked
const REACH = { mouse: 14, touch: 26 }; // [px] around a goal
const WHEEL = 0.0012; // of the logarithm of the distance, for one unit of the wheel

/**
 * What the hands do their work on.
 * @typedef {object} Stage
 * @property {import('./camera.js').Camera} camera
 * @property {import('./handles.js').Handles} handles
 * @property {import('./gizmo.js').Gizmo} gizmo
 * @property {(id: string) => void} select
 * @property {(id: string, pose: Partial<import('./gizmo.js').Pose>, phase: 'start'|'drag'|'end') => void} move  a goal or an object
 * @property {(id: string) => Vector3|null} middleOf
 * @property {string} selectedId
 * @property {(x: number, y: number) => {id: string, point: Vector3}|null} thingBelow
 * @property {(x: number, y: number) => void} click
 * @property {(event: PointerEvent) => Hit|null} linkBelow  a link that the hand means to take
 * @property {(hit: Hit) => string|null} takeLink  its goal
 * @property {() => {point: Vector3, normal: Vector3}} plane
 * @property {boolean} draws  whether the next drag is a stroke
 * @property {(points: number[][], isDone: boolean) => void} stroke
 * @property {() => void} invalidate
 */

/** @typedef {{arm: number, link: string, point: Vector3}} Hit  point: on the surface */
/** @typedef {{move: (event: PointerEvent) => void, end?: (event: PointerEvent) => void, push?: (amount: number) => void}} Task */

export class Hands {
  /** @param {HTMLCanvasElement} canvas @param {Stage} stage */
  constructor(canvas, stage) {
    this.canvas = canvas;
    this.stage = stage;
    /** Pointers that are down. @type {Map<number, {x: number, y: number}>} */
    this.down = new Map();
    /** @type {Task|null} */
    this.task = null;
    this.leaving = new AbortController();
    const options = { signal: this.leaving.signal };
    canvas.addEventListener('pointerdown', (event) => this.press(event), options);
    canvas.addEventListener('pointermove', (event) => this.move(event), options);
    canvas.addEventListener('pointerup', (event) => this.lift(event), options);
    canvas.addEventListener('pointercancel', (event) => this.lift(event), options);
    canvas.addEventListener('wheel', (event) => this.wheel(event), { ...options, passive: false });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), options);
  }

  dispose() {
    this.leaving.abort();
    this.canvas.style.cursor = '';
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.focus({ preventScroll: true });
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.down.size === 2) {
      this.task?.end?.(event);
      this.task = this.pinch();
    } else if (this.down.size === 1) {
      this.task = this.begin(event);
    }
    this.showCursor(event);
  }

  /** What a single pointer begins to do. @param {PointerEvent} event @returns {Task} */
  begin(event) {
    const { clientX: x, clientY: y } = event;
    if (event.button === 0 && this.stage.draws) return this.draw(event);
    const link = event.button === 0 ? this.stage.linkBelow(event) : null;
    if (link) return this.pullLink(link, event);
    if (event.button !== 0 || event.shiftKey) return this.drag(event, (dx, dy) => this.stage.camera.pan(dx, dy), event.button === 0);
    const part = this.stage.gizmo.hit(this.stage.camera, x, y);
    if (part) return this.pullGizmo(part, event);
    const goal = this.goalAt(event);
    if (goal !== null) return this.carry(goal, event);
    const thing = this.stage.thingBelow(x, y);
    if (thing) return this.carry(thing.id, event, thing.point);
    return this.drag(event, (dx, dy) => this.stage.camera.orbit(dx, dy), true);
  }

  /** @param {PointerEvent} event @returns {string|null} */
  goalAt({ clientX, clientY, pointerType }) {
    const reach = pointerType === 'touch' ? REACH.touch : REACH.mouse;
    return this.stage.handles.hit(this.stage.camera, clientX, clientY, reach);
  }

  /**
   * Move the camera; a hand that stays in place has clicked.
   * @param {PointerEvent} first @param {(dx: number, dy: number) => void} turn @param {boolean} mayClick
   * @returns {Task}
   */
  drag(first, turn, mayClick) {
    let last = { x: first.clientX, y: first.clientY };
    let isClick = mayClick;
    return {
      move: (event) => {
        if (isClick && isNear(event, first)) return;
        const { clientX: x, clientY: y } = event;
        isClick = false;
        turn(x - last.x, y - last.y);
        last = { x, y };
      },
      end: (event) => {
        if (isClick && event.type === 'pointerup') this.stage.click(first.clientX, first.clientY);
      },
    };
  }

  /** Draw a stroke on the plane on which goals are placed. @param {PointerEvent} first @returns {Task} */
  draw(first) {
    const { camera } = this.stage;
    const { point, normal } = this.stage.plane();
    /** @type {number[][]} */
    const points = [];
    const add = (/** @type {PointerEvent} */ { clientX, clientY }) => {
      const next = onPlane(camera.ray(clientX, clientY), point, normal);
      if (next) points.push(next.toArray());
    };
    add(first);
    return {
      move: (event) => {
        add(event);
        if (points.length > 1) this.stage.stroke(points, false);
      },
      end: (event) => this.stage.stroke(event.type === 'pointerup' ? points : [], true),
    };
  }

  /** Pull a link by its goal; a hand that stays in place only gives it one. @param {Hit} link @param {PointerEvent} first @returns {Task} */
  pullLink(link, first) {
    /** @type {Task|null} */
    let task = null;
    const take = () => {
      const id = this.stage.takeLink(link);
      return id === null ? { move: () => {} } : this.carry(id, first, link.point);
    };
    return {
      move: (event) => {
        if (!task && isNear(event, first)) return;
        task ??= take();
        task.move(event);
      },
      push: (amount) => task?.push?.(amount),
      end: (event) => {
        if (task) task.end?.(event);
        else if (event.type === 'pointerup') this.stage.takeLink(link);
      },
    };
  }

  /**
   * Carry a goal or an object across a plane: through its middle, or through where the hand took hold of it or of its link.
   * @param {string} id @param {PointerEvent} event @param {Vector3} [held] @returns {Task}
   */
  carry(id, event, held) {
    const { camera } = this.stage;
    this.stage.select(id);
    const start = this.stage.middleOf(id) ?? new Vector3();
    const { normal } = this.stage.plane();
    const base = (held ?? start).clone();
    // The hand need not have met the middle of the goal.
    const grip = onPlane(camera.ray(event.clientX, event.clientY), base, normal);
    const offset = grip ? start.clone().sub(grip) : new Vector3();
    let [hand, isMoved] = [{ x: event.clientX, y: event.clientY }, false];
    const put = () => {
      const point = onPlane(camera.ray(hand.x, hand.y), base, normal);
      if (!point) return;
      this.stage.move(id, { position: point.add(offset) }, isMoved ? 'drag' : 'start');
      isMoved = true;
    };
    return {
      move: ({ clientX: x, clientY: y }) => {
        hand = { x, y };
        put();
      },
      push: (amount) => {
        base.addScaledVector(camera.forward, amount * base.distanceTo(camera.eye.position));
        put();
      },
      end: () => isMoved && this.stage.move(id, {}, 'end'),
    };
  }

  /** @param {import('./gizmo.js').Part} part @param {PointerEvent} first @returns {Task} */
  pullGizmo(part, first) {
    const { gizmo, camera, selectedId: id } = this.stage;
    let isMoved = false;
    gizmo.take(camera, part, first.clientX, first.clientY);
    return {
      move: (event) => {
        this.stage.move(id, gizmo.pull(camera, event.clientX, event.clientY), isMoved ? 'drag' : 'start');
        isMoved = true;
      },
      end: () => {
        gizmo.release();
        if (isMoved) this.stage.move(id, {}, 'end');
        this.stage.invalidate();
      },
    };
  }

  /** Two fingers: their middle pans, their distance zooms. @returns {Task} */
  pinch() {
    let before = this.spread();
    return {
      move: () => {
        const now = this.spread();
        this.stage.camera.pan(now.x - before.x, now.y - before.y);
        this.stage.camera.zoom(before.distance / Math.max(1, now.distance), now);
        before = now;
      },
    };
  }

  spread() {
    const [a, b] = [...this.down.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const pointer = this.down.get(event.pointerId);
    if (pointer) Object.assign(pointer, { x: event.clientX, y: event.clientY });
    if (this.task) this.task.move(event);
    else if (this.down.size === 0) this.showCursor(event);
  }

  /** @param {PointerEvent} event */
  lift(event) {
    if (!this.down.delete(event.pointerId)) return;
    // The finger that stays after a pinch does nothing more.
    const task = this.task;
    this.task = null;
    task?.end?.(event);
    this.showCursor(event);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const amount = WHEEL * event.deltaY * [1, 30, 300][event.deltaMode];
    if (this.task?.push) this.task.push(-0.5 * amount);
    else if (!this.task) this.stage.camera.zoom(Math.exp(Math.max(-0.6, Math.min(0.6, amount))), { x: event.clientX, y: event.clientY });
  }

  /** @param {PointerEvent} event */
  showCursor(event) {
    const { gizmo, camera } = this.stage;
    const part = this.task ? null : gizmo.hit(camera, event.clientX, event.clientY);
    if (!this.task && gizmo.point(part)) this.stage.invalidate();
    const isThing = () => !this.task && this.stage.thingBelow(event.clientX, event.clientY) !== null;
    const canHold = part !== null || this.goalAt(event) !== null || isThing() || (!this.task && this.stage.linkBelow(event) !== null);
    this.canvas.style.cursor = this.stage.draws ? 'crosshair' : this.task ? 'grabbing' : canHold ? 'grab' : '';
  }
}

/** Whether a hand has hardly moved. @param {PointerEvent} event @param {PointerEvent} first */
function isNear(event, first) {
  return Math.hypot(event.clientX - first.clientX, event.clientY - first.clientY) < CLICK;
}
