/** The 2-D page's part of the solve loop (`../loop.js`): what a request holds, and how an answer moves an arm. */

import { Loop } from '../loop.js';
import { firstPose, resized } from './kinematics.js';
import * as protocol from './protocol.js';

export class PlaneLoop extends Loop {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./workspace.js').Workspace} parts.workspace
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('../connection.js').Connection} parts.connection
   * @param {() => void} parts.onFrame  called after every answer
   */
  constructor({ arms, workspace, ...parts }) {
    super(parts);
    Object.assign(this, { arms, workspace });
  }

  get runners() {
    return this.arms.list;
  }

  /** @param {number} id @param {protocol.Solve} request */
  message(id, request) {
    return protocol.solve(id, request);
  }

  /** @returns {protocol.Solve} */
  request() {
    const { store, arms } = this;
    const placed = arms.list.filter((arm) => arm.isPlaced);
    return {
      links: store.get('n'),
      length: store.get('L'),
      base: this.workspace.base,
      target: this.motion.target,
      solvers: arms.list.map((arm) => arm.solver),
      settings: this.settings(),
      start: placed.length ? Object.fromEntries(placed.map((arm) => [arm.solver, [...arm.q]])) : null,
      trace: this.withTrace || this.isAhead,
      timing: this.timing,
    };
  }

  /** @returns {protocol.Settings} */
  settings() {
    const { store } = this;
    const bias = store.get('rb');
    return {
      iterations: this.iterations,
      gamma: store.get('g'),
      lambda: store.get('la') / store.get('L'), // the server counts it in link lengths
      damping: store.get('d'),
      limits: store.get('lm'),
      limit_degrees: store.get('ld'),
      rest_bias: bias,
      rest: bias > 0 ? [...this.restPose()] : null,
      tolerance: store.get('tol'),
    };
  }

  /** The rest pose, with as many links as the arm has. */
  restPose() {
    const links = this.store.get('n');
    const chosen = this.store.get('rq');
    return chosen ? resized(chosen, links) : firstPose(links);
  }

  /** @param {protocol.ArmFrame} answer @param {import('../loop.js').Pending} pending */
  take(answer, pending) {
    const arm = this.arms.list.find((one) => one.solver === answer.solver);
    // An arm that was placed meanwhile, or has another number of links, has left this answer behind.
    if (!arm || arm.isPlaced || arm.q.length !== answer.q.length) return Infinity;
    const moved = arm.apply(answer, pending.isNew);
    if (answer.iterations > 0) arm.requested = pending.request;
    return moved;
  }
}
