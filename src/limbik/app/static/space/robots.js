/** The dialog in which robots are chosen. */

import { find } from '../controls.js';

const MOST = 4; // robots side by side

export class Robots {
  /** @param {import('./scenes.js').Scenes} scenes */
  constructor(scenes) {
    this.scenes = scenes;
    this.dialog = /** @type {HTMLDialogElement} */ (find(document, '#robots'));
    this.field = /** @type {HTMLInputElement} */ (find(document, '#robots-search'));
    this.list = find(document, '#robots-list');
    /** @type {import('./protocol.js').Robot[]} */
    this.robots = [];
    find(document, '#robots-open').addEventListener('click', () => this.open());
    this.field.addEventListener('input', () => this.show());
    this.field.addEventListener('keydown', (event) => event.key === 'Enter' && this.first());
    this.list.addEventListener('click', (event) => this.clicked(/** @type {HTMLElement} */ (event.target)));
    this.dialog.addEventListener('click', (event) => event.target === this.dialog && this.dialog.close());
  }

  /** @param {import('./protocol.js').Robot[]} robots */
  learn(robots) {
    this.robots = [...robots].sort((a, b) => Number(b.installed) - Number(a.installed));
    this.show();
  }

  open() {
    this.field.value = '';
    this.show();
    this.dialog.showModal();
    this.list.scrollTop = 0;
    this.field.focus();
  }

  get found() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    return this.robots.filter(({ name, title, source }) => words.every((word) => `${name} ${title} ${source}`.toLowerCase().includes(word)));
  }

  show() {
    const { found } = this;
    this.list.replaceChildren(...found.map((robot) => this.row(robot)));
    const installed = this.robots.filter((robot) => robot.installed).length;
    const words = found.length ? `${this.robots.length} robots, ${installed} of them installed here. “+” puts one beside what is open, up to ${MOST}.` : 'No robot has such a name.';
    find(document, '#robots-foot').textContent = words;
  }

  /** @param {import('./protocol.js').Robot} robot */
  row({ name, title, source, installed, advice }) {
    const row = document.createElement('li');
    const open = document.createElement('button');
    open.type = 'button';
    open.className = 'robot';
    open.dataset.robot = name;
    open.disabled = !installed;
    const note = installed ? source : `not installed: ${advice}`;
    for (const [tag, text] of [['b', title], ['span', name], ['small', note]]) open.append(Object.assign(document.createElement(tag), { textContent: text }));
    row.append(open);
    if (installed) {
      const add = document.createElement('button');
      add.type = 'button';
      add.className = 'button square small';
      add.dataset.beside = name;
      add.textContent = '+';
      add.title = 'Beside what is open';
      add.setAttribute('aria-label', `Open ${title} beside what is open`);
      add.disabled = !this.canAdd;
      row.append(add);
    }
    return row;
  }

  /** Whether robots are open, and room for one more. */
  get canAdd() {
    const { scenes } = this;
    return !scenes.store.get('arm') && !scenes.store.get('token') && scenes.robots.length < MOST;
  }

  /** @param {HTMLElement} target */
  clicked(target) {
    const robot = /** @type {HTMLElement|null} */ (target.closest('[data-robot]'))?.dataset.robot;
    const beside = /** @type {HTMLElement|null} */ (target.closest('[data-beside]'))?.dataset.beside;
    if (!robot && !beside) return;
    this.dialog.close();
    if (beside) this.scenes.addRobot(beside);
    else this.scenes.openRobots([robot]);
  }

  first() {
    const robot = this.found.find(({ installed }) => installed);
    if (!robot) return;
    this.dialog.close();
    this.scenes.openRobots([robot.name]);
  }
}
