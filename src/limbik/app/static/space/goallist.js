/** The list of goals in the panel, and the fields of the selected one. */

import { Euler, Quaternion } from 'three';
import { find } from '../controls.js';
import { length } from '../format.js';
import { MILLIMETRES } from './protocol.js';

const DEGREES = 180 / Math.PI;

export class GoalList {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./view.js').View} parts.view
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, goals, arms, view, stage, notices }) {
    Object.assign(this, { store, goals, arms, view, stage, notices });
    /** True while the next link that is clicked or dragged gets a goal. */
    this.picks = false;
    this.shape = '';
    this.rows = find(document, '#goals');
    this.editor = find(document, '#goal-editor');
    this.frames = /** @type {HTMLSelectElement} */ (find(document, '#goal-frame'));
    this.pickButton = find(document, '#goal-pick');
    this.position = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('#goal-position input')]);
    this.turn = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('#goal-turn input')]);
    this.rows.addEventListener('click', (event) => this.clicked(/** @type {HTMLElement} */ (event.target)));
    find(document, '#goal-add').addEventListener('click', () => this.addChosen());
    this.pickButton.addEventListener('click', () => this.pick(!this.picks));
    find(document, '#goal-kind').addEventListener('change', (event) => goals.change(goals.selected, { kind: event.target.value }));
    find(document, '#goal-axis').addEventListener('change', (event) => goals.change(goals.selected, { axis: event.target.value }));
    for (const [k, field] of this.position.entries()) field.addEventListener('change', () => this.typedPosition(k));
    for (const [k, field] of this.turn.entries()) field.addEventListener('change', () => this.typedTurn(k));
    store.watch(['goal', 'sel', 'osel'], () => this.show());
  }

  /** The frames that can have a goal: tips first. */
  setScene() {
    const several = this.arms.mechanisms.length > 1;
    this.frames.replaceChildren(...this.arms.mechanisms.flatMap(({ index, description }) => {
      const { title, tips, frames, root, joints } = description;
      const links = [...joints.map((joint) => joint.child), ...frames.map((frame) => frame.name)];
      const others = [...new Set(links)].filter((name) => name !== root && !tips.includes(name));
      const label = (/** @type {string} */ what) => (several ? `${title}: ${what}` : what);
      return [group(label('tips'), index, tips), group(label('links and frames'), index, others)];
    }));
    find(document, '#one-row').hidden = !several;
    find(document, '#branches-row').hidden = this.arms.mechanisms.every(({ description }) => description.branches.length === 0);
    this.pick(false);
    this.shape = '';
    this.show();
  }

  /** @param {boolean} picks */
  pick(picks) {
    this.picks = picks;
    this.pickButton.setAttribute('aria-pressed', String(picks));
    if (picks) this.notices.show('Click a link, or drag it: it gets a goal.');
  }

  /**
   * A hand takes a link at a point.
   * @param {number} arm @param {string} link @param {import('three').Vector3} point @returns {boolean} whether it has a goal now, which is selected
   */
  take(arm, link, point) {
    this.pick(false);
    return this.tell(this.goals.take(arm, link, point));
  }

  addChosen() {
    const option = this.frames.selectedOptions[0];
    if (option) this.tell(this.goals.add(Number(option.dataset.arm), option.value));
  }

  /** @param {string} problem @returns {boolean} whether there is none */
  tell(problem) {
    if (problem) this.notices.show(problem);
    return problem === '';
  }

  /** @param {HTMLElement} target */
  clicked(target) {
    const row = /** @type {HTMLElement|null} */ (target.closest('li'));
    if (!row) return;
    const i = Number(row.dataset.goal);
    if (target.closest('[data-remove]')) this.goals.remove(i);
    else this.goals.select(i);
  }

  show() {
    const { list, selected } = this.goals;
    if (!this.arms.mechanisms.length) return;
    const shape = list.map(({ arm, frame }) => `${arm} ${frame}`).join('\n');
    if (shape !== this.shape || this.rows.childElementCount !== list.length) {
      this.shape = shape;
      this.rows.replaceChildren(...list.map((goal, i) => this.row(goal, i)));
    }
    for (const [i, row] of [...this.rows.children].entries()) {
      row.classList.toggle('is-selected', i === selected && this.store.get('osel') < 0);
      row.querySelector('button')?.setAttribute('aria-current', String(i === selected));
    }
    find(document, '#goal-hint').hidden = list.length > 0;
    this.editor.hidden = selected < 0;
    if (selected >= 0) this.showEditor(list[selected]);
    this.update();
  }

  /** @param {import('./codec.js').Goal} goal @param {number} i */
  row({ arm, frame }, i) {
    const row = document.createElement('li');
    row.dataset.goal = String(i);
    const several = this.arms.mechanisms.length > 1;
    const title = this.arms.mechanisms[arm].description.title;
    const choose = document.createElement('button');
    choose.type = 'button';
    choose.className = 'goal';
    choose.append(dot(this.stage.colour(arm)), text('b', frame), text('span', several && !frame.startsWith(title) ? title : ''), text('output', ''));
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.className = 'button square small';
    remove.dataset.remove = '';
    remove.setAttribute('aria-label', `Remove the goal of ${frame}`);
    remove.innerHTML = '<svg class="icon"><use href="#i-close"/></svg>';
    row.append(choose, remove);
    return row;
  }

  /** @param {import('./codec.js').Goal} goal */
  showEditor({ kind, quat_xyzw, axis = 'z' }) {
    find(document, `#goal-kind input[value=${kind}]`).checked = true;
    find(document, '#goal-turn').hidden = kind === 'position';
    find(document, '#goal-axis').hidden = kind !== 'direction';
    find(document, `#goal-axis input[value=${axis}]`).checked = true;
    fill(this.turn, angles(quat_xyzw).map((angle) => Number((angle * DEGREES).toFixed(2)) + 0));
  }

  /** The numbers that change by themselves. */
  update() {
    const { list, selected } = this.goals;
    if (selected < 0 || !this.arms.mechanisms.length) return;
    fill(this.position, this.goals.positionOf(selected).map((x) => Number(x.toFixed(4))));
    for (const [i, goal] of list.entries()) {
      const output = this.rows.children[i]?.querySelector('output');
      if (output) put(output, errorText(this.view.distance(i), goal.kind));
    }
  }

  /** The other coordinates stay, with more decimals than are shown. @param {number} k */
  typedPosition(k) {
    const { selected } = this.goals;
    const position = this.goals.positionOf(selected).with(k, typed(this.position[k]));
    if (Math.abs(position[k]) <= 1000) {
      this.goals.put(selected, { position });
      this.stage.see(position);
    } else this.notices.show('A coordinate is a number of metres, up to 1000.');
    /** @type {HTMLElement|null} */ (document.activeElement)?.blur();
    this.update();
  }

  /** @param {number} k */
  typedTurn(k) {
    const { list, selected } = this.goals;
    const [x, y, z] = angles(list[selected].quat_xyzw).with(k, typed(this.turn[k]) / DEGREES);
    const turned = new Quaternion().setFromEuler(new Euler(x, y, z, 'ZYX')).toArray();
    if (turned.every(Number.isFinite)) this.goals.put(selected, { quat_xyzw: turned });
    this.show();
  }
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

