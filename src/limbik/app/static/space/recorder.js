/** Every configuration since the arms last began to move, for a file. */

import { shortest } from './codec.js';

const LONGEST = 20000; // rows

export class Recorder {
  /** @param {import('./arms.js').Arms} arms @param {import('./loop.js').SpaceLoop} loop */
  constructor(arms, loop) {
    Object.assign(this, { arms, loop });
    this.clear();
  }

  clear() {
    /** @type {{seconds: number, arm: number, solver: string, q: Float32Array}[]} */
    this.rows = [];
    this.began = 0;
    this.wasResting = true;
  }

  /** After every answer. @param {number} now */
  take(now) {
    if (this.rows.length === 0 || (this.wasResting && !this.loop.resting)) {
      this.rows = [];
      this.began = now;
    }
    this.wasResting = this.loop.resting;
    for (const { index, runners } of this.arms.mechanisms) {
      for (const { solver, q } of runners) {
        if (this.rows.length < LONGEST) this.rows.push({ seconds: (now - this.began) / 1000, arm: index, solver, q });
      }
    }
  }

  /** @returns {string} a row for every arm and frame; empty cells where another arm has more numbers */
  csv() {
    const widest = Math.max(0, ...this.rows.map(({ q }) => q.length));
    const head = ['seconds', 'arm', 'solver', ...Array.from({ length: widest }, (_, i) => `q${i}`)];
    const lines = this.rows.map(({ seconds, arm, solver, q }) => {
      const cells = Array.from({ length: widest }, (_, i) => (i < q.length ? shortest(q[i]) : ''));
      return [seconds.toFixed(4), arm, solver, ...cells].join(',');
    });
    return `${[head.join(','), ...lines].join('\n')}\n`;
  }
}
