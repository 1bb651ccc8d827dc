/** Moves the selected goal along a circle or a figure-eight around its home. */

const TURN = 1.5; // [rad/s] along the path at speed 1
const SIZE = 0.14; // of the arm's reach
const USUAL_REACH = 1; // [m] where it is not known

export class Motion {
  /** @param {import('../store.js').Store} store @param {import('./goals.js').Goals} goals */
  constructor(store, goals) {
    this.store = store;
    this.goals = goals;
    this.phase = 0;
    /** True while a hand holds the goal. */
    this.held = false;
  }

  get moving() {
    return this.store.get('mv') !== 'none' && this.goals.selected >= 0;
  }

  /** @param {number} seconds */
  advance(seconds) {
    if (this.moving && !this.held) this.phase = (this.phase + TURN * this.store.get('sp') * seconds) % (2 * Math.PI);
  }

  /** From the home [m]. @returns {number[]} */
  offset() {
    return this.moving ? this.offsetAt(this.store.get('mv'), this.phase, SIZE) : [0, 0, 0];
  }

  /**
   * From the home [m]: the circle stands upright and faces the base, the eight swings to and from it as well, the line goes across.
   * @param {string} kind @param {number} phase  from 0 to a turn @param {number} fraction  of the reach @returns {number[]}
   */
  offsetAt(kind, phase, fraction) {
    const [out, side] = this.directions();
    const size = fraction * this.reach();
    if (kind === 'line') return [...side.map((part) => (size * phase * part) / Math.PI), 0];
    const isCircle = kind === 'circle';
    const along = size * Math.sin(phase);
    const up = isCircle ? size * (Math.cos(phase) - 1) : 0.6 * size * Math.sin(2 * phase);
    const depth = isCircle ? 0 : 0.5 * size * (Math.cos(phase) - 1);
    return [along * side[0] + depth * out[0], along * side[1] + depth * out[1], up];
  }

  /** Horizontal directions away from the arm's base and across. @returns {[number, number][]} */
  directions() {
    const [x, y] = this.goals.list[this.goals.selected].position;
    const [bx, by] = this.base();
    const distance = Math.hypot(x - bx, y - by);
    const out = /** @type {[number, number]} */ (distance > 1e-3 ? [(x - bx) / distance, (y - by) / distance] : [1, 0]);
    return [out, [-out[1], out[0]]];
  }

  /** Where the first joint that moves stands. */
  base() {
    const { arms, arm } = this.goals;
    const { description, kinematics } = arms.mechanisms[arm];
    const first = description.joints.find((joint) => joint.q >= 0 && joint.kind !== 'floating');
    const pose = kinematics.framePose(first ? first.parent : description.root, arms.frontOf(arms.mechanisms[arm]).q);
    return [pose.elements[12], pose.elements[13]];
  }

  reach() {
    return this.goals.arms.mechanisms[this.goals.arm].description.reach ?? USUAL_REACH;
  }

  /** Begin a path, or stop where the goal is. @param {string} kind */
  choose(kind) {
    if (kind === this.store.get('mv')) return;
    const changes = kind === 'none' ? this.goals.settled() : {};
    this.phase = 0;
    this.store.set({ ...changes, mv: kind });
  }
}
