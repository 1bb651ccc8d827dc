/**
 * Bodies for arms without meshes, made from the kinematics: segments, drums, spheres, sleeves.
 */

import { Color, Matrix4, Quaternion, Vector3 } from 'three';
import { segmentColour } from './colours.js';
import { translation } from './skeleton.js';
import { ball, box, drum, socket, taper } from './shapes.js';

const JOINT = new Color('#d3d8e0');
const FOOT = new Color('#8b94a3');
const Z = new Vector3(0, 0, 1);

/** @typedef {import('./kinematics.js').ArmDescription} Arm */
/** @typedef {import('./kinematics.js').JointDescription} Joint */
/** @typedef {{link: string, part: import('./shapes.js').Part}} Placed  in the coordinates of the link */

/**
 * @param {import('./kinematics.js').ArmDescription} arm @param {import('./skeleton.js').Skeleton} bones @param {number} hue
 * @returns {Placed[]}
 */
export function capsules(arm, bones, hue) {
  return [
    ...bones.bones.map((bone) => segment(bone, bones.feet.includes(bone.link), segmentColour(hue, bone.number))),
    ...arm.joints.flatMap((joint) => housing(arm, joint, bones.radius(joint.child))),
    ...bones.feet.flatMap((link) => foot(arm, link, bones.radius(link))),
  ];
}

/** A small sphere at each tip. @param {import('./skeleton.js').Skeleton} bones @param {number} hue @returns {Placed[]} */
export function tipSpheres({ tips }, hue) {
  return tips.map(({ link, at, radius }) => (
    { link, part: { geometry: ball(1.25 * radius), matrix: at, colour: segmentColour(hue, 2).lerp(new Color('white'), 0.55) } }));
}

/**
 * @param {import('./skeleton.js').Bone} bone
 * @param {boolean} isOnFoot  where its round end would reach into the floor @param {Color} colour
 * @returns {Placed}
 */
function segment({ link, to, first, last }, isOnFoot, colour) {
  const from = isOnFoot ? to.clone().setLength(Math.min(first, 0.5 * to.length())) : new Vector3();
  return { link, part: { geometry: taper(from, to, first, last), colour } };
}

/** What is seen of a joint. @param {Arm} arm @param {Joint} joint @param {number} radius @returns {Placed[]} */
function housing(arm, joint, radius) {
  const { kind, child, axis } = joint;
  const along = new Matrix4().makeRotationFromQuaternion(new Quaternion().setFromUnitVectors(Z, new Vector3(...axis)));
  if (kind === 'prismatic') {
    const side = 2.3 * radius;
    return [{ link: child, part: { geometry: box([side, side, 3 * radius]), matrix: along, colour: JOINT } }];
  }
  if (kind === 'ball' || (isHinge(joint) && isAtAnother(arm, joint, 0.3 * radius))) {
    return [{ link: child, part: { geometry: ball(1.4 * radius), colour: JOINT } }];
  }
  return isHinge(joint) ? [{ link: child, part: { geometry: drum(1.28 * radius, 2.7 * radius), matrix: along, colour: JOINT } }] : [];
}

/** @param {Joint} joint */
function isHinge({ kind }) {
  return kind === 'revolute' || kind === 'continuous';
}

/** Hinges that cross in one point act as a ball joint, and look like one. @param {Arm} arm @param {Joint} joint @param {number} near [m] */
function isAtAnother(arm, joint, near) {
  const before = arm.joints.find((other) => other.child === joint.parent && isHinge(other));
  const after = arm.joints.find((other) => other.parent === joint.child && isHinge(other));
  return (before !== undefined && translation(joint.origin).length() < near) || (after !== undefined && translation(after.origin).length() < near);
}

/**
 * What an arm stands on: below its first joint, where that is at the link's origin, else at the origin.
 * @param {Arm} arm @param {string} link @param {number} radius @returns {Placed[]}
 */
function foot(arm, link, radius) {
  const first = arm.joints.find(({ parent, kind }) => parent === link && kind !== 'fixed');
  const isLow = first !== undefined && translation(first.origin).length() < 2 * radius;
  const height = isLow ? -1.7 * radius : 0;
  return [{ link, part: { geometry: socket(radius), matrix: new Matrix4().setPosition(0, 0, height), colour: FOOT } }];
}
