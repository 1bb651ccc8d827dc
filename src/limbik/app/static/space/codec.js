/** Reads and writes goals, configurations, joints and files in the URL. */

const KINDS = ['position', 'pose', 'direction', 'direction-x', 'direction-y'];
const DECIMALS = 6; // decimals of metres and of quaternions
const MAX_ARMS = 16;
const LONGEST_JOINT = 1e6; // [rad or m] that the server takes

/**
 * @typedef {object} Goal
 * @property {number} arm
 * @property {string} frame
 * @property {'position'|'pose'|'direction'} kind
 * @property {number[]} position  [3] [m]
 * @property {number[]} quat_xyzw  [4]
 * @property {'x'|'y'|'z'} [axis]  of the frame, which a direction brings along the goal's z axis; z where it is not said
 *
 * @typedef {{arm: number, solver: string|null, q: number[]}} Stance  solver null: of all
 * @typedef {{arm: number, joint: string}} Locked
 * @typedef {{arm: number, joint: string, lower: number|null, upper: number|null}} Widened  [rad or m]; null: as the model has it
 */

/** The shortest decimal number that is the same as a float32. @param {number} value @returns {string} */
export function shortest(value) {
  for (let digits = 1; digits < 9; digits += 1) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === Math.fround(value)) return String(text);
  }
  return String(Number(value.toPrecision(9)));
}

/** @param {number} value */
export function placed(value) {
  return Number(value.toFixed(DECIMALS)) + 0;
}

/** @param {number[]} quat_xyzw @returns {number[]} of length 1, with the decimals of the URL */
export function placedQuaternion(quat_xyzw) {
  const length = Math.hypot(...quat_xyzw);
  return length > 1e-6 ? quat_xyzw.map((part) => placed(part / length)) : [0, 0, 0, 1];
}

/** @param {string} text @param {number} [size] @returns {number[]|null} null unless all are finite numbers */
function numbers(text, size) {
  const values = text.split(',').map((word) => (word.trim() === '' ? NaN : Number(word)));
  return values.every(Number.isFinite) && (size === undefined || values.length === size) ? values : null;
}

