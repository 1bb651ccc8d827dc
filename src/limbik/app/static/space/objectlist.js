/** The list of objects in the panel, and the fields of the selected one. */

import { Euler, Quaternion } from 'three';
import { Refusal } from '../calls.js';
import { find } from '../controls.js';
import { length } from '../format.js';
import { keepFiles } from '../upload.js';
import { placed } from './codec.js';
import { decomposed } from './objectedits.js';
import { MILLIMETRES } from './protocol.js';
import { KINDS, LONGEST, SHORTEST } from './objectcodec.js';

const DEGREES = 180 / Math.PI;
const IN_WORLD = 'world';

export class ObjectList {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./objectedits.js').Objects} parts.objects
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./view.js').View} parts.view
   * @param {import('../calls.js').Calls} parts.calls
   * @param {import('./scenes.js').Scenes} parts.scenes
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, objects, arms, view, calls, scenes, notices }) {
    Object.assign(this, { store, objects, arms, view, calls, scenes, notices });
    this.shape = '';
    this.rows = find(document, '#objects');
    this.editor = find(document, '#object-editor');
    this.name = /** @type {HTMLInputElement} */ (find(document, '#object-name'));
    this.sizes = find(document, '#object-size');
    this.position = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('#object-position input')]);
    this.turn = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('#object-turn input')]);
    this.holder = /** @type {HTMLSelectElement} */ (find(document, '#object-holder'));
    this.file = /** @type {HTMLInputElement} */ (find(document, '#object-file'));
    this.rows.addEventListener('click', (event) => this.clicked(/** @type {HTMLElement} */ (event.target)));
    for (const button of document.querySelectorAll('[data-object]')) {
      button.addEventListener('click', () => objects.add(/** @type {*} */ (/** @type {HTMLElement} */ (button).dataset.object)));
    }
    find(document, '#object-open').addEventListener('click', () => this.file.click());
    this.file.addEventListener('change', () => this.chosen());
    this.name.addEventListener('change', () => this.tell(objects.rename(objects.selected, this.name.value)));
    this.sizes.addEventListener('change', () => this.typedSize());
    for (const field of this.position) field.addEventListener('change', () => this.movePose());
    for (const field of this.turn) field.addEventListener('change', () => this.movePose());
    this.holder.addEventListener('change', () => this.hold());
    store.watch(['obj', 'osel', 'co'], () => this.show());
  }

  /** The frames that can carry an object. */
  setScene() {
    const options = this.arms.mechanisms.flatMap(({ index, description }) => {
      const { title, tips, joints } = description;
      const names = [...new Set([...tips, ...joints.map(({ child }) => child).reverse()])];
      const label = this.arms.mechanisms.length > 1 ? title : 'the arm, by';
      const group = Object.assign(document.createElement('optgroup'), { label });
      group.append(...names.map((name) => Object.assign(document.createElement('option'), { value: `${index}.${name}`, textContent: name })));
      return [group];
    });
    this.holder.replaceChildren(Object.assign(document.createElement('option'), { value: IN_WORLD, textContent: 'nothing' }), ...options);
    this.shape = '';
    this.show();
  }

  /** @param {string} problem */
  tell(problem) {
    if (problem) this.notices.show(problem);
    this.show();
  }

  /** @param {HTMLElement} target */
  clicked(target) {
    const row = /** @type {HTMLElement|null} */ (target.closest('li'));
    if (!row) return;
    const i = Number(row.dataset.index);
    if (target.closest('[data-remove]')) this.objects.remove(i);
    else this.objects.select(i === this.objects.selected ? -1 : i);
  }

  show() {
    const { list, selected } = this.objects;
    const shape = list.map(({ name, held }) => `${name} ${held?.frame ?? ''}`).join('\n');
    if (shape !== this.shape || this.rows.childElementCount !== list.length) {
      this.shape = shape;
      this.rows.replaceChildren(...list.map((thing, i) => row(thing, i)));
    }
    for (const [i, each] of [...this.rows.children].entries()) {
      each.classList.toggle('is-selected', i === selected);
      each.querySelector('button')?.setAttribute('aria-current', String(i === selected));
    }
    find(document, '#object-hint').hidden = list.length > 0;
    this.editor.hidden = selected < 0;
    if (selected >= 0) this.showEditor(list[selected]);
    this.update();
  }

  /** @param {import('./objectcodec.js').Thing} thing */
  showEditor({ name, kind, size, held }) {
    if (this.name !== document.activeElement) this.name.value = name;
    const { labels } = KINDS[kind];
    this.sizes.hidden = labels.length === 0;
    if (this.sizes.dataset.kind !== kind) {
      this.sizes.dataset.kind = kind;
      const title = Object.assign(document.createElement('span'), { className: 'label', innerHTML: kind === 'box' ? 'Size <small>m</small>' : `${labels.length > 1 ? 'Radius, length' : 'Radius'} <small>m</small>` });
      this.sizes.replaceChildren(title, ...labels.map(sizeField));
    }
    for (const [k, field] of [...this.sizes.querySelectorAll('input')].entries()) if (field !== document.activeElement) field.value = String(size[k]);
    this.holder.value = held ? `${held.arm}.${held.frame}` : IN_WORLD;
  }

  /** The numbers that change by themselves. */
  update() {
    const { list, selected } = this.objects;
    if (!this.arms.mechanisms.length) return;
    if (selected >= 0) {
      const { position, quat_xyzw } = decomposed(this.objects.pose(selected, this.objects.stance));
      fill(this.position, position.map((x) => Number(x.toFixed(4))));
      fill(this.turn, angles(quat_xyzw).map((angle) => Number((angle * DEGREES).toFixed(2)) + 0));
    }
    const near = this.view.nearOf();
    for (const [i, thing] of list.entries()) {
      const output = this.rows.children[i]?.querySelector('output');
      const distances = near.filter(({ pair }) => pair.includes(thing.name)).map(({ distance }) => distance);
      const min = Math.min(...distances);
      const text = distances.length === 0 ? '' : min > 0 ? `${length(min * MILLIMETRES)} mm` : `${length(-min * MILLIMETRES)} mm deep`;
      if (output && output.textContent !== text) output.textContent = text;
      this.rows.children[i]?.classList.toggle('is-hit', this.view.collides(thing.name));
    }
    const verdict = this.view.verdict();
    const box = find(document, '#object-verdict');
    if (box.textContent !== verdict) box.textContent = verdict;
  }

  typedSize() {
    const size = [...this.sizes.querySelectorAll('input')].map(typed);
    if (size.every((value) => value >= SHORTEST && value <= LONGEST)) this.objects.change(this.objects.selected, { size: size.map(placed) });
    else this.notices.show(`A size is a number of metres from ${SHORTEST} to ${LONGEST}.`);
    this.show();
  }

  movePose() {
    const position = this.position.map(typed);
    const [x, y, z] = this.turn.map((field) => typed(field) / DEGREES);
    const quat_xyzw = new Quaternion().setFromEuler(new Euler(x, y, z, 'ZYX')).toArray();
    if (position.every((value) => Math.abs(value) <= 1000) && quat_xyzw.every(Number.isFinite)) this.objects.put(this.objects.selected, { position, quat_xyzw });
    else this.notices.show('A coordinate is a number of metres, up to 1000.');
    /** @type {HTMLElement|null} */ (document.activeElement)?.blur();
    this.update();
  }

  /** An arm takes the object, or lets it go. */
  hold() {
    const { selected, list } = this.objects;
    const { value } = this.holder;
    const { name } = list[selected];
    if (value === IN_WORLD) return this.objects.hold(selected, null, []);
    const dot = value.indexOf('.');
    const touched = this.view.nearOf().filter(({ pair, distance }) => pair.includes(name) && distance <= 0.002);
    const touch = [...new Set(touched.flatMap(({ pair }) => pair).filter((one) => one !== name))];
    return this.objects.hold(selected, { arm: Number(value.slice(0, dot)), frame: value.slice(dot + 1) }, touch);
  }

  async chosen() {
    const files = [...(this.file.files ?? [])];
    this.file.value = '';
    if (files.length) await this.open(files, files.map((file) => file.webkitRelativePath || file.name));
  }

  /** Objects of files. @param {File[]} files @param {string[]} paths */
  async open(files, paths) {
    try {
      const isText = files.length === 1 && /\.(scene|json|ya?ml|xyz|pts)$/i.test(files[0].name) && files[0].size <= 1_000_000;
      const what = isText ? { text: await files[0].text() } : { token: (await keepFiles(files, paths)).token };
      const { objects, notes, name } = await this.calls.ask('world', { name: files[0].name, ...what });
      const problem = this.objects.take(objects);
      if (!problem) this.notices.show(objects.length === 1 ? `${name}: one object.` : `${name}: ${objects.length} objects.`, { details: notes });
      this.tell(problem);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.notices.show(error.message, { isError: true });
    }
  }
}

