/** Formats numbers, lengths and times as text. */

const NONE = '–';

/** A length in the view's unit, three figures or so. @param {number} value @returns {string} */
export function length(value) {
  if (!Number.isFinite(value)) return NONE;
  if (value >= 100) return value.toFixed(0);
  if (value >= 10) return value.toFixed(1);
  return value >= 0.1 ? value.toFixed(2) : value.toFixed(3);
}

/** @param {number} microseconds @returns {[string, string]} number and unit */
export function duration(microseconds) {
  if (!Number.isFinite(microseconds)) return [NONE, ''];
  if (microseconds >= 999500) return [(microseconds / 1e6).toFixed(2), 's'];
  if (microseconds >= 1000) return [(microseconds / 1000).toFixed(microseconds >= 10000 ? 0 : 1), 'ms'];
  return [microseconds.toFixed(microseconds >= 10 ? 0 : 1), 'µs'];
}

/** @param {number} value @returns {string} */
export function cost(value) {
  if (!Number.isFinite(value)) return NONE;
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

/** @param {number} value @returns {string} */
export function count(value) {
  return Number.isFinite(value) ? String(Math.round(value)) : NONE;
}
