/**
 * The messages between page and server common to all views: sends the greeting, reads JSON and MessagePack; mirrors
 * `app/protocol/common.py`.
 *
 * @typedef {{name: string, title: string, summary: string, source: string, parameters: {name: string, default: number|null}[]}} Method
 * @typedef {{type: 'welcome', version: number, limbik: string, solvers: Method[], bounds: object}} Welcome
 * @typedef {{type: 'error', id: number|null, message: string, field: string|null}} ServerError
 * @typedef {{type: 'status', state: 'compiling'|'ready', message: string}} Status
 */

import { unpack } from './msgpack.js';

export const VERSION = 1;

/** @returns {string} */
export function hello() {
  return JSON.stringify({ type: 'hello', version: VERSION });
}

/**
 * Read a message of the server: JSON text, or MessagePack in which arrays are float32.
 * @param {string|ArrayBuffer} data
 * @returns {Record<string, *>}
 */
export function read(data) {
  if (typeof data === 'string') return JSON.parse(data);
  const message = unpack(data);
  message.arms = message.arms.map(withFloats);
  return message;
}

/** @param {Record<string, *>} arm @returns {Record<string, *>} the same with its binary values as numbers */
function withFloats(arm) {
  return Object.fromEntries(Object.entries(arm).map(([name, value]) => [name, value instanceof Uint8Array ? floats(value) : value]));
}

/** @param {Uint8Array} bytes  little-endian float32, in a buffer of its own @returns {Float32Array} */
function floats(bytes) {
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
}
