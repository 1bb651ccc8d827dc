/** Following a path with the selected goal's frame: a shape, a drawn stroke, or poses from a file. */

import { Quaternion } from 'three';
import { Refusal } from '../calls.js';
import { find } from '../controls.js';
import { LONGEST_TEXT, packText, placed, unpackText } from './codec.js';
import { stemOf } from './names.js';
import { COLOURS } from './pathplayer.js';
import { SHAPES, evenly, piece, pointAt, shapePoints } from './pathshapes.js';

const LONGEST_LINK = 6000; // characters of a packed file in the address
const USUAL_REACH = 1; // [m] where it is not known
const POSES = /^\s*x\s*$/; // a column of a file of poses

export class FollowPath {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('../calls.js').Calls} parts.calls
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./loop.js').SpaceLoop} parts.loop
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('./pathplayer.js').PathPlayer} parts.player
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, calls, arms, goals, motion, loop, stage, player, notices }) {
    Object.assign(this, { store, calls, arms, goals, motion, loop, stage, player, notices });
    /** What is requested, and what was requested last, as text. */
    this.question = this.requested = '';
    this.isAsking = false;
    /** A hand is to draw. */
    this.isDrawing = false;
    /** Somebody has just chosen a path: it is played as soon as it is known. */
    this.isNew = false;
    /** The file of poses. @type {{name: string, text: string}|null} */
    this.file = null;
    this.reduced = window.matchMedia('(prefers-reduced-motion: reduce)');
    this.verdict = find(document, '#path-verdict');
    this.field = /** @type {HTMLInputElement} */ (find(document, '#path-csv'));
    this.drawButton = find(document, '#path-draw');
    this.radios = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[name=path]'));
    for (const radio of this.radios) radio.addEventListener('change', () => this.choose(radio.value));
    this.drawButton.addEventListener('click', () => this.draw(!this.isDrawing));
    find(document, '#path-file').addEventListener('click', () => this.field.click());
    find(document, '#path-save').addEventListener('click', () => this.save());
    this.field.addEventListener('change', () => this.chosen());
    store.watch(['path', 'csv'], () => this.showKind());
    this.unpack();
  }

  /** @returns {string} none, line, circle, eight, drawn or file */
  get kind() {
    return this.store.get('path');
  }

  /** @param {string} kind @param {Record<string, *>} [more] */
  choose(kind, more = {}) {
    this.draw(false);
    this.motion.choose('none');
    this.isNew = kind !== 'none';
    this.player.release();
    this.player.time = 0;
    this.requested = '';
    this.store.set({ path: kind, ...more });
  }

  showKind() {
    const { kind } = this;
    for (const radio of this.radios) radio.checked = radio.value === kind;
    find(document, '#path-size').classList.toggle('is-idle', !SHAPES.includes(kind));
    const file = kind === 'file' ? this.file?.name ?? this.store.get('csvname') : null;
    find(document, '#path-file').textContent = file ?? 'Poses from CSV';
  }

  // Strokes

  /** Whether the next drag on the picture is a stroke. @param {boolean} isDrawing */
  draw(isDrawing) {
    this.isDrawing = isDrawing;
    this.drawButton.setAttribute('aria-pressed', String(isDrawing));
    this.stage.canvas.classList.toggle('is-drawing', isDrawing);
  }

  /** A hand draws. @param {number[][]} points @param {boolean} isDone */
  stroke(points, isDone) {
    if (!isDone) {
      this.stage.setPath({ lines: [{ points, colour: 'guide' }], marks: [] });
      return;
    }
    const pts = evenly(points, this.reach);
    if (pts.length) this.choose('drawn', { pts });
    else this.notices.show('Nothing was drawn: drag on the picture.');
    this.question = '';
  }

  get reach() {
    return this.arms.active?.description.reach ?? USUAL_REACH;
  }

  // Files

  /** Whether a text is a file of poses, and not a table of an arm. @param {string} text */
  static isPoses(text) {
    const header = text.split('\n').find((line) => line.trim() && !line.startsWith('#')) ?? '';
    return header.split(',').some((word) => POSES.test(word));
  }

  async chosen() {
    const file = this.field.files?.[0];
    this.field.value = '';
    if (file) await this.open(file.name, await file.text());
  }

  /** @param {string} name @param {string} text */
  async open(name, text) {
    if (text.length > LONGEST_TEXT) {
      this.notices.show(`${name} is too long: at most ${LONGEST_TEXT} characters.`, { isError: true });
      return;
    }
    const csv = await packText(text);
    this.file = { name, text };
    const fits = csv.length <= LONGEST_LINK;
    if (!fits) this.notices.show(`${name} is too long for a link: a copied link opens the page without it.`);
    this.choose('file', { csv: fits ? csv : null, csvname: name });
    this.showKind();
  }

  /** The file in the link. */
  async unpack() {
    const { store } = this;
    if (this.kind !== 'file' || !store.get('csv')) return;
    try {
      this.file = { name: store.get('csvname') ?? 'poses.csv', text: await unpackText(store.get('csv')) };
    } catch {
      this.notices.show('The poses in the link are damaged: was the whole link copied?', { isError: true });
    }
  }

  save() {
    const { plan } = this.player;
    if (!plan) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([plan.csv], { type: 'text/csv' }));
    link.download = `${stemOf(this.arms.mechanisms[plan.arm].description.name)}-path.csv`;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.notices.show(`Saved ${link.download}.`);
  }

  // Asking

  /** Another scene, or the same after a lost connection. */
  forget() {
    this.question = this.requested = '';
    this.player.set(null);
    this.stage.setPath({ lines: [], marks: [] });
  }

  /** Now and then: draw what is wanted, and ask for its joints as soon as the arms rest. */
  tick() {
    const { loop, motion } = this;
    const body = loop.isOpen && !motion.moving ? this.body() : null;
    const question = body ? JSON.stringify(body) : '';
    if (question !== this.question) this.change(question, body);
    const isBusy = this.isAsking || motion.held || loop.inFlight !== null || !(loop.resting || loop.paused || loop.isHeld);
    if (!body || question === this.requested || isBusy) return;
    this.ask(question, body);
  }

  /** @param {string} question @param {Record<string, *>|null} body */
  change(question, body) {
    this.question = question;
    const points = (body?.poses ?? []).map((/** @type {number[]} */ pose) => pose.slice(0, 3));
    this.stage.setPath({ lines: points.length > 1 ? [{ points, colour: 'guide' }] : [], marks: [] });
    if (body) {
      this.say('Looking for the joints …');
      return;
    }
    this.requested = '';
    this.player.set(null);
    this.say('');
  }

  /** What is requested; null: nothing. @returns {Record<string, *>|null} */
  body() {
    const goal = this.goals.list[this.goals.selected];
    const mechanism = goal && this.arms.mechanisms[goal.arm];
    if (this.kind === 'none' || !mechanism) return null;
    const requested = { arm: goal.arm, frame: goal.frame, widened: this.arms.widened(goal.arm), closed: this.store.get('pc') };
    if (this.kind === 'file') return this.file ? { ...requested, csv: this.file.text, name: this.file.name } : null;
    const points = this.points(goal.position);
    const turn = goal.kind === 'pose' ? goal.quat_xyzw : this.turn(mechanism, goal.frame);
    return points.length ? { ...requested, poses: points.map((point) => [...point, ...turn]) } : null;
  }

  /** @param {number[]} home @returns {number[][]} */
  points(home) {
    const { kind, motion, store } = this;
    if (kind === 'drawn') return store.get('pts');
    return shapePoints(/** @type {'circle'} */ (kind), home, (phase) => motion.offsetAt(kind, phase, store.get('ps')));
  }

  /** How the arm holds a frame. @param {import('./arms.js').Mechanism} mechanism @param {string} frame @returns {number[]} */
  turn(mechanism, frame) {
    const pose = mechanism.kinematics.framePose(frame, this.arms.frontOf(mechanism).q);
    return new Quaternion().setFromRotationMatrix(pose).toArray().map(placed);
  }

  /** @param {string} question @param {Record<string, *>} body */
  async ask(question, body) {
    this.isAsking = true;
    this.requested = question;
    try {
      const plan = await this.calls.ask('path', { ...body, q: [...this.arms.frontOf(this.arms.mechanisms[body.arm]).q] });
      if (question === this.question) this.accept(plan);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (question !== this.question) return;
      this.player.set(null);
      this.say(error.message);
    } finally {
      this.isAsking = false;
    }
  }

  /** @param {import('./protocol.js').FollowedPath} plan */
  accept(plan) {
    this.player.set(plan);
    this.show(plan);
    const seconds = `${this.player.duration.toFixed(1)} s`;
    const count = plan.breaks.length === 1 ? 'It breaks at 1 place' : `It breaks at ${plan.breaks.length} places`;
    if (plan.q.length === 0) this.say('No pose of the path can be reached.');
    else this.say(`${plan.complete ? `All of it can be followed without a break, in ${seconds}.` : `${count}, and takes ${seconds}.`} ${plan.ends} ${plan.pace}`);
    if (this.isNew && !this.reduced.matches) this.player.play();
    this.isNew = false;
  }

  /** The path in space, with its breaks. @param {import('./protocol.js').FollowedPath} plan */
  show({ poses, breaks, q }) {
    const points = poses.map((pose) => pose.slice(0, 3));
    const lines = [];
    let from = 0;
    for (const { begin, end, reason } of breaks) {
      lines.push({ from, to: begin, colour: 'accent' }, { from: begin, to: end, colour: COLOURS[reason] });
      from = end;
    }
    lines.push({ from, to: q.length ? points.length - 1 : from, colour: 'accent' });
    this.stage.setPath({
      lines: lines.filter(({ from: a, to: b }) => b > a).map(({ from: a, to: b, colour }) => ({ points: piece(points, a, b), colour })),
      marks: breaks.map(({ begin, reason }) => ({ point: pointAt(points, begin), colour: COLOURS[reason] })),
    });
  }

  /** @param {string} text */
  say(text) {
    this.verdict.hidden = text === '';
    if (this.verdict.textContent !== text) this.verdict.textContent = text;
  }
}
