/**
 * Where base and target stand. The URL may leave them out: then they suit the window. In a window that is too small for
 * them they stand at its edge, and go back when it grows.
 */

import { openRegion } from '../region.js';

const MARGIN = 16; // [px] kept free between a point and the edge of the open part of the canvas

export class Place {
  /** @param {import('../store.js').Store} store */
  constructor(store) {
    this.store = store;
    /** @type {import('../region.js').Region} */
    this.region = { left: 0, top: 0, right: 800, bottom: 600 };
    this.measure();
  }

  /** Measure the part of the canvas that bar, panel, dock and tabs leave open. */
  measure() {
    this.region = openRegion();
  }

  /** @returns {[number, number]} the base [px] */
  get base() {
    const { left, top, right, bottom } = this.region;
    const x = this.store.get('mx') ?? left + 0.4 * (right - left);
    const y = this.store.get('my') ?? top + 0.72 * (bottom - top);
    return this.inside(x, y);
  }

  /** @returns {[number, number]} the target, or the centre of its path where it moves [px] */
  get home() {
    const [bx, by] = this.base;
    const { right, top } = this.region;
    const reach = this.store.get('n') * this.store.get('L');
    const dx = Math.min(0.5 * reach, 0.6 * (right - bx));
    const dy = Math.min(0.42 * reach, 0.62 * (by - top));
    return this.inside(this.store.get('tx') ?? bx + dx, this.store.get('ty') ?? by - dy);
  }

  /** The nearest point of the open region. @param {number} x @param {number} y @returns {[number, number]} */
  inside(x, y) {
    const { left, top, right, bottom } = this.region;
    return [within(x, left + MARGIN, right - MARGIN), within(y, top + MARGIN, bottom - MARGIN)];
  }

  /** What the URL asked for and the window has no room for, in words. @returns {string[]} */
  notes() {
    const spot = { base: this.base, target: this.home };
    return [this.note('mx', spot.base[0]), this.note('my', spot.base[1]), this.note('tx', spot.target[0]),
      this.note('ty', spot.target[1])].filter((note) => note !== '');
  }

  /** @param {string} name @param {number} used */
  note(name, used) {
    const asked = this.store.get(name);
    return asked === null || Math.abs(asked - used) < 0.5 ? '' : `${name}=${asked} is outside the window; ${Math.round(used)} is used`;
  }
}

/** @param {number} value @param {number} low @param {number} high */
function within(value, low, high) {
  return high < low ? (low + high) / 2 : Math.min(high, Math.max(low, value));
}
