/** The list of joints in the panel: a slider for each number of q, and a lock for each joint. */

import { fillSlider, find } from '../controls.js';
import { rotations } from './balls.js';

const DEGREES = 180 / Math.PI;
const NEAR = 0.02; // of the range: a joint so near to its limit is marked
const FREE_TURN = Math.PI; // [rad] half the slider of a joint without limits
const FREE_SLIDE = 1; // [m]
const SMALL_ARM = 12; // joints that are listed without a filter

/**
 * One slider.
 * @typedef {object} Part
 * @property {import('./kinematics.js').JointDescription} joint
 * @property {string} label
 * @property {boolean} isTurn
 * @property {number} lower @property {number} upper  [rad or m] of the slider
 * @property {boolean} isLimited
 * @property {string} [bounds]  what the limits are, where they are not those of the slider
 * @property {(q: ArrayLike<number>) => number} read
 * @property {(q: number[], value: number) => void} write  into q
 */

export class Joints {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./view.js').View} parts.view
   * @param {(arm: number) => void} parts.onMove  called when a hand has moved a joint
   */
  constructor({ store, arms, goals, view, onMove }) {
    Object.assign(this, { store, arms, goals, view, onMove });
    this.rows = find(document, '#joints');
    this.search = /** @type {HTMLInputElement} */ (find(document, '#joint-search'));
    this.unlock = /** @type {HTMLButtonElement} */ (find(document, '#unlock'));
    this.filter = find(document, '#joint-filter');
    this.scope = 'goal';
    /** Letters that all joints' names have in common before and behind. */
    this.common = [0, 0];
    this.shape = '';
    /** @type {{part: Part, row: HTMLElement, slider: HTMLInputElement, field: HTMLInputElement}[]} */
    this.parts = [];
    this.search.addEventListener('input', () => this.show());
    find(document, '#joint-scope').addEventListener('change', (event) => {
      this.scope = event.target.value;
      this.show();
    });
    this.unlock.addEventListener('click', () => store.set({ lock: [] }));
    const ownLimits = find(document, '#own-limits');
    ownLimits.addEventListener('click', () => store.set({ wide: [] }));
    store.watch(['wide'], () => {
      ownLimits.hidden = store.get('wide').length === 0;
      this.setScene();
    });
    store.watch(['sel', 'goal'], () => this.show());
    store.watch(['lock'], () => this.showLocks());
  }

