/** What an arm does with joints to spare: the posture it is drawn to, and a walk along the null space of its goals. */

import { fillSlider, find } from '../controls.js';

const AMOUNT = 1.2; // [rad] from the middle of the slider to its end

export class Redundancy {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./loop.js').SpaceLoop} parts.loop
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, arms, loop, notices }) {
    Object.assign(this, { store, arms, loop, notices });
    this.slider = /** @type {HTMLInputElement} */ (find(document, '#slide'));
    this.along = /** @type {HTMLSelectElement} */ (find(document, '#slide-along'));
    this.box = find(document, '#nullspace');
    this.hint = find(document, '#nullspace-hint');
    /** How far the slider was when it was last asked. */
    this.asked = 0;
    this.slider.addEventListener('input', () => this.slide());
    this.slider.addEventListener('change', () => this.spring());
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
    const value = Number(this.slider.value) * AMOUNT;
    const before = this.loop.slide?.amount ?? 0;
    this.loop.slide = { along: Number(this.along.value || 0), amount: before + value - this.asked };
    this.asked = value;
    fillSlider(this.slider);
  }

  /** The slider goes back to the middle, the arm stays. */
  spring() {
    this.slider.value = '0';
    this.asked = 0;
    fillSlider(this.slider);
  }

  /** How many directions there are now. */
  update() {
    const measured = this.arms.front.measured;
    const nullity = measured?.nullity ?? 0;
    const isFree = nullity > 0 && measured.goal_errors?.length > 0;
    this.box.classList.toggle('is-idle', !isFree);
    this.slider.disabled = !isFree;
    this.along.disabled = !isFree;
    if (this.along.childElementCount !== Math.max(1, nullity)) {
      const kept = Math.min(Number(this.along.value || 0), Math.max(0, nullity - 1));
      this.along.replaceChildren(...Array.from({ length: Math.max(1, nullity) }, (_, i) => Object.assign(document.createElement('option'), { value: String(i), textContent: `${i + 1}` })));
      this.along.value = String(kept);
    }
    const words = nullity === 1 ? 'One way to move' : `${nullity} ways to move`;
    const text = isFree ? `${words} while the goals are held.` : 'No joint is to spare while the goals are held.';
    if (this.hint.textContent !== text) this.hint.textContent = text;
  }
}
