/** Passes arms, ghosts of solutions, goals, objects and marks to the stage when they change; reports what collides and how far off goals are. */

import { apart } from '../solutionlist.js';
import { token } from './colours.js';
import { MILLIMETRES } from './protocol.js';

const BEHIND = 0.3; // opacity of the arms behind the front one
const NEAREST = 0.34; // of the ghost of the nearest configuration
const SOLUTION = 0.27; // of those of all solutions,
const POINTED = 0.7; // and of the one that is pointed out
const MAX_LINES = 5; // between what is near each other
const HERE = 5e-3; // [rad or m] a solution where the arm is has no ghost
const GHOST = 'ghost';
const MARKS = { mg: 'grid', ma: 'axes', rg: 'reach', tr: 'trace', sl: 'limits', el: 'ellipsoid', sh: 'shadow', fr: 'frames' };

export class View {
  /**
   * @param {object} parts
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./objectedits.js').Objects} parts.objects
   * @param {import('../theme.js').Theme} parts.theme
   * @param {import('../following.js').Following} parts.following
   */
  constructor({ stage, store, arms, goals, objects, theme, following }) {
    Object.assign(this, { stage, store, arms, goals, objects, theme, following });
    this.isStale = true;
    /** Where an arm stands on the path that it follows; null: on none. @type {{arm: number, q: number[]}|null} */
    this.path = null;
    /** Step of the last solve that is shown; null: now. @type {number|null} */
    this.step = null;
    /** Solver that a row of the table points out. */
    this.pointedOut = '';
    /** Joints of an arm that stand out, and where it would be nearest. @type {{arm: number, joints: string[], nearest: number[]|null}|null} */
    this.explained = null;
    /** All solutions of an arm. @type {{arm: number, q: number[][], circular: number[], collisions: string[], colours: string[], pointed: number}|null} */
    this.solutions = null;
    /** @type {Set<string>} bodies on the stage, as ARM SOLVER */
    this.bodies = new Set();
    store.watch(['goal', 'sel', 'algo', 'race', 'mv', 'obj', 'osel', 'co', 'cl'], () => this.touch());
    store.watch(Object.keys(MARKS), () => this.mark());
    store.watch(['plane', 'depth'], () => stage.setPlane({ mode: store.get('plane'), depth: store.get('depth') }));
    store.watch(['gizmo', 'axes'], () => stage.setGizmo({ mode: store.get('gizmo'), space: store.get('axes') }));
  }

  touch() {
    this.isStale = true;
  }

  /** @param {View['solutions']} solutions */
  showSolutions(solutions) {
    this.solutions = solutions;
    this.touch();
  }

  mark() {
    this.stage.setMarks(Object.fromEntries(Object.entries(MARKS).map(([name, mark]) => [mark, this.store.get(name)])));
    this.touch();
  }

  /** Another scene: nothing of the last one is left. */
  clear() {
    this.bodies.clear();
    this.explained = null;
    this.solutions = null;
    this.path = null;
    this.step = null;
    this.touch();
  }

  /** Once per display frame. @param {number} now @returns {boolean} whether a picture was drawn */
  draw(now) {
    if (this.isStale) {
      this.isStale = false;
      this.push();
    }
    return this.stage.draw(now);
  }

  push() {
    const wanted = new Set();
    for (const mechanism of this.arms.mechanisms) {
      const front = mechanism.runners.find((runner) => runner.solver === this.pointedOut) ?? this.arms.frontOf(mechanism);
      for (const runner of mechanism.runners) wanted.add(this.pushBody(mechanism.index, runner, runner === front));
      if (this.explained?.arm === mechanism.index && this.explained.nearest) wanted.add(this.pushGhost(mechanism.index, this.explained.nearest));
      if (this.solutions?.arm === mechanism.index) for (const body of this.pushSolutions(mechanism)) wanted.add(body);
    }
    for (const body of this.bodies) if (!wanted.has(body)) this.removeBody(body);
    this.bodies = wanted;
    this.stage.setGoals(this.goals.drawn().map((goal, i) => ({ ...goal, isOutOfReach: this.outOfReach(i) > 0, isLeft: this.path?.arm === goal.arm })));
    this.pushObjects();
    this.pushEllipsoid();
  }

