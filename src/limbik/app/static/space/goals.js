/**
 * `Goals`: the goals in the store: add, remove, select, move, grab by a link; what arms begin with, and what stage and server get of them.
 */

import { Matrix4, Quaternion, Vector3 } from 'three';
import { placed, placedQuaternion } from './codec.js';

const MET = 1e-3; // [m] from a goal, where an arm need not move
const MAX = 32; // goals of one arm that the server takes
const AXES = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };

/** @typedef {import('./codec.js').Goal} Goal */
/** @typedef {{position: number[], quat_xyzw: number[]}} Placement */

export class Goals {
  /** @param {import('../store.js').Store} store */
  constructor(store) {
    this.store = store;
    /** @type {import('./arms.js').Arms} */
    this.arms = /** @type {*} */ (null);
    /** @type {import('./motion.js').Motion} */
    this.motion = /** @type {*} */ (null);
    store.watch(['one'], () => this.gather());
  }

  /** @returns {Goal[]} none before there is a scene */
  get list() {
    return this.arms?.mechanisms.length ? this.store.get('goal') ?? [] : [];
  }

  /** Whether all goals are at one point, those of all arms. */
  get isOne() {
    return this.store.get('one') && this.arms.mechanisms.length > 1;
  }

  /** @returns {number} of the selected goal; -1 where there is none */
  get selected() {
    return Math.min(this.store.get('sel'), this.list.length - 1);
  }

  /** The arm of the selected goal. */
  get arm() {
    return this.list[this.selected]?.arm ?? 0;
  }

  /** The goals that new arms begin with, unless the link names others; those that there is no frame for are dropped. @param {number} staying  arms that stay as they are */
  setScene(staying) {
    const { mechanisms } = this.arms;
    const first = this.first(staying);
    if (staying > 0) this.store.set({ goal: [...this.list, ...first], sel: this.list.length });
    else this.store.suit({ goal: first });
    const known = this.list.filter(({ arm, frame }) => mechanisms[arm]?.has(frame));
    const dropped = this.list.filter((goal) => !known.includes(goal));
    if (dropped.length) this.store.set({ goal: known });
    this.gather();
    return dropped.map(({ arm, frame }) => `goal: ${mechanisms[arm] ? `${mechanisms[arm].description.title} has no ${frame}` : `there is no arm ${arm}`}`);
  }

  /** The goals that arms begin with where they stand now. @param {number} [from]  the first of these arms @returns {Goal[]} */
  first(from = 0) {
    return this.arms.mechanisms.slice(from).flatMap((mechanism) => firstGoals(mechanism, this.arms.frontOf(mechanism).q));
  }

  /** Where a goal is now: a moving one is on its path. @param {number} i @returns {number[]} */
  positionOf(i) {
    const { position } = this.list[i];
    if (i !== this.selected && !this.isOne) return position;
    const offset = this.motion.offset();
    return position.map((x, axis) => placed(x + offset[axis]));
  }

  /** Whether an arm's goals are where its first configuration has their frames: nobody would have to move. @param {import('./arms.js').Mechanism} mechanism */
  areMetAt(mechanism) {
    const poses = mechanism.kinematics.poses(mechanism.description.q);
    const isAny = this.list.some((goal) => goal.arm === mechanism.index);
    return isAny && this.list.every((goal, i) => {
      const pose = poses.get(goal.frame);
      return goal.arm !== mechanism.index || !pose || new Vector3().setFromMatrixPosition(pose).distanceTo(new Vector3(...this.positionOf(i))) < MET;
    });
  }

  /** As the stage draws them. */
  drawn() {
    return this.list.map((goal, i) => ({ ...goal, id: String(i), position: this.positionOf(i), selected: i === this.selected && this.store.get('osel') < 0 }));
  }

  /** As the server is told of them. @param {number} arm @returns {import('./protocol.js').WireGoal[]} */
  request(arm) {
    return this.list.flatMap((goal, i) => {
      if (goal.arm !== arm) return [];
      const { frame, kind, quat_xyzw, axis = 'z' } = goal;
      const turned = kind === 'position' ? {} : { quat_xyzw, ...(kind === 'direction' ? { axis } : {}) };
      return [{ frame, kind, position: this.positionOf(i), ...turned }];
    });
  }

  /** Another goal; where one moves, it stays where it is, and the other one moves from where that is. @param {number} i */
  select(i) {
    if (i === this.selected) this.store.set({ sel: i, osel: -1 });
    else this.store.set({ ...this.settled(), sel: i, osel: -1 });
  }

  /** The goals where they are now; the path of the moving one begins anew. @returns {{goal?: Goal[]}} a change, none where nothing moves */
  settled() {
    if (!this.motion.moving) return {};
    const goal = this.list.map((one, i) => ({ ...one, position: this.positionOf(i) }));
    this.motion.phase = 0;
    return { goal };
  }

  /** @param {1|-1} step */
  selectNext(step) {
    const { length } = this.list;
    if (length) this.select((this.selected + step + length) % length);
  }

  /** @param {number} i @param {Partial<Goal>} changes */
  change(i, changes) {
    if (!this.list[i]) return;
    const goal = this.list.map((one, k) => (k === i ? { ...one, ...changes } : one));
    this.store.set({ goal: this.together(goal, i) });
  }

  /** Goals with all of them at the point of one, where they share it. @param {Goal[]} list @param {number} i @returns {Goal[]} */
  together(list, i) {
    return this.isOne && list[i] ? list.map((goal) => ({ ...goal, position: list[i].position })) : list;
  }

