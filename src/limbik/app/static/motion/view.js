/** Draws a motion: the body, the original, a robot beside it, the ground, and the balls to drag. */

import { Vector3 } from 'three';
import { GroundMesh } from './groundmesh.js';

const NOW = 'now';
const BEFORE = 'before';
const GHOST = 0.28; // opacity
const SAME = 1e-4; // [rad or m] of configurations that look alike
const NOWHERE = 1e-6; // [m]

export class View {
  /**
   * @param {object} parts
   * @param {import('../space/stage.js').Stage} parts.stage
   * @param {import('../store.js').Store} parts.store
   * @param {import('./player.js').Player} parts.player
   */
  constructor({ stage, store, player }) {
    Object.assign(this, { stage, store, player });
    /** @type {import('./protocol.js').Shown|null} */
    this.shown = null;
    /** @type {import('./protocol.js').Numbers|null} */
    this.numbers = null;
    this.described = '';
    this.held = ''; // the link in a hand
    /** Where the body is: floor, light and camera have gone there. @type {Vector3|null} */
    this.middle = null;
    this.ground = new GroundMesh();
    stage.studio.scene.add(this.ground);
    this.isStale = true;
    store.watch(['gh', 'gr'], () => this.touch());
    store.watch(['mg', 'sh'], () => stage.setMarks({ grid: store.get('mg'), shadow: store.get('sh') }));
  }

  touch() {
    this.isStale = true;
  }

  /**
   * @param {import('./protocol.js').Shown} shown @param {import('./protocol.js').Numbers} numbers
   * @returns {boolean} whether it is another scene
   */
  show(shown, numbers) {
    const described = JSON.stringify(shown.arms.map(({ q, ...rest }) => rest));
    const isPreview = this.held !== '' && shown.arms.length < (this.shown?.arms.length ?? 0);
    const isOther = !isPreview && described !== this.described;
    this.numbers = isPreview ? { ...numbers, robot: this.numbers?.robot ?? null } : numbers;
    this.shown = isPreview && this.shown ? { ...shown, arms: this.shown.arms } : shown;
    if (isOther) {
      this.described = described;
      this.stage.setScene({ name: shown.name, arms: shown.arms });
      this.middle = this.start();
    }
    if (this.ground.set(shown.ground)) this.stage.onSolids();
    this.touch();
    return isOther;
  }

  /** Once per display frame. @param {number} now [ms] */
  draw(now) {
    if (this.isStale && this.shown) {
      this.isStale = false;
      this.push();
    }
    this.stage.draw(now);
  }

  /** The configuration in the frame that is shown. @param {'before'|'after'|'robot'} part @returns {Float32Array} */
  pose(part) {
    const { arms } = /** @type {import('./protocol.js').Shown} */ (this.shown);
    const nq = part === 'robot' ? arms[1].nq : arms[0].nq;
    const { frame } = this.player;
    return /** @type {Float32Array} */ (this.numbers?.[part]).subarray(frame * nq, (frame + 1) * nq);
  }

  push() {
    const { stage, store, numbers } = this;
    const [before, after] = [this.pose('before'), this.pose('after')];
    const isOther = store.get('gh') && before.some((value, k) => Math.abs(value - after[k]) > SAME);
    stage.setPose(0, NOW, after);
    stage.setPose(0, BEFORE, isOther ? before : null);
    if (isOther) stage.setLook(0, BEFORE, { color: null, opacity: GHOST, isGhost: true, highlighted: [], collides: [] });
    if (numbers?.robot) stage.setPose(1, NOW, this.pose('robot'));
    this.follow();
    this.pushGrips();
  }

  /** The link that is followed: the hips, or what else can be taken. */
  get carrier() {
    return this.shown?.links[0] ?? this.shown?.arms[0].end_effector ?? '';
  }

  /** Where the body is in the configuration that the scene was made for. */
  start() {
    const { description, kinematics } = this.stage.crew.arms[0];
    return new Vector3().setFromMatrixPosition(kinematics.framePose(this.carrier, description.q));
  }

  /** Floor, light and camera go along. */
  follow() {
    const point = this.stage.crew.framePoint(0, this.carrier);
    if (!point || !this.middle || this.held) return;
    const by = point.clone().sub(this.middle);
    this.middle = point;
    if (by.length() > NOWHERE) this.stage.follow(by.toArray(), this.store.get('fo'));
  }

  pushGrips() {
    const links = this.store.get('gr') || this.held ? this.shown?.links ?? [] : [];
    this.stage.setGoals(links.flatMap((frame) => {
      const point = this.stage.crew.framePoint(0, frame);
      return point ? [{ id: frame, arm: 0, frame, kind: /** @type {'position'} */ ('position'), position: point.toArray(), selected: true, isLeft: true }] : [];
    }));
  }

  /** Where a link is [m]. @param {string} link @returns {number[]|null} */
  positionOf(link) {
    return this.stage.crew.framePoint(0, link)?.toArray() ?? null;
  }
}
