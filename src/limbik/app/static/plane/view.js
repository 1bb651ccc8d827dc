/** The 2-D canvas: draws arms, target, base and ghosts of all solutions when something has changed. */

import { drawArm, drawLimitArcs } from './arm2d.js';
import { points } from './kinematics.js';
import { drawBase, drawLeash, drawPath, drawReach, drawRest, drawTarget, drawTrail } from './marks.js';

const BEHIND = 0.5; // opacity of the arms behind the front one
const GRID = 24; // [world px] between two dots of the ground
const SOLUTION = 0.3; // of the ghosts of all solutions,
const POINTED = 0.85; // and of the one that is pointed out
const EXPLAINED = 0.4; // of the front one under the drawing of what its method does

export class View {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {object} scene
   * @param {import('../store.js').Store} scene.store
   * @param {import('./arms.js').Arms} scene.arms
   * @param {import('./workspace.js').Workspace} scene.workspace
   * @param {import('./camera.js').Camera} scene.camera
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
    /** All solutions. @type {{q: number[][], colours: string[], pointed: number}|null} */
    this.solutions = null;
    /** @type {'target'|'base'|null} */
    this.held = null;
    /** Draws beside the arm in front what its method does. @type {import('./howitworks.js').HowItWorks|null} */
    this.howItWorks = null;
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
    const { ctx, store, workspace, camera, theme, motion } = this;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    const base = camera.toScreen(workspace.base);
    if (store.get('rg')) drawReach(ctx, base, camera.scale * workspace.reach, theme.colour('guide'));
    if (motion.moving) drawPath(ctx, motion.path(96).map((point) => camera.toScreen(point)), theme.colour('target'));
    if (store.get('rb') > 0) drawRest(ctx, this.joints(this.loop.restPose()), theme.colour('guide'));
    this.drawSolutions();
    this.drawArms();
    this.explain();
    drawBase(ctx, base, { base: theme.colour('base'), joint: theme.colour('joint') }, this.held === 'base');
    this.drawTarget();
    this.showWorld();
  }

  /** In another colour, and tied to the end effector, where it is out of reach. */
  drawTarget() {
    const { ctx, arms, camera, motion, theme } = this;
    const target = camera.toScreen(motion.target);
    const isOut = arms.front.outOfReach > 0;
    const colour = theme.colour(isOut ? 'out-of-reach' : 'target');
    if (isOut) {
      const joints = this.joints(this.following.pose(arms.front, this.step));
      drawLeash(ctx, [joints[joints.length - 2], joints[joints.length - 1]], target, colour);
    }
    drawTarget(ctx, target, colour, this.held === 'target');
  }

  /** What the method in front does, where that is requested: in the world's own coordinates. */
  explain() {
    const { ctx, ratio, camera } = this;
    ctx.setTransform(ratio * camera.scale, 0, 0, ratio * camera.scale, ratio * camera.x, ratio * camera.y);
    this.howItWorks?.draw(ctx, 1 / camera.scale);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** The joints of an arm on the screen. @param {ArrayLike<number>} q @returns {Float64Array} */
  joints(q) {
    return this.camera.allToScreen(points(q, this.store.get('L'), this.workspace.base));
  }

  /** The grid of the ground goes with the world. */
  showWorld() {
    const { x, y, scale } = this.camera;
    const step = GRID * scale * 2 ** Math.max(0, Math.ceil(Math.log2(0.6 / scale)));
    this.canvas.style.backgroundSize = `${step}px ${step}px`;
    this.canvas.style.backgroundPosition = `${x}px ${y}px`;
  }

  /** @param {View['solutions']} solutions */
  showSolutions(solutions) {
    this.solutions = solutions;
    this.isStale = true;
  }

  /** The ghosts, the one that is pointed out above the others. */
  drawSolutions() {
    const { q, colours, pointed } = this.solutions ?? { q: [], colours: [], pointed: -1 };
    const length = this.store.get('L') * this.camera.scale;
    const [joint, edge] = ['joint', 'ground'].map((name) => this.theme.colour(name));
    const look = { joint, edge, shadow: 'transparent' };
    const order = [...q.keys()].sort((a, b) => Number(a === pointed) - Number(b === pointed));
    for (const i of order) drawArm(this.ctx, this.joints(q[i]), length, { ...look, colour: colours[i], opacity: i === pointed ? POINTED : SOLUTION });
  }

  drawArms() {
    const front = this.arms.list.find((arm) => arm.solver === this.pointedOut) ?? this.arms.front;
    const behind = this.arms.list.filter((arm) => arm !== front);
    if (this.store.get('tr') && this.step === null) {
      for (const arm of [...behind, front]) drawTrail(this.ctx, this.camera.allToScreen(arm.trail), this.theme.colour(arm.solver));
    }
    for (const arm of behind) this.drawOne(arm, BEHIND);
    this.drawOne(front, this.howItWorks?.isOn ? EXPLAINED : 1);
  }

  /** @param {import('../runner.js').Runner} arm @param {number} opacity */
  drawOne(arm, opacity) {
    const { ctx, store, theme } = this;
    const q = this.following.pose(arm, this.step);
    const length = store.get('L') * this.camera.scale;
    const joints = this.joints(q);
    const colour = theme.colour(arm.solver);
    if (store.get('sl') && opacity !== BEHIND) {
      const limit = (store.get('ld') * Math.PI) / 180;
      drawLimitArcs(ctx, joints, q, { limit, length, colour, danger: theme.colour('danger'), isOn: store.get('lm') });
    }
    const [joint, edge, shadow] = ['joint', 'ground', 'arm-shadow'].map((name) => theme.colour(name));
    drawArm(ctx, joints, length, { colour, joint, edge, shadow, opacity });
  }
}
