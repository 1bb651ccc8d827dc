/** The scenery of the 3-D page: draws floor, axes, traces, reach, joint ranges, frames and ellipsoid, each of which can be switched on. */

import { Group, Matrix4, Vector3 } from 'three';
import { token } from './colours.js';
import { Floor } from './floor.js';
import { Limits } from './limits.js';
import { Ellipsoid, Reach, Sheet, Trace, discard, triad } from './marks.js';

const NONE = { grid: true, axes: false, reach: false, trace: true, limits: false, ellipsoid: false, shadow: true, frames: false };

/** @typedef {typeof NONE} Marks */

export class Scenery extends Group {
  /** @param {import('./armbodies.js').Crew} crew */
  constructor(crew) {
    super();
    this.crew = crew;
    /** @type {Marks} */
    this.marks = { ...NONE };
    this.floor = new Floor();
    this.origin = triad();
    this.traces = new Group();
    /** @type {Map<string, Trace>} */
    this.byKey = new Map();
    /** For each arm: its limits, its reach, and triads of its frames. @type {Map<string, Group>} */
    this.drawn = new Map();
    this.ellipsoid = new Ellipsoid();
    this.hasEllipsoid = false;
    this.sheet = new Sheet();
    this.height = 0;
    this.extent = 1;
    this.add(this.floor, this.origin, this.traces, this.ellipsoid, this.sheet);
    this.show();
  }

  /** @param {Vector3} centre @param {number} radius @param {number} floor  height [m] */
  setExtent(centre, radius, floor) {
    this.height = floor;
    this.extent = radius;
    this.floor.setExtent(new Vector3(centre.x, centre.y, floor), radius);
    this.origin.scale.setScalar(0.22 * radius);
    this.forget('');
  }

  /** @param {Partial<Marks>} marks */
  setMarks(marks) {
    this.marks = { ...this.marks, ...marks };
    this.show();
  }

  show() {
    this.origin.visible = this.marks.axes;
    this.traces.visible = this.marks.trace;
    this.ellipsoid.visible = this.marks.ellipsoid && this.hasEllipsoid;
    this.floor.setGrid(this.marks.grid);
    this.floor.receiveShadow = this.marks.shadow;
  }

  /** @param {'light'|'dark'} theme */
  setTheme(theme) {
    this.floor.setTheme(theme);
    this.forget('');
  }

  /** What is drawn of that kind is made anew. @param {string} kind  '' for all */
  forget(kind) {
    for (const [name, group] of this.drawn) {
      if (!name.startsWith(kind)) continue;
      discard(group);
      this.drawn.delete(name);
    }
  }

  /** The plane on which goals are placed; null where it follows the camera. @param {{point: Vector3, normal: Vector3}|null} plane */
  setSheet(plane) {
    this.sheet.visible = plane !== null;
    if (plane) this.sheet.set(plane.point, plane.normal, 0.6 * this.extent, token('accent'));
  }

  /** @param {number} arm @param {ArrayLike<number>} point [3] @param {ArrayLike<number>|null} rows [9] @returns {boolean} whether that changes anything */
  setEllipsoid(arm, point, rows) {
    if (!rows && !this.hasEllipsoid) return false;
    this.hasEllipsoid = rows !== null;
    if (rows) this.ellipsoid.set(point, rows, this.crew.colour(arm));
    this.show();
    return true;
  }

  /** @param {number} arm @param {string} key @returns {boolean} whether a trace has become longer */
  leaveTrace(arm, key) {
    const body = this.crew.arms[arm]?.bodies.get(key);
    if (!body) return false;
    let isLonger = false;
    for (const tip of this.crew.arms[arm].description.tips) {
      const pose = body.poses.get(tip);
      if (pose) isLonger = this.trace(arm, key, tip).extend(new Vector3().setFromMatrixPosition(pose)) || isLonger;
    }
    return isLonger;
  }

