/** The line of text that says how far out of reach the target is; the distance comes from the server. */

import { length } from './format.js';

export class ReachLine {
  /**
   * @param {import('./race.js').Lineup} arms @param {string} unit  of length
   * @param {boolean} isExact  whether an arm comes as near as is told; it may be a lower bound
   */
  constructor(arms, unit, isExact) {
    Object.assign(this, { arms, unit, before: isExact ? '' : 'At least ' });
    this.line = /** @type {HTMLElement} */ (document.getElementById('reach-line'));
  }

  update() {
    const { outOfReach } = this.arms.front;
    const text = outOfReach > 0 ? `${this.before}${length(outOfReach)} ${this.unit} out of reach` : '';
    if (this.line.textContent === text) return;
    this.line.textContent = text;
    this.line.hidden = text === '';
  }
}
