/** Drawn ranges of single joints (sector, cone, rail), with the joint's position in them. Each reads q and says whether it is at a limit. */

import {
  BoxGeometry, CylinderGeometry, Euler, Group, LatheGeometry, Matrix4, Mesh, Quaternion, RingGeometry,
  SphereGeometry, TorusGeometry, Vector2, Vector3,
} from 'three';
import { turn } from './kinematics.js';

const SLACK = 2e-3; // [rad or m] nearer than this counts as at the limit
const FULL = 2 * Math.PI - 1e-6;
const AXES = { X: new Vector3(1, 0, 0), Y: new Vector3(0, 1, 0), Z: new Vector3(0, 0, 1) };

/** @typedef {import('./kinematics.js').JointDescription} Joint */

/** Coordinates in which z is the axis of a joint and x points where the moved link does at zero. */
class Gauge extends Group {
  /** @param {Vector3} axis @param {Vector3} zero  across the axis */
  constructor(axis, zero) {
    super();
    this.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(zero, axis.clone().cross(zero), axis));
  }
}

/** A sector in the plane across z, and a needle. */
class Sector extends Group {
  /** @param {number} size @param {number} from @param {number} to [rad] */
  constructor(size, from, to) {
    super();
    this.from = from;
    this.to = to;
    const steps = Math.max(8, Math.ceil(((to - from) / Math.PI) * 40));
    const ends = to - from < FULL ? [from, to] : [];
    this.add(fill(new RingGeometry(0.42 * size, size, steps, 1, from, to - from)));
    this.add(edge(new TorusGeometry(size, 0.014 * size, 6, steps, to - from).rotateZ(from)));
    for (const angle of ends) {
      this.add(edge(new BoxGeometry(0.58 * size, 0.028 * size, 0.028 * size).translate(0.71 * size, 0, 0).rotateZ(angle)));
    }
    this.needle = new Group();
    this.needle.add(edge(rod(0.022 * size, 1.08 * size).rotateY(Math.PI / 2).translate(0.54 * size, 0, 0)));
    this.needle.add(edge(new SphereGeometry(0.055 * size, 12, 8).translate(1.08 * size, 0, 0)));
    this.add(this.needle);
  }

  /** @param {number} angle [rad] @returns {boolean} */
  point(angle) {
    this.needle.rotation.z = angle;
    return isAtEnd(angle, this.from, this.to);
  }
}

/** The sector of a revolute joint. */
export class RevoluteGauge extends Gauge {
  /** @param {Joint} joint @param {Vector3} zero @param {number} size [m] */
  constructor(joint, zero, size) {
    super(new Vector3(...joint.axis), zero);
    this.index = joint.q;
    this.sector = new Sector(size, joint.lower ?? -Math.PI, joint.upper ?? Math.PI);
    this.add(this.sector);
  }

  /** @param {ArrayLike<number>} q @returns {boolean} */
  read(q) {
    return this.sector.point(q[this.index]);
  }
}

/** The rail of a prismatic joint, beside it. */
export class RailGauge extends Gauge {
  /** @param {Joint} joint @param {Vector3} zero @param {number} size [m] */
  constructor(joint, zero, size) {
    super(new Vector3(...joint.axis), zero);
    this.index = joint.q;
    this.from = joint.lower ?? -size;
    this.to = joint.upper ?? size;
    const beside = 0.55 * size;
    const length = this.to - this.from;
    this.add(edge(rod(0.02 * size, length).translate(beside, 0, this.from + length / 2)));
    for (const end of [this.from, this.to]) {
      this.add(edge(new BoxGeometry(0.24 * size, 0.24 * size, 0.03 * size).translate(beside, 0, end)));
    }
    this.slider = edge(new SphereGeometry(0.09 * size, 16, 10).translate(beside, 0, 0));
    this.add(this.slider);
  }

  /** @param {ArrayLike<number>} q @returns {boolean} */
  read(q) {
    this.slider.position.z = q[this.index];
    return isAtEnd(q[this.index], this.from, this.to);
  }
}

