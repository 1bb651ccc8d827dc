/** The arms of the 3-D page, one runner for each arm and solver. */

import { Runner } from '../runner.js';
import { placed } from './codec.js';
import { Kinematics } from './kinematics.js';
import { motionParts } from './numbers.js';

const [ASIDE, ASIDE_SLIDE] = [0.6, 0.1]; // [rad, m] by which joints are moved for a race that would begin at its end

/** One arm of the scene: what it is, and where it stands under each solver. */
export class Mechanism {
  /** @param {number} index @param {import('./protocol.js').ArmScene} description */
  constructor(index, description) {
    this.index = index;
    this.description = description;
    this.kinematics = new Kinematics(description);
    /** Of the joints, as the model has them. */
    this.ownLimits = new Map(description.joints.map(({ name, lower, upper }) => [name, { lower, upper }]));
    this.parts = motionParts(description);
    /** @type {Runner[]} */
    this.runners = [];
  }

  /** @param {string} solver @returns {Runner} that solver's, or the first */
  under(solver) {
    return this.runners.find((runner) => runner.solver === solver) ?? this.runners[0];
  }

  /** Its first configuration, with each joint that turns or slides moved toward the farther of its limits. @returns {number[]} */
  elsewhere() {
    const q = [...this.description.q];
    for (const { kind, lower, upper, q: at, mimic } of this.description.joints) {
      if (at < 0 || mimic || !['revolute', 'continuous', 'prismatic'].includes(kind)) continue;
      const [low, high] = [lower ?? -Infinity, upper ?? Infinity];
      const up = high - q[at] >= q[at] - low;
      const max = kind === 'prismatic' ? ASIDE_SLIDE : ASIDE;
      q[at] += up ? Math.min(max, 0.5 * (high - q[at])) : -Math.min(max, 0.5 * (q[at] - low));
    }
    return q;
  }

  /** Whether a link or a frame has that name. @param {string} frame */
  has(frame) {
    const { root, joints, frames } = this.description;
    return frame === root || joints.some((joint) => joint.child === frame) || frames.some(({ name }) => name === frame);
  }

  /** Whether a joint that moves has that name. @param {string} joint */
  hasJoint(joint) {
    return this.description.joints.some(({ name, q }) => name === joint && q >= 0);
  }

  /** Whether a revolute or prismatic joint that follows no other has that name. @param {string} joint */
  hasLimits(joint) {
    return this.description.joints.some(({ name, kind, mimic }) => name === joint && !mimic && (kind === 'revolute' || kind === 'prismatic'));
  }
}

export class Arms {
  /** @param {import('../store.js').Store} store @param {() => number} active  the arm that table and plots are about */
  constructor(store, active) {
    this.store = store;
    this.activeIndex = active;
    /** @type {Mechanism[]} */
    this.mechanisms = [];
    /** What stands in for them until there is a scene. @type {Runner[]} */
    this.nobody = [];
    store.watch(['algo', 'race'], () => this.choose());
    store.watch(['wide'], () => this.applyWidened());
  }

  /**
   * @param {import('./protocol.js').Scene} scene @param {import('./codec.js').Stance[]} stances  where the link says they stand
   * @returns {string[]} what of the link fits no arm of the scene, and is left out
   */
  setScene(scene, stances) {
    this.mechanisms = scene.arms.map((description, index) => new Mechanism(index, description));
    const unfit = stances.filter((stance) => !this.fits(stance));
    for (const mechanism of this.mechanisms) {
      const fits = stances.filter(({ arm, q }) => arm === mechanism.index && q.length === mechanism.description.nq);
      const at = (/** @type {string|null} */ solver) => fits.find((stance) => stance.solver === solver)?.q;
      mechanism.runners = this.wanted.map((solver) => new Runner(solver, at(solver) ?? at(null) ?? fits[0]?.q ?? mechanism.description.q));
    }
    return [...unfit.map(({ arm, q }) => `q: ${this.missing(arm) || `${this.mechanisms[arm].description.title} needs ${this.mechanisms[arm].description.nq} numbers, found ${q.length}`}`), ...this.dropUnfit(), ...this.dropWidened()];
  }

  /** @param {import('./codec.js').Stance} stance */
  fits({ arm, q }) {
    return q.length === this.mechanisms[arm]?.description.nq;
  }

  /** Drop locks and postures that mean nothing here. @returns {string[]} what was dropped */
  dropUnfit() {
    const { store } = this;
    const isKnown = (/** @type {import('./codec.js').Locked} */ { arm, joint }) => this.mechanisms[arm]?.hasJoint(joint) ?? false;
    const locks = store.get('lock').filter((/** @type {import('./codec.js').Locked} */ one) => !isKnown(one));
    if (locks.length) store.set({ lock: store.get('lock').filter(isKnown) });
    const postures = (store.get('pq') ?? []).filter((/** @type {import('./codec.js').Stance} */ one) => !this.fits(one));
    if (postures.length) store.set({ pq: store.get('pq').filter((/** @type {import('./codec.js').Stance} */ one) => this.fits(one)) });
    return [
      ...locks.map((/** @type {import('./codec.js').Locked} */ { arm, joint }) => `lock: ${this.missing(arm) || `${this.mechanisms[arm].description.title} has no joint ${joint} that moves`}`),
      ...postures.map((/** @type {import('./codec.js').Stance} */ { arm }) => `pq: ${this.missing(arm) || 'it has another number of joints'}`),
    ];
  }

