/** The settings panel of the 2-D page. */

import { Controls, find } from '../controls.js';
import { METHOD_SETTINGS, solverInfo } from '../settings.js';

export class Panel {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, arms, motion, notices }) {
    Object.assign(this, { store, arms, motion, notices });
    /** @type {Map<string, {title: string, summary: string, source: string}>} */
    this.about = new Map();
    new Controls(store, notices).bind(document);
    // Limits that are switched on are shown as well, unless the arcs were chosen before.
    find(document, '#lm').addEventListener('change', (event) => event.target.checked && !store.touched.has('sl') && store.set({ sl: true }));
    this.bindMotion();
    this.bindRest();
    store.watch(['algo', 'race'], () => this.showMethod());
    store.watch(['lm', 'mv'], () => this.showIdle());
  }

  bindMotion() {
    for (const radio of document.querySelectorAll('input[name=mv]')) {
      radio.addEventListener('change', () => this.motion.choose(/** @type {HTMLInputElement} */ (radio).value));
    }
    this.store.watch(['mv'], () => {
      find(document, `input[name=mv][value=${this.store.get('mv')}]`).checked = true;
    });
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
    for (const info of welcome.solvers) this.about.set(info.name, info);
    this.showMethod();
  }

  /** Only the settings that a running solver uses, and a word on the one in front. */
  showMethod() {
    const used = new Set(this.arms.list.flatMap((arm) => solverInfo(arm.solver).settings));
    for (const name of METHOD_SETTINGS) find(document, `[data-number=${name}]`).classList.toggle('is-off', !used.has(name));
    const { name, title } = solverInfo(this.arms.front.solver);
    find(document, '#about-title').textContent = `${title}.`;
    find(document, '#about-summary').textContent = this.about.get(name)?.summary ?? '';
    find(document, '#about-source').textContent = this.about.get(name)?.source ?? '';
  }

  /** Settings that have no effect now stand back. */
  showIdle() {
    find(document, '[data-number=ld]').classList.toggle('is-idle', !this.store.get('lm'));
    find(document, '[data-number=sp]').classList.toggle('is-idle', !this.motion.moving);
  }

  /** Point at the control that the server refused. @param {string|null} field  such as "settings.gamma" */
  blame(field) {
    const names = { links: 'n', length: 'L', iterations: 'it', gamma: 'g', lambda: 'la', damping: 'd', limit_degrees: 'ld',
      rest_bias: 'rb', tolerance: 'tol' };
    const name = names[/** @type {keyof typeof names} */ ((field ?? '').replace('settings.', ''))];
    if (name) document.getElementById(name)?.setAttribute('aria-invalid', 'true');
  }
}
