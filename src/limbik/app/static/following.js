/**
 * Moves what is seen of an arm to the solved configuration at limited joint speeds, all joints arriving together. What
 * a hand drags is followed at once; the numbers are always those of the solved configuration.
 */

/** Fastest joints of each choice of the setting `jv`: [rad/s] of a revolute joint, [m/s] of a prismatic one. */
const SPEEDS = {
  slow: { revolute: 0.6, prismatic: 0.2 },
  lively: { revolute: 2 * Math.PI, prismatic: 1.5 },
  once: { revolute: Infinity, prismatic: Infinity },
};
const BRAKING = 0.1; // [s] before the end, from where a joint slows down
const SLOWEST = 0.12; // of the full speed, at the very end
const IN_HAND = 10; // times the usual speed, while a hand drags
const HAND = 300; // [ms] after its last move that a hand counts as dragging

/** @type {import('./settings.js').Setting} */
export const JOINT_SPEED = { kind: 'choice', choices: Object.keys(SPEEDS), fallback: 'lively' };

/**
 * Numbers of q that move together: one of a revolute joint [rad] or of a prismatic one [m], or the four of a quaternion.
 * @typedef {{at: number, kind: 'revolute'|'prismatic'|'quaternion'}} Part
 */

/** @typedef {{runners: import('./runner.js').Runner[], parts: Part[]}} Arm  under all its solvers */

export class Following {
  /** @param {import('./store.js').Store} store */
  constructor(store) {
    this.store = store;
    this.reduced = window.matchMedia('(prefers-reduced-motion: reduce)');
    /** What is seen of each. @type {WeakMap<import('./runner.js').Runner, Float32Array>} */
    this.seen = new WeakMap();
    /** The solved configurations that are not followed: those towards which the page was paused. @type {WeakSet<Float32Array>} */
    this.unfollowed = new WeakSet();
    this.inHandUntil = 0;
    /** Whether an arm is moving. */
    this.moves = false;
  }

  /** The configuration to show. @param {import('./runner.js').Runner} runner @param {number|null} step  of the last solve; null: now */
  pose(runner, step) {
    const seen = this.seen.get(runner);
    return step === null && seen?.length === runner.q.length ? seen : runner.pose(step);
  }

  /** A hand drags: the arms are to be where it wants them. */
  hurry() {
    this.inHandUntil = performance.now() + HAND;
  }

  /** Once per display frame. @param {Arm[]} arms @param {number} seconds  since the last one @returns {boolean} whether an arm has moved */
  advance(arms, seconds) {
    const speed = this.speed();
    let hasMoved = false;
    this.moves = false;
    for (const { runners, parts } of arms) {
      for (const runner of runners) hasMoved = this.follow(runner, parts, seconds, speed) || hasMoved;
    }
    return hasMoved;
  }

  get isInHand() {
    return performance.now() < this.inHandUntil;
  }

  speed() {
    return SPEEDS[/** @type {keyof typeof SPEEDS} */ (this.reduced.matches ? 'once' : this.store.get('jv'))];
  }

  /** @param {import('./runner.js').Runner} runner @param {Part[]} parts @param {number} seconds @param {{revolute: number, prismatic: number}} speed */
  follow(runner, parts, seconds, speed) {
    const { q } = runner;
    const from = this.pose(runner, null);
    if (from === q || this.unfollowed.has(q)) {
      this.seen.set(runner, from);
      return false;
    }
    const left = timeFor(from, q, parts, speed);
    const fraction = this.isInHand ? (IN_HAND * seconds) / left : (seconds * braked(left)) / left;
    this.seen.set(runner, fraction < 1 ? between(from, q, parts, fraction) : q);
    this.moves ||= fraction < 1;
    return true;
  }

  /** Those that are moving stay where they are seen, until something else is solved. @param {Arm[]} arms */
  pause(arms) {
    for (const runner of this.moving(arms)) this.unfollowed.add(runner.q);
  }

  /** Go on after a pause. */
  goOn() {
    this.unfollowed = new WeakSet();
  }

  /** Those that are moving stand where they are seen, also for the server. @param {Arm[]} arms */
  stop(arms) {
    for (const runner of this.moving(arms)) runner.setPose(this.pose(runner, null));
  }

  /** @param {Arm[]} arms */
  moving(arms) {
    return arms.flatMap(({ runners }) => runners).filter((runner) => this.pose(runner, null) !== runner.q);
  }
}

/** How long the motion takes at full speed [s]: as long as the joint needs that has most to do. */
function timeFor(/** @type {ArrayLike<number>} */ from, /** @type {ArrayLike<number>} */ to, /** @type {Part[]} */ parts, /** @type {{revolute: number, prismatic: number}} */ speed) {
  let max = 0;
  for (const { at, kind } of parts) {
    const distance = kind === 'quaternion' ? angleBetween(from, to, at) : Math.abs(to[at] - from[at]);
    max = Math.max(max, distance / (kind === 'prismatic' ? speed.prismatic : speed.revolute));
  }
  return max;
}

/** @param {number} left [s] @returns {number} of the full speed */
function braked(left) {
  return Math.min(1, Math.max(SLOWEST, left / BRAKING));
}

/** @param {ArrayLike<number>} from @param {ArrayLike<number>} to @param {Part[]} parts @param {number} fraction  of the motion @returns {Float32Array} */
function between(from, to, parts, fraction) {
  const q = Float32Array.from(to);
  for (const { at, kind } of parts) {
    // A quaternion and its negative are the same turn: the motion to the nearer one is the shorter.
    const size = kind === 'quaternion' ? 4 : 1;
    const sign = size === 4 && dot(from, to, at) < 0 ? -1 : 1;
    for (let i = at; i < at + size; i += 1) q[i] = sign * from[i] + (to[i] - sign * from[i]) * fraction;
    if (size === 4) normalize(q, at);
  }
  return q;
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {number} at */
function dot(a, b, at) {
  return a[at] * b[at] + a[at + 1] * b[at + 1] + a[at + 2] * b[at + 2] + a[at + 3] * b[at + 3];
}

/** Between two unit quaternions. @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {number} at @returns {number} [rad] */
function angleBetween(a, b, at) {
  return 2 * Math.acos(Math.min(1, Math.abs(dot(a, b, at))));
}

/** @param {Float32Array} q @param {number} at */
function normalize(q, at) {
  const length = Math.sqrt(dot(q, q, at)) || 1;
  for (let i = at; i < at + 4; i += 1) q[i] /= length;
}
