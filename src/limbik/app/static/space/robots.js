/** `Robots`: the robot gallery: a search, and cards by kind after those opened recently. */

import { find } from '../controls.js';
import { didYouMean } from '../suggest.js';
import { recentRobots, rememberRobot } from './recent.js';
import { robotCard } from './robotcard.js';

const MAX = 4; // robots side by side
const KINDS = { arm: 'Arms', mobile: 'Mobile robots', humanoid: 'Humanoids', quadruped: 'Quadrupeds', hand: 'Hands and grippers' };
const HERE = Intl.Collator('en', { numeric: true }); // UR5e before UR10

export class Robots {
  /** @param {import('./scenes.js').Scenes} scenes */
  constructor(scenes) {
    this.scenes = scenes;
    this.dialog = /** @type {HTMLDialogElement} */ (find(document, '#robots'));
    this.field = /** @type {HTMLInputElement} */ (find(document, '#robots-search'));
    this.kinds = find(document, '#robots-kinds');
    this.list = find(document, '#robots-list');
    this.none = find(document, '#robots-none');
    /** @type {import('./protocol.js').Robot[]} */
    this.robots = [];
    find(document, '#robots-open').addEventListener('click', () => this.open());
    this.field.addEventListener('input', () => this.show());
    this.field.addEventListener('keydown', (event) => this.typed(event));
    this.kinds.addEventListener('change', () => this.show());
    this.list.addEventListener('click', (event) => this.clicked(/** @type {HTMLElement} */ (event.target)));
    this.list.addEventListener('keydown', (event) => this.pressed(event));
    this.list.addEventListener('focusin', (event) => this.reach(/** @type {HTMLElement} */ (event.target)));
    this.none.addEventListener('click', (event) => this.clicked(/** @type {HTMLElement} */ (event.target)));
    this.dialog.addEventListener('click', (event) => event.target === this.dialog && this.dialog.close());
  }

  /** @param {import('./protocol.js').Robot[]} robots */
  learn(robots) {
    this.robots = [...robots].sort((a, b) => Number(b.installed) - Number(a.installed) || HERE.compare(a.title, b.title));
    if (this.dialog.open) this.show();
  }

  open() {
    this.field.value = '';
    find(this.kinds, 'input[value=all]').checked = true;
    this.show();
    this.dialog.showModal();
    this.list.scrollTop = 0;
    this.field.focus();
  }

  /** The kind that is chosen, "all" for any. */
  get kind() {
    return find(this.kinds, 'input:checked').value;
  }

