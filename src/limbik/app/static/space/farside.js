/** Keeps a card clear of its subject: positions it where it covers the smallest part of it. */

import { openRegion } from '../region.js';

const NARROW = '(max-width: 759px)';
const GAP = 12; // [px] around the card
const ACROSS = 2; // candidates, besides the first: from left to right,
const DOWN = 8; // and from top to bottom
const MARGIN = 26; // [px] around what is not to be covered

/** @typedef {{left: number, top: number, width: number, height: number}} Box [px] */

export class FarSide {
  /** @param {HTMLElement} box @param {() => import('./visibility.js').Seen[]} subject  what is not to be covered, by importance */
  constructor(box, subject) {
    Object.assign(this, { box, subject });
    this.narrow = window.matchMedia(NARROW);
    new ResizeObserver(() => this.update()).observe(/** @type {HTMLElement} */ (document.getElementById('metrics')));
  }

  /** To be called when the card, the view or the window has changed. */
  update() {
    const { box } = this;
    const root = document.documentElement;
    const isDocked = !box.hidden && root.dataset.panel === '1' && !this.narrow.matches;
    box.classList.toggle('is-in-panel', isDocked);
    root.style.setProperty('--explanation-height', isDocked ? `${box.offsetHeight}px` : '0px');
    if (!box.hidden && !isDocked) this.float();
    else box.style.left = box.style.top = '';
  }

  float() {
    const seen = this.subject();
    const { style, offsetWidth: width, offsetHeight: height } = this.box;
    const [best] = this.candidates(width, height).sort((a, b) => covered(a, seen) - covered(b, seen) || distance(b, seen) - distance(a, seen));
    style.left = `${Math.round(best.left)}px`;
    style.top = `${Math.round(best.top)}px`;
  }

  /** In the open part of the view, clear of what stands there. @param {number} width @param {number} height @returns {Box[]} */
  candidates(width, height) {
    const { left, top, right, bottom } = openRegion();
    const columns = spread(left + GAP, right - GAP - width, ACROSS);
    const rows = spread(top + GAP, bottom - GAP - height, DOWN);
    return columns.flatMap((x) => rows.map((y) => this.clear({ left: x, top: y, width, height })));
  }

  /** @param {Box} box @returns {Box} */
  clear(box) {
    const readout = boxOf('metrics');
    const tools = boxOf('tools');
    const coordinates = boxOf('coordinates');
    let { left, top } = box;
    const meets = (/** @type {DOMRect} */ other) => other.width > 0 && left < other.right && left + box.width > other.left && top < other.bottom && top + box.height > other.top;
    if (meets(readout)) top = readout.bottom + GAP;
    if (meets(coordinates)) top = coordinates.top - GAP - box.height;
    if (meets(tools) && this.narrow.matches) top = tools.top - GAP - box.height;
    else if (meets(tools)) left = tools.left - GAP - box.width;
    return { ...box, left, top };
  }
}

/** @param {number} first @param {number} last @param {number} steps @returns {number[]} */
function spread(first, last, steps) {
  return Array.from({ length: steps + 1 }, (_, k) => first + ((last - first) * k) / steps);
}

/** @param {string} id @returns {DOMRect} */
function boxOf(id) {
  return document.getElementById(id)?.getBoundingClientRect() ?? new DOMRect();
}

/** @param {Box} box @param {import('./visibility.js').Seen[]} seen */
function covered({ left, top, width, height }, seen) {
  const isCovered = (/** @type {import('./visibility.js').Seen} */ { x, y }) => x > left - MARGIN && x < left + width + MARGIN && y > top - MARGIN && y < top + height + MARGIN;
  return seen.filter(isCovered).reduce((sum, { weight }) => sum + weight, 0);
}

/** From the first thing that is not to be covered. @param {Box} box @param {import('./visibility.js').Seen[]} seen */
function distance({ left, top, width, height }, [first]) {
  return first ? Math.hypot(left + width / 2 - first.x, top + height / 2 - first.y) : 0;
}