  /** @param {number} arm @param {string} key @param {string} tip @returns {Trace} */
  trace(arm, key, tip) {
    const name = `${arm} ${key} ${tip}`;
    const found = this.byKey.get(name);
    if (found) return found;
    const look = this.crew.arms[arm].bodies.get(key)?.look;
    const trace = new Trace(look?.color ?? this.crew.colour(arm));
    this.byKey.set(name, trace);
    this.traces.add(trace.ribbon);
    return trace;
  }

  /** @param {number} arm @param {string} key @param {string|null} [colour] */
  tint(arm, key, colour) {
    if (colour === undefined) return;
    for (const [name, { ribbon }] of this.byKey) if (name.startsWith(`${arm} ${key} `)) ribbon.setColour(colour ?? this.crew.colour(arm));
  }

  clearTraces() {
    for (const { ribbon } of this.byKey.values()) ribbon.dispose();
    this.byKey.clear();
  }

  /** Nothing of the last scene stays. */
  reset() {
    this.clearTraces();
    this.hasEllipsoid = false;
    this.show();
    this.forget('');
  }

  /** Marks that are on follow the front bodies; those that are off are let go. */
  update() {
    for (const kind of /** @type {const} */ (['limits', 'reach', 'frames'])) {
      if (!this.marks[kind]) this.forget(kind);
      else this.crew.arms.forEach((_, arm) => this.updateOne(kind, arm));
    }
  }

  /** @param {'limits'|'reach'|'frames'} kind @param {number} arm */
  updateOne(kind, arm) {
    const body = this.crew.front(arm);
    if (!body?.q) return;
    const name = `${kind} ${arm}`;
    let group = this.drawn.get(name);
    if (!group) {
      group = this.make(kind, arm);
      this.drawn.set(name, group);
      this.add(group);
    }
    if (group instanceof Limits) group.update(body.poses, body.q);
    if (kind === 'frames') addTriads(group, body.poses);
  }

  /** @param {'limits'|'reach'|'frames'} kind @param {number} arm @returns {Group} */
  make(kind, arm) {
    const { description, bones, kinematics } = this.crew.arms[arm];
    const colour = this.crew.colour(arm);
    if (kind === 'limits') return new Limits(description, bones, colour);
    if (kind === 'frames') return triads(description, bones);
    const centre = kinematics.shoulder(description.end_effector, description.neutral);
    return description.reach ? new Reach(centre, description.reach, this.height, token('accent')) : new Group();
  }

  dispose() {
    this.reset();
    discard(this.origin);
    discard(this.ellipsoid);
    discard(this.sheet);
    this.floor.dispose();
  }
}

/** @param {import('./kinematics.js').ArmDescription} arm @param {import('./skeleton.js').Skeleton} bones @returns {Group} */
function triads(arm, bones) {
  const group = new Group();
  const size = Math.max(0.05 * bones.length, 2.6 * bones.radius(arm.root));
  const names = new Set([...arm.joints.filter(({ kind }) => kind !== 'fixed').map(({ child }) => child), ...arm.tips, arm.end_effector]);
  for (const name of names) {
    const mark = triad();
    mark.name = name;
    mark.userData.size = size;
    mark.matrixAutoUpdate = false;
    group.add(mark);
  }
  group.traverse((/** @type {any} */ node) => {
    node.renderOrder = 600;
    if (node.material) Object.assign(node.material, { depthTest: false, transparent: true });
  });
  return group;
}

/** @param {Group} group @param {Map<string, Matrix4>} poses */
function addTriads(group, poses) {
  for (const mark of group.children) {
    const pose = poses.get(mark.name);
    mark.visible = pose !== undefined;
    if (pose) mark.matrix.copy(pose).multiply(new Matrix4().makeScale(mark.userData.size, mark.userData.size, mark.userData.size));
    mark.matrixWorldNeedsUpdate = true;
  }
}
