/**
 * One arm under one solver: its configuration, its last solve and its metrics. Errors are in the view's unit of length:
 * px in 2-D, mm in 3-D.
 */

import { Recording } from './recording.js';

/**
 * What the server answers for one solver.
 * @typedef {object} Answer
 * @property {Float32Array} q  [n]
 * @property {Float32Array} errors  [iterations + 1]
 * @property {number} iterations
 * @property {number} iterations_to_tolerance  -1: not reached
 * @property {string} status
 * @property {number} microseconds
 * @property {number} violations  joints outside their limits
 * @property {number} out_of_reach  by how much the target is proved to be out of reach, at least; 0: not proved
 * @property {Float32Array|null} [trace]  [(iterations + 1) * n]
 * @property {Float32Array} [goal_errors]  [2 * goals] metres and radians
 * @property {Float32Array} [goal_trace]  [(iterations + 1) * 2 * goals]
 * @property {number} [iteration_microseconds]  of one iteration alone; NaN: there are none
 */

export const FRAMES = 240; // frames stored for the plot over frames
const TRAIL = 300; // end-effector positions stored
const TRACKED = 120; // frames of the tracking error

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
}

export class Runner {
  /** @param {string} solver @param {Float32Array} q */
  constructor(solver, q) {
    this.solver = solver;
    this.frames = new Latest(FRAMES); // error after each frame
    this.tracking = new Latest(TRACKED);
    this.setPose(q);
    this.microseconds = NaN;
    /** Why the solver cannot do what is requested. */
    this.refusal = '';
    /** The whole of the last answer, where the view measures more. @type {*} */
    this.measured = null;
    /** The request of the last iterations, where the view explains them. @type {*} */
    this.requested = null;
  }

  /** Put it in a pose; its last solve and its trace are over. @param {ArrayLike<number>} q */
  setPose(q) {
    this.q = Float32Array.from(q);
    /** Whether the server has yet to be told this pose. */
    this.isPlaced = true;
    this.error = NaN;
    this.status = '';
    /** By how much the target is proved to be out of reach, at least; 0: not proved. */
    this.outOfReach = 0;
    this.recording = new Recording(q.length);
    /** What one iteration takes by itself [us]; NaN: it makes none, null: it has not been measured yet. @type {number|null} */
    this.cost = null;
    /** Pose at the beginning of the last solve. */
    this.before = this.q;
    /** @type {number[]} x y x y ... of the end effector in the plane's world */
    this.trail = [];
  }

  /**
   * Take in what the server answered.
   * @param {Answer} frame
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
    if (moved > 0) this.q = frame.q; // else it is the configuration towards which the page may have been paused
    this.error = frame.errors[frame.errors.length - 1];
    this.status = frame.status;
    this.outOfReach = frame.out_of_reach;
    this.microseconds = frame.microseconds;
    this.cost = frame.status === 'still' ? NaN : frame.iteration_microseconds ?? this.cost;
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

  /** @param {number|null} step  of the last solve; null: now @returns {number} the error then */
  errorAt(step) {
    const { errors, last } = this.recording;
    return step === null || last < 0 ? this.error : errors[Math.min(step, last)];
  }

  /** @param {number|null} step @returns {number} the iterations until then */
  iterationsAt(step) {
    return Math.min(step ?? Infinity, this.recording.iterations);
  }

  /** @param {number|null} step @returns {boolean} whether the tolerance was met by then */
  hasFinished(step) {
    const { toTolerance } = this.recording;
    return toTolerance >= 0 && toTolerance <= (step ?? Infinity);
  }

  /** @param {number|null} step @returns {ArrayLike<number>|undefined} metres and radians of each goal then */
  goalErrorsAt(step) {
    const { goalErrors, complete } = this.recording;
    const isTraced = step !== null && complete && goalErrors.length > 0;
    return isTraced ? goalErrors[Math.min(step, goalErrors.length - 1)] : this.measured?.goal_errors;
  }
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function farthest(a, b) {
  let max = a.length === b.length ? 0 : Infinity;
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) max = Math.max(max, Math.abs(a[i] - b[i]));
  return max;
}
