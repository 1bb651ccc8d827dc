/** The canvas: sharp on every display, drawn again only when something changed. */

import { drawArm, drawLimitArcs } from './arm2d.js';
import { points } from './kinematics.js';
import { drawBase, drawPath, drawReach, drawRest, drawTarget, drawTrail } from './marks.js';

const BEHIND = 0.5; // opacity of the arms behind the front one

export class View {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {object} scene
   * @param {import('../store.js').Store} scene.store
   * @param {import('./arms.js').Arms} scene.arms
   * @param {import('./place.js').Place} scene.place
   * @param {import('./motion.js').Motion} scene.motion
   * @param {import('./loop.js').PlaneLoop} scene.loop
   * @param {import('../theme.js').Theme} scene.theme
   * @param {import('../following.js').Following} scene.following
   */
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    Object.assign(this, scene);
    this.isStale = true;
    /** Step of the last solve that is shown; null: now. @type {number|null} */
    this.step = null;
    /** Solver that a row of the table points out. */
    this.pointedOut = '';
    /** @type {'target'|'base'|null} */
    this.held = null;
  }

  /** Fit the bitmap to the window and the display. */
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.ratio = ratio;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * ratio);
    this.isStale = true;
  }

  draw() {
    if (!this.isStale) return;
    this.isStale = false;
    const { ctx, store, place, theme, motion } = this;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    const base = place.base;
    if (store.get('rg')) drawReach(ctx, base, store.get('n') * store.get('L'), theme.colour('guide'));
    if (motion.moving) drawPath(ctx, motion.path(96), theme.colour('target'));
    if (store.get('rb') > 0) drawRest(ctx, points(this.loop.restPose(), store.get('L'), base), theme.colour('guide'));
    this.drawArms(base);
    drawBase(ctx, base, { base: theme.colour('base'), joint: theme.colour('joint') }, this.held === 'base');
    drawTarget(ctx, motion.target, theme.colour('target'), this.held === 'target');
  }

  /** @param {[number, number]} base */
  drawArms(base) {
    const front = this.arms.list.find((arm) => arm.solver === this.pointedOut) ?? this.arms.front;
    const behind = this.arms.list.filter((arm) => arm !== front);
    if (this.store.get('tr') && this.step === null) {
      for (const arm of [...behind, front]) drawTrail(this.ctx, arm.trail, this.theme.colour(arm.solver));
    }
    for (const arm of behind) this.drawOne(arm, base, BEHIND);
    this.drawOne(front, base, 1);
  }

  /** @param {import('../runner.js').Runner} arm @param {[number, number]} base @param {number} opacity */
  drawOne(arm, base, opacity) {
    const { ctx, store, theme } = this;
    const q = this.following.pose(arm, this.step);
    const length = store.get('L');
    const joints = points(q, length, base);
    const colour = theme.colour(arm.solver);
    if (store.get('sl') && opacity === 1) {
      const limit = (store.get('ld') * Math.PI) / 180;
      drawLimitArcs(ctx, joints, q, { limit, length, colour, danger: theme.colour('danger'), isOn: store.get('lm') });
    }
    const [joint, edge, shadow] = ['joint', 'ground', 'arm-shadow'].map((name) => theme.colour(name));
    drawArm(ctx, joints, length, { colour, joint, edge, shadow, opacity });
  }
}
