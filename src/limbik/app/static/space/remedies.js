/** Buttons that apply a remedy to a goal that is not met. */

import { find } from '../controls.js';
import { placed } from './codec.js';
import { MILLIMETRES } from './protocol.js';

const DEGREES = 180 / Math.PI;

/** @typedef {import('./protocol.js').Remedy} Remedy */

export class Remedies {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./objectedits.js').Objects} parts.objects
   * @param {() => void} parts.search  from anywhere
   */
  constructor({ store, arms, goals, objects, search }) {
    Object.assign(this, { store, arms, goals, objects, search });
    this.box = find(document, '#explanation-remedies');
    /** A button was pressed, and the arm has not come to rest since. */
    this.isTrying = false;
  }

  /** @param {Remedy[]} remedies @param {number} arm @param {number[]|null} nearest  configuration */
  show(remedies, arm, nearest) {
    this.box.replaceChildren(...remedies.map((remedy, i) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = i === 0 ? 'button small primary' : 'button small';
      button.dataset.remedy = remedy.kind;
      button.textContent = this.label(remedy, arm);
      button.title = detailsOf(remedy);
      button.addEventListener('click', () => {
        this.isTrying = true;
        this.apply(remedy, arm, nearest);
      });
      return button;
    }));
  }

  /** What a button has changed is carried through: where no direct path leads to the answer, it is looked for. @param {Remedy[]} remedies @returns {boolean} */
  goesOn([first]) {
    const goesOn = this.isTrying && first?.kind === 'search';
    this.isTrying = false;
    if (goesOn) this.search();
    return goesOn;
  }

  /** @param {Remedy} remedy @param {number} arm */
  label(remedy, arm) {
    if (remedy.kind === 'search') return 'Solve from anywhere';
    if (remedy.kind === 'position') return 'Position only';
    if (remedy.kind === 'remove') return `Remove ${remedy.name}`;
    if (remedy.kind === 'shift') return `Move the target by ${Math.ceil(Math.hypot(...remedy.shift) * MILLIMETRES)} mm`;
    if (remedy.kind === 'unlock') return remedy.joints.length === 1 ? `Unlock ${remedy.joints[0]}` : `Unlock ${remedy.joints.length} joints`;
    if (remedy.kind === 'widen') return remedy.limits.length === 1 ? `Widen ${limitText(remedy.limits[0])}` : `Widen ${remedy.limits.length} limits`;
    const own = this.goals.list.filter((goal) => goal.arm === arm);
    const target = own.some(({ kind }) => kind !== 'position') ? 'pose' : 'point';
    return own.length === 1 ? `Move the target to the nearest ${target}` : `Move the targets to the nearest ${target}s`;
  }

  /** @param {Remedy} remedy @param {number} arm @param {number[]|null} nearest */
  apply(remedy, arm, nearest) {
    if (remedy.kind === 'search') this.search();
    else if (remedy.kind === 'unlock') this.unlock(arm, remedy.joints);
    else if (remedy.kind === 'widen') this.arms.widen(arm, remedy.limits);
    else if (remedy.kind === 'position') this.leaveOrientations(arm);
    else if (remedy.kind === 'remove') this.objects.remove(this.objects.list.findIndex(({ name }) => name === remedy.name));
    else if (remedy.kind === 'shift') this.shift(arm, remedy.shift);
    else if (nearest) this.goals.follow(arm, nearest);
  }

  /** @param {number} arm @param {string[]} joints */
  unlock(arm, joints) {
    const locks = /** @type {import('./codec.js').Locked[]} */ (this.store.get('lock'));
    this.store.set({ lock: locks.filter((one) => one.arm !== arm || !joints.includes(one.joint)) });
  }

  /** @param {number} arm @param {number[]} by [m] */
  shift(arm, by) {
    const shifted = (/** @type {number[]} */ position) => position.map((x, axis) => placed(x + by[axis]));
    this.store.set({ goal: this.goals.list.map((goal) => (goal.arm === arm ? { ...goal, position: shifted(goal.position) } : goal)) });
  }

  /** @param {number} arm */
  leaveOrientations(arm) {
    this.store.set({ goal: this.goals.list.map((goal) => (goal.arm === arm ? { ...goal, kind: 'position' } : goal)) });
  }
}

/** @param {Remedy} remedy @returns {string} what the label leaves out */
function detailsOf(remedy) {
  if (remedy.kind === 'widen') return remedy.limits.map(limitText).join(', ');
  if (remedy.kind === 'unlock') return remedy.joints.join(', ');
  return remedy.kind === 'position' ? 'The orientation may be any' : '';
}

/** @param {import('./protocol.js').WiderLimit} limit */
function limitText({ joint, value, unit }) {
  const number = Math.round(value * (unit === 'm' ? MILLIMETRES : DEGREES));
  return `${joint} to ${number < 0 ? '−' : ''}${Math.abs(number)}${unit === 'm' ? ' mm' : '°'}`;
}
