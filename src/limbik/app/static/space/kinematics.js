/** Forward kinematics of an arm, from the server's description. Lengths in metres, angles in radians. */

import { Matrix4, Quaternion, Vector3 } from 'three';

const ELSEWHERE = 0.3; // [rad or m] another configuration
const SAME = 1e-9; // [m] two positions that are one
const TURNING = ['revolute', 'continuous', 'ball'];

/** @typedef {{order: string, lower: (number|null)[], upper: (number|null)[]}} EulerLimits  [rad], order such as "ZYX" */

/**
 * @typedef {object} JointDescription
 * @property {string} name
 * @property {'revolute'|'continuous'|'prismatic'|'fixed'|'ball'|'floating'} kind
 * @property {string} parent  link
 * @property {string} child  link
 * @property {number[]} origin  pose of the joint in its parent link, row by row [16]
 * @property {number[]} axis  unit [3]
 * @property {number|null} lower @property {number|null} upper  [rad or m]; ball: of the twist
 * @property {number|null} swing  half-angle of the cone of a ball joint [rad]
 * @property {EulerLimits|null} [euler]  of a ball joint, instead of swing and twist
 * @property {number} q  index of the joint's first number in q, -1 without any
 * @property {{joint: string, multiplier: number, offset: number}|null} mimic
 */

/**
 * @typedef {object} ArmDescription
 * @property {string} name
 * @property {string} root  link
 * @property {JointDescription[]} joints  parents first
 * @property {{name: string, link: string, pose: number[]}[]} frames
 * @property {string} end_effector
 * @property {string[]} tips  frames
 * @property {number[]} neutral [nq]
 * @property {number[]} q  first configuration [nq]
 * @property {number|null} reach  [m]
 * @property {import('./meshes.js').Visual[]} visuals
 * @property {{from: string, to: string, index: number}[]} segments
 */

export class Kinematics {
  /** @param {ArmDescription} arm */
  constructor(arm) {
    this.root = arm.root;
    const indices = new Map(arm.joints.map((joint) => [joint.name, joint.q]));
    this.joints = arm.joints.map((joint) => prepare(joint, indices));
    this.frames = arm.frames.map(({ name, link, pose }) => ({ name, link, pose: matrix(pose) }));
    this.byName = new Map(this.frames.map((frame) => [frame.name, frame]));
    this.before = new Map(this.joints.map((joint) => [joint.child, joint]));
  }

  /** The link that carries a frame: the first one of the body of links that are fixed to each other. @param {string} frame @returns {string} */
  carrier(frame) {
    let link = this.byName.get(frame)?.link ?? frame;
    for (let joint = this.before.get(link); joint?.kind === 'fixed'; joint = this.before.get(link)) link = joint.parent;
    return link;
  }

  /** Whether any joint moves a frame. @param {string} frame */
  moves(frame) {
    return this.carrier(frame) !== this.root;
  }

  /**
   * By what a link can be pulled: the frames that stay in place on it, or on what is fixed to it, and can be elsewhere in the
   * world. Links that turn about joints on it are among them; the farthest from the root comes first.
   * @param {string} link @param {ArrayLike<number>} q [nq] @returns {string[]}
   */
  grips(link, q) {
    const body = this.carrier(link);
    const fixed = new Set([...this.before.keys(), ...this.byName.keys()].filter((name) => this.carrier(name) === body));
    for (const { kind, parent, child, origin } of this.joints) {
      const isThere = this.carrier(parent) === body || (fixed.has(parent) && new Vector3().setFromMatrixPosition(origin).length() < SAME);
      if (isThere && TURNING.includes(kind)) fixed.add(child);
    }
    const [here, there] = [this.poses(q), this.poses(Array.from(q, (value) => value + ELSEWHERE))].map((poses) => (
      (/** @type {string} */ name) => new Vector3().setFromMatrixPosition(/** @type {Matrix4} */ (poses.get(name)))));
    return [...fixed].filter((name) => here(name).distanceTo(there(name)) > SAME).reverse();
  }