/** @param {string} text @returns {string|null} */
function word(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** @param {string} text @returns {number|null} */
function armIndex(text) {
  return /^\d{1,2}$/.test(text) && Number(text) < MAX_ARMS ? Number(text) : null;
}

/**
 * A list of entries between semicolons; the ones that make no sense are named.
 * @template T @param {string} what @param {(entry: string) => T|null} read
 * @returns {(name: string, text: string) => {value: T[], note: string|null}}
 */
function list(what, read) {
  return (name, text) => {
    const entries = text.split(';').filter(Boolean);
    const values = entries.map(read);
    const bad = entries.filter((_, i) => values[i] === null);
    const note = bad.length ? `${name}: ${bad.map((entry) => entry.slice(0, 60)).join(' and ')} is not ${what}` : null;
    return { value: /** @type {T[]} */ (values.filter((value) => value !== null)), note };
  };
}

/**
 * @param {string} entry  ARM:FRAME:KIND:X,Y,Z or ARM:FRAME:KIND:X,Y,Z:QX,QY,QZ,QW; KIND may name an axis: direction-x
 * @returns {Goal|null}
 */
function readGoal(entry) {
  const [first, second, what, third, fourth = '0,0,0,1', ...rest] = entry.split(':');
  const arm = armIndex(first);
  const frame = word(second ?? '');
  const position = numbers(third ?? '', 3);
  const quat_xyzw = numbers(fourth, 4);
  if (arm === null || !frame || !KINDS.includes(what) || !position || !quat_xyzw || rest.length) return null;
  const [kind, axis] = /** @type {[Goal['kind'], Goal['axis']]} */ (what.split('-'));
  return { arm, frame, kind, position: position.map(placed), quat_xyzw: placedQuaternion(quat_xyzw), ...(axis ? { axis } : {}) };
}

/** @param {Goal[]} goals */
function writeGoals(goals) {
  return goals
    .map(({ arm, frame, kind, position, quat_xyzw, axis = 'z' }) => {
      const what = kind === 'direction' && axis !== 'z' ? `${kind}-${axis}` : kind;
      const parts = [arm, encodeURIComponent(frame), what, position.join(',')];
      if (kind !== 'position' || quat_xyzw.slice(0, 3).some(Boolean)) parts.push(quat_xyzw.join(','));
      return parts.join(':');
    })
    .join(';');
}

/** @param {string} entry  NUMBERS, ARM:NUMBERS or ARM.SOLVER:NUMBERS @param {number} i  of the entry @returns {Stance|null} */
function readStance(entry, i) {
  const [label, text] = entry.includes(':') ? entry.split(':', 2) : [String(i), entry];
  const [first, solver = null] = label.split('.', 2);
  const arm = armIndex(first);
  const q = numbers(text);
  return arm === null || !q ? null : { arm, solver, q: q.map(Math.fround) };
}

/** @param {Stance[]} stances */
function writeStances(stances) {
  return stances
    .map(({ arm, solver, q }) => {
      const label = stances.length === 1 ? '' : `${arm}${solver ? `.${solver}` : ''}:`;
      return label + q.map(shortest).join(',');
    })
    .join(';');
}

/** @param {string} entry  ARM:JOINT @returns {Locked|null} */
function readLocked(entry) {
  const [first, second, ...rest] = entry.split(':');
  const arm = armIndex(first);
  const joint = word(second ?? '');
  return arm === null || !joint || rest.length ? null : { arm, joint };
}

/** @param {string} entry  ARM:JOINT:LOWER,UPPER, either empty: as the model has it @returns {Widened|null} */
function readWidened(entry) {
  const [first, second, third = '', ...rest] = entry.split(':');
  const locked = readLocked(`${first}:${second ?? ''}`);
  const ends = third.split(',').map((text) => (text.trim() === '' ? null : Number(text)));
  const isRight = ends.length === 2 && ends.every((end) => end === null || Math.abs(end) <= LONGEST_JOINT) && ends.some((end) => end !== null);
  return locked && isRight && !rest.length ? { ...locked, lower: ends[0], upper: ends[1] } : null;
}

/** Settings with texts of their own, as `urlstate.js` takes them; null: the scene's own. */
export const GOALS = { kind: 'own', fallback: null, read: list('ARM:FRAME:KIND:X,Y,Z:QX,QY,QZ,QW', readGoal), write: writeGoals };

export const STANCES = {
  kind: 'own',
  fallback: null,
  read: (/** @type {string} */ name, /** @type {string} */ text) => {
    let i = 0;
    return list('a list of numbers', (entry) => readStance(entry, i++))(name, text);
  },
  write: writeStances,
};

export const LOCKS = {
  kind: 'own',
  fallback: [],
  read: list('ARM:JOINT', readLocked),
  write: (/** @type {Locked[]} */ locks) => locks.map(({ arm, joint }) => `${arm}:${encodeURIComponent(joint)}`).join(';'),
};

export const WIDENED = {
  kind: 'own',
  fallback: [],
  read: list('ARM:JOINT:LOWER,UPPER', readWidened),
  write: (/** @type {Widened[]} */ widened) =>
    widened.map(({ arm, joint, lower, upper }) => `${arm}:${encodeURIComponent(joint)}:${lower ?? ''},${upper ?? ''}`).join(';'),
};

export const POINTS = {
  kind: 'own',
  fallback: [],
  read: list('X,Y,Z', (entry) => numbers(entry, 3)),
  write: (/** @type {number[][]} */ points) => points.map((point) => point.join(',')).join(';'),
};

export const WORDS = {
  kind: 'own',
  fallback: null,
  read: (/** @type {string} */ _, /** @type {string} */ text) => ({ value: text.split(',').map((name) => name.trim()).filter(Boolean) }),
  write: (/** @type {string[]} */ words) => words.join(','),
};

export const TEXT = {
  kind: 'own',
  fallback: null,
  read: (/** @type {string} */ _, /** @type {string} */ text) => ({ value: text }),
  write: (/** @type {string} */ text) => text,
};

// Files in the URL: UTF-8, deflated without a header, as base64 for URLs.

/** @param {string} text @returns {Promise<string>} */
export async function packText(text) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** @param {string} packed @returns {Promise<string>} @throws {Error} where it is none of these */
export async function unpackText(packed) {
  const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(await through(new DecompressionStream('deflate-raw'), bytes, LONGEST_TEXT));
}

export const LONGEST_TEXT = 1_000_000; // bytes that the server takes

/**
 * @param {GenericTransformStream} stream @param {Uint8Array} bytes @param {number} [max]  bytes that may come out
 * @returns {Promise<Uint8Array>}
 */
async function through(stream, bytes, max = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > max) throw new Error('the text is too long');
    chunks.push(value);
  }
}
