/** Binds the controls of the panel (sliders, choices, switches) to the store. */

import { clamped } from './settings.js';
import { writeValue } from './urlstate.js';

const AUTOMATIC = 'auto'; // what a field says whose value is chosen elsewhere

/** @template {HTMLElement} T @param {ParentNode} root @param {string} selector @returns {T} */
export function find(root, selector) {
  return /** @type {T} */ (root.querySelector(selector));
}

export class Controls {
  /** @param {import('./store.js').Store} store @param {import('./notice.js').Notices} notices */
  constructor(store, notices) {
    Object.assign(this, { store, notices });
  }

  /** Bind every row of a number, every switch and every choice below `root`. @param {ParentNode} root */
  bind(root) {
    for (const row of root.querySelectorAll('[data-number]')) this.bindNumber(/** @type {HTMLElement} */ (row));
    for (const box of root.querySelectorAll('[data-flag]')) this.bindFlag(/** @type {HTMLInputElement} */ (box));
    for (const group of root.querySelectorAll('[data-choice]')) this.bindChoice(/** @type {HTMLElement} */ (group));
  }

  /** A row of label, slider and field. @param {HTMLElement} row */
  bindNumber(row) {
    const name = /** @type {string} */ (row.dataset.number);
    const setting = this.store.settings[name];
    const slider = find(row, 'input[type=range]');
    const field = find(row, 'input[type=number]');
    const step = setting.digits === 0 ? 1 : sliderStep(setting);
    const [low, high] = sliderEnds(setting);
    Object.assign(slider, { min: low, max: high, step });
    Object.assign(field, { min: setting.min, max: setting.max, step });
    if (setting.isOptional) field.placeholder = AUTOMATIC;
    slider.addEventListener('input', () => this.store.set({ [name]: clamped(name, setting, Number(slider.value)).value }));
    field.addEventListener('change', () => this.typed(name, field));
    this.store.watch([name], () => {
      const value = this.store.get(name);
      field.value = value === null ? '' : writeValue(setting, value);
      slider.value = String(value ?? Math.max(0, low));
      slider.setAttribute('aria-valuetext', value === null ? AUTOMATIC : `${field.value} ${setting.unit ?? ''}`.trim());
      fillSlider(slider);
      field.removeAttribute('aria-invalid');
    });
  }

  /** @param {string} name @param {HTMLInputElement} field */
  typed(name, field) {
    const setting = this.store.settings[name];
    const value = field.value === '' ? NaN : Number(field.value);
    if (setting.isOptional && field.value === '') this.store.set({ [name]: null });
    if (Number.isFinite(value)) {
      const { value: inside, note } = clamped(name, setting, value);
      if (note) this.notices.show(`${note}.`);
      this.store.set({ [name]: inside });
    }
    const stored = this.store.get(name);
    field.value = stored === null ? '' : writeValue(setting, stored);
  }

  /** @param {HTMLInputElement} box */
  bindFlag(box) {
    const name = /** @type {string} */ (box.dataset.flag);
    box.addEventListener('change', () => this.store.set({ [name]: box.checked }));
    this.store.watch([name], () => {
      box.checked = this.store.get(name);
    });
  }

  /** Radio buttons, one for each choice. @param {HTMLElement} group */
  bindChoice(group) {
    const name = /** @type {string} */ (group.dataset.choice);
    group.addEventListener('change', (event) => {
      this.store.set({ [name]: /** @type {HTMLInputElement} */ (event.target).value });
    });
    this.store.watch([name], () => {
      const radio = find(group, `input[value="${this.store.get(name)}"]`);
      if (radio) radio.checked = true;
    });
  }
}

/** Colour the part of a slider's track before its thumb. @param {HTMLInputElement} slider */
export function fillSlider(slider) {
  const [value, min, max] = [slider.value, slider.min, slider.max].map(Number);
  slider.style.setProperty('--fill', `${max > min ? (100 * (value - min)) / (max - min) : 0}%`);
}

/** @param {import('./settings.js').Setting} setting @returns {number} a round step, a hundred or more of them on the slider */
function sliderStep(setting) {
  const [low, high] = sliderEnds(setting);
  return 10 ** Math.floor(Math.log10((high - low) / 90));
}

/** @param {import('./settings.js').Setting} setting @returns {[number, number]} */
function sliderEnds({ min = 0, max = 1, slider = max }) {
  return [Math.max(min, -slider), slider];
}
