/** Sliders for ball joints and for the rotation of floating ones: one about each of x, y and z, within the joint's limits. */

import { Euler, Quaternion, Vector3 } from 'three';
import { turn } from './kinematics.js';

const DEGREES = 180 / Math.PI;
const FULL = 2 * Math.PI - 1e-6;
const ALONG = 0.999; // cosine, from which an axis is one of x, y and z

/** @typedef {import('./kinematics.js').JointDescription} Joint */

/** A quaternion as rotations about x, y and z; with Euler limits in their order. @param {Joint} joint @param {number} at @returns {import('./joints.js').Part[]} */
export function rotations(joint, at) {
  const order = /** @type {import('three').EulerOrder} */ (joint.euler?.order ?? 'XYZ');
  const angles = (/** @type {ArrayLike<number>} */ q) => new Euler().setFromQuaternion(turn(q, at), order);
  return /** @type {('x'|'y'|'z')[]} */ (['x', 'y', 'z']).map((axis) => {
    const [lower, upper] = rangeAbout(joint, axis);
    return {
      joint, lower, upper, label: `${joint.name} about ${axis}`, isTurn: true,
      isLimited: Boolean(joint.euler) && upper - lower < FULL,
      bounds: joint.kind === 'ball' && !joint.euler ? inWords(joint) : '',
      read: (q) => angles(q)[axis],
      write: (q, value) => {
        const turned = angles(q);
        turned[axis] = value;
        clipped(joint, new Quaternion().setFromEuler(turned)).toArray(q, at);
      },
    };
  });
}

/** Of the slider: the twist about the joint's own axis, the swing across it. @param {Joint} joint @param {'x'|'y'|'z'} axis @returns {[number, number]} */
function rangeAbout(joint, axis) {
  if (joint.kind !== 'ball') return [-Math.PI, Math.PI];
  if (joint.euler) {
    const k = joint.euler.order.indexOf(axis.toUpperCase());
    return [joint.euler.lower[k] ?? -Math.PI, joint.euler.upper[k] ?? Math.PI];
  }
  const along = joint.axis['xyz'.indexOf(axis)];
  const [lower, upper] = twistOf(joint);
  if (Math.abs(along) > ALONG) return along > 0 ? [lower, upper] : [-upper, -lower];
  const swing = Math.abs(along) < 1 - ALONG ? joint.swing ?? Math.PI : Math.PI;
  return [-swing, swing];
}

/** @param {Joint} joint @returns {[number, number]} */
function twistOf({ lower, upper }) {
  return lower === null || upper === null || upper - lower > FULL ? [-Math.PI, Math.PI] : [lower, upper];
}

/** Swing and twist each at the nearest allowed value, as the server has them. @param {Joint} joint @param {Quaternion} whole @returns {Quaternion} */
function clipped(joint, whole) {
  if (joint.kind !== 'ball' || joint.euler) return whole;
  const axis = new Vector3(...joint.axis);
  const moved = axis.clone().applyQuaternion(whole);
  const swing = new Quaternion().setFromUnitVectors(axis, moved);
  const rest = swing.clone().conjugate().multiply(whole);
  const angle = axis.angleTo(moved);
  const max = joint.swing ?? Math.PI;
  if (angle > max) swing.slerp(new Quaternion(), 1 - max / angle);
  const [lower, upper] = twistOf(joint);
  const twist = 2 * Math.atan2(axis.dot(new Vector3(rest.x, rest.y, rest.z)), rest.w);
  const middle = (lower + upper) / 2;
  const unwound = twist - 2 * Math.PI * Math.round((twist - middle) / (2 * Math.PI));
  return swing.multiply(new Quaternion().setFromAxisAngle(axis, Math.min(upper, Math.max(lower, unwound))));
}

/** @param {Joint} joint */
function inWords(joint) {
  const [lower, upper] = twistOf(joint);
  const words = [];
  if ((joint.swing ?? Math.PI) < Math.PI) words.push(`swing up to ${degrees(/** @type {number} */ (joint.swing))}`);
  if (upper - lower < FULL) words.push(`twist ${degrees(lower)} to ${degrees(upper)}`);
  return words.join(', ') || 'no limits';
}

/** @param {number} angle */
function degrees(angle) {
  return `${(angle * DEGREES).toFixed(1)}°`;
}
