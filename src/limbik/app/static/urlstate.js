/** Reads all settings from the URL, and writes them back. */

import { clamped, rounded } from './settings.js';

const YES = ['1', 'true', 'on', 'yes'];
const NO = ['0', 'false', 'off', 'no'];

/** @typedef {import('./settings.js').Setting} Setting */
/** @typedef {{value?: *, note?: string|null}} Reading  value undefined: the text was of no use */

/** @param {string} text @returns {number} NaN unless the text is one finite number */
function number(text) {
  const value = text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : NaN;
}

/** @type {Record<string, (name: string, text: string, setting: Setting) => Reading>} */
const READERS = {
  number(name, text, setting) {
    const value = number(text);
    return Number.isNaN(value) ? { note: `${name}=${text} is not a number` } : clamped(name, setting, value);
  },
  position(name, text, setting) {
    const value = number(text);
    return Number.isNaN(value) ? { note: `${name}=${text} is not a number` } : clamped(name, setting, value);
  },
  flag(name, text) {
    const word = text.toLowerCase();
    if (YES.includes(word)) return { value: true };
    if (NO.includes(word)) return { value: false };
    return { note: `${name}=${text} is neither 0 nor 1` };
  },
  choice(name, text, { choices = [] }) {
    const word = text.toLowerCase();
    return choices.includes(word) ? { value: word } : { note: `${name}=${text} is not one of ${choices.join(', ')}` };
  },
  names(name, text, { choices = [] }) {
    const words = text.toLowerCase().split(',').filter(Boolean);
    const unknown = words.filter((word) => !choices.includes(word));
    const value = choices.filter((word) => words.includes(word));
    return { value, note: unknown.length ? `${name}: ${unknown.join(', ')} is not one of ${choices.join(', ')}` : null };
  },
  angles(name, text) {
    if (text === '') return { value: null };
    const degrees = text.split(',').map(number);
    const bad = degrees.length > 64 || degrees.some((angle) => Number.isNaN(angle));
    return bad ? { note: `${name} is not a list of angles in degrees` } : { value: degrees.map((a) => (a * Math.PI) / 180) };
  },
};

/**
 * Read the known settings of a query string; unknown keys are ignored.
 * @param {string} query
 * @param {Record<string, Setting>} settings  the table of the view
 * @returns {{values: Record<string, *>, notes: string[]}} notes: what could not be taken as it was written
 */
export function readQuery(query, settings) {
  const parameters = new URLSearchParams(query);
  /** @type {Record<string, *>} */
  const values = {};
  const notes = [];
  for (const [name, setting] of Object.entries(settings)) {
    const text = parameters.get(name);
    if (text === null) continue;
    const { value, note } = setting.read ? setting.read(name, text) : READERS[setting.kind](name, text.slice(0, 1000), setting);
    if (value !== undefined) values[name] = value;
    if (note) notes.push(note);
  }
  return { values, notes };
}

/** @param {Setting} setting @param {*} value @returns {string} */
export function writeValue(setting, value) {
  if (setting.write) return setting.write(value);
  if (setting.kind === 'flag') return value ? '1' : '0';
  if (setting.kind === 'names') return value.join(',');
  if (setting.kind === 'angles') {
    return value ? value.map((/** @type {number} */ a) => Number(((a * 180) / Math.PI).toFixed(1))).join(',') : '';
  }
  if (setting.kind === 'choice') return value;
  return String(rounded(setting, value));
}

/**
 * @param {Record<string, *>} values @param {Record<string, Setting>} settings  the table of the view
 * @returns {string} the query string, with its question mark if it is not empty
 */
export function writeQuery(values, settings) {
  const pairs = Object.keys(settings)
    .filter((name) => values[name] !== undefined && !(values[name] === null && settings[name].kind !== 'angles'))
    .map((name) => `${name}=${encodeURIComponent(writeValue(settings[name], values[name])).replaceAll(/%(2C|3A|3B)/g, (code) => decodeURIComponent(code))}`);
  return pairs.length ? `?${pairs.join('&')}` : '';
}
