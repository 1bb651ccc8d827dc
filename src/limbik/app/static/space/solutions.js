/** All solutions of the arm in focus: asked for again when its goals have changed, seen as ghosts and as a list. */

import { find } from '../controls.js';
import { SolutionList } from '../solutionlist.js';
import { Refusal } from './calls.js';

const LOCKED = ' Locked joints are counted as free.';

export class Solutions {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./calls.js').Calls} parts.calls
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./loop.js').SpaceLoop} parts.loop
   * @param {import('./view.js').View} parts.view
   * @param {() => void} parts.onMove  an arm has been placed
   */
  constructor({ store, calls, arms, goals, motion, loop, view, onMove }) {
    Object.assign(this, { store, calls, arms, goals, motion, loop, view, onMove });
    this.list = new SolutionList({ onPoint: () => this.show(), onTake: (i) => this.take(i) });
    /** What was asked last, as text. */
    this.asked = '';
    this.isAsking = false;
    /** Whether answers keep up with a drag; not known of another kind of goals. */
    this.isQuick = false;
    store.watch(['all'], () => this.open());
  }

  get isOpen() {
    return this.store.get('all');
  }

  open() {
    this.list.box.hidden = !this.isOpen;
    this.forget();
  }

  /** On or off, by the key: the arrow keys go through the list then. */
  toggle() {
    this.store.set({ all: !this.isOpen });
    if (!this.isOpen) return;
    /** @type {HTMLDetailsElement} */ (find(document, '#solutions-section')).open = true;
    this.list.list.focus({ preventScroll: true });
    find(document, '#solutions-section').scrollIntoView({ block: 'nearest' });
  }

  /** Another scene, or nothing to show. */
  forget() {
    this.asked = '';
    this.isQuick = false;
    this.list.clear('');
    this.show();
  }

  /** Now and then. */
  tick() {
    const { active } = this.arms;
    if (!this.isOpen || !active || !this.loop.isOpen) return;
    if (this.list.shown?.arm === active.index) this.list.measure(this.arms.frontOf(active).q);
    if (!this.isAsking) this.askIfNew(active);
  }

  /** @param {import('./arms.js').Mechanism} mechanism */
  askIfNew(mechanism) {
    const { index } = mechanism;
    const body = { arm: index, goals: this.goals.asked(index), limits: this.store.get('lm'), widened: this.arms.widened(index) };
    const question = JSON.stringify(body);
    if (question === this.asked) return;
    if (body.goals.length === 0) {
      this.asked = question;
      this.list.clear('This arm has no goal yet.');
      this.show();
      return;
    }
    const kind = JSON.stringify([index, body.goals.map((goal) => [goal.frame, goal.kind])]);
    if (!(this.isQuick && kind === this.kind) && this.isBusy) return;
    this.kind = kind;
    this.asked = question;
    this.ask(question, { ...body, q: [...this.arms.frontOf(mechanism).q] });
  }

  /** A search waits until nothing moves. */
  get isBusy() {
    const { motion, loop } = this;
    return motion.held || motion.moving || loop.isHeld || (!loop.resting && !loop.paused);
  }

  /** @param {string} question @param {Record<string, *>} body */
  async ask(question, body) {
    this.isAsking = true;
    if (!this.list.shown) this.list.say('Looking for all solutions…');
    try {
      const solutions = await this.calls.ask('solutions', body);
      if (this.isOpen && this.asked) this.accept(solutions);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (question === this.asked) this.list.clear(error.message);
      this.show();
    } finally {
      this.isAsking = false;
    }
  }

  /** @param {import('../solutionlist.js').Solutions} solutions */
  accept(solutions) {
    this.isQuick = solutions.is_quick;
    const text = this.arms.locked(solutions.arm).length ? solutions.text + LOCKED : solutions.text;
    this.list.show({ ...solutions, text });
    this.tick();
  }

  /** What is seen of them. */
  show() {
    const { shown, colours, pointed } = this.list ?? {};
    this.view.solutions = shown ? { arm: shown.arm, q: shown.q, colours, pointed } : null;
    this.view.touch();
  }

  /** The arm goes there, and stays on that branch. @param {number} i */
  take(i) {
    const { arm, q } = /** @type {import('../solutionlist.js').Solutions} */ (this.list.shown);
    this.onMove();
    this.arms.frontOf(this.arms.mechanisms[arm]).place(q[i]);
  }
}
