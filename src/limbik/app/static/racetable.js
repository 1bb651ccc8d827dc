/** The table of a race: one row per solver, with flag and place of those that have met the tolerance. */

import { cost, count, duration, length } from './format.js';
import { solverInfo } from './settings.js';

/** @typedef {import('./runner.js').Runner} Runner */
/** @typedef {{pointedOut: string, isStale: boolean, step: number|null}} Shown  the view: the solver and the step that it shows */

const COLUMNS = ['place', 'error', 'turn', 'tolerance', 'cost', 'violations', 'tracking'];
const NONE = '–';

export class RaceTable {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {import('./race.js').Lineup} parts.arms
   * @param {{moving: boolean}} parts.motion
   * @param {Shown} parts.view
   * @param {import('./loop.js').Loop} parts.loop
   * @param {(arm: Runner) => number} parts.turn  how far off its goals' directions are [degrees]; NaN where there are none
   * @param {(solver: string) => void} parts.onChoose
   * @param {() => void} parts.onResize
   */
  constructor({ store, arms, motion, view, loop, turn, onChoose, onResize }) {
    Object.assign(this, { store, arms, motion, view, loop, turn, onChoose });
    this.box = /** @type {HTMLElement} */ (document.getElementById('race'));
    this.rows = /** @type {HTMLElement} */ (document.getElementById('race-rows'));
    this.fold = /** @type {HTMLElement} */ (document.getElementById('race-fold'));
    this.fold.addEventListener('click', () => this.toggleFold());
    new ResizeObserver(onResize).observe(this.box);
  }

  toggleFold() {
    const isFolded = this.box.classList.toggle('is-folded');
    this.fold.setAttribute('aria-expanded', String(!isFolded));
    this.fold.title = isFolded ? 'Show the table' : 'Fold the table';
  }

  /** One row per arm. */
  show() {
    const { racing, list, front } = this.arms;
    this.box.hidden = !racing;
    const solvers = list.map((arm) => arm.solver).join();
    if (solvers !== this.solvers) {
      this.solvers = solvers;
      this.rows.replaceChildren(...list.map((arm) => this.row(arm.solver)));
    }
    for (const row of /** @type {Iterable<HTMLElement>} */ (this.rows.children)) {
      row.classList.toggle('is-front', row.dataset.solver === front.solver);
    }
    this.showColumns();
  }

  /** @param {string} solver */
  row(solver) {
    const row = document.createElement('tr');
    row.dataset.solver = solver;
    const { short, title } = solverInfo(solver);
    const name = document.createElement('th');
    name.scope = 'row';
    name.innerHTML = `<button type="button" title="${title}: bring to the front"><i class="dot"></i>${short}</button>`;
    row.append(name, ...COLUMNS.map(cell));
    row.addEventListener('click', () => this.onChoose(solver));
    row.addEventListener('pointerenter', () => this.pointOut(solver));
    row.addEventListener('pointerleave', () => this.pointOut(''));
    return row;
  }

  /** @param {string} solver */
  pointOut(solver) {
    this.view.pointedOut = solver;
    this.view.isStale = true;
  }

  /** Columns that have nothing to say are left out. */
  showColumns() {
    /** @type {Record<string, boolean>} */
    const wanted = {
      turn: this.arms.list.some((arm) => Number.isFinite(this.turn(arm))),
      violations: this.store.get('lm'),
      tracking: this.motion.moving,
    };
    for (const [name, isWanted] of Object.entries(wanted)) {
      const cells = /** @type {NodeListOf<HTMLElement>} */ (this.box.querySelectorAll(`[data-column=${name}], [data-cell=${name}]`));
      for (const one of cells) one.hidden = !isWanted;
    }
  }

  /** Write the numbers. @param {number} fps @param {number} serverMs */
  update(fps, serverMs) {
    this.showColumns();
    for (const row of /** @type {Iterable<HTMLTableRowElement>} */ (this.rows.children)) {
      const arm = this.arms.list.find((one) => one.solver === row.dataset.solver);
      if (arm) this.fill(row, arm);
    }
    const news = this.news();
    put('race-news', news);
    /** @type {HTMLElement} */ (document.getElementById('race-news')).title = news;
    put('race-fps', count(fps));
    put('race-time', duration(1000 * serverMs).join(' '));
  }

  /** @param {HTMLTableRowElement} row @param {Runner} arm */
  fill(row, arm) {
    const { step } = this.view;
    const { recording } = arm;
    const hasFinished = arm.hasFinished(step);
    const iterations = arm.iterationsAt(step);
    /** @type {Record<string, string>} */
    const cells = {
      place: hasFinished ? String(this.place(arm)) : NONE,
      error: length(arm.errorAt(step)),
      turn: length(this.turn(arm)),
      tolerance: hasFinished ? String(recording.toTolerance) : iterations > 0 ? `> ${iterations}` : NONE,
      cost: cost(arm.cost ?? NaN),
      violations: this.store.get('lm') ? String(recording.violations) : NONE,
      tracking: this.motion.moving ? length(arm.tracking.rms) : NONE,
    };
    for (const td of row.cells) if (td.dataset.cell) write(td, cells[td.dataset.cell]);
    row.dataset.error = String(arm.errorAt(step));
    row.dataset.reached = String(hasFinished);
    row.title = arm.refusal;
    row.querySelector('[data-cell=violations]')?.classList.toggle('is-bad', recording.violations > 0);
  }

  /** By iterations to the tolerance; who needs as many shares it. @param {Runner} arm */
  place({ recording: { toTolerance } }) {
    return 1 + this.arms.list.filter((other) => other.recording.toTolerance >= 0 && other.recording.toTolerance < toTolerance).length;
  }

  /** How the race stands, in words. */
  news() {
    const { arms, loop, motion, view } = this;
    if (motion.moving) return 'The target moves: no finish';
    const finished = arms.list.filter((arm) => arm.hasFinished(view.step));
    if (finished.length === 0 && arms.list.some((arm) => arm.outOfReach > 0)) return 'Out of reach: nobody finishes';
    const isOver = view.step === null && loop.resting;
    if (!isOver) return `${finished.length} of ${arms.list.length} have finished`;
    if (finished.length === 0) return 'Nobody finishes: all stopped short';
    if (arms.list.every((arm) => arm.recording.toTolerance === 0)) return 'Nothing to race for: the goal is met, or there is none';
    const winners = finished.filter((arm) => this.place(arm) === 1).map(({ solver }) => solverInfo(solver).short);
    const left = arms.list.length - finished.length;
    const names = winners.join(', ');
    const won = winners.length > 1 ? `${winners.length} share first place: ${names}` : `${names} wins`; // the end may be cut
    return `${won}${left > 0 ? `; ${left} stopped short` : ''}`;
  }
}

/** @param {string} name */
function cell(name) {
  const td = document.createElement('td');
  td.dataset.cell = name;
  if (name === 'place') td.innerHTML = '<svg class="icon" aria-hidden="true"><use href="#i-flag"/></svg><b></b>';
  write(td, NONE);
  return td;
}

/** @param {HTMLElement} td @param {string} text */
function write(td, text) {
  const element = td.querySelector('b') ?? td;
  if (element.textContent !== text) element.textContent = text;
}

/** @param {string} id @param {string} text */
function put(id, text) {
  const element = document.getElementById(id);
  if (element && element.textContent !== text) element.textContent = text;
}
