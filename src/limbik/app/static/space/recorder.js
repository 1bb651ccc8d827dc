/** Records the last motion of the arms for export. */

import { shortest } from './codec.js';
import { cell, columns } from './numbers.js';

const LONGEST = 20000; // rows

/** What is seen of all arms under one solver, in the order of the arms. @typedef {Map<string, ArrayLike<number>[]>} Poses */

export class Recorder {
  /** @param {import('./arms.js').Arms} arms @param {import('../following.js').Following} following */
  constructor(arms, following) {
    Object.assign(this, { arms, following });
    this.clear();
  }

  clear() {
    /** @type {{seconds: number, poses: Poses}[]} */
    this.rows = [];
    this.began = 0;
    /** What was seen before. @type {{now: number, poses: Poses}|null} */
    this.last = null;
    this.goesOn = false;
  }

  /** Once per display frame. @param {number} now [ms] @param {boolean} isBusy  whether the arms may go on to move */
  take(now, isBusy) {
    const poses = this.poses();
    const { last } = this;
    if (last && !areAlike(last.poses, poses)) {
      if (!this.goesOn) this.begin(last);
      this.add(now, poses);
      this.goesOn = true;
    }
    if (!isBusy) this.goesOn = false;
    this.last = { now, poses };
  }

  /** @param {{now: number, poses: Poses}} stand  the last one before the motion */
  begin({ now, poses }) {
    this.rows = [];
    this.began = now;
    this.add(now, poses);
  }

  /** @param {number} now @param {Poses} poses */
  add(now, poses) {
    if (this.rows.length < LONGEST) this.rows.push({ seconds: (now - this.began) / 1000, poses });
  }

  /** @returns {Poses} */
  poses() {
    const solvers = this.arms.mechanisms[0]?.runners.map(({ solver }) => solver) ?? [];
    return new Map(solvers.map((solver) => [solver, this.arms.mechanisms.map((mechanism) => this.following.pose(mechanism.under(solver), null))]));
  }

  /** @returns {string} a row for every time and solver, a column for every number of q, with units in the first row */
  csv() {
    const { mechanisms } = this.arms;
    const all = mechanisms.map(({ description }) => columns(description));
    const prefix = (/** @type {number} */ k) => (mechanisms.length > 1 ? `${mechanisms[k].description.name} ` : '');
    const head = ['time [s]', 'solver', ...all.flatMap((list, k) => list.map(({ title }) => cell(prefix(k) + title)))];
    const lines = this.rows.flatMap(({ seconds, poses }) => [...poses].map(([solver, qs]) => (
      [seconds.toFixed(4), solver, ...all.flatMap((list, k) => list.map(({ at }) => shortest(qs[k][at])))].join(','))));
    return `${[head.join(','), ...lines].join('\n')}\n`;
  }
}

/** Whether nothing has moved; with another solver there is nothing that could have. @param {Poses} a @param {Poses} b */
function areAlike(a, b) {
  return [...a].every(([solver, qs]) => qs.every((q, k) => {
    const other = b.get(solver)?.[k] ?? q;
    return q === other || Array.prototype.every.call(q, (value, i) => value === other[i]);
  }));
}
