/** Edits of the objects around the arms in the store: add, rename, move, remove, put into an arm's hand; `solids.js` draws them. */

import { Matrix4, Quaternion, Vector3 } from 'three';
import { placed, placedQuaternion } from './codec.js';
import { MILLIMETRES } from './protocol.js';
import { KINDS } from './objectcodec.js';

const MAX = 200; // that the server takes
const AHEAD = 0.55; // of the reach, where a new object stands

/** @typedef {import('./objectcodec.js').Thing} Thing */
/** @typedef {{position: number[], quat_xyzw: number[]}} Placement */

export class Objects {
  /** @param {import('../store.js').Store} store @param {import('./arms.js').Arms} arms */
  constructor(store, arms) {
    Object.assign(this, { store, arms });
  }

  /** @returns {Thing[]} */
  get list() {
    return this.store.get('obj');
  }

  /** @returns {number} of the selected object; -1 where a goal is */
  get selected() {
    return Math.min(this.store.get('osel'), this.list.length - 1);
  }

  /** Whether the server is to look at collisions. */
  get count() {
    return this.store.get('co');
  }

  /** What of the link fits no arm of the scene. @returns {string[]} */
  setScene() {
    const unfit = this.list.filter(({ held }) => held && !this.arms.mechanisms[held.arm]?.has(held.frame));
    if (unfit.length) this.store.set({ obj: this.list.filter((thing) => !unfit.includes(thing)) });
    return unfit.map(({ name, held }) => `obj: ${name} is left out, as no arm ${held?.arm} has a frame ${held?.frame}`);
  }

  /** As the server is told of them; null where collisions are left aside. */
  request() {
    if (!this.count) return null;
    return { objects: this.list, clearance: this.store.get('cl') / MILLIMETRES };
  }

  /** @param {number} i */
  select(i) {
    if (i !== this.selected) this.store.set({ osel: i });
  }

  /** A new object in front of the arm, or above what stands there. @param {'box'|'sphere'|'cylinder'|'capsule'} kind */
  add(kind) {
    const { active } = this.arms;
    const reach = active?.description.reach || 0.8;
    const shoulder = active ? active.kinematics.shoulder(active.description.end_effector, active.description.neutral) : new Vector3();
    const size = KINDS[kind].size.map((length) => placed(length * Math.min(1, reach / 0.8)));
    const position = [shoulder.x + AHEAD * reach, shoulder.y, Math.max(size[size.length - 1] / 2, shoulder.z * 0.5)].map(placed);
    this.take([{ name: kind, kind, size, token: '', position, quat_xyzw: [0, 0, 0, 1], held: null, touch: [] }]);
  }

  /** More objects; names that are taken get a number. @param {Thing[]} things @returns {string} what was wrong; empty where nothing was */
  take(things) {
    const list = [...this.list];
    if (list.length + things.length > MAX) return `There are at most ${MAX} objects.`;
    const names = new Set([...list.map(({ name }) => name), ...this.arms.mechanisms.flatMap(({ description }) => description.joints.map(({ child }) => child))]);
    for (const thing of things) {
      const name = free(thing.name, names);
      names.add(name);
      list.push({ ...thing, name, position: thing.position.map(placed), quat_xyzw: placedQuaternion(thing.quat_xyzw) });
    }
    this.store.set({ obj: list, osel: list.length - 1, co: true });
    return '';
  }

  /** @param {number} i */
  remove(i) {
    this.store.set({ obj: this.list.filter((_, k) => k !== i), osel: -1 });
  }

  /** @param {number} i @param {Partial<Thing>} changes */
  change(i, changes) {
    if (this.list[i]) this.store.set({ obj: this.list.map((thing, k) => (k === i ? { ...thing, ...changes } : thing)) });
  }

  /** @param {number} i @param {string} name @returns {string} what was wrong; empty where nothing was */
  rename(i, name) {
    const text = name.trim().slice(0, 60);
    if (!text) return 'An object needs a name.';
    if (this.list.some((thing, k) => k !== i && thing.name === text)) return `There is an object ${text} already.`;
    const before = this.list[i].name;
    const renamed = (/** @type {string[]} */ touch) => touch.map((one) => (one === before ? text : one));
    this.store.set({ obj: this.list.map((thing, k) => ({ ...thing, name: k === i ? text : thing.name, touch: renamed(thing.touch) })) });
    return '';
  }

  /** Where an object is in the world. @param {number} i @param {(arm: number) => ArrayLike<number>} stance  of an arm @returns {Matrix4} */
  pose(i, stance) {
    const { held, position, quat_xyzw } = this.list[i];
    const own = new Matrix4().compose(new Vector3(...position), new Quaternion(...quat_xyzw), new Vector3(1, 1, 1));
    return held ? this.frame(held, stance).multiply(own) : own;
  }

  /** @param {NonNullable<Thing['held']>} held @param {(arm: number) => ArrayLike<number>} stance */
  frame({ arm, frame }, stance) {
    const mechanism = this.arms.mechanisms[arm];
    return mechanism?.has(frame) ? mechanism.kinematics.framePose(frame, stance(arm)) : new Matrix4();
  }

  /** Where the arms in front stand. @param {number} arm */
  stance = (arm) => this.arms.frontOf(this.arms.mechanisms[arm]).q;

  /** Put an object somewhere in the world: one that is carried is put there in the hand that carries it. @param {number} i @param {Partial<Placement>} placement */
  put(i, placement) {
    const pose = decomposed(this.pose(i, this.stance));
    const { position, quat_xyzw } = { ...pose, ...placement };
    const { held } = this.list[i];
    if (!held) return this.change(i, { position: position.map(placed), quat_xyzw: placedQuaternion(quat_xyzw) });
    const there = new Matrix4().compose(new Vector3(...position), new Quaternion(...quat_xyzw), new Vector3(1, 1, 1));
    return this.change(i, local(this.frame(held, this.stance).invert().multiply(there)));
  }

  /**
   * An arm takes an object as it is, or (null) lets it go; what it touches then it may touch.
   * @param {number} i @param {Thing['held']} held @param {string[]} touch  names of what it touches now
   */
  hold(i, held, touch) {
    const pose = this.pose(i, this.stance);
    const own = held ? this.frame(held, this.stance).invert().multiply(pose) : pose;
    this.change(i, { ...local(own), held, touch });
  }
}

/** @param {Matrix4} pose @returns {Placement} */
export function decomposed(pose) {
  const [position, quaternion] = [new Vector3(), new Quaternion()];
  pose.decompose(position, quaternion, new Vector3());
  return { position: position.toArray(), quat_xyzw: quaternion.toArray() };
}

/** With the decimals of the URL. @param {Matrix4} pose @returns {Placement} */
function local(pose) {
  const { position, quat_xyzw } = decomposed(pose);
  return { position: position.map(placed), quat_xyzw: placedQuaternion(quat_xyzw) };
}

/** @param {string} name @param {Set<string>} taken @returns {string} the name, or with a number behind it */
function free(name, taken) {
  for (let count = 1; ; count += 1) {
    const text = count === 1 ? name : `${name} ${count}`;
    if (!taken.has(text)) return text;
  }
}
