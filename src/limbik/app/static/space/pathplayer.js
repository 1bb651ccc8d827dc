/** Playback of the joints along a path: slider, breaks, plots. */

import { fillSlider, find } from '../controls.js';
import { JointPlots } from './jointplots.js';

/** The colour of each reason. @type {Record<string, string>} */
export const COLOURS = { 'no solution': 'out-of-reach', limit: 'break-limit', 'branch ends': 'break-branch', 'other branch': 'break-branch' };

/** @typedef {import('./protocol.js').FollowedPath} Plan */

export class PathPlayer {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./view.js').View} parts.view
   * @param {import('./loop.js').SpaceLoop} parts.loop
   * @param {import('../convergence.js').Convergence} parts.convergence
   * @param {import('../theme.js').Theme} parts.theme
   * @param {string[]} parts.present  settings that decide what the arms do next: a change of one ends the playing
   */
  constructor({ store, arms, view, loop, convergence, theme, present }) {
    Object.assign(this, { store, arms, view, loop, convergence });
    /** @type {Plan|null} */
    this.plan = null;
    this.time = 0; // [s]
    this.isPlaying = false;
    this.box = find(document, '#path-player');
    this.button = find(document, '#path-play');
    this.slider = /** @type {HTMLInputElement} */ (find(document, '#path-time'));
    this.text = find(document, '#path-time-text');
    this.ticks = find(document, '#path-ticks');
    this.list = find(document, '#path-breaks');
    this.plots = new JointPlots(find(document, '#path-joints'), (name) => theme.colour(name), (time) => this.seek(time));
    this.button.addEventListener('click', () => this.toggle());
    this.slider.addEventListener('input', () => this.seek(Number(this.slider.value)));
    find(document, '#path-live').addEventListener('click', () => this.release());
    store.watch(present.filter((name) => name !== 'px'), () => this.release());
    store.watch(['theme'], () => this.plots.draw());
  }

  /** How long the path takes [s]. */
  get duration() {
    return this.plan?.times[this.plan.times.length - 1] ?? 0;
  }

  /** Whether the arm stands where the path has it. */
  get isHeld() {
    return this.view.path !== null;
  }

  /** @param {Plan|null} plan  null: there is none */
  set(plan) {
    const wasHeld = this.isHeld;
    this.plan = plan;
    this.box.hidden = plan === null || plan.q.length === 0;
    if (this.box.hidden) this.release();
    this.time = Math.min(this.time, this.duration);
    this.list.replaceChildren(...(plan?.breaks ?? []).map((each) => this.row(each)));
    if (!plan || this.box.hidden) return;
    const stripes = plan.breaks.map((each) => ({ ...this.span(each), colour: COLOURS[each.reason] }));
    this.ticks.replaceChildren(...stripes.map(({ from, to, colour }) => tick(from / this.duration, to / this.duration, colour)));
    Object.assign(this.slider, { min: '0', max: String(this.duration), step: String(this.duration / 1000 || 1) });
    this.plots.show(this.arms.mechanisms[plan.arm].description, plan.times, plan.q, stripes);
    if (wasHeld) this.hold();
    this.show();
  }

  /** When a break begins and ends [s]. @param {import('./protocol.js').PathBreak} each */
  span({ begin, knots }) {
    if (!knots) return begin === 0 ? { from: 0, to: 0 } : { from: this.duration, to: this.duration };
    const { times } = /** @type {Plan} */ (this.plan);
    return { from: times[knots[0]], to: times[knots[1]] };
  }

  /** @param {import('./protocol.js').PathBreak} each */
  row(each) {
    const item = document.createElement('li');
    item.innerHTML = '<button type="button"><i></i><b></b><span></span></button>';
    const { from } = this.span(each);
    find(item, 'i').style.background = `var(--${COLOURS[each.reason]})`;
    find(item, 'b').textContent = this.duration ? `${from.toFixed(1)} s` : '';
    find(item, 'span').textContent = sentence(each.text);
    find(item, 'button').addEventListener('click', () => this.duration && this.seek(from));
    return item;
  }

  /** For scripts and tests. */
  get state() {
    const { plan, time, duration, isPlaying, isHeld } = this;
    return plan && { time, duration, isPlaying, isHeld, complete: plan.complete, reasons: plan.breaks.map(({ reason }) => reason), q: isHeld ? this.pose() : null };
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (!this.plan || this.duration === 0) return;
    if (this.time >= this.duration) this.time = 0;
    this.isPlaying = true;
    this.hold();
    this.show();
  }

  pause() {
    this.isPlaying = false;
    this.show();
  }

  /** @param {number} time [s] */
  seek(time) {
    this.isPlaying = false;
    this.time = time;
    this.hold();
    this.show();
  }

  /** The arm stands where it is on the path; nothing is solved meanwhile. */
  hold() {
    const { plan, view, loop } = this;
    if (!plan || plan.q.length === 0) return;
    if (view.step !== null) this.convergence.release();
    view.path = { arm: plan.arm, q: this.pose() };
    loop.isHeld = true;
    view.touch();
  }

  /** Back to what is solved. */
  release() {
    this.isPlaying = false;
    if (!this.isHeld) return;
    this.view.path = null;
    if (this.view.step === null) this.loop.isHeld = false;
    this.view.touch();
    this.show();
  }

  /** Once per display frame. @param {number} seconds  since the last one */
  tick(seconds) {
    if (this.isHeld && this.view.step !== null) this.release(); // the scrubber shows a solve
    if (!this.isPlaying) return;
    const time = this.time + seconds * this.store.get('pr');
    this.time = this.plan?.closed ? time % this.duration : Math.min(this.duration, time);
    if (this.time >= this.duration) this.isPlaying = false;
    this.hold();
    this.show();
  }

  /** @returns {number[]} the configuration now */
  pose() {
    const { times, q } = /** @type {Plan} */ (this.plan);
    let high = times.findIndex((time) => time > this.time);
    if (high < 0) high = times.length - 1;
    const low = Math.max(0, high - 1);
    const fraction = Math.min(1, (this.time - times[low]) / (times[high] - times[low] || 1));
    return q[low].map((value, i) => value + fraction * (q[high][i] - value));
  }

  show() {
    const { slider, time, duration, isPlaying, button } = this;
    if (this.box.hidden) return;
    slider.value = String(time);
    slider.setAttribute('aria-valuetext', `${time.toFixed(1)} of ${duration.toFixed(1)} seconds`);
    fillSlider(slider);
    const words = `${time.toFixed(1)} of ${duration.toFixed(1)} s`;
    if (this.text.textContent !== words) this.text.textContent = words;
    button.querySelector('use')?.setAttribute('href', isPlaying ? '#i-pause' : '#i-play');
    button.setAttribute('aria-label', isPlaying ? 'Pause on the path' : 'Play the path');
    /** @type {HTMLButtonElement} */ (find(document, '#path-live')).disabled = !this.isHeld;
    this.plots.point(time, this.pose());
  }
}

/** @param {string} text */
function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** @param {number} from @param {number} to  of the slider's length @param {string} colour */
function tick(from, to, colour) {
  const mark = document.createElement('i');
  mark.style.cssText = `left: ${100 * from}%; width: ${100 * (to - from)}%; background: var(--${colour})`;
  return mark;
}