  /** The robots that fit what is typed and chosen. */
  get found() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { kind } = this;
    return this.robots.filter((robot) => (kind === 'all' || robot.kind === kind) && words.every((word) => wordsOf(robot).includes(word)));
  }

  show() {
    const { found } = this;
    this.list.replaceChildren(...sections(found).map(([heading, robots]) => this.section(heading, robots)));
    this.list.hidden = found.length === 0;
    const first = this.list.querySelector('.robot');
    if (first) this.reach(/** @type {HTMLElement} */ (first));
    this.showNone(found.length === 0);
    const installed = this.robots.filter((robot) => robot.installed).length;
    find(document, '#robots-foot').textContent = `${this.robots.length} robots, ${installed} of them installed here. “+” puts one beside what is open, up to ${MAX}.`;
  }

  /** @param {string} heading @param {import('./protocol.js').Robot[]} robots */
  section(heading, robots) {
    const section = document.createElement('section');
    const title = Object.assign(document.createElement('h3'), { textContent: heading });
    const list = document.createElement('ul');
    list.setAttribute('aria-label', heading);
    list.append(...robots.map((robot) => robotCard(robot, this.canAdd)));
    section.append(title, list);
    return section;
  }

  /** Say that nothing was found, and what may have been meant. @param {boolean} isNone */
  showNone(isNone) {
    this.none.hidden = !isNone;
    if (!isNone) return this.none.replaceChildren();
    const near = didYouMean(this.field.value.trim(), this.robots, (robot) => [robot.name, robot.title, ...robot.aliases, ...robot.title.split(/\s+/)]);
    const words = this.kind === 'all' || near.length ? 'No robot has such a name.' : 'No robot of this kind has such a name.';
    this.none.replaceChildren(`${words}${near.length ? ' Did you mean ' : ''}`, ...near.flatMap((robot, i) => [i > 0 ? ' or ' : '', suggestion(robot)]), near.length ? '?' : '');
  }

  /** Whether robots are open, and one more fits. */
  get canAdd() {
    const { scenes } = this;
    return !scenes.store.get('arm') && !scenes.store.get('token') && scenes.robots.length < MAX;
  }

  /** @param {HTMLElement} target */
  clicked(target) {
    const named = /** @type {HTMLElement|null} */ (target.closest('[data-meant]'))?.dataset.meant;
    const beside = /** @type {HTMLElement|null} */ (target.closest('[data-beside]'))?.dataset.beside;
    const robot = /** @type {HTMLElement|null} */ (target.closest('[data-robot]'))?.dataset.robot;
    if (named) this.search(named);
    else if (beside) this.take(beside, true);
    else if (robot) this.take(robot, false);
  }

  /** @param {string} name */
  search(name) {
    this.field.value = name;
    find(this.kinds, 'input[value=all]').checked = true;
    this.show();
    this.field.focus();
  }

  /** Open a robot that is installed. @param {string} name @param {boolean} isBeside  beside what is open */
  async take(name, isBeside) {
    if (!this.robots.find((robot) => robot.name === name)?.installed) return;
    this.dialog.close();
    const isOpen = await (isBeside ? this.scenes.addRobot(name) : this.scenes.openRobots([name]));
    if (isOpen) rememberRobot(name);
  }

  // Keys: Enter takes the first robot, arrows go from card to card.

  /** @param {KeyboardEvent} event  in the search field */
  typed(event) {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      find(this.list, '.robot')?.focus();
    }
    if (event.key !== 'Enter') return;
    const shown = [...this.list.querySelectorAll('.robot[aria-disabled=false]')];
    const name = /** @type {HTMLElement|undefined} */ (shown[0])?.dataset.robot;
    if (name) this.take(name, false);
    else find(this.none, 'button')?.click();
  }

  /** @param {KeyboardEvent} event  on a card */
  pressed(event) {
    const card = /** @type {HTMLElement} */ (event.target).closest('.robot-card');
    if (!card || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = this.cardFrom(card, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  /** What an arrow key leads to: a card, or the search field above all of them. @param {Element} card @param {string} key @returns {HTMLElement|null} */
  cardFrom(card, key) {
    const cards = [...this.list.querySelectorAll('.robot-card')];
    const at = cards.indexOf(card);
    const to = { ArrowLeft: cards[at - 1], ArrowRight: cards[at + 1], Home: cards[0], End: cards[cards.length - 1] }[key];
    if (to) return find(to, '.robot');
    if (key !== 'ArrowUp' && key !== 'ArrowDown') return null;
    const row = rowBeside(cards, card, key === 'ArrowUp');
    return row ? find(row, '.robot') : key === 'ArrowUp' ? this.field : null;
  }

  /** One card and its button can be reached by Tab: the one that had the focus last. @param {HTMLElement} target */
  reach(target) {
    const card = target.closest('.robot-card');
    if (!card) return;
    for (const button of this.list.querySelectorAll('button[tabindex="0"]')) button.setAttribute('tabindex', '-1');
    for (const button of card.querySelectorAll('button')) button.tabIndex = 0;
  }
}

/** What a robot is found by. @param {import('./protocol.js').Robot} robot */
function wordsOf({ name, title, aliases, source, kind }) {
  return [name, title, ...aliases, source, KINDS[kind]].join(' ').toLowerCase();
}

/** Those opened last, then each kind; none of them empty. @param {import('./protocol.js').Robot[]} found @returns {[string, import('./protocol.js').Robot[]][]} */
function sections(found) {
  const recent = recentRobots().flatMap((name) => found.find((robot) => robot.name === name) ?? []);
  const others = found.filter((robot) => !recent.includes(robot));
  const byKind = Object.entries(KINDS).map(([kind, heading]) => /** @type {[string, typeof found]} */ ([heading, others.filter((robot) => robot.kind === kind)]));
  const all = /** @type {[string, typeof found][]} */ ([['Recent', recent], ...byKind]);
  return all.filter(([, robots]) => robots.length > 0);
}

/** The card in the row above or below that is nearest; null where there is no such row. @param {Element[]} cards @param {Element} card @param {boolean} isAbove */
function rowBeside(cards, card, isAbove) {
  const { left, top } = card.getBoundingClientRect();
  const boxes = cards.map((one) => ({ one, box: one.getBoundingClientRect() }));
  const beyond = boxes.filter(({ box }) => (isAbove ? box.top < top - 1 : box.top > top + 1));
  const tops = beyond.map(({ box }) => box.top);
  const row = isAbove ? Math.max(...tops) : Math.min(...tops);
  const inRow = beyond.filter(({ box }) => Math.abs(box.top - row) < 1);
  return inRow.sort((a, b) => Math.abs(a.box.left - left) - Math.abs(b.box.left - left))[0]?.one ?? null;
}

/** @param {import('./protocol.js').Robot} robot */
function suggestion({ name, title }) {
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.meant = name;
  button.textContent = title;
  return button;
}
