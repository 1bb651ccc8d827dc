/** Bones of an arm from its links: positions, lengths, thicknesses. Lengths in metres. */

import { Matrix4, Vector3 } from 'three';
import { matrix } from './kinematics.js';

/**
 * @typedef {object} Bone
 * @property {string} link  in whose coordinates it lies, from the link's origin
 * @property {Vector3} to
 * @property {number} first @property {number} last  radii
 * @property {number} number  of the segment, for its colour
 */

/** @typedef {{link: string, at: Matrix4, radius: number, number: number}} Tip */

/**
 * @typedef {object} Skeleton
 * @property {Bone[]} bones
 * @property {Tip[]} tips  the frames that goals are for
 * @property {string[]} feet  links that stand still, with a bone or a joint on them
 * @property {number} length  of the longest path from the first moving joint to a tip
 * @property {(link: string) => number} radius  half thickness at the origin of a link
 * @property {(link: string) => number} number  of the segment that begins in a link, for its colour
 */

/** @param {import('./kinematics.js').ArmDescription} arm @returns {Skeleton} */
export function skeleton(arm) {
  const paths = new Paths(arm);
  const tips = tipFrames(arm).map(({ link, pose }) => ({ link, at: matrix(pose) }));
  const ends = tips.map(({ link, at }) => paths.of(link) + length(at));
  const whole = Math.max(...paths.lengths.values(), ...ends) || 1;
  const first = thickness(whole, paths.steps);
  const radiusAt = (/** @type {number} */ distance) => first * (1 - (0.5 * distance) / whole);
  const radius = (/** @type {string} */ link) => radiusAt(paths.of(link));
  const moved = tips.map(({ link, at }, k) => ({ link, at, radius: radiusAt(ends[k]), number: paths.number(link) }));
  const bones = paths.joints.map(({ parent, child, origin }) => (
    { link: parent, to: translation(origin), first: radius(parent), last: radius(child), number: paths.number(parent) }));
  const last = moved.map(({ link, at, radius: end, number }) => (
    { link, to: new Vector3().setFromMatrixPosition(at), first: radius(link), last: end, number }));
  const number = (/** @type {string} */ link) => paths.number(link);
  return { bones: [...bones, ...last].filter(isLong), tips: moved, feet: feet(arm, paths), length: whole, radius, number };
}

/** How far along the arm each link begins, and in which segment. */
class Paths {
  /** @param {import('./kinematics.js').ArmDescription} arm */
  constructor(arm) {
    const still = new Set([arm.root]);
    /** @type {Map<string, number>} */
    this.lengths = new Map([[arm.root, 0]]);
    this.numbers = new Map(arm.segments.map(({ from, index }) => [from, index]));
    if (!this.numbers.has(arm.root)) this.numbers.set(arm.root, 0);
    this.joints = [];
    /** Lengths of the segments. @type {number[]} */
    this.steps = [];
    for (const joint of arm.joints) {
      const { parent, child, kind } = joint;
      const isStill = still.has(parent) && kind === 'fixed';
      if (isStill) still.add(child);
      // The path from the scene's origin to where a base or a free body stands is no segment.
      const isSegment = !isStill && !(parent === arm.root && kind === 'floating');
      const step = isSegment ? translation(joint.origin).length() : 0;
      this.lengths.set(child, this.of(parent) + step);
      if (isSegment) this.joints.push(joint);
      if (step > 0) this.steps.push(step);
      if (!this.numbers.has(child)) this.numbers.set(child, this.number(parent) + (step > 0 ? 1 : 0));
    }
    this.still = still;
  }

  /** @param {string} link @returns {number} */
  of(link) {
    return this.lengths.get(link) ?? 0;
  }

  /** @param {string} link @returns {number} */
  number(link) {
    return this.numbers.get(link) ?? 0;
  }
}

/** The radius at the root: slender, also where segments are short. @param {number} whole @param {number[]} steps @returns {number} */
function thickness(whole, steps) {
  const typical = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? whole;
  return Math.max(0.012 * whole, Math.min(0.04 * whole, 0.25 * typical));
}

/** @param {import('./kinematics.js').ArmDescription} arm */
function tipFrames(arm) {
  const links = new Set([arm.root, ...arm.joints.map(({ child }) => child)]);
  const named = new Map(arm.frames.map((frame) => [frame.name, frame]));
  const names = new Set(arm.tips.length ? arm.tips : [arm.end_effector]);
  const itself = new Matrix4().toArray();
  return [...names].flatMap((name) => named.get(name) ?? (links.has(name) ? [{ name, link: name, pose: itself }] : []));
}

/** @param {import('./kinematics.js').ArmDescription} arm @param {Paths} paths @returns {string[]} */
function feet(arm, paths) {
  const carrying = arm.joints.filter(({ kind, parent }) => paths.still.has(parent) && kind !== 'fixed' && kind !== 'floating');
  return [...new Set(carrying.map(({ parent }) => parent))];
}

/** Where a joint stands in its parent link. @param {number[]} origin @returns {Vector3} */
export function translation(origin) {
  return new Vector3(origin[3], origin[7], origin[11]);
}

/** @param {Matrix4} pose */
function length(pose) {
  return new Vector3().setFromMatrixPosition(pose).length();
}

/** @param {Bone} bone */
function isLong({ to, last }) {
  return to.length() > 0.2 * last;
}
