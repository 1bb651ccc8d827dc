/** Where a card stands beside the thing that it is about. */

const GAP = 12; // [px] between card and thing, for the card's tip
const EDGE = 8; // [px] between card and the edge of the room
const CORNER = 14; // [px] that the tip keeps from the card's corners

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box [px] */

/**
 * Below, above, to the left or to the right: the first where it fits into the room and covers no point that is to be seen,
 * or the first where it fits; else below, as far as there is room.
 * @param {Box} thing @param {{width: number, height: number}} size  of the card @param {Box} room
 * @param {[number, number][]} seen  points to keep clear of @param {string} [usual]  side to stay at if it is as good
 * @returns {{left: number, top: number, side: 'below'|'above'|'left'|'right', tip: number}}
 *   tip: where along the card's side the middle of the thing is
 */
export function beside(thing, { width, height }, room, seen, usual) {
  const middle = { x: (thing.left + thing.right) / 2, y: (thing.top + thing.bottom) / 2 };
  const left = within(middle.x - width / 2, room.left + EDGE, room.right - EDGE - width);
  const top = within(middle.y - height / 2, room.top + EDGE, room.bottom - EDGE - height);
  /** @type {{side: 'below'|'above'|'left'|'right', left: number, top: number}[]} */
  const places = [
    { side: 'below', left, top: thing.bottom + GAP },
    { side: 'above', left, top: thing.top - GAP - height },
    { side: 'left', left: thing.left - GAP - width, top },
    { side: 'right', left: thing.right + GAP, top },
  ];
  places.sort((a, b) => Number(b.side === usual) - Number(a.side === usual));
  const margin = EDGE - 0.5;
  const isBesideIt = (/** @type {typeof places[0]} */ place) => (place.side === 'below' || place.side === 'above'
    ? middle.x >= place.left && middle.x <= place.left + width : middle.y >= place.top && middle.y <= place.top + height);
  const fitting = places.filter((place) => place.left >= room.left + margin && place.top >= room.top + margin
    && place.left + width <= room.right - margin && place.top + height <= room.bottom - margin && isBesideIt(place));
  const covers = (/** @type {{left: number, top: number}} */ place) => seen.some(([x, y]) => x > place.left - EDGE
    && x < place.left + width + EDGE && y > place.top - EDGE && y < place.top + height + EDGE);
  const below = { side: /** @type {const} */ ('below'), left, top: within(thing.bottom + GAP, room.top + EDGE, room.bottom - EDGE - height) };
  const place = fitting.find((one) => !covers(one)) ?? fitting[0] ?? below;
  const isBeside = place.side === 'left' || place.side === 'right';
  const tip = isBeside ? within(middle.y - place.top, CORNER, height - CORNER) : within(middle.x - place.left, CORNER, width - CORNER);
  return { ...place, tip };
}

/** @param {number} value @param {number} low @param {number} high */
function within(value, low, high) {
  return Math.max(low, Math.min(high, value));
}
