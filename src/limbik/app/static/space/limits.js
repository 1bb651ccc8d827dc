/** `Limits`: gauges at the joints of an arm in the 3-D view, which show their ranges; a joint at its limit stands out. */

import { DoubleSide, Group, MeshBasicMaterial, Quaternion, Vector3 } from 'three';
import { token } from './colours.js';
import { ConeGauge, EulerGauge, RevoluteGauge, RailGauge } from './gauges.js';
import { matrix } from './kinematics.js';
import { translation } from './skeleton.js';

const SIZE = 3.4; // of a gauge, in radii of its link
const KINDS = { revolute: RevoluteGauge, prismatic: RailGauge, ball: ConeGauge };

/** @typedef {import('./kinematics.js').ArmDescription} Arm */
/** @typedef {import('./kinematics.js').JointDescription} Joint */
/** @typedef {{fill: MeshBasicMaterial, edge: MeshBasicMaterial}} Paint */

export class Limits extends Group {
  /** @param {Arm} arm @param {import('./skeleton.js').Skeleton} bones @param {import('three').Color} colour */
  constructor(arm, bones, colour) {
    super();
    this.usual = paint(colour);
    this.bound = paint(token('danger'));
    this.gauges = arm.joints.filter(isLimited).map((joint) => {
      const Kind = joint.euler ? EulerGauge : KINDS[/** @type {keyof typeof KINDS} */ (joint.kind)];
      const gauge = new Kind(joint, reference(joint, bones), SIZE * bones.radius(joint.child));
      const frame = new Group();
      frame.matrixAutoUpdate = false;
      frame.add(gauge);
      this.add(frame);
      return { link: joint.parent, origin: matrix(joint.origin), gauge, frame, painted: /** @type {Paint|null} */ (null) };
    });
  }

  /** @param {Map<string, import('three').Matrix4>} poses @param {ArrayLike<number>} q */
  update(poses, q) {
    for (const each of this.gauges) {
      const parent = poses.get(each.link);
      if (!parent) continue;
      each.frame.matrix.multiplyMatrices(parent, each.origin);
      each.frame.matrixWorldNeedsUpdate = true;
      const wanted = each.gauge.read(q) ? this.bound : this.usual;
      if (wanted !== each.painted) apply(wanted, each.gauge);
      each.painted = wanted;
    }
  }
}

/** @param {import('three').ColorRepresentation} color @returns {Paint} */
function paint(color) {
  const clear = { color, transparent: true, side: DoubleSide, depthWrite: false, toneMapped: false };
  return { fill: new MeshBasicMaterial({ ...clear, opacity: 0.17 }), edge: new MeshBasicMaterial({ ...clear, opacity: 0.85 }) };
}

/** @param {Paint} wanted @param {Group} gauge */
function apply(wanted, gauge) {
  gauge.traverse((/** @type {any} */ node) => {
    if (node.isMesh) node.material = wanted[/** @type {keyof Paint} */ (node.userData.paint)];
  });
}

/** @param {Joint} joint */
function isLimited({ kind, lower, upper, swing, euler, mimic }) {
  const isBounded = lower !== null && upper !== null;
  if (mimic) return false;
  if (kind === 'ball') return Boolean(euler) || (swing ?? Math.PI) < Math.PI || isBounded;
  return (kind === 'revolute' || kind === 'prismatic') && isBounded;
}

/**
 * Where the moved link points at zero, across the axis.
 * @param {Joint} joint @param {import('./skeleton.js').Skeleton} bones @returns {Vector3} unit
 */
function reference(joint, bones) {
  const axis = new Vector3(...joint.axis);
  const ahead = bones.bones.find(({ link }) => link === joint.child)?.to;
  const turned = new Quaternion().setFromRotationMatrix(matrix(joint.origin));
  const behind = translation(joint.origin).applyQuaternion(turned.conjugate());
  const any = Math.abs(axis.x) < 0.7 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const directions = [ahead, behind, any].flatMap((direction) => direction ?? []);
  const across = directions.map((direction) => direction.clone().addScaledVector(axis, -direction.dot(axis)));
  const found = across.find((vector, k) => vector.length() > 0.2 * directions[k].length() && vector.length() > 1e-6);
  return /** @type {Vector3} */ (found).normalize();
}