  /** @param {number} arm @param {import('../runner.js').Runner} runner @param {boolean} isFront @returns {string} */
  pushBody(arm, runner, isFront) {
    const highlighted = isFront && this.explained?.arm === arm ? this.explained.joints : [];
    const isOnPath = isFront && this.path?.arm === arm && this.step === null;
    this.stage.setPose(arm, runner.solver, isOnPath ? this.path.q : this.following.pose(runner, this.step));
    if (this.step === null) this.stage.leaveTrace(arm, runner.solver);
    this.stage.setLook(arm, runner.solver, {
      color: this.arms.racing ? this.theme.colour(runner.solver) : null,
      opacity: isFront ? 1 : BEHIND,
      isGhost: false,
      highlighted,
      collides: isFront && this.isPresent ? this.hitLinks(arm) : [],
    });
    return `${arm} ${runner.solver}`;
  }

  /** @param {number} arm @param {number[]} q @returns {string} */
  pushGhost(arm, q) {
    this.stage.setPose(arm, GHOST, q);
    this.stage.setLook(arm, GHOST, { color: null, opacity: NEAREST, isGhost: true, highlighted: [], collides: [] });
    return `${arm} ${GHOST}`;
  }

  /** @param {import('./arms.js').Mechanism} mechanism @returns {string[]} */
  pushSolutions(mechanism) {
    const { index } = mechanism;
    const { q: solutions, circular, collisions, colours, pointed } = /** @type {NonNullable<View['solutions']>} */ (this.solutions);
    const seen = this.following.pose(this.arms.frontOf(mechanism), this.step);
    return solutions.flatMap((q, i) => {
      if (apart(q, seen, circular) < HERE) return [];
      const key = `solution-${i}`;
      this.stage.setPose(index, key, q);
      this.stage.setLook(index, key, { color: collisions[i] ? token('out-of-reach') : colours[i], opacity: i === pointed ? POINTED : SOLUTION, isGhost: true, highlighted: [], collides: [] });
      return [`${index} ${key}`];
    });
  }

  // Collisions: those of the present, under the solvers in front

  /** The configuration of an arm that is told: on its path, or at a step of the last solve, or now. @param {import('./arms.js').Mechanism} mechanism @returns {ArrayLike<number>} */
  shownOf(mechanism) {
    const isOnPath = this.path?.arm === mechanism.index && this.step === null;
    return isOnPath ? this.path.q : this.arms.frontOf(mechanism).pose(this.step);
  }

  /** Whether what is seen is what was solved last. */
  get isPresent() {
    return this.step === null && this.path === null;
  }

  /** Pairs that are near each other, of one arm or of all. @param {number} [arm] @returns {import('./protocol.js').NearPair[]} */
  nearOf(arm) {
    if (!this.objects.count) return [];
    const some = this.arms.mechanisms.filter(({ index }) => arm === undefined || index === arm);
    return some.flatMap((mechanism) => this.arms.frontOf(mechanism).measured?.near ?? []);
  }

  /** Whether a pair is too near. @param {import('./protocol.js').NearPair} near */
  isHit({ distance }) {
    return distance <= this.store.get('cl') / MILLIMETRES;
  }

  /** Names of what collides. @returns {string[]} */
  get hits() {
    return this.nearOf().filter((near) => this.isHit(near)).flatMap(({ pair }) => pair);
  }

  /** Links of an arm that collide. @param {number} arm @returns {string[]} */
  hitLinks(arm) {
    return this.nearOf(arm).filter((near) => this.isHit(near)).flatMap(({ links }) => links).filter(Boolean);
  }

  /** @param {string} name */
  collides(name) {
    return this.hits.includes(name);
  }

  /** In words. @returns {string} */
  verdict() {
    if (!this.objects.count || !this.arms.mechanisms.length) return '';
    const fronts = this.arms.mechanisms.map((mechanism) => this.arms.frontOf(mechanism).measured);
    if (fronts.some((measured) => measured && !measured.near)) return 'The collision shapes are being made…';
    const near = this.nearOf();
    const hits = near.filter((one) => this.isHit(one)).sort((a, b) => a.distance - b.distance);
    const cl = this.store.get('cl');
    if (hits.length) {
      const [{ pair, distance }] = hits;
      const far = `${Math.abs(distance * MILLIMETRES).toFixed(1)} mm`;
      const more = hits.length > 1 ? `; ${hits.length - 1} more` : '';
      return distance > 0 ? `Nearer than the clearance: ${pair.join(' and ')}, ${far} apart${more}.` : `In collision: ${pair.join(' and ')}, ${far} deep${more}.`;
    }
    const min = Math.min(...near.map(({ distance }) => distance));
    return Number.isFinite(min) ? `Free of collision; the nearest pair is ${(min * MILLIMETRES).toFixed(1)} mm apart.` : `Free of collision; all pairs are more than ${50 + cl} mm apart.`;
  }

