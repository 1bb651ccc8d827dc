/** All solutions for the goals of the arm in focus, on the 3-D page. */

import { Solutions } from '../solutions.js';

const LOCKED = ' Locked joints are counted as free.';

export class SpaceSolutions extends Solutions {
  /**
   * @param {ConstructorParameters<typeof Solutions>[0] & {arms: import('./arms.js').Arms, goals: import('./goals.js').Goals, objects: import('./objectedits.js').Objects,
   *   motion: import('./motion.js').Motion}} parts
   */
  constructor({ arms, goals, objects, motion, ...parts }) {
    super(parts);
    Object.assign(this, { arms, goals, objects, motion });
  }

  get isMoving() {
    return this.motion.held || this.motion.moving;
  }

  runner(/** @type {number} */ arm) {
    return this.arms.frontOf(this.arms.mechanisms[arm]);
  }

  wanted() {
    const arm = this.arms.active?.index;
    if (arm === undefined || !this.loop.isOpen) return null;
    const goals = this.goals.request(arm);
    if (goals.length === 0) {
      this.forget('This arm has no goal yet.');
      return null;
    }
    const kind = JSON.stringify([arm, goals.map(({ frame, kind: requested }) => [frame, requested])]);
    const hasShapes = Boolean(this.runner(arm).measured?.near);
    return { type: 'solutions', kind, hasShapes, body: { arm, goals, limits: this.store.get('lm'), widened: this.arms.widened(arm), world: this.objects.request() } };
  }

  accept(/** @type {import('../solutionlist.js').Solutions} */ solutions) {
    const hits = solutions.collisions.filter(Boolean).length;
    const some = hits ? ` Of those shown ${hits} collide: they are red.` : '';
    const remark = some + (this.arms.locked(solutions.arm).length ? LOCKED : '');
    super.accept({ ...solutions, text: solutions.text + remark });
  }
}
