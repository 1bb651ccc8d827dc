/** Moves the target along a circle or a figure-eight around its home. */

import { tenth } from './workspace.js';

const TURN = 1.5; // [rad/s] along the path at speed 1

export class Motion {
  /** @param {import('../store.js').Store} store @param {import('./workspace.js').Workspace} workspace */
  constructor(store, workspace) {
    this.store = store;
    this.workspace = workspace;
    this.phase = 0;
    /** True while a hand holds the target. */
    this.held = false;
  }

  get moving() {
    return this.store.get('mv') !== 'none';
  }

  /** @param {number} seconds */
  advance(seconds) {
    if (this.moving && !this.held) this.phase = (this.phase + TURN * this.store.get('sp') * seconds) % (2 * Math.PI);
  }

  /** @returns {[number, number]} */
  get target() {
    const [x, y] = this.workspace.home;
    const [dx, dy] = this.offset(this.phase);
    return [x + dx, y + dy];
  }

  /** Put the target here; a path goes on around it. @param {[number, number]} point  of the world */
  moveTo([x, y]) {
    const [dx, dy] = this.offset(this.phase);
    this.store.set({ tx: tenth(x - dx), ty: tenth(y - dy) });
  }

  /** Begin a path, or stop where the target is. @param {'none'|'circle'|'eight'} kind */
  choose(kind) {
    if (kind === this.store.get('mv')) return;
    const changes = { mv: kind };
    if (kind === 'none') {
      const [x, y] = this.target;
      Object.assign(changes, { tx: tenth(x), ty: tenth(y) });
    }
    this.phase = 0;
    this.store.set(changes);
  }

  /** The path as points around the home. @param {number} count @returns {[number, number][]} */
  path(count) {
    const [x, y] = this.workspace.home;
    return Array.from({ length: count }, (_, i) => {
      const [dx, dy] = this.offset((2 * Math.PI * i) / count);
      return [x + dx, y + dy];
    });
  }

  /** @param {number} phase [rad] @returns {[number, number]} from the home */
  offset(phase) {
    const kind = this.store.get('mv');
    const size = this.size();
    if (kind === 'circle') return [size * Math.sin(phase), -size * Math.cos(phase)];
    if (kind === 'eight') return [1.3 * size * Math.sin(phase), -0.62 * size * Math.sin(2 * phase)];
    return [0, 0];
  }

  /** Radius that suits the arm. */
  size() {
    return Math.max(24, 0.34 * this.workspace.reach);
  }
}
