/**
 * Computes what a method did in one iteration of a recorded solve: rotations, passes or a step, to be drawn. All of it
 * follows from the configurations before and after and from the method's own formula; what does not is told apart.
 */

import { points } from './kinematics.js';
import { freeze, jacobian, step, times, undamped } from './steps.js';

const ROUNDING = 2e-6; // [rad] what single precision leaves
const TRANSPOSES = ['jt', 'transpose-classic']; // which have no step without damping
const HALVINGS = 12; // of a step

/** @typedef {[number, number]} Point */

/**
 * @typedef {object} Iteration
 * @property {string} solver
 * @property {number} number  among those of the last solve; the first is 1
 * @property {number} count  of iterations recorded
 * @property {ArrayLike<number>} from  configuration before [n] [rad]
 * @property {ArrayLike<number>} to  after
 * @property {import('./protocol.js').Solve} request  what was requested
 */

/**
 * One joint of a sweep of CCD.
 * @typedef {object} Turn
 * @property {number} joint  0: at the base
 * @property {Float64Array} joints  the arm just before, as of `points`
 * @property {Point} pivot @property {Point} tip  joint and end effector just before
 * @property {number} start  direction from joint to end effector, counter-clockwise [rad]
 * @property {number} wanted  turn that would point it at the target @property {number} turn  that was made
 *
 * @typedef {{kind: 'rotations', rotations: Turn[], isPlain: boolean}} Rotations
 *   in the order in which they are made; isPlain: the iteration was these rotations and nothing else
 *
 * @typedef {{kind: 'passes', backward: Float64Array, forward: Float64Array, isPlain: boolean}} Passes
 *   points of the chain after each pass
 *
 * A step of a Jacobian method: arrows from the end effector.
 * @typedef {object} Step
 * @property {'step'} kind
 * @property {Point} tip
 * @property {Point[]} columns  of the Jacobian, per radian [px]
 * @property {Point} proposed  J dq of the method
 * @property {Point|null} undamped  J dq of the step without damping; null: the method has none
 * @property {number} largest  joint that the method would turn farthest @property {number} turn  by so much [rad]
 * @property {number} taken  part of the step that was taken; NaN: the iteration was something else
 */

/**
 * The iteration that a step of the scrubber shows: the one that begins there, the last one where the scrubber is at the end;
 * the first, whose step is the longest, where it is not in use.
 * @param {import('../runner.js').Runner} arm @param {number|null} shown
 * @returns {Iteration|null} null where none is recorded
 */
export function iterationOf(arm, shown) {
  const { recording, solver, requested } = arm;
  if (!requested || !recording.complete || recording.last < 1) return null;
  const k = Math.min(shown ?? 0, recording.last - 1);
  const [from, to] = [recording.trace[k], recording.trace[k + 1]];
  return from.length === requested.links ? { solver, number: k + 1, count: recording.last, from, to, request: requested } : null;
}

/** @param {Iteration} iteration @returns {Rotations|Passes|Step} */
export function explain(iteration) {
  if (iteration.solver === 'ccd') return rotationsOf(iteration);
  if (iteration.solver === 'fabrik') return passesOf(iteration);
  return stepOf(iteration);
}

/** @param {Iteration} iteration @returns {Rotations} */
function rotationsOf({ from, to, request }) {
  const { length, base, target, settings } = request;
  const q = Float64Array.from(from);
  const made = differences(from, to, settings.limits);
  const limit = limitOf(settings);
  let isPlain = true;
  /** @type {Turn[]} */
  const rotations = [];
  for (let joint = q.length - 1; joint >= 0; joint -= 1) {
    const joints = points(q, length, base);
    const pivot = at(joints, joint);
    const tip = at(joints, q.length);
    const start = direction(pivot, tip);
    const wanted = wrapped(direction(pivot, target) - start);
    const turn = made[joint];
    const isStopped = Math.abs(to[joint]) > limit - ROUNDING;
    isPlain &&= isStopped || Math.abs(turn - settings.damping * wanted) < ROUNDING + 1e-3 * Math.abs(wanted);
    rotations.push({ joint, joints, pivot, tip, start, wanted, turn });
    q[joint] = from[joint] + turn;
  }
  return { kind: 'rotations', rotations, isPlain };
}

