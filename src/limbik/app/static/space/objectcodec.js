/** Reads and writes objects around the arms in the URL; the kinds of objects and their sizes. */

import { placed, placedQuaternion } from './codec.js';

/**
 * @typedef {'box'|'sphere'|'cylinder'|'capsule'|'stored'} Kind  stored: a shape of a file, which the server has
 * @typedef {object} Thing
 * @property {string} name
 * @property {Kind} kind
 * @property {number[]} size [m]
 * @property {string} token  of a stored shape
 * @property {number[]} position  [3] [m] in the world, or in the frame that carries it
 * @property {number[]} quat_xyzw  [4]
 * @property {{arm: number, frame: string}|null} held
 * @property {string[]} touch  names of links and objects that it may touch
 */

/** Of each kind what its sizes are called, and the sizes of a new one [m]. @type {Record<Kind, {labels: string[], size: number[]}>} */
export const KINDS = {
  box: { labels: ['x', 'y', 'z'], size: [0.2, 0.2, 0.2] },
  sphere: { labels: ['radius'], size: [0.1] },
  cylinder: { labels: ['radius', 'length'], size: [0.06, 0.3] },
  capsule: { labels: ['radius', 'length'], size: [0.06, 0.3] },
  stored: { labels: [], size: [] },
};
export const SHORTEST = 1e-4; // [m] that the server takes
export const LONGEST = 1e3;

const MAX_ARMS = 16;

/** @param {string} text @returns {string} */
function word(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** @param {string} text @param {number} count @returns {number[]|null} */
function numbers(text, count) {
  const values = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  return values.length === count && values.every(Number.isFinite) ? values : null;
}

/** @param {string} text  ARM.FRAME @returns {Thing['held']} */
function readHeld(text) {
  const dot = text.indexOf('.');
  const [arm, frame] = [Number(text.slice(0, dot)), word(text.slice(dot + 1))];
  return dot > 0 && Number.isInteger(arm) && arm >= 0 && arm < MAX_ARMS && frame ? { arm, frame } : null;
}

/** @param {string} entry  NAME:KIND:SIZES:X,Y,Z:QX,QY,QZ,QW:ARM.FRAME:TOUCH,TOUCH, the last three may be missing @returns {Thing|null} */
export function readThing(entry) {
  const [first, what, third = '', at = '', turn = '0,0,0,1', holder = '', touching = '', ...rest] = entry.split(':');
  const kind = /** @type {Kind} */ (what === 'kept' ? 'stored' : what); // of old links
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : null;
  const [name, position, quat_xyzw] = [word(first), numbers(at, 3), numbers(turn || '0,0,0,1', 4)];
  if (!known || !name || !position || !quat_xyzw || rest.length) return null;
  const size = kind === 'stored' ? [] : numbers(third, known.size.length);
  const token = kind === 'stored' && /^[0-9a-f]{1,40}$/.test(third) ? third : '';
  const held = holder ? readHeld(holder) : null;
  if (!size || size.some((length) => length < SHORTEST || length > LONGEST) || (kind === 'stored' && !token) || (holder && !held)) return null;
  const touch = touching.split(',').filter(Boolean).map(word);
  return { name, kind, size, token, position: position.map(placed), quat_xyzw: placedQuaternion(quat_xyzw), held, touch };
}

/** @param {Thing} thing @returns {string} */
function writeThing({ name, kind, size, token, position, quat_xyzw, held, touch }) {
  const isTurned = quat_xyzw.slice(0, 3).some(Boolean);
  const parts = [
    encodeURIComponent(name), kind, kind === 'stored' ? token : size.map(placed).join(','), position.join(','), isTurned ? quat_xyzw.join(',') : '',
    held ? `${held.arm}.${encodeURIComponent(held.frame)}` : '', touch.map(encodeURIComponent).join(','),
  ];
  while (parts[parts.length - 1] === '') parts.pop();
  return parts.join(':');
}

/** The setting, as `urlstate.js` takes it. */
export const THINGS = {
  kind: 'own',
  fallback: [],
  read(/** @type {string} */ name, /** @type {string} */ text) {
    const entries = text.split(';').filter(Boolean);
    const read = entries.map(readThing);
    /** @type {Thing[]} */
    const value = [];
    for (const thing of read) if (thing && !value.some((other) => other.name === thing.name)) value.push(thing);
    const bad = entries.filter((_, i) => !read[i] || !value.includes(/** @type {Thing} */ (read[i])));
    const note = bad.length ? `${name}: ${bad.map((entry) => entry.slice(0, 60)).join(' and ')} is not NAME:KIND:SIZES:X,Y,Z:QX,QY,QZ,QW of a new name` : null;
    return { value, note };
  },
  write: (/** @type {Thing[]} */ things) => things.map(writeThing).join(';'),
};
