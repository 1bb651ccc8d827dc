/** The convergence dock: error per iteration and per frame, and the scrubber through the last solve. */

import { Plot, log10 } from './plot.js';
import { FRAMES } from './runner.js';
import { SlowMotion } from './slowmotion.js';

const EVERY = 66; // [ms] between two drawings of the plots
const REPLAY = [700, 3000]; // [ms] shortest and longest replay
const PER_STEP = 90; // [ms] of replay per iteration, within these
const LONGEST_TURN = 1; // [s] that slow motion goes on for; a page that was hidden is where it was
const OF_SLOW_MOTION = ['px', 'algo']; // it can be paused, and another arm be in front

export class Convergence {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {import('./race.js').Lineup} parts.arms
   * @param {import('./loop.js').Loop} parts.loop
   * @param {{step: number|null, isStale: boolean}} parts.view
   * @param {import('./theme.js').Theme} parts.theme
   * @param {string[]} parts.present  settings that decide what is done next: a change of one ends the look at the past
   */
  constructor({ store, arms, loop, view, theme, present }) {
    Object.assign(this, { store, arms, loop, view, theme });
    this.isStale = true;
    this.drawnAt = 0;
    /** @type {{began: number, time: number}|null} */
    this.replaying = null;
    this.slow = new SlowMotion(arms, loop);
    this.tickedAt = 0;
    this.slider = /** @type {HTMLInputElement} */ (document.getElementById('scrub'));
    this.text = /** @type {HTMLOutputElement} */ (document.getElementById('scrub-text'));
    this.live = /** @type {HTMLButtonElement} */ (document.getElementById('scrub-live'));
    this.plots = this.makePlots();
    this.slider.addEventListener('input', () => this.scrub(Number(this.slider.value)));
    this.live.addEventListener('click', () => this.release());
    document.getElementById('replay')?.addEventListener('click', () => this.replay());
    store.watch(['algo', 'race'], () => this.rebuild());
    store.watch(['tol'], () => this.touch());
    store.watch(present.filter((name) => !OF_SLOW_MOTION.includes(name)), () => this.release());
    store.watch(OF_SLOW_MOTION, () => this.slow.isOn || this.release());
  }

  makePlots() {
    const shared = { colour: (/** @type {string} */ name) => this.theme.colour(name), tolerance: () => this.store.get('tol') };
    const box = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
    return {
      iterations: new Plot(box('plot-iterations'), {
        ...shared, mark: () => this.view.step, onPick: (step) => this.scrub(step), title: (step) => `Iteration ${step}`,
      }),
      frames: new Plot(box('plot-frames'), { ...shared, mark: () => null, onPick: null, title: framesAgo }),
    };
  }

  /** New lines or colours. */
  rebuild() {
    if (!this.plots) return;
    const solvers = this.arms.list.map((arm) => arm.solver);
    for (const plot of Object.values(this.plots)) plot.rebuild(solvers);
    this.touch();
  }

  resize() {
    for (const plot of Object.values(this.plots)) plot.resize();
    this.touch();
  }

  touch() {
    this.isStale = true;
  }

  /** Show the arms at a step of the last solve; everything else stands still. @param {number} step */
  scrub(step) {
    if (this.arms.lastStep === 0) return;
    this.replaying = null;
    this.slow.end();
    this.hold(Math.max(0, Math.min(step, this.arms.lastStep)));
  }

  /** @param {number} step */
  hold(step) {
    this.show(step);
    this.loop.isHeld = true;
  }

  /** @param {number|null} step  null: now */
  show(step) {
    this.view.step = step;
    this.view.isStale = true;
    this.touch();
  }

  /** Show in slow motion what the arms do from here, at this many iterations a second to begin with. @param {number} perSecond */
  slowDown(perSecond) {
    this.release();
    this.slow.begin(perSecond);
    this.show(0);
  }

  /** One iteration of the slow motion, which pauses. @returns {boolean} whether there was one */
  stepOnce() {
    if (!this.slow.step()) return false;
    this.store.set({ px: true });
    this.show(this.slow.shown);
    return true;
  }

  /** Back to the present. */
  release() {
    if (this.view.step === null) return;
    this.replaying = null;
    this.slow.end();
    this.show(null);
    this.loop.isHeld = false;
  }

  replay() {
    const steps = this.arms.lastStep;
    if (steps === 0) return;
    this.slow.end();
    const time = Math.min(REPLAY[1], Math.max(REPLAY[0], PER_STEP * steps));
    this.replaying = { began: performance.now(), time };
    this.hold(0);
  }

  /** Once per display frame. @param {number} now */
  tick(now) {
    if (this.replaying) this.advance(now);
    if (this.slow.isOn) this.goOn((now - this.tickedAt) / 1000);
    this.tickedAt = now;
    if (!this.isStale || now - this.drawnAt < EVERY) return;
    this.isStale = false;
    this.drawnAt = now;
    this.showScrubber();
    if (!this.store.get('cv')) return;
    this.plots.iterations.show(this.perIteration());
    this.plots.frames.show(this.perFrame());
  }

  /** @param {number} now */
  advance(now) {
    const { began, time } = /** @type {{began: number, time: number}} */ (this.replaying);
    const part = (now - began) / time;
    if (part >= 1.15) this.release();
    else this.hold(Math.min(this.arms.lastStep, Math.max(0, Math.round(part * this.arms.lastStep))));
  }

  /** The next iterations of the slow motion. @param {number} seconds  since the last ones */
  goOn(seconds) {
    this.slow.advance(this.store.get('px') ? 0 : Math.min(seconds, LONGEST_TURN));
    if (this.slow.isOver && !this.store.get('px')) this.release();
    else if (this.slow.shown !== this.view.step) this.show(this.slow.shown);
  }

  showScrubber() {
    const last = this.arms.lastStep;
    const step = this.view.step;
    const shown = step ?? last;
    this.slider.max = String(last);
    this.slider.value = String(shown);
    this.slider.disabled = last === 0;
    this.slider.style.setProperty('--fill', `${last ? (100 * shown) / last : 0}%`);
    this.slider.setAttribute('aria-valuetext', `iteration ${shown} of ${last}`);
    this.live.disabled = step === null;
    this.text.classList.toggle('is-scrubbing', step !== null);
    const words = step === null ? `last solve: ${last}` : `step ${step} of ${last}`;
    this.text.textContent = last === 0 ? 'no iterations yet' : words;
  }

  /** @returns {(number|null)[][]} iterations, then log10 error of every arm */
  perIteration() {
    // Slow motion shows nothing of what is to come.
    const shown = this.slow.isOn ? this.slow.shown + 1 : Infinity;
    const counts = this.arms.list.map(({ recording }) => Math.min(recording.errors.length, shown));
    const steps = Array.from({ length: Math.max(1, ...counts) }, (_, k) => k);
    const lines = this.arms.list.map(({ recording }, i) => steps.map((k) => (k < counts[i] ? log10(recording.errors[k]) : null)));
    return [steps, ...lines];
  }

  /** @returns {(number|null)[][]} frames before now, then log10 error of every arm */
  perFrame() {
    const frames = Array.from({ length: FRAMES }, (_, i) => i - FRAMES + 1);
    const lines = this.arms.list.map(({ frames: { values } }) => {
      const missing = FRAMES - values.length;
      return frames.map((_, i) => (i < missing ? null : log10(values[i - missing])));
    });
    return [frames, ...lines];
  }
}

/** @param {number} frame  before the last one, negative */
function framesAgo(frame) {
  if (frame === 0) return 'Last frame';
  return frame === -1 ? '1 frame ago' : `${-frame} frames ago`;
}
