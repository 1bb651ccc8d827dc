/**
 * The messages between page and server; mirrors `app/protocol.py`.
 *
 * Lengths, points and errors are pixels of the page's world, y down. Angles are radians, counter-clockwise as seen on
 * the screen, each relative to the link before it.
 *
 * @typedef {[number, number]} Point
 *
 * @typedef {object} Settings
 * @property {number} iterations  per frame and arm
 * @property {number} gamma @property {number} lambda @property {number} damping
 * @property {boolean} limits @property {number} limit_degrees  each joint within plus or minus this
 * @property {number} rest_bias @property {number[]|null} rest
 * @property {number} tolerance  [px]
 *
 * @typedef {object} Solve
 * @property {number} links @property {number} length
 * @property {Point} base @property {Point} target
 * @property {string[]} solvers
 * @property {Settings} settings
 * @property {Record<string, number[]>|null} start  arms that restart at a configuration
 * @property {boolean} trace  whether the configuration of every iteration is asked for
 *
 * @typedef {object} ArmFrame
 * @property {string} solver
 * @property {Float32Array} q  [links]
 * @property {Float32Array} errors  [iterations + 1], px
 * @property {number} iterations
 * @property {number} iterations_to_tolerance  -1: not reached
 * @property {'solved'|'unreachable'|'likely_unreachable'|'budget_spent'} status
 * @property {number} microseconds
 * @property {number} violations  joints outside their limits
 * @property {Float32Array|null} trace  [(iterations + 1) * links]
 *
 * @typedef {{type: 'frame', id: number, arms: ArmFrame[], server_ms: number}} Frame
 * @typedef {{type: 'welcome', version: number, limbik: string, solvers: object[], bounds: object}} Welcome
 * @typedef {{type: 'error', id: number|null, message: string, field: string|null}} ServerError
 * @typedef {{type: 'status', state: 'compiling'|'ready', message: string}} Status
 */

import { unpack } from './msgpack.js';

export const VERSION = 1;

/** @returns {string} */
export function hello() {
  return JSON.stringify({ type: 'hello', version: VERSION });
}

/** @param {number} id @param {Solve} request @returns {string} */
export function solve(id, request) {
  return JSON.stringify({ type: 'solve', id, ...request });
}

/**
 * Read a message of the server.
 * @param {string|ArrayBuffer} data
 * @returns {Frame|Welcome|ServerError|Status}
 */
export function read(data) {
  if (typeof data === 'string') return JSON.parse(data);
  const frame = unpack(data);
  frame.arms = frame.arms.map(readArm);
  return frame;
}

/** @param {Record<string, *>} arm @returns {ArmFrame} */
function readArm(arm) {
  return /** @type {ArmFrame} */ ({
    ...arm,
    q: floats(arm.q),
    errors: floats(arm.errors),
    trace: arm.trace ? floats(arm.trace) : null,
  });
}

/** @param {Uint8Array} bytes  little-endian float32, in a buffer of its own @returns {Float32Array} */
function floats(bytes) {
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
}