  /** @returns {string[]} the widened limits that mean nothing here: they are dropped */
  dropWidened() {
    const fits = (/** @type {import('./codec.js').Widened} */ { arm, joint }) => this.mechanisms[arm]?.hasLimits(joint) ?? false;
    const widened = /** @type {import('./codec.js').Widened[]} */ (this.store.get('wide'));
    const unfit = widened.filter((one) => !fits(one));
    if (unfit.length) this.store.set({ wide: widened.filter(fits) });
    this.applyWidened();
    return unfit.map(({ arm, joint }) => `wide: ${this.missing(arm) || `${this.mechanisms[arm].description.title} has no joint ${joint} with limits to widen`}`);
  }

  /** @param {number} arm */
  missing(arm) {
    return this.mechanisms[arm] ? '' : `there is no arm ${arm}`;
  }

  /** The joints that a person has locked. @param {number} arm @returns {string[]} */
  locked(arm) {
    return this.store.get('lock').filter((/** @type {import('./codec.js').Locked} */ one) => one.arm === arm).map((/** @type {import('./codec.js').Locked} */ one) => one.joint);
  }

  /** The limits that a person has widened. @param {number} arm @returns {{joint: string, lower: number|null, upper: number|null}[]} */
  widened(arm) {
    const widened = /** @type {import('./codec.js').Widened[]} */ (this.store.get('wide'));
    return widened.filter((one) => one.arm === arm).map(({ joint, lower, upper }) => ({ joint, lower, upper }));
  }

  /** @param {number} arm @param {import('./protocol.js').WiderLimit[]} limits */
  widen(arm, limits) {
    const others = /** @type {import('./codec.js').Widened[]} */ (this.store.get('wide')).filter((one) => one.arm !== arm);
    /** @type {Map<string, import('./codec.js').Widened>} */
    const own = new Map(this.widened(arm).map((one) => [one.joint, { arm, ...one }]));
    for (const { joint, side, value } of limits) {
      own.set(joint, { ...(own.get(joint) ?? { arm, joint, lower: null, upper: null }), [side]: placed(value) });
    }
    this.store.set({ wide: [...others, ...own.values()] });
  }

  /** The descriptions have the limits that count now. */
  applyWidened() {
    for (const { index, description, ownLimits } of this.mechanisms) {
      const widened = new Map(this.widened(index).map((one) => [one.joint, one]));
      for (const joint of description.joints) {
        const own = ownLimits.get(joint.name);
        const wider = widened.get(joint.name);
        if (!own) continue;
        joint.lower = wider?.lower == null || own.lower === null ? own.lower : Math.min(own.lower, wider.lower);
        joint.upper = wider?.upper == null || own.upper === null ? own.upper : Math.max(own.upper, wider.upper);
      }
    }
  }

  /** @returns {string[]} */
  get wanted() {
    return this.racing ? this.store.get('race') : [this.store.get('algo')];
  }

  get racing() {
    return this.store.get('race').length > 0;
  }

  /** The arm of the selected goal. @returns {Mechanism|undefined} */
  get active() {
    return this.mechanisms[this.activeIndex()] ?? this.mechanisms[0];
  }

  /** @returns {Runner[]} the active arm's */
  get list() {
    return this.active?.runners ?? this.nobody;
  }

  /** @returns {Runner[]} of all arms */
  get all() {
    return this.mechanisms.flatMap((mechanism) => mechanism.runners);
  }

  /** The active arm under the solver in front. @returns {Runner} */
  get front() {
    return this.list.find((runner) => runner.solver === this.store.get('algo')) ?? this.list[0];
  }

  /** @param {Mechanism} mechanism */
  frontOf(mechanism) {
    return mechanism.under(this.store.get('algo'));
  }

  /** Have the solvers that the settings ask for; another set starts from one configuration together. */
  choose() {
    const { wanted } = this;
    this.nobody = wanted.map((solver) => new Runner(solver, new Float32Array()));
    for (const mechanism of this.mechanisms) {
      if (wanted.join() === mechanism.runners.map((runner) => runner.solver).join()) continue;
      const { q } = this.frontOf(mechanism);
      mechanism.runners = wanted.map((solver) => new Runner(solver, q));
    }
  }

  /** All arms to their first configuration, or from it to another one. @param {(mechanism: Mechanism) => boolean} [isAside] */
  restart(isAside = () => false) {
    for (const mechanism of this.mechanisms) {
      const q = isAside(mechanism) ? mechanism.elsewhere() : mechanism.description.q;
      for (const runner of mechanism.runners) runner.setPose(q);
    }
  }

  /** All arms back to the beginning of their last solve. */
  rewind() {
    for (const runner of this.all) runner.setPose(runner.before);
  }

  /** Where all of them stand. @returns {import('./codec.js').Stance[]} */
  stances() {
    return this.mechanisms.flatMap(({ index, runners }) =>
      runners.map(({ solver, q }) => ({ arm: index, solver: runners.length > 1 ? solver : null, q: [...q] })),
    );
  }

  /** Where the arms in front stand. @returns {import('./codec.js').Stance[]} */
  standing() {
    return this.mechanisms.map((mechanism) => ({ arm: mechanism.index, solver: null, q: [...this.frontOf(mechanism).q] }));
  }

  /** Put the arms somewhere: each where its own solver's entry says, else where its arm's does. @param {import('./codec.js').Stance[]} stances */
  stand(stances) {
    for (const { index, runners } of this.mechanisms) {
      const ours = stances.filter(({ arm }) => arm === index);
      for (const runner of runners) {
        const stance = ours.find(({ solver }) => solver === runner.solver) ?? ours[0];
        if (stance) runner.setPose(stance.q);
      }
    }
  }

  /** The longest last solve of the arm in front. */
  get lastStep() {
    return Math.max(0, ...this.list.map(({ recording }) => (recording.complete ? recording.last : 0)));
  }
}
