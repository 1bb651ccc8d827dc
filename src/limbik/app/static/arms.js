/** The arms on the screen: one for the chosen solver, or one for every solver of the race. */

import { firstPose, randomPose, resized } from './kinematics.js';
import { Recording } from './recording.js';

export const FRAMES = 240; // frames kept for the plot over frames
const TRAIL = 300; // end-effector positions kept
const TRACKED = 120; // frames of the tracking error
const COSTS = 60; // frames of the median cost

/** The latest `size` numbers. */
class Latest {
  /** @param {number} size */
  constructor(size) {
    this.size = size;
    /** @type {number[]} */
    this.values = [];
  }

  /** @param {number} value */
  push(value) {
    this.values.push(value);
    if (this.values.length > this.size) this.values.shift();
  }

  get rms() {
    const { values } = this;
    return values.length ? Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length) : NaN;
  }

  get median() {
    return this.values.length ? [...this.values].sort((a, b) => a - b)[(this.values.length - 1) >> 1] : NaN;
  }
}

export class Arm {
  /** @param {string} solver @param {Float32Array} q */
  constructor(solver, q) {
    this.solver = solver;
    this.frames = new Latest(FRAMES); // error after each frame [px]
    this.tracking = new Latest(TRACKED);
    this.place(q);
    this.violations = 0;
    this.microseconds = NaN;
    this.costs = new Latest(COSTS); // [us] per iteration
  }

  /** Put the arm in a pose; its last solve and its trace are over. @param {ArrayLike<number>} q */
  place(q) {
    this.q = Float32Array.from(q);
    /** Whether the server has yet to be told this pose. */
    this.isPlaced = true;
    this.error = NaN;
    this.status = '';
    this.recording = new Recording(q.length);
    /** Pose at the beginning of the last solve. */
    this.before = this.q;
    /** @type {number[]} x y x y ... of the end effector [px] */
    this.trail = [];
  }

  /**
   * Take in what the server answered.
   * @param {import('./protocol.js').ArmFrame} frame
   * @param {boolean} isNew  whether the problem is another one than in the frame before
   */
  apply(frame, isNew) {
    const moved = farthest(this.q, frame.q);
    // Solved already when the problem changed: the last solve that did something stays for the scrubber.
    const isIdle = frame.iterations === 0 && moved < 1e-6 && this.recording.links === frame.q.length;
    if (isNew && !(isIdle && this.recording.last > 0)) {
      this.recording = new Recording(frame.q.length);
      this.before = this.q;
    }
    if (this.recording.last <= 0 || frame.iterations > 0) this.recording.append(frame);
    this.q = frame.q;
    this.error = frame.errors[frame.errors.length - 1];
    this.status = frame.status;
    this.violations = frame.violations;
    this.microseconds = frame.microseconds;
    if (frame.iterations > 0) this.costs.push(frame.microseconds / frame.iterations);
    this.frames.push(this.error);
    this.tracking.push(this.error);
    return moved;
  }

  /** @param {number} x @param {number} y */
  leave(x, y) {
    this.trail.push(x, y);
    if (this.trail.length > 2 * TRAIL) this.trail.splice(0, 2);
  }

  /** The pose to show. @param {number|null} step  of the last solve; null: now */
  pose(step) {
    const { trace, complete } = this.recording;
    return step === null || !complete || trace.length === 0 ? this.q : trace[Math.min(step, trace.length - 1)];
  }
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function farthest(a, b) {
  let most = a.length === b.length ? 0 : Infinity;
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}

export class Arms {
  /** @param {import('./store.js').Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Arm[]} */
    this.list = [];
    this.choose();
    this.store.watch(['algo', 'race'], () => this.choose());
    this.store.watch(['n'], () => this.resize());
  }

  get racing() {
    return this.store.get('race').length > 0;
  }

  /** The arm in front: the chosen solver's, or the first of the race. @returns {Arm} */
  get front() {
    const algo = this.store.get('algo');
    return this.list.find((arm) => arm.solver === algo) ?? this.list[0];
  }

  /** Have the arms that the settings ask for; another set starts from one pose together. */
  choose() {
    const wanted = this.racing ? this.store.get('race') : [this.store.get('algo')];
    if (wanted.join() === this.list.map((arm) => arm.solver).join()) return;
    const from = this.list.length ? this.front.q : firstPose(this.store.get('n'));
    this.list = wanted.map((/** @type {string} */ solver) => new Arm(solver, from));
  }

  resize() {
    const links = this.store.get('n');
    for (const arm of this.list) if (arm.q.length !== links) arm.place(resized(arm.q, links));
  }

  /** All arms to one pose. @param {'first'|'random'} which */
  restart(which) {
    const links = this.store.get('n');
    const q = which === 'first' ? firstPose(links) : randomPose(links);
    for (const arm of this.list) arm.place(q);
  }

  /** All arms back to the beginning of their last solve. */
  rewind() {
    for (const arm of this.list) arm.place(arm.before.length === arm.q.length ? arm.before : arm.q);
  }

  /** Tell the server every pose again, in the next request. */
  tellAll() {
    for (const arm of this.list) arm.isPlaced = true;
  }

  /** The longest last solve among the arms. */
  get lastStep() {
    return Math.max(0, ...this.list.map((arm) => (arm.recording.complete ? arm.recording.last : 0)));
  }
}