/** @param {import('./objectcodec.js').Thing} thing @param {number} i */
function row({ name, kind, held }, i) {
  const item = document.createElement('li');
  item.dataset.index = String(i);
  item.innerHTML = '<button type="button" class="goal"><i class="swatch is-thing" aria-hidden="true"></i><b></b><span></span><output></output></button>'
    + '<button type="button" class="button square small" data-remove><svg class="icon"><use href="#i-close"/></svg></button>';
  find(item, 'b').textContent = name;
  find(item, 'span').textContent = held ? `on ${held.frame}` : kind === 'stored' || name.startsWith(kind) ? '' : kind;
  find(item, '[data-remove]').setAttribute('aria-label', `Remove ${name}`);
  return item;
}

/** @param {string} label */
function sizeField(label) {
  const field = document.createElement('input');
  Object.assign(field, { type: 'number', step: '0.01', min: String(SHORTEST), placeholder: label, title: label });
  field.setAttribute('aria-label', `${label} in metres`);
  field.inputMode = 'decimal';
  return field;
}

/** @param {number[]} quat_xyzw @returns {number[]} about x, y and z [rad] */
function angles(quat_xyzw) {
  const { x, y, z } = new Euler().setFromQuaternion(new Quaternion(...quat_xyzw), 'ZYX');
  return [x, y, z];
}

/** @param {HTMLInputElement} field @returns {number} NaN where it is empty */
function typed({ value }) {
  return value === '' ? NaN : Number(value);
}

/** Write numbers into fields, except into one that is being typed in. @param {HTMLInputElement[]} fields @param {number[]} values */
function fill(fields, values) {
  for (const [i, field] of fields.entries()) {
    const value = String(values[i]);
    if (field !== document.activeElement && field.value !== value) field.value = value;
  }
}
