/** All solutions of the arm in front, on the 2-D page. */

import { Solutions } from '../solutions.js';

export class PlaneSolutions extends Solutions {
  /**
   * @param {ConstructorParameters<typeof Solutions>[0] & {arms: import('./arms.js').Arms, workspace: import('./workspace.js').Workspace,
   *   motion: import('./motion.js').Motion}} parts
   */
  constructor({ arms, workspace, motion, ...parts }) {
    super(parts);
    Object.assign(this, { arms, workspace, motion });
  }

  get isMoving() {
    return this.view.held !== null || this.motion.moving;
  }

  runner() {
    return this.arms.front;
  }

  wanted() {
    const { store } = this;
    const links = store.get('n');
    const [limits, limit_degrees] = [store.get('lm'), store.get('ld')];
    const body = { links, length: store.get('L'), base: this.workspace.base, target: this.motion.target, limits, limit_degrees };
    return { type: 'plane_solutions', kind: String(links), body };
  }
}