  /**
   * Poses in the world of all links and, unless a link has the same name, of all other frames.
   * @param {ArrayLike<number>} q [nq] @returns {Map<string, Matrix4>}
   */
  poses(q) {
    const poses = this.linkPoses(q);
    for (const { name, link, pose } of this.frames) {
      const carrier = poses.get(link);
      if (carrier && !poses.has(name)) poses.set(name, carrier.clone().multiply(pose));
    }
    return poses;
  }

  /** @param {ArrayLike<number>} q [nq] @returns {Map<string, Matrix4>} poses in the world of the links */
  linkPoses(q) {
    const poses = new Map([[this.root, new Matrix4()]]);
    for (const joint of this.joints) {
      const parent = /** @type {Matrix4} */ (poses.get(joint.parent));
      poses.set(joint.child, parent.clone().multiply(joint.origin).multiply(motion(joint, q)));
    }
    return poses;
  }

  /**
   * Where the first moving joint before a frame stands.
   * @param {string} frame @param {ArrayLike<number>} q [nq] @returns {Vector3}
   */
  shoulder(frame, q) {
    const poses = this.linkPoses(q);
    const first = new Vector3();
    for (let joint = this.before.get(this.byName.get(frame)?.link ?? frame); joint; joint = this.before.get(joint.parent)) {
      const pose = /** @type {Matrix4} */ (poses.get(joint.child));
      if (joint.kind !== 'fixed' && joint.kind !== 'floating') first.setFromMatrixPosition(pose);
    }
    return first;
  }

  /** The pose in the world of a link or another frame. @param {string} name @param {ArrayLike<number>} q [nq] @returns {Matrix4} */
  framePose(name, q) {
    const pose = this.poses(q).get(name);
    if (!pose) throw new Error(`no frame ${name}`);
    return pose;
  }
}

/**
 * @typedef {object} PreparedJoint
 * @property {string} name @property {string} kind @property {string} parent @property {string} child
 * @property {Matrix4} origin @property {Vector3} axis
 * @property {number} index  of its first number in q, its leader's where it follows; -1 without any
 * @property {number} multiplier @property {number} offset
 */

/** @param {JointDescription} joint @param {Map<string, number>} indices @returns {PreparedJoint} */
function prepare({ name, kind, parent, child, origin, axis, q, mimic }, indices) {
  return {
    name, kind, parent, child,
    origin: matrix(origin),
    axis: new Vector3(...axis),
    index: mimic ? indices.get(mimic.joint) ?? -1 : q,
    multiplier: mimic ? mimic.multiplier : 1,
    offset: mimic ? mimic.offset : 0,
  };
}

/** The value of a joint of one number. @param {PreparedJoint} joint @param {ArrayLike<number>} q @returns {number} [rad or m] */
function valueOf(joint, q) {
  return joint.multiplier * q[joint.index] + joint.offset;
}

/** What the joint's part of q adds to its origin. @param {PreparedJoint} joint @param {ArrayLike<number>} q @returns {Matrix4} */
function motion(joint, q) {
  const result = new Matrix4();
  const at = joint.index;
  if (joint.kind === 'revolute' || joint.kind === 'continuous') return result.makeRotationAxis(joint.axis, valueOf(joint, q));
  if (joint.kind === 'prismatic') return result.setPosition(joint.axis.clone().multiplyScalar(valueOf(joint, q)));
  if (joint.kind === 'ball') return result.makeRotationFromQuaternion(turn(q, at));
  if (joint.kind === 'floating') return result.makeRotationFromQuaternion(turn(q, at + 3)).setPosition(q[at], q[at + 1], q[at + 2]);
  return result;
}

/** A quaternion of length 1. @param {ArrayLike<number>} q @param {number} at  index of its x @returns {Quaternion} */
export function turn(q, at) {
  return new Quaternion(q[at], q[at + 1], q[at + 2], q[at + 3]).normalize();
}

/** @param {number[]} rows  row by row [16] @returns {Matrix4} */
export function matrix(rows) {
  return new Matrix4().fromArray(rows).transpose();
}
