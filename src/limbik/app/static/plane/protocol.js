/**
 * The messages of the 2-D page; mirrors `app/protocol/plane.py`; those common to all views
 * are in `../protocol.js`.
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
 * @property {boolean} trace  whether the configuration of every iteration is requested
 * @property {boolean} timing  whether the time of one iteration is requested
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
 * @property {number} out_of_reach  [px] by how much the target is proved to be out of reach, at least; 0: not proved
 * @property {Float32Array|null} trace  [(iterations + 1) * links]
 * @property {number} [iteration_microseconds]  of one iteration alone; NaN: there are none
 *
 * @typedef {{type: 'frame', id: number, arms: ArmFrame[], server_ms: number}} Frame
 */

/** @param {number} id @param {Solve} request @returns {string} */
export function solve(id, request) {
  return JSON.stringify({ type: 'solve', id, ...request });
}
