/** `SelfMotion`: requests the self-motion curve of the arm in focus once it rests, and interpolates configurations on it. */

import { Refusal } from '../calls.js';
import { apart } from '../solutionlist.js';

const BESIDE = 0.02; // [rad or m] that the arm may be off a curve which is its own

export class SelfMotion {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('../calls.js').Calls} parts.calls
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./loop.js').SpaceLoop} parts.loop
   */
  constructor({ store, calls, arms, goals, motion, loop }) {
    Object.assign(this, { store, calls, arms, goals, motion, loop });
    /** @type {import('./protocol.js').Curve|null} */
    this.curve = null;
    /** What the curve is the answer to, and what was requested last, as text. */
    this.known = this.requested = '';
    this.isAsking = false;
  }

  /** Whether the curve goes through where the arm is, with the goals that it has now. */
  get isCurrent() {
    return this.curve !== null && this.known === this.requested;
  }

  /** Another scene. */
  forget() {
    this.curve = null;
    this.known = this.requested = '';
  }

  /** Now and then: ask, as soon as the arm has come to rest, for the curve that it is on. */
  tick() {
    const { arms, loop } = this;
    const mechanism = arms.active;
    if (!mechanism || !loop.isOpen) return;
    const body = { arm: mechanism.index, goals: this.goals.request(mechanism.index), limits: this.store.get('lm'), widened: arms.widened(mechanism.index) };
    const question = JSON.stringify(body);
    const { q, measured } = arms.frontOf(mechanism);
    const mayBe = body.goals.length === 1 && body.goals[0].kind === 'pose' && measured?.nullity === 1 && arms.locked(mechanism.index).length === 0;
    if (!mayBe || this.curve?.arm !== mechanism.index) this.curve = null;
    const isOn = this.curve ? this.nearest(q).distance < this.spacing + BESIDE : this.isNone(q);
    if (question === this.requested && (isOn || this.isAsking)) return;
    this.requested = '';
    const isBusy = this.isAsking || this.motion.held || this.motion.moving || loop.isHeld || (!loop.resting && !loop.paused);
    if (mayBe && !isBusy) this.ask(question, { ...body, q: [...q] });
  }

  /** Whether it is known that there is no curve. @param {ArrayLike<number>} q */
  isNone(q) {
    return this.known === this.requested && this.requested !== '' && apart(this.from, q) < BESIDE;
  }

  /** @param {string} question @param {Record<string, *>} body */
  async ask(question, body) {
    this.isAsking = true;
    this.requested = question;
    this.from = body.q;
    try {
      const curve = await this.calls.ask('selfmotion', body);
      if (question === this.requested) this.accept(question, curve);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.known = question;
      this.curve = null;
    } finally {
      this.isAsking = false;
    }
  }

  /** @param {string} question @param {import('./protocol.js').Curve} curve */
  accept(question, curve) {
    this.known = question;
    this.curve = curve.q.length > 1 ? curve : null;
    /** The longest distance between two neighbours. */
    this.spacing = Math.max(0, ...curve.q.slice(1).map((q, i) => apart(q, curve.q[i])));
  }

  /** Where on the curve a configuration is. @param {ArrayLike<number>} q @returns {{fraction: number, distance: number}} fraction: of its rows */
  nearest(q) {
    const { q: rows } = /** @type {import('./protocol.js').Curve} */ (this.curve);
    const distances = rows.map((row) => apart(row, q));
    const distance = Math.min(...distances);
    return { fraction: distances.indexOf(distance) / (rows.length - 1), distance };
  }

  /** The configuration at a fraction of the curve. @param {number} fraction  from 0 to 1 @returns {number[]} */
  pose(fraction) {
    const { q: rows } = /** @type {import('./protocol.js').Curve} */ (this.curve);
    const at = fraction * (rows.length - 1);
    const low = Math.min(rows.length - 2, Math.floor(at));
    return rows[low].map((value, i) => value + (at - low) * (rows[low + 1][i] - value));
  }
}
