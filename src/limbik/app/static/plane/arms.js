/** The arms of the 2-D page, one runner for each solver. */

import { Runner } from '../runner.js';
import { firstPose, randomPose, resized } from './kinematics.js';

export class Arms {
  /** @param {import('../store.js').Store} store */
  constructor(store) {
    this.store = store;
    /** @type {Runner[]} */
    this.list = [];
    this.choose();
    this.store.watch(['algo', 'race'], () => this.choose());
    this.store.watch(['n'], () => this.resize());
  }

  get racing() {
    return this.store.get('race').length > 0;
  }

  /** The arm in front: the chosen solver's, or the first of the race. @returns {Runner} */
  get front() {
    const algo = this.store.get('algo');
    return this.list.find((arm) => arm.solver === algo) ?? this.list[0];
  }

  /** Have the arms that the settings ask for; another set starts from one pose together. */
  choose() {
    const wanted = this.racing ? this.store.get('race') : [this.store.get('algo')];
    if (wanted.join() === this.list.map((arm) => arm.solver).join()) return;
    const from = this.list.length ? this.front.q : firstPose(this.store.get('n'));
    this.list = wanted.map((/** @type {string} */ solver) => new Runner(solver, from));
  }

  resize() {
    const links = this.store.get('n');
    for (const arm of this.list) if (arm.q.length !== links) arm.setPose(resized(arm.q, links));
  }

  /** All arms to one pose. @param {'first'|'random'} which */
  restart(which) {
    const links = this.store.get('n');
    const q = which === 'first' ? firstPose(links) : randomPose(links);
    for (const arm of this.list) arm.setPose(q);
  }

  /** All arms back to the beginning of their last solve. */
  rewind() {
    for (const arm of this.list) arm.setPose(arm.before.length === arm.q.length ? arm.before : arm.q);
  }

  /** The longest last solve among the arms. */
  get lastStep() {
    return Math.max(0, ...this.list.map((arm) => (arm.recording.complete ? arm.recording.last : 0)));
  }
}
