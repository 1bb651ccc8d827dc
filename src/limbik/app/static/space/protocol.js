/**
 * The messages of the 3-D page; mirrors `app/protocol/space.py`; those common to all views
 * are in `../protocol.js`.
 *
 * Metres, radians, the world's z axis up. Matrices are 16 numbers row by row, quaternions are xyzw.
 *
 * @typedef {{kind: 'robot', names: string[]} | {kind: 'text', name: string, text: string} | {kind: 'token', token: string}} Source
 * @typedef {{source: Source, base: string, angles: string, lenient: boolean}} Open
 *
 * @typedef {object} WireGoal
 * @property {string} frame
 * @property {'position'|'pose'|'direction'} kind
 * @property {number[]} position
 * @property {number[]} [quat_xyzw]
 * @property {'x'|'y'|'z'} [axis]  of the frame, along the z axis of a direction
 *
 * @typedef {object} ArmMove
 * @property {number} arm
 * @property {string[]} solvers
 * @property {WireGoal[]} goals
 * @property {Record<string, number[]>|null} start  by solver
 * @property {string[]} locked
 * @property {{q: number[], weight: number}|null} posture
 * @property {string} branches
 * @property {{joint: string, lower: number|null, upper: number|null}[]} widened  limits that are wider than the model's
 *
 * @typedef {{objects: import('./objectcodec.js').Thing[], clearance: number}} World  clearance [m]
 *
 * @typedef {object} Move
 * @property {ArmMove[]} arms
 * @property {Record<string, *>} settings
 * @property {boolean} search  from anywhere, with restarts
 * @property {boolean} trace
 * @property {boolean} timing  whether the time of one iteration is requested
 * @property {{arm: number, frame: string}|null} measure
 * @property {World|null} world  what not to collide with; null: collisions are left aside
 *
 * @typedef {import('./kinematics.js').ArmDescription & {
 *   title: string, nq: number, nv: number, q: number[], lower: (number|null)[], upper: (number|null)[], mass_known: boolean,
 *   goals: WireGoal[], branches: {name: string, tip: string}[], solvers: string[], reason: Record<string, string>}} ArmScene
 * @typedef {{type: 'scene', id: number, name: string, token: string|null, angles?: 'range'|'initial'|null, arms: ArmScene[], notes: string[]}} Scene
 *
 * @typedef {Omit<import('../runner.js').Answer, 'out_of_reach'> & {
 *   arm: number, solver: string, goal_errors: Float32Array, goal_trace?: Float32Array, out_of_reach: Float32Array, nullity: number,
 *   near?: NearPair[],
 *   ellipsoid?: Float32Array, manipulability?: number,
 *   refused?: string}} ArmMotion
 * @typedef {{pair: [string, string], links: [string, string], distance: number, points: number[]}} NearPair  links: of what is a part of an arm, else ''; distance [m]; points of both: x y z x y z
 * @typedef {{type: 'motion', id: number, server_ms: number, preparing: boolean, notes: string[], arms: ArmMotion[]}} Motion
 *   preparing: collisions were left aside, as the shapes of an arm are still being made
 * @typedef {{joint: string, side: 'lower'|'upper', value: number, unit: 'rad'|'m'}} WiderLimit
 * @typedef {{kind: 'unlock', joints: string[]} | {kind: 'widen', limits: WiderLimit[]} | {kind: 'position'} | {kind: 'move'} | {kind: 'search'}
 *   | {kind: 'shift', shift: number[]} | {kind: 'remove', name: string}} Remedy
 * @typedef {{type: 'explanation', id: number, arm: number, culprit: string, text: string, status: string, joints: string[], nearest: number[]|null,
 *   remedies: Remedy[]}} Explanation
 * @typedef {{type: 'curve', id: number, arm: number, q: number[][], closed: boolean, ends: [string, string]}} Curve
 * @typedef {{begin: number, end: number, knots: [number, number]|null, reason: string, text: string, joints: string[]}} PathBreak
 *   begin, end: counted in the poses; knots: before and after it
 * @typedef {{type: 'path', id: number, arm: number, frame: string, poses: number[][], q: number[][], times: number[], breaks: PathBreak[],
 *   complete: boolean, text: string, pace: string, ends: string, closed: boolean, csv: string}} FollowedPath
 * @typedef {{type: 'world', id: number, name: string, objects: import('./objectcodec.js').Thing[], notes: string[]}} WorldRead
 * @typedef {{type: 'exported', id: number, format: string, name: string, text: string}} Exported
 * @typedef {object} Robot
 * @property {string} name
 * @property {string} title
 * @property {'arm'|'mobile'|'humanoid'|'quadruped'|'hand'} kind
 * @property {string[]} aliases
 * @property {string|null} picture  its address
 * @property {string} source  the package that it is described in
 * @property {boolean} installed
 * @property {string|null} advice  how its package is installed, where it is missing
 */

export const MILLIMETRES = 1000; // in a metre; the page shows errors in millimetres

/** @param {string} type @param {number} id @param {Record<string, *>} body @returns {string} */
export function message(type, id, body) {
  return JSON.stringify({ type, id, ...body });
}
