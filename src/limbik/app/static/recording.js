/** Records the last solve of one arm for plots, scrubber and table. */

const LONGEST = 2000; // iterations stored; a solve that goes on longer is only counted
const NEAREST = 1.001; // of the smallest error: an arm as near as that has arrived

export class Recording {
  /** @param {number} links */
  constructor(links) {
    this.links = links;
    /** @type {number[]} error before the first iteration and after each */
    this.errors = [];
    /** @type {Float32Array[]} configurations beside the errors; empty where they were not requested */
    this.trace = [];
    /** @type {Float32Array[]} metres and radians of each goal beside them, where the server tells them */
    this.goalErrors = [];
    this.iterations = 0;
    /** Joints that were outside their limits in some iteration. */
    this.violations = 0;
    /** Iterations until the error was within the tolerance; -1: not yet. */
    this.toTolerance = -1;
  }

  /** Add what a frame did. @param {import('./runner.js').Answer} frame */
  append(frame) {
    if (this.toTolerance < 0 && frame.iterations_to_tolerance >= 0) {
      this.toTolerance = this.iterations + frame.iterations_to_tolerance;
    }
    this.iterations += frame.iterations;
    this.violations = Math.max(this.violations, frame.violations);
    // The first entry of a frame is the last one of the frame before.
    const from = this.errors.length === 0 ? 0 : 1;
    for (let k = from; k < frame.errors.length && this.errors.length <= LONGEST; k += 1) {
      this.errors.push(frame.errors[k]);
      if (frame.trace) this.trace.push(row(frame.trace, k, this.links));
      if (frame.goal_trace && frame.goal_errors) this.goalErrors.push(row(frame.goal_trace, k, frame.goal_errors.length));
    }
  }

  /** The last step that can be shown. */
  get last() {
    return this.errors.length - 1;
  }

  /** The step after which nothing happens any more: the tolerance is met, or the arm comes no nearer. */
  get finish() {
    if (this.toTolerance >= 0) return this.toTolerance;
    const nearest = Math.min(...this.errors);
    return Math.max(0, this.errors.findIndex((error) => error <= NEAREST * nearest));
  }

  /** Whether every stored step has its configuration. */
  get complete() {
    return this.trace.length === this.errors.length;
  }
}

/** @param {Float32Array} rows @param {number} k @param {number} size */
function row(rows, k, size) {
  return rows.subarray(k * size, (k + 1) * size);
}
