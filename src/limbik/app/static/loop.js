/**
 * Asks the server for the next frame: one request in flight, and a mark where something changed meanwhile, so that the
 * newest target wins. Rests when nothing moves. What is requested and how an answer is taken in is the view's own.
 */

const STILL = 1e-6; // [rad] an arm that moves less per frame stands
const STILL_FRAMES = 8; // frames of standing until the loop rests
const RETRY = 2000; // [ms] until a request that failed at the server is tried again; doubled each time
const LATE = 20; // [ms] without a display frame, after which the next request does not wait for one
const FRAME = 1 / 60; // [s] that a single step lets the target move
const TIMED_EVERY = 1000; // [ms] between two requests to measure what could not be measured yet
const AT_ONCE = 64; // iterations of a request, while what is shown is behind what is solved

/**
 * @typedef {{id: number, problem: string, isNew: boolean, request: Record<string, *>, sent: number, isDropped?: boolean}} Pending
 */

export class Loop {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {{advance: (seconds: number) => void}} parts.motion
   * @param {import('./connection.js').Connection} parts.connection
   * @param {() => void} parts.onFrame  called after every answer
   */
  constructor({ store, motion, connection, onFrame }) {
    Object.assign(this, { store, motion, connection, onFrame });
    this.id = 0;
    /** @type {Pending|null} */
    this.inFlight = null;
    this.isDirty = false;
    this.steps = 0;
    /** True while the scrubber shows the past: nothing moves. */
    this.isHeld = false;
    /** Whether configurations of every iteration are requested. */
    this.withTrace = false;
    /** Whether the arms are solved ahead of what is shown: in slow motion, also while the page is paused. */
    this.isAhead = false;
    this.timedAt = 0;
    this.problem = '';
    this.refused = '';
    this.refusedUntil = 0;
    this.failures = 0;
    this.still = 0;
    this.serverMs = NaN;
    this.timer = 0;
  }

  /** Everything that is solved. @returns {import('./runner.js').Runner[]} */
  get runners() {
    throw new Error('the view says what runs');
  }

  /** What to ask now; null: nothing. @returns {Record<string, *>|null} */
  request() {
    throw new Error('the view says what to ask');
  }

  /** @param {number} id @param {Record<string, *>} request @returns {string} the message */
  message(id, request) {
    throw new Error('the view says how to ask');
  }

  /**
   * Take in what the server says of one arm.
   * @param {Record<string, *>} answer @param {Pending} pending
   * @returns {number} how far it moved; Infinity where the answer came too late to be of use
   */
  take(answer, pending) {
    throw new Error('the view takes in answers');
  }

  get paused() {
    return this.store.get('px');
  }

  /** Of the next request. */
  get iterations() {
    if (this.isAhead) return AT_ONCE;
    return this.steps > 0 ? 1 : this.store.get('it');
  }

  /** Whether the next request asks what an iteration takes: once for every race, and again while solvers are interpreted. */
  get timing() {
    const isDue = this.runners.some(({ cost, isPlaced }) => cost === null && (isPlaced || performance.now() - this.timedAt > TIMED_EVERY));
    return isDue && this.store.get('race').length > 0;
  }

  get resting() {
    return this.still >= STILL_FRAMES;
  }

  /** Nothing is requested while the past is shown, or while the page is paused and no step is wanted. */
  get mayAsk() {
    return !this.isHeld && (!this.paused || this.steps > 0 || this.isAhead);
  }

  /** How long the request in flight has been waiting for its answer [ms]. */
  get waited() {
    return this.inFlight ? performance.now() - this.inFlight.sent : 0;
  }

  /** Once per display frame. @param {number} seconds  since the last one */
  tick(seconds) {
    if (!this.mayAsk || !this.connection.live) return;
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
    if (request === null) return;
    const problem = problemOf(request);
    const isNew = problem !== this.problem || this.runners.some((runner) => runner.isPlaced);
    if (isNew) this.still = 0;
    if (problem === this.refused && performance.now() < this.refusedUntil) return;
    if (this.resting && this.steps === 0 && !request.timing) return;
    this.post(request, problem, isNew);
  }

  /** @param {Record<string, *>} request @param {string} problem @param {boolean} isNew */
  post(request, problem, isNew) {
    this.id = this.connection.nextId();
    this.inFlight = { id: this.id, problem, isNew, request, sent: performance.now() };
    if (request.timing) this.timedAt = performance.now();
    if (this.steps > 0) this.steps -= 1;
    for (const runner of this.runners) runner.isPlaced = false;
    this.problem = problem;
    this.connection.send(this.message(this.id, request));
  }

  /** @param {{id: number, arms: Record<string, *>[], server_ms: number}} frame */
  onAnswer(frame) {
    const pending = this.inFlight;
    if (!pending || frame.id !== pending.id) return;
    this.inFlight = null;
    this.serverMs = frame.server_ms;
    this.refused = '';
    this.failures = 0;
    if (pending.isDropped) {
      this.askAgain();
      return;
    }
    let moved = 0;
    for (const answer of frame.arms) moved = Math.max(moved, this.take(answer, pending));
    const isDone = frame.arms.every((arm) => arm.status === 'solved' || !arm.iterations);
    this.still = isDone || moved < STILL ? this.still + (isDone && moved < STILL ? STILL_FRAMES : 1) : 0;
    this.onFrame();
    this.askAgain();
    this.goOn();
  }

  /** Rounds of the solvers go on by the clock where display frames are slow: an arm comes to rest at the same time. */
  goOn() {
    window.clearTimeout(this.timer);
    if (this.resting || this.inFlight) return;
    this.timer = window.setTimeout(() => {
      if (this.mayAsk && !this.inFlight) this.ask();
    }, LATE);
  }

  askAgain() {
    if (!this.isDirty) return;
    this.isDirty = false;
    if (this.mayAsk) this.ask();
  }

  /**
   * The server refused a request: the same one is not sent again. One that failed at the server, through no fault of an
   * entry in it, is tried again, less and less often.
   * @param {import('./protocol.js').ServerError} error
   */
  onError(error) {
    if (!this.inFlight || (error.id !== null && error.id !== this.inFlight.id)) return;
    this.refused = this.inFlight.problem;
    this.refusedUntil = error.field === null ? performance.now() + RETRY * 2 ** this.failures : Infinity;
    this.failures += 1;
    const { isDropped } = this.inFlight;
    this.inFlight = null;
    if (!isDropped) this.tellAll();
  }

  /** The connection was lost or made: nothing is in flight, and the server knows no pose. */
  forget() {
    this.inFlight = null;
    this.isDirty = false;
    this.refused = '';
    this.still = 0;
    this.tellAll();
  }

  /** Tell the server every pose again, in the next request. */
  tellAll() {
    for (const runner of this.runners) runner.isPlaced = true;
  }

  wake() {
    this.still = 0;
    this.goOn();
  }

  /** Rest now, until something changes; the answer in flight is passed over. */
  rest() {
    this.still = STILL_FRAMES;
    this.steps = 0;
    if (this.inFlight) this.inFlight.isDropped = true;
  }
}

const NO_PROBLEM = ['iterations', 'start', 'trace', 'timing'];

/** What is requested of the arms, as text: two requests with the same one go on with the same solve. @param {Record<string, *>} request */
export function problemOf(request) {
  return JSON.stringify(request, (key, value) => (NO_PROBLEM.includes(key) ? undefined : value));
}
