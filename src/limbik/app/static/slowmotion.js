/** Slow motion: shows a finished solve iteration by iteration. */

const EVEN = 10; // iterations shown at the chosen speed; it grows in proportion from there, so that the end comes soon

export class SlowMotion {
  /** @param {import('./race.js').Lineup} arms @param {import('./loop.js').Loop} loop */
  constructor(arms, loop) {
    Object.assign(this, { arms, loop });
    this.isOn = false;
    this.isSolved = false;
    this.perSecond = 0; // iterations
    this.reached = 0; // iterations, with a fraction
  }

  /** From where the arms have been put. @param {number} perSecond  iterations, to begin with */
  begin(perSecond) {
    Object.assign(this, { isOn: true, isSolved: false, perSecond, reached: 0 });
    this.loop.isAhead = true;
  }

  end() {
    this.isOn = false;
    this.loop.isAhead = false;
  }

  /** The step that is shown. */
  get shown() {
    return Math.floor(this.reached);
  }

  /** The last step that can be shown by now. */
  get last() {
    return this.isSolved ? Math.max(0, ...this.arms.list.map(({ recording }) => recording.finish)) : this.arms.lastStep;
  }

  get isOver() {
    return this.isSolved && this.shown >= this.last;
  }

  /** @param {number} seconds */
  advance(seconds) {
    const { loop } = this;
    if (!this.isSolved && !loop.inFlight && (loop.resting || loop.refused !== '')) {
      this.isSolved = true;
      loop.isHeld = true;
    }
    const pace = this.perSecond * Math.max(1, this.reached / EVEN);
    this.reached = Math.min(this.last, this.reached + seconds * pace);
  }

  /** Show one iteration more. @returns {boolean} whether there is one */
  step() {
    if (!this.isOn || this.shown >= this.last) return false;
    this.reached = this.shown + 1;
    return true;
  }
}
