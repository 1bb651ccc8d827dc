/** Positions a card beside the element that it explains. */

const GAP = 12; // [px] between card and thing, for the card's tip
const EDGE = 8; // [px] between card and the edge of the bounds
const CORNER = 14; // [px] that the tip keeps from the card's corners

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box [px] */

/**
 * Below, above, to the left or to the right: the first where it fits into the bounds and covers no point that is to be seen,
 * or the first where it fits; else below, as far as it fits.
 * @param {Box} thing @param {{width: number, height: number}} size  of the card @param {Box} bounds
 * @param {[number, number][]} seen  points to keep clear of @param {string} [usual]  side to stay at if it is as good
 * @returns {{left: number, top: number, side: 'below'|'above'|'left'|'right', tip: number}}
 *   tip: where along the card's side the middle of the thing is
 */
export function beside(thing, { width, height }, bounds, seen, usual) {
  const middle = { x: (thing.left + thing.right) / 2, y: (thing.top + thing.bottom) / 2 };
  const left = within(middle.x - width / 2, bounds.left + EDGE, bounds.right - EDGE - width);
  const top = within(middle.y - height / 2, bounds.top + EDGE, bounds.bottom - EDGE - height);
  /** @type {{side: 'below'|'above'|'left'|'right', left: number, top: number}[]} */
  const candidates = [
    { side: 'below', left, top: thing.bottom + GAP },
    { side: 'above', left, top: thing.top - GAP - height },
    { side: 'left', left: thing.left - GAP - width, top },
    { side: 'right', left: thing.right + GAP, top },
  ];
  candidates.sort((a, b) => Number(b.side === usual) - Number(a.side === usual));
  const margin = EDGE - 0.5;
  const isBesideIt = (/** @type {typeof candidates[0]} */ box) => (box.side === 'below' || box.side === 'above'
    ? middle.x >= box.left && middle.x <= box.left + width : middle.y >= box.top && middle.y <= box.top + height);
  const fitting = candidates.filter((box) => box.left >= bounds.left + margin && box.top >= bounds.top + margin
    && box.left + width <= bounds.right - margin && box.top + height <= bounds.bottom - margin && isBesideIt(box));
  const covers = (/** @type {{left: number, top: number}} */ box) => seen.some(([x, y]) => x > box.left - EDGE
    && x < box.left + width + EDGE && y > box.top - EDGE && y < box.top + height + EDGE);
  const below = { side: /** @type {const} */ ('below'), left, top: within(thing.bottom + GAP, bounds.top + EDGE, bounds.bottom - EDGE - height) };
  const best = fitting.find((one) => !covers(one)) ?? fitting[0] ?? below;
  const isBeside = best.side === 'left' || best.side === 'right';
  const tip = isBeside ? within(middle.y - best.top, CORNER, height - CORNER) : within(middle.x - best.left, CORNER, width - CORNER);
  return { ...best, tip };
}

/** @param {number} value @param {number} low @param {number} high */
function within(value, low, high) {
  return Math.max(low, Math.min(high, value));
}
