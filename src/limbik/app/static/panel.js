/** The settings panel: every control shows the store and writes to it. */

import { METHOD_SETTINGS, SETTINGS, clamped, solverInfo } from './settings.js';
import { writeValue } from './urlstate.js';

/** @template {HTMLElement} T @param {ParentNode} root @param {string} selector @returns {T} */
function find(root, selector) {
  return /** @type {T} */ (root.querySelector(selector));
}

export class Panel {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./notice.js').Notices} parts.notices
   */
  constructor({ store, arms, motion, notices }) {
    Object.assign(this, { store, arms, motion, notices });
    /** @type {Map<string, {title: string, summary: string, source: string}>} */
    this.about = new Map();
    for (const row of document.querySelectorAll('[data-number]')) this.bindNumber(/** @type {HTMLElement} */ (row));
    for (const box of document.querySelectorAll('[data-flag]')) this.bindFlag(/** @type {HTMLInputElement} */ (box));
    this.bindMotion();
    this.bindRest();
    store.watch(['algo', 'race'], () => this.showMethod());
    store.watch(['lm', 'mv'], () => this.showIdle());
  }

  /** A row of label, slider and field. @param {HTMLElement} row */
  bindNumber(row) {
    const name = /** @type {string} */ (row.dataset.number);
    const setting = SETTINGS[name];
    const slider = find(row, 'input[type=range]');
    const field = find(row, 'input[type=number]');
    const step = setting.digits === 0 ? 1 : sliderStep(setting);
    Object.assign(slider, { min: setting.min, max: setting.slider ?? setting.max, step });
    Object.assign(field, { min: setting.min, max: setting.max, step });
    slider.addEventListener('input', () => this.store.set({ [name]: clamped(name, Number(slider.value)).value }));
    field.addEventListener('change', () => this.typed(name, field));
    this.store.watch([name], () => {
      const value = this.store.get(name);
      field.value = writeValue(name, value);
      slider.value = String(value);
      slider.setAttribute('aria-valuetext', `${field.value} ${setting.unit ?? ''}`.trim());
      slider.style.setProperty('--fill', `${(100 * (Number(slider.value) - slider.min)) / (slider.max - slider.min)}%`);
      field.removeAttribute('aria-invalid');
    });
  }

  /** @param {string} name @param {HTMLInputElement} field */
  typed(name, field) {
    const value = field.value === '' ? NaN : Number(field.value);
    if (Number.isFinite(value)) {
      const { value: inside, note } = clamped(name, value);
      if (note) this.notices.show(`${note}.`);
      this.store.set({ [name]: inside });
    }
    field.value = writeValue(name, this.store.get(name));
  }

  /** @param {HTMLInputElement} box */
  bindFlag(box) {
    const name = /** @type {string} */ (box.dataset.flag);
    box.addEventListener('change', () => {
      const changes = { [name]: box.checked };
      // Limits that are switched on are shown as well, unless the arcs were chosen before.
      if (name === 'lm' && box.checked && !this.store.touched.has('sl')) changes.sl = true;
      this.store.set(changes);
    });
    this.store.watch([name], () => {
      box.checked = this.store.get(name);
    });
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

  /** What the server says about its solvers. @param {import('./protocol.js').Welcome} welcome */
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

/** @param {import('./settings.js').Setting} setting @returns {number} a round step, a hundred or more of them on the slider */
function sliderStep(setting) {
  const span = (setting.slider ?? setting.max) - setting.min;
  return 10 ** Math.floor(Math.log10(span / 90));
}
