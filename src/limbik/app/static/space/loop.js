/** The 3-D page's part of the solve loop (`../loop.js`): requests for all arms with their goals, or along a null direction. */

import { Loop, problemOf } from '../loop.js';
import { MILLIMETRES, message } from './protocol.js';

const AGAIN = 400; // [ms] until it is requested again whether the collision shapes are made
const SLIDE = 'nullspace'; // name of the request, and of the solver that answers it

export class SpaceLoop extends Loop {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./objectedits.js').Objects} parts.objects
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('../connection.js').Connection} parts.connection
   * @param {() => void} parts.onFrame  called after every answer
   * @param {(notes: string[]) => void} parts.onNotes  what the server says about an answer
   */
  constructor({ arms, goals, objects, onNotes, ...parts }) {
    super(parts);
    Object.assign(this, { arms, goals, objects, onNotes });
    /** The server knows the scene. */
    this.isOpen = false;
    /** The next request looks for an answer from anywhere. */
    this.searches = false;
    /** How far to go along a null direction. @type {{along: number, amount: number}|null} */
    this.slide = null;
    /** The arms have been stopped: the server has yet to be told where. */
    this.isStopped = false;
    this.notes = '';
  }

  get runners() {
    return this.arms.all;
  }

  /** A slide and a search are requested by hand: also while the page is paused. */
  get mayAsk() {
    return super.mayAsk || (!this.isHeld && (this.slide !== null || this.searches));
  }

  ask() {
    if (this.slide || this.searches) this.wake();
    super.ask();
  }

  /** @returns {Record<string, *>|null} */
  request() {
    if (!this.isOpen || this.arms.mechanisms.length === 0) return null;
    return this.slideRequest() ?? (this.mayAsk ? this.moveRequest() : null);
  }

  /** @param {number} id @param {Record<string, *>} request */
  message(id, request) {
    const { type, ...body } = request;
    return message(type, id, body);
  }

  post(/** @type {Record<string, *>} */ request, /** @type {string} */ problem, /** @type {boolean} */ isNew) {
    const placed = this.runners.filter((runner) => runner.isPlaced);
    super.post(request, problem, isNew);
    if (request.type === SLIDE) for (const runner of placed) runner.isPlaced = true; // only a move tells where they stand
    else this.searches = this.isStopped = false;
  }

  /** @returns {Record<string, *>|null} */
  slideRequest() {
    const { slide, arms } = this;
    this.slide = null;
    if (!slide || !arms.active) return null;
    const arm = arms.active.index;
    const goals = this.goals.request(arm);
    return goals.length ? { type: SLIDE, arm, q: [...arms.front.q], goals, locked: arms.locked(arm), widened: arms.widened(arm), limits: this.store.get('lm'), ...slide } : null;
  }

  moveRequest() {
    return {
      type: 'move',
      arms: this.arms.mechanisms.map((mechanism) => this.armRequest(mechanism)),
      settings: this.settings(),
      search: this.searches,
      trace: this.withTrace || this.isAhead,
      timing: this.timing,
      measure: this.measure(),
      world: this.objects.request(),
    };
  }

  /** @param {import('./arms.js').Mechanism} mechanism @returns {import('./protocol.js').ArmMove} */
  armRequest({ index, runners }) {
    const { store } = this;
    const placed = runners.filter((runner) => runner.isPlaced || this.isStopped);
    return {
      arm: index,
      solvers: runners.map((runner) => runner.solver),
      goals: this.goals.request(index),
      start: placed.length ? Object.fromEntries(placed.map((runner) => [runner.solver, [...runner.q]])) : null,
      locked: this.arms.locked(index),
      widened: this.arms.widened(index),
      posture: this.posture(index),
      branches: store.get('branches'),
    };
  }

  /** @param {number} arm */
  posture(arm) {
    const weight = this.store.get('pw');
    if (weight === 0) return null;
    const { description } = this.arms.mechanisms[arm];
    const chosen = (this.store.get('pq') ?? []).find((/** @type {import('./codec.js').Stance} */ one) => one.arm === arm && one.q.length === description.nq);
    return { q: [...(chosen?.q ?? description.neutral)], weight };
  }

  settings() {
    const { store } = this;
    return {
      iterations: this.iterations,
      tolerance: store.get('tol') / MILLIMETRES,
      tolerance_rotation: (store.get('ta') * Math.PI) / 180,
      limits: store.get('lm'),
      damping: store.get('d'),
      gamma: store.get('g'),
      lambda: store.get('la'),
      anneal: store.get('an'),
    };
  }

  /** The frame whose ellipsoid is shown. */
  measure() {
    const goal = this.goals.list[this.goals.selected];
    return this.store.get('el') && goal ? { arm: goal.arm, frame: goal.frame } : null;
  }

  /** @param {import('./protocol.js').Motion} motion */
  onAnswer(motion) {
    super.onAnswer(motion);
    if (motion.preparing) window.setTimeout(() => this.wake(), AGAIN);
    const notes = motion.notes ?? [];
    if (notes.join('\n') === this.notes) return;
    this.notes = notes.join('\n');
    if (notes.length) this.onNotes(notes);
  }

  /** @param {import('./protocol.js').ArmMotion} answer @param {import('../loop.js').Pending} pending */
  take(answer, pending) {
    const mechanism = this.arms.mechanisms[answer.arm];
    if (!mechanism) return Infinity;
    if (answer.solver === SLIDE) return this.takeSlide(answer, mechanism);
    const runner = mechanism.runners.find((one) => one.solver === answer.solver);
    // An arm that was placed meanwhile has left this answer behind.
    if (!runner || runner.isPlaced) return Infinity;
    runner.refusal = answer.refused ?? '';
    if (answer.refused) return this.refuse(runner);
    if (runner.q.length !== answer.q.length) return Infinity;
    const inMillimetres = {
      ...answer,
      errors: answer.errors.map((error) => error * MILLIMETRES),
      out_of_reach: Math.max(0, ...answer.out_of_reach) * MILLIMETRES,
    };
    const moved = runner.apply(inMillimetres, pending.isNew);
    runner.measured = answer;
    return moved;
  }

  /** @param {import('../runner.js').Runner} runner */
  refuse(runner) {
    runner.status = 'refused';
    runner.error = runner.cost = NaN;
    return 0;
  }

  /** @param {import('./protocol.js').ArmMotion} answer @param {import('./arms.js').Mechanism} mechanism */
  takeSlide(answer, mechanism) {
    if (answer.refused) {
      this.onNotes([answer.refused]);
      return 0;
    }
    const runner = this.arms.frontOf(mechanism);
    if (runner.q.length !== answer.q.length) return Infinity;
    runner.q = answer.q;
    runner.isPlaced = true;
    return 1;
  }

  /** Look for an answer from anywhere, once. */
  search() {
    this.searches = true;
    this.wake();
  }

  /** What is requested from now on begins where the arms stand, and not before something changes. */
  rest() {
    super.rest();
    this.searches = false;
    this.slide = null;
    this.isStopped = true;
    for (const runner of this.runners) runner.isPlaced = false;
    this.problem = problemOf(this.moveRequest());
  }
}
