/**
 * All solutions of an arm: requests them, and shows them as ghosts and as a list. What is requested, and of which arm,
 * is the view's own.
 */

import { Refusal } from './calls.js';
import { find } from './controls.js';
import { SolutionList } from './solutionlist.js';

/**
 * @typedef {{type: string, kind: string, body: Record<string, *>, hasShapes?: boolean}} Wanted
 *   kind: what decides whether there is a closed form; hasShapes: whether the server can tell which of them collide
 */

export class Solutions {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {import('./calls.js').Calls} parts.calls
   * @param {import('./loop.js').Loop} parts.loop
   * @param {*} parts.view
   * @param {() => void} parts.onMove  an arm is placed
   */
  constructor({ store, calls, loop, view, onMove }) {
    Object.assign(this, { store, calls, loop, view, onMove });
    this.list = new SolutionList({ onPoint: () => this.show(), onTake: (i) => this.take(i) });
    /** What was requested last, as text. */
    this.requested = '';
    this.isAsking = false;
    this.kind = '';
    /** Whether answers keep up with a drag. */
    this.isQuick = false;
    store.watch(['all'], () => this.open());
  }

  /** What to ask for now; null: nothing can be requested. @returns {Wanted|null} */
  wanted() {
    throw new Error('the view says what is wanted');
  }

  /** The configuration in front of the arm that solutions are of. @param {number} arm @returns {import('./runner.js').Runner} */
  runner(arm) {
    throw new Error('the view says who that is');
  }

  /** Whether a hand or the clock moves the target. @returns {boolean} */
  get isMoving() {
    throw new Error('the view says what moves');
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
    const section = /** @type {HTMLDetailsElement} */ (find(document, '#solutions-section'));
    section.open = true;
    this.list.list.focus({ preventScroll: true });
    section.scrollIntoView({ block: 'nearest' });
  }

  /** Nothing is known any more. @param {string} [text]  why */
  forget(text = '') {
    this.requested = '';
    this.kind = '';
    this.isQuick = false;
    this.list.clear(text);
    this.show();
  }

  /** Now and then. */
  tick() {
    if (!this.isOpen) return;
    const { shown } = this.list;
    if (shown) this.list.measure(this.runner(shown.arm).q);
    if (!this.isAsking) this.askIfNew();
  }

  askIfNew() {
    const wanted = this.wanted();
    const question = JSON.stringify(wanted);
    if (!wanted || question === this.requested) return;
    if (wanted.kind !== this.kind) {
      this.forget();
      this.kind = wanted.kind;
    }
    if (!this.isQuick && this.isBusy) return;
    this.requested = question;
    this.ask(question, wanted);
  }

  /** A search waits until nothing moves. */
  get isBusy() {
    const { loop } = this;
    return this.isMoving || loop.isHeld || (!loop.resting && !loop.paused);
  }

  /** @param {string} question @param {Wanted} wanted */
  async ask(question, { type, body }) {
    this.isAsking = true;
    if (!this.list.shown) this.list.say('Looking for all solutions…');
    try {
      const solutions = await this.calls.ask(type, { ...body, q: [...this.runner(body.arm ?? 0).q] });
      if (this.isOpen && this.requested === question) this.accept(solutions);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this.requested === question) this.list.clear(error.message);
      this.show();
    } finally {
      this.isAsking = false;
    }
  }

  /** @param {import('./solutionlist.js').Solutions} solutions */
  accept(solutions) {
    this.isQuick = solutions.is_quick;
    this.list.show(solutions);
    this.tick();
  }

  /** What is seen of them. */
  show() {
    const { shown, colours, pointed } = this.list;
    this.view.showSolutions(shown ? { arm: shown.arm, q: shown.q, circular: shown.circular, collisions: shown.collisions, colours, pointed } : null);
  }

  /** The arm goes there, and stays on that branch. @param {number} i */
  take(i) {
    const { arm, q } = /** @type {import('./solutionlist.js').Solutions} */ (this.list.shown);
    this.onMove();
    this.runner(arm).setPose(q[i]);
  }
}
