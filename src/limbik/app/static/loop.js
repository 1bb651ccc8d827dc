/**
 * Asks the server for the next frame: one request in flight, and a mark where the target moved meanwhile, so that the
 * newest target wins. Rests when nothing moves.
 */

import * as protocol from './protocol.js';
import { firstPose, points, resized } from './kinematics.js';

const STILL = 1e-6; // [rad] an arm that moves less per frame stands
const STILL_FRAMES = 8; // frames of standing until the loop rests
const RETRY = 2000; // [ms] until a request that failed at the server is tried again; doubled each time
const FRAME = 1 / 60; // [s] that a single step lets the target move

export class Loop {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./place.js').Place} parts.place
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./connection.js').Connection} parts.connection
   * @param {() => void} parts.onFrame  called after every answer
   */
  constructor({ store, arms, place, motion, connection, onFrame }) {
    Object.assign(this, { store, arms, place, motion, connection, onFrame });
    this.id = 0;
    /** @type {{id: number, problem: string, isNew: boolean, target: protocol.Point, base: protocol.Point, sent: number}|null} */
    this.inFlight = null;
    this.isDirty = false;
    this.steps = 0;
    /** True while the scrubber shows the past: nothing moves. */
    this.isHeld = false;
    /** Whether configurations of every iteration are asked for. */
    this.withTrace = false;
    this.problem = '';
    this.refused = '';
    this.refusedUntil = 0;
    this.failures = 0;
    this.still = 0;
    this.serverMs = NaN;
  }

  get paused() {
    return this.store.get('px');
  }

  /** How long the request in flight has been waiting for its answer [ms]. */
  get waited() {
    return this.inFlight ? performance.now() - this.inFlight.sent : 0;
  }

  /** Once per display frame. @param {number} seconds  since the last one */
  tick(seconds) {
    if (this.isHeld || (this.paused && this.steps === 0)) return;
    if (!this.connection.live) return;
    this.motion.advance(this.paused ? 0 : Math.min(seconds, 0.1));
    this.ask();
  }

  /** Run one iteration, also while paused. */
  stepOnce() {
    this.steps += 1;
    if (this.paused) this.motion.advance(FRAME);
  }

  ask() {
    if (!this.connection.live) return;
    if (this.inFlight) {
      this.isDirty = true;
      return;
    }
    const request = this.request();
    const problem = problemOf(request);
    const isNew = problem !== this.problem || request.start !== null;
    if (isNew) this.still = 0;
    if (problem === this.refused && performance.now() < this.refusedUntil) return;
    if (this.still >= STILL_FRAMES && this.steps === 0) return;
    this.post(request, problem, isNew);
  }

  /** @param {protocol.Solve} request @param {string} problem @param {boolean} isNew */
  post(request, problem, isNew) {
    this.id += 1;
    const { target, base } = request;
    this.inFlight = { id: this.id, problem, isNew, target, base, sent: performance.now() };
    if (this.steps > 0) this.steps -= 1;
    for (const arm of this.arms.list) arm.isPlaced = false;
    this.problem = problem;
    this.connection.send(protocol.solve(this.id, request));
  }

  /** @returns {protocol.Solve} */
  request() {
    const { store, arms } = this;
    const placed = arms.list.filter((arm) => arm.isPlaced);
    return {
      links: store.get('n'),
      length: store.get('L'),
      base: this.place.base,
      target: this.motion.target,
      solvers: arms.list.map((arm) => arm.solver),
      settings: this.settings(),
      start: placed.length ? Object.fromEntries(placed.map((arm) => [arm.solver, [...arm.q]])) : null,
      trace: this.withTrace,
    };
  }

  /** @returns {protocol.Settings} */
  settings() {
    const { store } = this;
    const bias = store.get('rb');
    return {
      iterations: this.steps > 0 ? 1 : store.get('it'),
      gamma: store.get('g'),
      lambda: store.get('la'),
      damping: store.get('d'),
      limits: store.get('lm'),
      limit_degrees: store.get('ld'),
      rest_bias: bias,
      rest: bias > 0 ? [...this.rest()] : null,
      tolerance: store.get('tol'),
    };
  }

  /** The rest pose, with as many links as the arm has. */
  rest() {
    const links = this.store.get('n');
    const chosen = this.store.get('rq');
    return chosen ? resized(chosen, links) : firstPose(links);
  }

  /** @param {protocol.Frame} frame */
  onAnswer(frame) {
    const asked = this.inFlight;
    if (!asked || frame.id !== asked.id) return;
    this.inFlight = null;
    this.serverMs = frame.server_ms;
    this.refused = '';
    this.failures = 0;
    let moved = 0;
    for (const answer of frame.arms) moved = Math.max(moved, this.take(answer, asked));
    const isDone = frame.arms.every((arm) => arm.status === 'solved' || arm.iterations === 0);
    this.still = isDone || moved < STILL ? this.still + (isDone && moved < STILL ? STILL_FRAMES : 1) : 0;
    this.onFrame();
    this.askAgain();
  }

  /** @param {protocol.ArmFrame} answer @param {{isNew: boolean, base: protocol.Point}} asked @returns {number} how far it moved */
  take(answer, asked) {
    const arm = this.arms.list.find((one) => one.solver === answer.solver);
    // An arm that was placed meanwhile, or has another number of links, has left this answer behind.
    if (!arm || arm.isPlaced || arm.q.length !== answer.q.length) return Infinity;
    const moved = arm.apply(answer, asked.isNew);
    const joints = points(arm.q, this.store.get('L'), asked.base);
    if (moved > 0 || arm.trail.length === 0) arm.leave(joints[joints.length - 2], joints[joints.length - 1]);
    return moved;
  }

  askAgain() {
    if (!this.isDirty) return;
    this.isDirty = false;
    if (!this.isHeld && (!this.paused || this.steps > 0)) this.ask();
  }

  /**
   * The server refused a request: the same one is not sent again. One that failed at the server, through no fault of an
   * entry in it, is tried again, less and less often.
   * @param {protocol.ServerError} error
   */
  onError(error) {
    if (!this.inFlight || (error.id !== null && error.id !== this.inFlight.id)) return;
    this.refused = this.inFlight.problem;
    this.refusedUntil = error.field === null ? performance.now() + RETRY * 2 ** this.failures : Infinity;
    this.failures += 1;
    this.inFlight = null;
    this.arms.tellAll();
  }

  /** The connection was lost or made: nothing is in flight, and the server knows no pose. */
  forget() {
    this.inFlight = null;
    this.isDirty = false;
    this.refused = '';
    this.still = 0;
    this.arms.tellAll();
  }

  wake() {
    this.still = 0;
  }
}

const NO_PROBLEM = ['iterations', 'start', 'trace'];

/** What is asked of the arms, as text: two requests with the same one go on with the same solve. @param {protocol.Solve} request */
function problemOf(request) {
  return JSON.stringify(request, (key, value) => (NO_PROBLEM.includes(key) ? undefined : value));
}
