/**
 * The card of redundant arms: preferred posture, and moving along the null space. Where the curve of that walk is known
 * the slider is the curve from end to end; elsewhere it goes on from its middle for as long as it is pulled.
 */

import { fillSlider, find } from '../controls.js';

const STEADY = 0.02; // of the curve; the slider stays where a hand has it, unless the arm is farther away
const AMOUNT = 1.2; // [rad] from the middle of the slider to its end

export class Redundancy {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./loop.js').SpaceLoop} parts.loop
   * @param {import('./selfmotion.js').SelfMotion} parts.selfMotion
   * @param {() => void} parts.onMove  an arm is placed
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, arms, loop, selfMotion, onMove, notices }) {
    Object.assign(this, { store, arms, loop, selfMotion, onMove, notices });
    this.slider = /** @type {HTMLInputElement} */ (find(document, '#slide'));
    this.along = /** @type {HTMLSelectElement} */ (find(document, '#slide-along'));
    this.box = find(document, '#nullspace');
    this.hint = find(document, '#nullspace-hint');
    this.ends = find(document, '#slide-ends');
    /** Whether the slider is the curve. */
    this.isCurve = false;
    /** Position of the slider at the last request. */
    this.requested = 0;
    this.slider.addEventListener('input', () => this.slide());
    this.slider.addEventListener('change', () => this.spring());
    this.slider.addEventListener('keydown', (event) => this.wrap(event));
    find(document, '#posture-set').addEventListener('click', () => this.setPosture());
    find(document, '#posture-reset').addEventListener('click', () => this.resetPosture());
    this.spring();
    this.update();
  }

  setPosture() {
    const pq = this.arms.mechanisms.map((mechanism) => ({ arm: mechanism.index, solver: null, q: [...this.arms.frontOf(mechanism).q] }));
    this.store.set({ pq });
    const hint = this.store.get('pw') === 0 ? ' It takes effect with a weight above 0.' : '';
    this.notices.show(`The posture is the present configuration.${hint}`);
  }

  resetPosture() {
    this.store.set({ pq: null, pw: 0 });
    this.notices.show('The posture is the neutral configuration again, without weight.');
  }

  /** Go on along the direction by as much as the slider has moved. */
  slide() {
    if (this.isCurve) return this.goTo(Number(this.slider.value));
    const value = Number(this.slider.value) * AMOUNT;
    const before = this.loop.slide?.amount ?? 0;
    this.loop.slide = { along: Number(this.along.value || 0), amount: before + value - this.requested };
    this.requested = value;
    fillSlider(this.slider);
  }

  /** Along the curve. @param {number} fraction */
  goTo(fraction) {
    if (!this.selfMotion.isCurrent) return;
    const q = this.selfMotion.pose(fraction);
    this.onMove();
    this.arms.front.setPose(q);
    fillSlider(this.slider);
  }

  /** A closed curve has no end: the arrow keys go on at its beginning. @param {KeyboardEvent} event */
  wrap(event) {
    const to = { ArrowRight: ['1', '0'], ArrowUp: ['1', '0'], ArrowLeft: ['0', '1'], ArrowDown: ['0', '1'] }[event.key];
    if (!this.isCurve || !this.selfMotion.curve?.closed || this.slider.value !== to?.[0]) return;
    event.preventDefault();
    this.slider.value = to[1];
    this.slide();
  }

  /** The slider goes back to the middle, the arm stays. */
  spring() {
    if (this.isCurve) return;
    this.slider.value = '0';
    this.requested = 0;
    fillSlider(this.slider);
  }

  /** How many directions there are now. */
  update() {
    this.selfMotion.tick();
    this.showCurve();
    const measured = this.arms.front.measured;
    const nullity = measured?.nullity ?? 0;
    const isFree = nullity > 0 && measured.goal_errors?.length > 0;
    this.box.classList.toggle('is-idle', !isFree);
    this.slider.disabled = !isFree || (this.isCurve && !this.selfMotion.isCurrent);
    this.along.disabled = !isFree;
    if (this.along.childElementCount !== Math.max(1, nullity)) {
      const index = Math.min(Number(this.along.value || 0), Math.max(0, nullity - 1));
      this.along.replaceChildren(...Array.from({ length: Math.max(1, nullity) }, (_, i) => Object.assign(document.createElement('option'), { value: String(i), textContent: `${i + 1}` })));
      this.along.value = String(index);
    }
    const words = nullity === 1 ? 'One way to move' : `${nullity} ways to move`;
    const text = isFree ? `${words} while the goals are held.` : 'No joint is to spare while the goals are held.';
    if (this.hint.textContent !== text) this.hint.textContent = text;
  }

  /** The slider as the curve, or as it is without one. */
  showCurve() {
    const { slider, selfMotion } = this;
    const { curve } = selfMotion;
    if (this.isCurve !== (curve !== null)) {
      this.isCurve = curve !== null;
      this.box.classList.toggle('is-curve', this.isCurve);
      this.ends.hidden = !this.isCurve;
      Object.assign(slider, this.isCurve ? { min: 0, max: 1, step: 0.002 } : { min: -1, max: 1, step: 0.01 });
      slider.setAttribute('aria-label', this.isCurve ? 'Move along the curve of self-motion' : 'Move along the null direction');
      this.spring();
    }
    if (!curve || !selfMotion.isCurrent) return;
    if (slider !== document.activeElement || Math.abs(Number(slider.value) - selfMotion.nearest(this.arms.front.q).fraction) > STEADY) {
      slider.value = String(selfMotion.nearest(this.arms.front.q).fraction);
    }
    fillSlider(slider);
    const [from, to] = curve.closed ? ['goes round', 'and comes back'] : curve.ends.map((end) => end || 'no farther: singular');
    const [first, last] = this.ends.children;
    if (first.textContent !== from) first.textContent = from;
    if (last.textContent !== to) last.textContent = to;
  }
}