/** @param {Iteration} iteration @returns {Passes} */
function passesOf({ from, to, request }) {
  const { length, base, target } = request;
  const backward = points(from, length, base);
  drag(backward, length, backward.length / 2 - 1, -1, target);
  const forward = backward.slice();
  drag(forward, length, 0, 1, base);
  const after = points(to, length, base);
  const isPlain = after.every((value, i) => Math.abs(value - forward[i]) < 1e-3 * length);
  return { kind: 'passes', backward, forward: isPlain ? forward : after, isPlain };
}

/**
 * Put one end of the chain on a point and draw the others after it, each along the line to the one before.
 * @param {Float64Array} chain  x y x y ... changed in place @param {number} length  of a segment
 * @param {number} first  point that is placed @param {1|-1} step  to the others @param {Point} goal
 */
function drag(chain, length, first, step, [x, y]) {
  chain[2 * first] = x;
  chain[2 * first + 1] = y;
  for (let k = first + step; k >= 0 && 2 * k < chain.length; k += step) {
    const [dx, dy] = [chain[2 * k] - x, chain[2 * k + 1] - y];
    const scale = length / Math.max(Math.hypot(dx, dy), 1e-9);
    x += scale * dx;
    y += scale * dy;
    chain[2 * k] = x;
    chain[2 * k + 1] = y;
  }
}

/** @param {Iteration} iteration @returns {Step} */
function stepOf({ solver, from, to, request }) {
  const { length, base, target, settings } = request;
  const { J, tip } = jacobian(from);
  const r = /** @type {Point} */ ([(target[0] - base[0]) / length - tip[0], (base[1] - target[1]) / length - tip[1]]);
  const columns = Array.from(from, (_, j) => arrow([J[0][j], J[1][j]], length));
  const limit = limitOf(settings);
  if (settings.limits) freeze(J, r, from, limit);
  const dq = step(solver, J, r, settings);
  const largest = dq.reduce((best, value, j) => (Math.abs(value) > Math.abs(dq[best]) ? j : best), 0);
  return {
    kind: 'step',
    tip: [base[0] + length * tip[0], base[1] - length * tip[1]],
    columns,
    proposed: arrow(times(J, dq), length),
    undamped: TRANSPOSES.includes(solver) ? null : arrow(times(J, undamped(J, r)), length),
    largest,
    turn: dq[largest],
    taken: partTaken(from, differences(from, to, settings.limits), dq, limit),
  };
}

/**
 * Which part of a step led to a change, limits taken into account: 1, a half, a quarter, ...; 0 where nothing changed.
 * @param {ArrayLike<number>} q @param {number[]} change @param {ArrayLike<number>} dq @param {number} limit
 * @returns {number} NaN where no part of it did
 */
function partTaken(q, change, dq, limit) {
  if (change.every((value) => value === 0)) return 0;
  const leaves = (/** @type {number} */ part) => (/** @type {number} */ value, /** @type {number} */ j) => {
    const reached = Math.min(Math.max(q[j] + part * dq[j], -limit), limit) - q[j];
    return Math.abs(value - reached) < ROUNDING + 0.01 * Math.abs(reached);
  };
  for (let halvings = 0; halvings <= HALVINGS; halvings += 1) {
    if (change.every(leaves(0.5 ** halvings))) return 0.5 ** halvings;
  }
  return NaN;
}

/**
 * By how much every joint turned. Without limits angles may have lost revolutions meanwhile.
 * @param {ArrayLike<number>} from @param {ArrayLike<number>} to @param {boolean} hasLimits
 */
function differences(from, to, hasLimits) {
  return Array.from(to, (value, j) => (hasLimits ? value - from[j] : wrapped(value - from[j])));
}

/** @param {import('./protocol.js').Settings} settings @returns {number} [rad] */
function limitOf(settings) {
  return settings.limits ? (settings.limit_degrees * Math.PI) / 180 : Infinity;
}

/** @param {Point} from @param {Point} to @returns {number} counter-clockwise on the screen [rad] */
function direction(from, to) {
  return Math.atan2(from[1] - to[1], to[0] - from[0]);
}

/** @param {number} angle @returns {number} the same within half a turn */
function wrapped(angle) {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

/** @param {number[]} v  in links, y up @param {number} length @returns {Point} [px, y down] */
function arrow([x, y], length) {
  return [length * x, -length * y];
}

/** @param {Float64Array} joints @param {number} k @returns {Point} */
function at(joints, k) {
  return [joints[2 * k], joints[2 * k + 1]];
}
