/** The list of all solutions: a row for each that is shown; the pointer or the arrow keys point one out, a click or Enter takes it. */

import { find } from './controls.js';

const HERE = 5e-3; // [rad or m] the arm is there
const DIGITS = 2;
const TURN = 2 * Math.PI;

/** Colours that keep apart, for as many solutions as are shown at most. */
const TINTS = ['#3b82f6', '#f59e0b', '#10b981', '#ec4899', '#8b5cf6', '#84cc16', '#06b6d4', '#ef4444', '#a16207', '#6366f1', '#d946ef', '#14b8a6'];

/**
 * @typedef {{type: 'solutions', id: number, arm: number, q: number[][], circular: number[], branches: string[], margins: (number|null)[], manipulability: number[],
 *   collisions: string[],
 *   count: number, complete: boolean, is_quick: boolean, text: string}} Solutions
 */

export class SolutionList {
  /** @param {object} parts @param {(i: number) => void} parts.onPoint  -1: none @param {(i: number) => void} parts.onTake */
  constructor({ onPoint, onTake }) {
    Object.assign(this, { onPoint, onTake });
    this.box = find(document, '#solutions');
    this.list = find(document, '#solutions-list');
    this.text = find(document, '#solutions-text');
    /** @type {Solutions|null} */
    this.shown = null;
    /** The tint of each branch: it keeps its own while the target moves. @type {Map<string, string>} */
    this.tints = new Map();
    /** The row that the arrow keys have reached, and the one below the pointer; -1: none. */
    this.selected = this.hovered = -1;
    this.list.addEventListener('keydown', (event) => this.key(event));
    this.list.addEventListener('pointerleave', () => this.hover(-1));
  }

  /** The solution that stands out; -1: none. */
  get pointed() {
    return this.hovered >= 0 ? this.hovered : this.selected;
  }

  /** @param {Solutions} solutions */
  show(solutions) {
    this.shown = solutions;
    const count = solutions.q.length;
    this.selected = Math.min(this.selected, count - 1);
    this.hovered = Math.min(this.hovered, count - 1);
    this.tint(solutions.branches);
    this.list.replaceChildren(...solutions.q.map((_, i) => this.row(i)));
    this.box.classList.toggle('is-empty', count === 0);
    const some = count < solutions.count ? `${count} of ${solutions.count} are shown, spread out. ` : '';
    this.say(some + solutions.text);
    this.mark();
  }

  /** Nothing is known. @param {string} text  why */
  clear(text) {
    this.shown = null;
    this.selected = this.hovered = -1;
    this.list.replaceChildren();
    this.box.classList.add('is-empty');
    this.say(text);
  }

  /** @param {string} text */
  say(text) {
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  /** @param {string[]} branches */
  tint(branches) {
    const names = named(branches);
    const fresh = names.filter((name) => !this.tints.has(name));
    if (this.tints.size + fresh.length > TINTS.length) this.tints.clear();
    for (const name of names) if (!this.tints.has(name)) this.tints.set(name, TINTS[this.tints.size % TINTS.length]);
    this.colours = names.map((name) => /** @type {string} */ (this.tints.get(name)));
  }

  /** @param {number} i */
  row(i) {
    const { branches, margins, manipulability, collisions } = /** @type {Solutions} */ (this.shown);
    const row = document.createElement('li');
    row.id = `solution-${i}`;
    row.role = 'option';
    row.innerHTML = '<i class="swatch" aria-hidden="true"></i><b></b><span></span><span></span><span></span>';
    find(row, 'i').style.background = this.colours[i];
    find(row, 'b').textContent = branches[i];
    if (collisions[i]) {
      row.classList.add('is-hit');
      row.setAttribute('aria-disabled', 'true');
      row.title = `In collision: ${collisions[i]}`;
      find(row, 'b').append(Object.assign(document.createElement('small'), { textContent: ` ${collisions[i]}` }));
    }
    const [, margin, measure] = row.querySelectorAll('span');
    margin.textContent = margins[i] === null ? '∞' : margins[i].toFixed(DIGITS);
    measure.textContent = manipulability[i].toPrecision(DIGITS);
    row.addEventListener('pointerenter', () => this.hover(i));
    row.addEventListener('click', () => this.take(i));
    return row;
  }

  /** How far the arm is from each. @param {ArrayLike<number>} q [nq] */
  measure(q) {
    if (!this.shown) return;
    const { q: solutions, circular } = this.shown;
    for (const [i, row] of [...this.list.children].entries()) {
      const distance = apart(solutions[i], q, circular);
      const isHere = distance < HERE;
      const text = isHere ? 'here' : distance.toFixed(DIGITS);
      const cell = find(row, 'span');
      if (cell.textContent !== text) cell.textContent = text;
      row.classList.toggle('is-here', isHere);
    }
  }

  /** @param {number} i */
  hover(i) {
    if (this.hovered === i) return;
    this.hovered = i;
    this.mark();
  }

  /** @param {number} i */
  take(i) {
    this.selected = i;
    this.mark();
    if (!this.shown?.collisions[i]) this.onTake(i);
  }

  mark() {
    for (const [i, row] of [...this.list.children].entries()) {
      row.setAttribute('aria-selected', String(i === this.selected));
      row.classList.toggle('is-pointed', i === this.pointed);
    }
    if (this.selected >= 0) this.list.setAttribute('aria-activedescendant', `solution-${this.selected}`);
    else this.list.removeAttribute('aria-activedescendant');
    this.onPoint(this.pointed);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { length } = this.list.children;
    const last = length - 1;
    const steps = { ArrowDown: Math.min(last, this.selected + 1), ArrowUp: Math.max(0, this.selected - 1), Home: 0, End: last };
    const to = steps[/** @type {keyof typeof steps} */ (event.key)];
    const takes = event.key === 'Enter' && this.selected >= 0;
    if (length === 0 || event.ctrlKey || event.metaKey || event.altKey || (to === undefined && !takes)) return;
    event.preventDefault();
    event.stopPropagation();
    if (takes) return this.take(this.selected);
    this.selected = to;
    this.hovered = -1;
    this.mark();
    this.list.children[to].scrollIntoView({ block: 'nearest' });
  }
}

/** Branches with a number where one comes more than once. @param {string[]} branches */
function named(branches) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return branches.map((branch) => {
    const count = (counts.get(branch) ?? 0) + 1;
    counts.set(branch, count);
    return `${branch} ${count}`;
  });
}

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @param {number[]} circular  indices where a revolution is no distance
 */
export function apart(a, b, circular = []) {
  const changes = Array.from(a, (value, i) => value - b[i]);
  for (const i of circular) changes[i] -= TURN * Math.round(changes[i] / TURN);
  return Math.hypot(...changes);
}
