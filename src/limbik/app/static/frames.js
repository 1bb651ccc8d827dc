/** The display loop of a page: one call for each display frame, and the frame rate. */

const READOUT_EVERY = 100; // [ms] between two updates of the numbers

export class Frames {
  /**
   * @param {object} parts
   * @param {(now: number, seconds: number) => void} parts.onTurn  seconds: since the turn before
   * @param {(now: number) => void} parts.onReadout  now and then, when numbers are to be written
   */
  constructor({ onTurn, onReadout }) {
    Object.assign(this, { onTurn, onReadout });
    /** @type {number[]} of the last second [ms] */
    this.times = [];
    this.ticked = performance.now();
    this.readAt = 0;
    requestAnimationFrame((now) => this.turn(now));
  }

  get perSecond() {
    return this.times.length;
  }

  /** @param {number} now [ms] */
  turn(now) {
    requestAnimationFrame((next) => this.turn(next));
    const seconds = (now - this.ticked) / 1000;
    this.ticked = now;
    this.times.push(now);
    while (this.times[0] < now - 1000) this.times.shift();
    this.onTurn(now, seconds);
    if (now - this.readAt <= READOUT_EVERY) return;
    this.readAt = now;
    this.onReadout(now);
  }
}