/** @param {{metres: number, radians: number}} distance @param {string} kind */
function errorText({ metres, radians }, kind) {
  if (!Number.isFinite(metres)) return '';
  const far = `${length(metres * MILLIMETRES)} mm`;
  return kind === 'position' || !Number.isFinite(radians) ? far : `${far}, ${length(radians * DEGREES)}°`;
}

/** Write numbers into fields, except into one that is being typed in. @param {Element[]} fields @param {number[]} values */
function fill(fields, values) {
  for (const [i, field] of /** @type {HTMLInputElement[]} */ (fields).entries()) {
    const value = String(values[i]);
    if (field !== document.activeElement && field.value !== value) field.value = value;
  }
}

/** @param {string} label @param {number} arm @param {string[]} names */
function group(label, arm, names) {
  const result = document.createElement('optgroup');
  result.label = label;
  result.append(...names.map((name) => Object.assign(document.createElement('option'), { value: name, textContent: name })));
  for (const option of /** @type {Iterable<HTMLElement>} */ (result.children)) option.dataset.arm = String(arm);
  return result;
}

/** @param {string} colour */
function dot(colour) {
  const mark = document.createElement('i');
  mark.className = 'swatch';
  mark.style.background = colour;
  return mark;
}

/** @param {string} tag @param {string} content */
function text(tag, content) {
  return Object.assign(document.createElement(tag), { textContent: content });
}

/** @param {Element} element @param {string} content */
function put(element, content) {
  if (element.textContent !== content) element.textContent = content;
}