  /** List the joints again where another arm or goal is selected. */
  show() {
    const mechanism = this.arms.active;
    if (!mechanism) return;
    const movable = mechanism.description.joints.filter((joint) => joint.q >= 0 && !joint.mimic);
    this.common = commonEnds(movable.map((joint) => joint.name));
    this.filter.hidden = movable.length <= SMALL_ARM;
    const shown = this.filter.hidden ? movable : this.filtered(movable, mechanism.description);
    const shape = `${mechanism.index} ${shown.map((joint) => joint.name).join(' ')}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.parts = shown.flatMap(partsOf).map((part) => this.row(part));
      this.rows.replaceChildren(...this.parts.map(({ row }) => row));
      this.showLocks();
    }
    this.update();
  }

  setScene() {
    this.shape = '';
    this.show();
  }

  /** @param {import('./kinematics.js').JointDescription[]} joints @param {import('./protocol.js').ArmScene} description */
  filtered(joints, description) {
    const words = this.search.value.trim().toLowerCase();
    const goal = this.goals.list[this.goals.selected];
    const path = this.scope === 'goal' && goal && !words ? pathTo(description, goal.frame) : null;
    return joints.filter(({ name }) => name.toLowerCase().includes(words) && (!path || path.has(name)));
  }

  /** @param {Part} part */
  row(part) {
    const { joint, label, isTurn, lower, upper, isLimited } = part;
    const row = document.createElement('li');
    row.dataset.joint = joint.name;
    row.className = 'joint';
    const unit = isTurn ? '°' : ' mm';
    const bounds = part.bounds || (isLimited ? `${shown(lower, isTurn)} to ${shown(upper, isTurn)}${unit}` : 'no limits');
    row.innerHTML = `<button type="button" class="sign lock" aria-pressed="false"><svg class="icon"><use href="#i-unlock"/></svg></button>
      <span class="joint-name"></span><input type="range" step="any"><input type="number" step="${isTurn ? 1 : 10}" inputmode="decimal">`;
    const [slider, field] = /** @type {NodeListOf<HTMLInputElement>} */ (row.querySelectorAll('input'));
    const name = find(row, '.joint-name');
    name.textContent = label.slice(this.common[0], joint.name.length - this.common[1]) + label.slice(joint.name.length);
    name.title = `${label}: ${bounds}`;
    Object.assign(slider, { min: String(lower), max: String(upper) });
    slider.setAttribute('aria-label', label);
    field.setAttribute('aria-label', `${label} in ${isTurn ? 'degrees' : 'millimetres'}`);
    slider.title = bounds;
    slider.addEventListener('input', () => this.move(part, Number(slider.value)));
    field.addEventListener('change', () => this.typed(part, field));
    find(row, '.lock').addEventListener('click', () => this.toggleLock(joint.name));
    return { part, row, slider, field };
  }

  /** @param {Part} part @param {HTMLInputElement} field */
  typed(part, field) {
    const value = field.value === '' ? NaN : Number(field.value) / (part.isTurn ? DEGREES : 1000);
    field.blur();
    if (Number.isFinite(value)) this.move(part, Math.min(part.upper, Math.max(part.lower, value)));
    else this.update();
  }

  /** Turn one joint: the arm stands so under every solver, and its goals come along. @param {Part} part @param {number} value */
  move(part, value) {
    const mechanism = this.arms.active;
    if (!mechanism) return;
    const q = Array.from(this.view.shownOf(mechanism));
    part.write(q, value);
    for (const runner of mechanism.runners) runner.setPose(q);
    this.goals.follow(mechanism.index, q);
    this.onMove(mechanism.index);
  }

  /** @param {string} joint */
  toggleLock(joint) {
    const arm = /** @type {import('./arms.js').Mechanism} */ (this.arms.active).index;
    const locks = this.store.get('lock');
    const others = locks.filter((/** @type {import('./codec.js').Locked} */ one) => one.arm !== arm || one.joint !== joint);
    this.store.set({ lock: others.length < locks.length ? others : [...locks, { arm, joint }] });
  }

  showLocks() {
    const locks = this.store.get('lock');
    const arm = this.arms.active?.index;
    this.unlock.disabled = locks.length === 0;
    for (const { part, row } of this.parts) {
      const isLocked = locks.some((/** @type {import('./codec.js').Locked} */ one) => one.arm === arm && one.joint === part.joint.name);
      const button = find(row, '.lock');
      row.classList.toggle('is-locked', isLocked);
      button.setAttribute('aria-pressed', String(isLocked));
      button.setAttribute('aria-label', `${isLocked ? 'Unlock' : 'Lock'} ${part.joint.name}`);
      button.title = isLocked ? 'Locked: the solver leaves it as it is' : 'Lock';
      button.querySelector('use')?.setAttribute('href', isLocked ? '#i-lock' : '#i-unlock');
    }
  }

  /** Where the joints are now. */
  update() {
    const mechanism = this.arms.active;
    if (!mechanism) return;
    const q = this.view.shownOf(mechanism);
    for (const { part, row, slider, field } of this.parts) {
      const value = part.read(q);
      const text = shown(value, part.isTurn);
      if (row.dataset.value === text) continue;
      row.dataset.value = text;
      if (slider !== document.activeElement || Math.abs(Number(slider.value) - value) > 1e-4) slider.value = String(value);
      fillSlider(slider);
      slider.setAttribute('aria-valuetext', `${text}${part.isTurn ? ' degrees' : ' millimetres'}`);
      if (field !== document.activeElement) field.value = text;
      const margin = Math.min(value - part.lower, part.upper - value);
      row.classList.toggle('is-at-limit', part.isLimited && margin < NEAR * (part.upper - part.lower));
    }
  }
}

/** @param {number} value @param {boolean} isTurn */
function shown(value, isTurn) {
  const text = isTurn ? (value * DEGREES).toFixed(1) : (value * 1000).toFixed(0);
  return /^-0(\.0)?$/.test(text) ? text.slice(1) : text;
}

/** The sliders of a joint. @param {import('./kinematics.js').JointDescription} joint @returns {Part[]} */
function partsOf(joint) {
  if (joint.kind === 'ball') return rotations(joint, joint.q);
  if (joint.kind === 'floating') return [...['x', 'y', 'z'].map((axis, i) => single(joint, `${joint.name} ${axis}`, false, joint.q + i)), ...rotations(joint, joint.q + 3)];
  return [single(joint, joint.name, joint.kind !== 'prismatic', joint.q)];
}

/** @param {import('./kinematics.js').JointDescription} joint @param {string} label @param {boolean} isTurn @param {number} at @returns {Part} */
function single(joint, label, isTurn, at) {
  const free = isTurn ? FREE_TURN : FREE_SLIDE;
  const own = joint.kind !== 'floating';
  const isLimited = own && joint.lower !== null && joint.upper !== null;
  return {
    joint, label, isTurn, isLimited,
    lower: own ? joint.lower ?? -free : -free,
    upper: own ? joint.upper ?? free : free,
    read: (q) => (isLimited || !isTurn ? q[at] : wrapped(q[at])),
    write: (q, value) => {
      q[at] = value;
    },
  };
}

/** @param {number} angle @returns {number} the same turn within half a turn */
function wrapped(angle) {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

/** The joints between the root and a frame. @param {import('./protocol.js').ArmScene} description @param {string} frame @returns {Set<string>} */
function pathTo({ joints, frames }, frame) {
  const byChild = new Map(joints.map((joint) => [joint.child, joint]));
  const names = new Set();
  let joint = byChild.get(frame) ?? byChild.get(frames.find(({ name }) => name === frame)?.link ?? '');
  for (; joint; joint = byChild.get(joint.parent)) names.add(joint.name);
  return names;
}

/** How many letters all names begin and end with alike, in whole words. @param {string[]} names @returns {[number, number]} */
function commonEnds(names) {
  if (names.length < 2) return [0, 0];
  const shortest = Math.min(...names.map((name) => name.length));
  const count = (/** @type {(name: string, i: number) => string} */ letter) => {
    let words = 0;
    for (let i = 0; i < shortest - 1; i += 1) {
      const one = letter(names[0], i);
      if (names.some((name) => letter(name, i) !== one)) break;
      if (/[_.\-/ ]/.test(one)) words = i + 1;
    }
    return words;
  };
  const before = count((name, i) => name[i]);
  const behind = count((name, i) => name[name.length - 1 - i]);
  return before + behind < shortest ? [before, behind] : [0, 0];
}