  pushObjects() {
    const { objects, stage } = this;
    const stance = (/** @type {number} */ arm) => this.following.pose(this.arms.frontOf(this.arms.mechanisms[arm]), this.step);
    const hits = this.isPresent ? this.hits : [];
    stage.setThings(objects.list.map((thing, i) => ({ ...thing, pose: objects.pose(i, stance), collides: hits.includes(thing.name), selected: i === objects.selected })));
    const near = this.isPresent ? this.nearOf().slice(0, MAX_LINES) : [];
    stage.setNear(near.map((one) => ({ points: one.points, distance: one.distance, collides: this.isHit(one) })));
  }

  /** @param {string} body */
  removeBody(body) {
    const [arm, key] = body.split(' ');
    this.stage.setPose(Number(arm), key, null);
  }

  pushEllipsoid() {
    const goal = this.goals.list[this.goals.selected];
    if (!goal) return;
    const mechanism = this.arms.mechanisms[goal.arm];
    const runner = this.arms.frontOf(mechanism);
    const matrix = this.store.get('el') ? runner.measured?.ellipsoid : null;
    // It is known of the present only.
    this.stage.setEllipsoid(goal.arm, this.tip(goal, this.following.pose(runner, null)), this.step === null ? matrix ?? null : null);
  }

  /** Where the frame of a goal is [m]. @param {import('./codec.js').Goal} goal @param {ArrayLike<number>} q @returns {number[]} */
  tip({ arm, frame }, q) {
    const { elements } = this.arms.mechanisms[arm].kinematics.framePose(frame, q);
    return [elements[12], elements[13], elements[14]];
  }

  /**
   * How far a goal is from its frame, at the step that is shown; NaN on a path, which leaves the goal.
   * @param {number} i @param {import('../runner.js').Runner} [runner]  of the goal's arm; by default the one in front
   * @returns {{metres: number, radians: number}}
   */
  distance(i, runner = this.frontOf(i)) {
    const isLeft = this.path?.arm === this.goals.list[i].arm && this.step === null;
    const errors = isLeft ? null : runner.goalErrorsAt(this.step);
    const among = this.among(i);
    return { metres: errors?.[2 * among] ?? NaN, radians: errors?.[2 * among + 1] ?? NaN };
  }

  /** By how much a goal is proved to be out of reach, at least [mm]; 0: not proved. @param {number} i */
  outOfReach(i) {
    return (this.frontOf(i).measured?.out_of_reach?.[this.among(i)] ?? 0) * MILLIMETRES;
  }

  /** The arm of a goal under the solver in front. @param {number} i */
  frontOf(i) {
    return this.arms.frontOf(this.arms.mechanisms[this.goals.list[i].arm]);
  }

  /** The index of a goal among those of its arm. @param {number} i */
  among(i) {
    const { arm } = this.goals.list[i];
    return this.goals.list.filter((goal, k) => goal.arm === arm && k < i).length;
  }

  /**
   * How far off the directions of the active arm's goals are at most [rad]; NaN where none has one.
   * @param {import('../runner.js').Runner} [runner]  of that arm; by default the one in front
   */
  turn(runner) {
    const { active } = this.arms;
    const angles = this.goals.list.flatMap((goal, i) => (goal.arm === active?.index && goal.kind !== 'position' ? [this.distance(i, runner).radians] : []));
    return angles.length ? Math.max(...angles) : NaN;
  }

  /** For the readout. @returns {string} */
  coordinates() {
    const goal = this.goals.list[this.goals.selected];
    if (!goal) return '';
    const q = this.shownOf(this.arms.mechanisms[goal.arm]);
    return `tip ${metres(this.tip(goal, q))}   goal ${metres(this.goals.positionOf(this.goals.selected))} m`;
  }
}

/** @param {number[]} point */
function metres(point) {
  return point.map((x) => (Math.round(x * MILLIMETRES) / MILLIMETRES + 0).toFixed(3)).join('  ');
}
