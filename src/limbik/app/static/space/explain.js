/** Why a goal is not met: asked when the arms have come to rest without meeting it. */

import { find } from '../controls.js';
import { Refusal } from './calls.js';

const ALIKE = 1e-2; // [rad or m] a nearest configuration no farther away is the present one
const PASSES = /at a time|not connected|went away/; // of a refusal: asked later, it may be answered
const PATIENCE = 500; // [ms] at rest before the question is asked

export class Explain {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./calls.js').Calls} parts.calls
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./loop.js').SpaceLoop} parts.loop
   * @param {import('./view.js').View} parts.view
   * @param {() => void} parts.search  from anywhere
   */
  constructor({ store, calls, arms, goals, loop, view, search }) {
    Object.assign(this, { store, calls, arms, goals, loop, view });
    this.box = find(document, '#explanation');
    /** What was asked or dismissed last, as text. */
    this.asked = '';
    this.restingSince = 0;
    find(document, '#explanation-close').addEventListener('click', () => this.hide());
    find(document, '#explanation-take').addEventListener('click', () => this.take());
    find(document, '#explanation-search').addEventListener('click', () => {
      this.hide();
      search();
    });
    store.watch(['goal', 'sel', 'lock', 'algo', 'race', 'mv', 'lm', 'tol', 'ta', 'branches'], () => this.forget());
  }

  /** The question has changed. */
  forget() {
    this.asked = '';
    this.restingSince = 0;
    this.hide();
  }

  hide() {
    this.box.hidden = true;
    if (!this.view.explained) return;
    this.view.explained = null;
    this.view.touch();
  }

  /** Now and then. @param {number} now */
  tick(now) {
    const { loop, arms } = this;
    if (!loop.isOpen || !arms.active) return;
    if (!loop.resting || loop.inFlight || loop.isHeld) {
      this.restingSince = now;
      return;
    }
    const isUnmet = arms.front.status !== 'solved' && arms.front.status !== 'still' && Number.isFinite(arms.front.error);
    if (!isUnmet || now - this.restingSince < PATIENCE) return;
    this.ask(arms.active, arms.front);
  }

  /** @param {import('./arms.js').Mechanism} mechanism @param {import('../runner.js').Runner} runner */
  async ask({ index }, runner) {
    const goals = this.goals.asked(index);
    const locked = this.arms.locked(index);
    const { limits, tolerance, tolerance_rotation } = this.loop.settings();
    const settings = { limits, tolerance, tolerance_rotation };
    const question = JSON.stringify({ index, goals, locked, settings });
    if (!goals.length || question === this.asked) return;
    this.asked = question;
    try {
      const explanation = await this.calls.ask('explain', { arm: index, q: [...runner.q], goals, locked, settings });
      if (question === this.asked && this.loop.resting) this.show(explanation);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (question !== this.asked || !PASSES.test(error.message)) return; // what is refused is not asked again
      this.asked = '';
      this.restingSince = performance.now();
    }
  }

  /** @param {import('./protocol.js').Explanation} explanation */
  show({ arm, text, status, joints, nearest }) {
    const isElsewhere = status === 'solved';
    find(document, '#explanation-title').textContent = isElsewhere ? 'Stuck here' : 'Why not?';
    find(document, '#explanation-text').textContent = isElsewhere ? '' : text;
    find(document, '#explanation-elsewhere').hidden = !isElsewhere;
    const names = find(document, '#explanation-joints');
    names.hidden = joints.length === 0;
    names.replaceChildren(status === 'locked' ? 'Locked: ' : 'At their limits: ', ...joints.map((joint) => Object.assign(document.createElement('b'), { textContent: joint })));
    const { q } = this.arms.frontOf(this.arms.mechanisms[arm]);
    find(document, '#explanation-ghost').hidden = !nearest || nearest.every((value, i) => Math.abs(value - q[i]) < ALIKE);
    this.view.explained = { arm, joints, nearest: find(document, '#explanation-ghost').hidden ? null : nearest };
    this.view.touch();
    this.box.hidden = false;
  }

  /** Put the arm where the ghost is. */
  take() {
    const { explained } = this.view;
    if (!explained?.nearest) return;
    const mechanism = this.arms.mechanisms[explained.arm];
    this.arms.frontOf(mechanism).place(explained.nearest);
    this.loop.wake();
    this.view.touch();
  }
}
