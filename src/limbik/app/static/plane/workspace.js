/**
 * Default positions of base and target for the window that opens the page first. An address that leaves them out gets
 * positions that suit the window in which it is opened first; from then on they are part of the problem, and of the
 * address.
 */

import { besideTools, openRegion } from '../region.js';

const EDGE = 16; // [px] free between a point that a hand moves and the edge of the open part of the canvas
const SEEN = 0.62; // part of the open region that an arm of full length takes

/** @typedef {[number, number]} Point */

export class Workspace {
  /** @param {import('../store.js').Store} store @param {import('./camera.js').Camera} camera */
  constructor(store, camera) {
    this.store = store;
    this.camera = camera;
    /** @type {import('../region.js').Region} */
    this.region = { left: 0, top: 0, right: 800, bottom: 600 };
    this.measure();
  }

  /** Measure the part of the canvas that bar, panel, dock and tabs leave open. */
  measure() {
    this.region = openRegion();
  }

  /** The part of the region that the camera's buttons leave free. @returns {import('../region.js').Region} */
  get clear() {
    return besideTools(this.region, 'plane-tools');
  }

  /** Choose base and target where the address leaves them out, and look there. */
  choose() {
    const { store, region, camera } = this;
    const { mx, my, tx, ty, cam } = store.values;
    const [width, height] = [region.right - region.left, region.bottom - region.top];
    const isPlaced = [mx, my, tx, ty].some((value) => value !== null);
    // A small window looks at a world that is as large as the arm needs.
    if (!isPlaced && !cam) camera.scale = Math.min(1, (SEEN * Math.min(width, 1.4 * height)) / this.reach);
    const unit = 1 / camera.scale;
    const base = [mx ?? tenth((region.left + 0.4 * width) * unit), my ?? tenth((region.top + 0.72 * height) * unit)];
    const dx = Math.min(0.5 * this.reach, Math.max(0, 0.6 * (region.right * unit - base[0])));
    const dy = Math.min(0.42 * this.reach, Math.max(0, 0.62 * (base[1] - region.top * unit)));
    store.set({ mx: base[0], my: base[1], tx: tx ?? tenth(base[0] + dx), ty: ty ?? tenth(base[1] - dy) });
    /** Where the target was first. @type {Point} */
    this.first = this.home;
    if (cam) camera.look(cam, region);
  }

  /** How far the arm's end effector comes from its base, in the world. */
  get reach() {
    return this.store.get('n') * this.store.get('L');
  }

  /** @returns {Point} the base */
  get base() {
    return [this.store.get('mx'), this.store.get('my')];
  }

  /** @returns {Point} the target, or the centre of its path where it moves */
  get home() {
    return [this.store.get('tx'), this.store.get('ty')];
  }

  /** The nearest point of the open region. @param {Point} point  of the screen [px] @returns {Point} in the world */
  inside([x, y]) {
    const { left, top, right, bottom } = this.region;
    return this.camera.toWorld([within(x, left + EDGE, right - EDGE), within(y, top + EDGE, bottom - EDGE)]);
  }
}

/** @param {number} value @returns {number} as the address has it */
export function tenth(value) {
  return Math.round(value * 10) / 10;
}

/** @param {number} value @param {number} low @param {number} high */
function within(value, low, high) {
  return high < low ? (low + high) / 2 : Math.min(high, Math.max(low, value));
}
