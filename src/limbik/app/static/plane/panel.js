/** The settings panel of the 2-D page. */

import { Controls, find } from '../controls.js';
import { Methods } from '../methods.js';
import { bindTarget } from '../target.js';

export class Panel {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, arms, motion, notices }) {
    Object.assign(this, { store, arms, notices });
    this.methods = new Methods();
    new Controls(store, notices).bind(document);
    // Limits that are switched on are shown as well, unless the arcs were chosen before.
    find(document, '#lm').addEventListener('change', (event) => event.target.checked && !store.touched.has('sl') && store.set({ sl: true }));
    bindTarget(store, motion);
    this.bindRest();
    store.watch(['algo', 'race'], () => this.showMethod());
    store.watch(['lm'], () => find(document, '[data-number=ld]').classList.toggle('is-idle', !store.get('lm')));
  }

  bindRest() {
    find(document, '#rest-set').addEventListener('click', () => {
      this.store.set({ rq: [...this.arms.front.q] });
      const hint = this.store.get('rb') === 0 ? ' It takes effect with a bias above 0.' : '';
      this.notices.show(`The rest pose is the arm's present pose.${hint}`);
    });
    find(document, '#rest-reset').addEventListener('click', () => {
      this.store.set({ rq: null, rb: 0 });
      this.notices.show('The rest pose is the first pose again, without bias.');
    });
  }

  /** What the server says about its solvers. @param {import('../protocol.js').Welcome} welcome */
  learn(welcome) {
    this.methods.learn(welcome);
    this.showMethod();
  }

  showMethod() {
    const { list, front } = this.arms;
    this.methods.show(list.map(({ solver }) => solver), front.solver);
  }

  /** Point at the control that the server refused. @param {string|null} field  such as "settings.gamma" */
  blame(field) {
    const names = { links: 'n', length: 'L', iterations: 'it', gamma: 'g', lambda: 'la', damping: 'd', limit_degrees: 'ld',
      rest_bias: 'rb', tolerance: 'tol' };
    const name = names[/** @type {keyof typeof names} */ ((field ?? '').replace('settings.', ''))];
    if (name) document.getElementById(name)?.setAttribute('aria-invalid', 'true');
  }
}
