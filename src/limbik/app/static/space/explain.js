/** The card that explains why a goal is not met, requested when the arms have come to rest. */

import { Refusal } from '../calls.js';
import { find } from '../controls.js';
import { FarSide } from './farside.js';
import { Remedies } from './remedies.js';
import { seenOf } from './visibility.js';

const ALIKE = 1e-2; // [rad or m] a nearest configuration no farther away is the present one
const PASSES = /at a time|not connected|went away/; // of a refusal: requested later, it may be answered
const AGAIN = 100; // [ms] until it is requested again then

export class Explain {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('../calls.js').Calls} parts.calls
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./objectedits.js').Objects} parts.objects
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./loop.js').SpaceLoop} parts.loop
   * @param {import('./view.js').View} parts.view
   * @param {import('./stage.js').Stage} parts.stage
   * @param {() => void} parts.search  from anywhere
   */
  constructor({ store, calls, arms, goals, objects, motion, loop, view, stage, search }) {
    Object.assign(this, { store, calls, arms, goals, objects, motion, loop, view, search });
    this.box = find(document, '#explanation');
    this.more = /** @type {HTMLDetailsElement} */ (find(document, '#explanation-more'));
    this.remedies = new Remedies({ store, arms, goals, objects, search });
    this.side = new FarSide(this.box, () => (view.explained ? seenOf({ stage, arms, goals, ...view.explained }) : []));
    /** What was requested or dismissed last, as text. */
    this.requested = '';
    /** The nearest configuration that was told, and whose it is. @type {{arm: number, nearest: number[]|null}} */
    this.told = { arm: 0, nearest: null };
    find(document, '#explanation-close').addEventListener('click', () => this.hide());
    find(document, '#explanation-take').addEventListener('click', () => this.take());
    this.more.addEventListener('toggle', () => this.side.update());
    store.watch(['goal', 'sel', 'lock', 'wide', 'algo', 'race', 'mv', 'lm', 'tol', 'ta', 'branches', 'obj', 'co', 'cl'], () => this.forget());
  }

  /** The question has changed. */
  forget() {
    this.requested = '';
    this.hide();
  }

  hide() {
    this.box.hidden = true;
    this.side.update();
    if (!this.view.explained) return;
    this.view.explained = null;
    this.view.touch();
  }

  /** After every answer, and now and then. */
  tick() {
    const { loop, arms, motion } = this;
    if (!this.box.hidden) this.showGhost();
    if (!loop.isOpen || !arms.active || !loop.resting || loop.inFlight || loop.isHeld || motion.held) return;
    if (this.isUnmet) this.ask(arms.active, arms.front);
    else this.remedies.isTrying = false;
  }

  get isUnmet() {
    const { status, error } = this.arms.front;
    return status !== 'solved' && status !== 'still' && Number.isFinite(error);
  }

  /** @param {import('./arms.js').Mechanism} mechanism @param {import('../runner.js').Runner} runner */
  async ask({ index }, runner) {
    const goals = this.goals.request(index);
    const locked = this.arms.locked(index);
    const widened = this.arms.widened(index);
    const { limits, tolerance, tolerance_rotation } = this.loop.settings();
    const settings = { limits, tolerance, tolerance_rotation };
    const world = this.objects.request();
    const question = JSON.stringify({ index, goals, locked, widened, settings, world });
    if (!goals.length || question === this.requested) return;
    this.requested = question;
    try {
      const explanation = await this.calls.ask('explain', { arm: index, q: [...runner.q], goals, locked, widened, settings, world });
      if (question === this.requested && this.isUnmet) this.show(explanation);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (question !== this.requested || !PASSES.test(error.message)) return; // what is refused is not requested again
      this.requested = '';
      window.setTimeout(() => this.tick(), AGAIN);
    }
  }

  /** @param {import('./protocol.js').Explanation} explanation */
  show({ arm, culprit, text, status, joints, nearest, remedies }) {
    if (this.remedies.goesOn(remedies)) return;
    const isElsewhere = status === 'solved';
    find(document, '#explanation-title').textContent = isElsewhere ? 'Stuck here' : 'Why not?';
    find(document, '#explanation-culprit').textContent = culprit;
    find(document, '#explanation-text').textContent = text;
    this.more.hidden = isElsewhere;
    this.more.open = false;
    const names = find(document, '#explanation-joints');
    names.hidden = joints.length === 0;
    names.replaceChildren(status === 'locked' ? 'Locked: ' : 'At their limits: ', ...joints.map((joint) => Object.assign(document.createElement('b'), { textContent: joint })));
    this.remedies.show(remedies, arm, nearest);
    this.told = { arm, nearest };
    this.view.explained = { arm, joints, nearest: null };
    this.showGhost();
    this.view.touch();
    this.box.hidden = false;
    this.side.update();
  }

  /** The nearest configuration as a ghost, unless the arm is there. */
  showGhost() {
    const { explained } = this.view;
    if (!explained) return;
    const { arm, nearest } = this.told;
    const { q } = this.arms.frontOf(this.arms.mechanisms[arm]);
    const isThere = !nearest || nearest.every((value, i) => Math.abs(value - q[i]) < ALIKE);
    const shown = isThere ? null : nearest;
    find(document, '#explanation-ghost').hidden = isThere;
    if (explained.nearest === shown) return;
    explained.nearest = shown;
    this.view.touch();
    this.side.update();
  }

  /** Put the arm where the ghost is. */
  take() {
    const { explained } = this.view;
    if (!explained?.nearest) return;
    const mechanism = this.arms.mechanisms[explained.arm];
    this.arms.frontOf(mechanism).setPose(explained.nearest);
    this.loop.wake();
    this.view.touch();
  }
}