  /** All goals to the point of the selected one, where they share it. */
  gather() {
    const { list, selected } = this;
    const isApart = list.some(({ position }) => position.join() !== list[selected].position.join());
    if (isApart && this.isOne) this.store.set({ goal: this.together(list, selected) });
  }

  /** Put a goal somewhere; one that moves goes on around it. @param {number} i @param {Partial<Placement>} placement */
  put(i, { position, quat_xyzw }) {
    const offset = i === this.selected ? this.motion.offset() : [0, 0, 0];
    this.change(i, {
      ...(position ? { position: position.map((x, axis) => placed(x - offset[axis])) } : {}),
      ...(quat_xyzw ? { quat_xyzw: placedQuaternion(quat_xyzw) } : {}),
    });
  }

  /**
   * A goal for a frame, where the frame is now; one that it has already is selected.
   * @param {number} arm @param {string} frame
   * @returns {string} what was wrong; empty where nothing was
   */
  add(arm, frame) {
    const found = this.list.findIndex((goal) => goal.arm === arm && goal.frame === frame);
    if (found >= 0) {
      this.select(found);
      return `${frame} has a goal already: it is selected.`;
    }
    if (this.list.filter((goal) => goal.arm === arm).length >= MAX) return `An arm has at most ${MAX} goals.`;
    const mechanism = this.arms.mechanisms[arm];
    if (!mechanism.kinematics.moves(frame)) return `${frame} does not move: no joint lies before it.`;
    const placement = placementOf(mechanism.kinematics.framePose(frame, this.arms.frontOf(mechanism).q));
    const { goal = this.list } = this.settled();
    this.store.set({ goal: this.together([...goal, { arm, frame, kind: 'position', ...placement }], this.selected), sel: goal.length });
    return '';
  }

  /**
   * A hand takes a link at a point: the nearest goal that holds it is selected; else the nearest frame on it gets one.
   * @param {number} arm @param {string} link @param {Vector3} point
   * @returns {string} what was wrong; empty where nothing was
   */
  take(arm, link, point) {
    const mechanism = this.arms.mechanisms[arm];
    const { q } = this.arms.frontOf(mechanism);
    const poses = mechanism.kinematics.poses(q);
    const far = (/** @type {string} */ frame) => point.distanceTo(new Vector3().setFromMatrixPosition(/** @type {Matrix4} */ (poses.get(frame))));
    const grips = mechanism.kinematics.grips(link, q).sort((a, b) => far(a) - far(b));
    if (grips.length === 0) return `${link} does not move.`;
    const goalOf = (/** @type {string} */ frame) => this.list.findIndex((goal) => goal.arm === arm && goal.frame === frame);
    const held = grips.map(goalOf).find((i) => i >= 0);
    if (held === undefined) return this.add(arm, grips[0]);
    this.select(held);
    return '';
  }

  /** @param {number} i */
  remove(i) {
    if (i === this.selected) this.motion.phase = 0;
    this.store.set({ goal: this.list.filter((_, k) => k !== i), sel: Math.max(0, this.selected - (i <= this.selected ? 1 : 0)) });
  }

  /** Bring the goals of an arm to where it holds their frames: the arm stands then. @param {number} arm @param {ArrayLike<number>} q */
  follow(arm, q) {
    const poses = this.arms.mechanisms[arm].kinematics.poses(q);
    const held = this.arm === arm ? this.selected : this.list.findIndex((one) => one.arm === arm);
    const goal = this.list.map((one) => {
      if (one.arm !== arm) return one;
      const placement = placementOf(/** @type {Matrix4} */ (poses.get(one.frame)), one.kind === 'direction' ? one.axis : 'z');
      return one.kind === 'position' ? { ...one, position: placement.position } : { ...one, ...placement };
    });
    this.store.set({ goal: this.together(goal, held) });
  }
}

/** The pose of a frame, turned so that its z axis is an axis of the frame. @param {Matrix4} pose @param {'x'|'y'|'z'} [axis] @returns {Placement} */
function placementOf(pose, axis = 'z') {
  const position = new Vector3();
  const quaternion = new Quaternion();
  pose.decompose(position, quaternion, new Vector3());
  quaternion.multiply(new Quaternion().setFromUnitVectors(AXES.z, AXES[axis]));
  return { position: position.toArray().map(placed), quat_xyzw: placedQuaternion(quaternion.toArray()) };
}

/**
 * Those of the file, else one for each tip that can move: a pose where a robot has joints enough for it. An arm of an
 * arm file gets points alone, as the goals of its format are.
 * @param {import('./arms.js').Mechanism} mechanism @param {ArrayLike<number>} q @returns {Goal[]}
 */
function firstGoals({ index, description, kinematics }, q) {
  if (description.goals.length) {
    return description.goals.map(({ frame, kind, position, quat_xyzw = [0, 0, 0, 1] }) => ({ arm: index, frame, kind, position: position.map(placed), quat_xyzw: placedQuaternion(quat_xyzw) }));
  }
  const poses = kinematics.poses(q);
  const tips = description.tips.filter((frame) => kinematics.moves(frame));
  const isOfArmFile = description.segments.length > 0;
  const kind = tips.length === 1 && description.nv >= 6 && !isOfArmFile ? 'pose' : 'position';
  return tips.flatMap((frame) => {
    const pose = poses.get(frame);
    return pose ? [{ arm: index, frame, kind: /** @type {Goal['kind']} */ (kind), ...placementOf(pose) }] : [];
  });
}