/** The cone within which a ball joint swings, and at the tip of its needle the range of the twist. */
export class ConeGauge extends Gauge {
  /** @param {Joint} joint @param {Vector3} zero @param {number} size [m] */
  constructor(joint, zero, size) {
    const axis = new Vector3(...joint.axis);
    super(axis, zero);
    this.index = joint.q;
    this.axis = axis;
    this.swing = joint.swing ?? Math.PI;
    const long = 1.15 * size;
    if (this.swing < Math.PI - 1e-6) this.buildCone(long);
    this.needle = new Group();
    this.needle.add(edge(rod(0.022 * size, long).translate(0, 0, long / 2)));
    this.add(this.needle);
    const [from, to] = [joint.lower ?? -Math.PI, joint.upper ?? Math.PI];
    this.twist = to - from < FULL ? new Sector(0.4 * size, from, to) : null;
    if (!this.twist) return;
    this.twist.position.z = long;
    this.needle.add(this.twist);
  }

  /** @param {number} long  side of the cone [m] */
  buildCone(long) {
    const [across, along] = [long * Math.sin(this.swing), long * Math.cos(this.swing)];
    this.add(fill(new LatheGeometry([new Vector2(0, 0), new Vector2(across, along)], 48).rotateX(Math.PI / 2)));
    this.add(edge(new TorusGeometry(across, 0.012 * long, 6, 64).translate(0, 0, along)));
  }

  /** The rotation is swing * twist. @param {ArrayLike<number>} q @returns {boolean} */
  read(q) {
    const whole = turn(q, this.index);
    const moved = this.axis.clone().applyQuaternion(whole);
    const swing = new Quaternion().setFromUnitVectors(this.axis, moved);
    const rest = swing.clone().conjugate().multiply(whole);
    const twist = 2 * Math.atan2(this.axis.dot(new Vector3(rest.x, rest.y, rest.z)), rest.w);
    this.needle.quaternion.copy(this.quaternion).conjugate().multiply(swing).multiply(this.quaternion);
    const isTwisted = this.twist?.point(twist - 2 * Math.PI * Math.round(twist / (2 * Math.PI)));
    return this.axis.angleTo(moved) > this.swing - SLACK || isTwisted === true;
  }
}

/** The sectors of a ball joint's Euler angles: each in the coordinates that the ones before it have turned. */
export class EulerGauge extends Group {
  /** @param {Joint} joint @param {Vector3} _  its angles have their own zeros @param {number} size [m] */
  constructor(joint, _, size) {
    super();
    this.index = joint.q;
    const { order, lower, upper } = /** @type {import('./kinematics.js').EulerLimits} */ (joint.euler);
    this.order = /** @type {import('three').EulerOrder} */ (order);
    let carrier = /** @type {Group} */ (this);
    this.sectors = [...order].map((name, k) => {
      const axis = AXES[/** @type {'X'} */ (name)];
      const zero = AXES[/** @type {'X'} */ ('YZX'['XYZ'.indexOf(name)])];
      const plane = new Gauge(axis, zero);
      const sector = new Sector((1 - 0.22 * k) * size, lower[k] ?? -Math.PI, upper[k] ?? Math.PI);
      const carried = new Group();
      plane.add(sector);
      carrier.add(plane, carried);
      carrier = carried;
      return { name: /** @type {'x'|'y'|'z'} */ (name.toLowerCase()), axis, sector, carried };
    });
  }

  /** @param {ArrayLike<number>} q @returns {boolean} */
  read(q) {
    const angles = new Euler().setFromQuaternion(turn(q, this.index), this.order);
    const atEnds = this.sectors.map(({ name, axis, sector, carried }) => {
      carried.quaternion.setFromAxisAngle(axis, angles[name]);
      return sector.point(angles[name]);
    });
    return atEnds.includes(true);
  }
}

/** A full circle has no ends. @param {number} value @param {number} from @param {number} to */
function isAtEnd(value, from, to) {
  return to - from < FULL && (value < from + SLACK || value > to - SLACK);
}

/** A rod along z around the origin. @param {number} radius @param {number} length */
function rod(radius, length) {
  return new CylinderGeometry(radius, radius, length, 8).rotateX(Math.PI / 2);
}

/** @param {import('three').BufferGeometry} geometry */
function fill(geometry) {
  return part(geometry, 'fill');
}

/** @param {import('three').BufferGeometry} geometry */
function edge(geometry) {
  return part(geometry, 'edge');
}

/** @param {import('three').BufferGeometry} geometry @param {'fill'|'edge'} paint */
function part(geometry, paint) {
  const mesh = new Mesh(geometry);
  mesh.userData.paint = paint;
  return mesh;
}
