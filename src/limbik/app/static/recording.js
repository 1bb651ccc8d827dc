/** What one arm did since its problem last changed: the "last solve" of plots, scrubber and table. */

const LONGEST = 2000; // iterations kept; a solve that goes on longer is only counted

export class Recording {
  /** @param {number} links */
  constructor(links) {
    this.links = links;
    /** @type {number[]} error before the first iteration and after each */
    this.errors = [];
    /** @type {Float32Array[]} configurations beside the errors; empty where the server was not asked for them */
    this.trace = [];
    this.iterations = 0;
    /** Iterations until the error was within the tolerance; -1: not yet. */
    this.toTolerance = -1;
  }

  /** Add what a frame did. @param {import('./runner.js').Answer} frame */
  append(frame) {
    if (this.toTolerance < 0 && frame.iterations_to_tolerance >= 0) {
      this.toTolerance = this.iterations + frame.iterations_to_tolerance;
    }
    this.iterations += frame.iterations;
    // The first entry of a frame is the last one of the frame before.
    const from = this.errors.length === 0 ? 0 : 1;
    for (let k = from; k < frame.errors.length && this.errors.length <= LONGEST; k += 1) {
      this.errors.push(frame.errors[k]);
      if (frame.trace) this.trace.push(frame.trace.subarray(k * this.links, (k + 1) * this.links));
    }
  }

  /** The last step that can be shown. */
  get last() {
    return this.errors.length - 1;
  }

  /** Whether every kept step has its configuration. */
  get complete() {
    return this.trace.length === this.errors.length;
  }
}
