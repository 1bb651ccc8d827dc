/** Which solvers run: one, or several in a race; and the table that compares them. */

import { cost, count, duration, length } from './format.js';
import { inOrder, solverInfo } from './settings.js';

const FIRST_RACE = ['ccd', 'fabrik', 'jt', 'dls'];

/**
 * The mechanisms that run, one for each solver.
 * @typedef {object} Lineup
 * @property {import('./runner.js').Runner[]} list
 * @property {import('./runner.js').Runner} front  the chosen solver's
 * @property {boolean} racing
 * @property {number} lastStep  the longest last solve among them
 */

export class Race {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {Lineup} parts.arms
   * @param {{moving: boolean}} parts.motion
   * @param {{pointedOut: string, isStale: boolean}} parts.view
   * @param {() => void} parts.restart
   */
  constructor({ store, arms, motion, view, restart }) {
    Object.assign(this, { store, arms, motion, view });
    this.lineUp = FIRST_RACE;
    this.box = /** @type {HTMLElement} */ (document.getElementById('race'));
    this.rows = /** @type {HTMLElement} */ (document.getElementById('race-rows'));
    this.button = /** @type {HTMLElement} */ (document.getElementById('race-switch'));
    this.chips = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.chip')]);
    this.button.addEventListener('click', () => this.toggle());
    for (const chip of this.chips) chip.addEventListener('click', () => this.press(/** @type {string} */ (chip.dataset.solver)));
    document.getElementById('race-restart')?.addEventListener('click', restart);
    store.watch(['algo', 'race'], () => this.show());
  }

  toggle() {
    if (this.arms.racing) {
      this.lineUp = this.store.get('race');
      this.store.set({ race: [], algo: this.arms.front.solver });
    } else {
      const algo = this.store.get('algo');
      this.store.set({ race: inOrder([...this.lineUp, algo]) });
    }
  }

  /** A solver's button: choose it, or have it in the race or not. @param {string} solver */
  press(solver) {
    const race = this.store.get('race');
    if (!this.arms.racing) this.store.set({ algo: solver });
    else if (!race.includes(solver)) this.store.set({ race: inOrder([...race, solver]) });
    else if (race.length > 1) this.store.set({ race: race.filter((/** @type {string} */ name) => name !== solver) });
  }

  /** Choose a solver; in a race it takes part and comes to the front. @param {string} solver */
  bringToFront(solver) {
    const race = this.store.get('race');
    const joins = this.arms.racing && !race.includes(solver);
    this.store.set({ algo: solver, ...(joins ? { race: inOrder([...race, solver]) } : {}) });
  }

  /** Chips, and one row per arm. */
  show() {
    const { racing, list, front } = this.arms;
    const running = list.map((arm) => arm.solver);
    this.button.setAttribute('aria-pressed', String(racing));
    document.getElementById('solver-chips')?.setAttribute('aria-label', racing ? 'Solvers in the race' : 'Solver');
    for (const chip of this.chips) chip.setAttribute('aria-pressed', String(running.includes(chip.dataset.solver ?? '')));
    this.chips.find((chip) => chip.dataset.solver === front.solver)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.box.hidden = !racing;
    /** @type {HTMLElement} */ (document.getElementById('hud')).hidden = racing;
    if (running.join() !== this.shown) {
      this.shown = running.join();
      this.rows.replaceChildren(...running.map((solver) => this.row(solver)));
    }
    for (const row of /** @type {Iterable<HTMLElement>} */ (this.rows.children)) {
      row.classList.toggle('is-front', row.dataset.solver === front.solver);
    }
  }

  /** @param {string} solver */
  row(solver) {
    const row = document.createElement('tr');
    row.dataset.solver = solver;
    const { short, title } = solverInfo(solver);
    const name = document.createElement('th');
    name.scope = 'row';
    name.innerHTML = `<button type="button" title="${title}: bring to the front"><i class="dot"></i>${short}</button>`;
    row.append(name, ...['error', 'tolerance', 'cost', 'violations', 'tracking'].map(cell));
    row.addEventListener('click', () => this.bringToFront(solver));
    row.addEventListener('pointerenter', () => this.pointOut(solver));
    row.addEventListener('pointerleave', () => this.pointOut(''));
    return row;
  }

  /** @param {string} solver */
  pointOut(solver) {
    this.view.pointedOut = solver;
    this.view.isStale = true;
  }

  /** Write the numbers. @param {number} fps @param {number} serverMs */
  update(fps, serverMs) {
    if (!this.arms.racing) return;
    for (const row of /** @type {Iterable<HTMLTableRowElement>} */ (this.rows.children)) {
      const arm = this.arms.list.find((one) => one.solver === row.dataset.solver);
      if (arm) this.fill(row, arm);
    }
    put('race-fps', count(fps));
    put('race-time', duration(1000 * serverMs).join(' '));
  }

  /** @param {HTMLTableRowElement} row @param {import('./runner.js').Runner} arm */
  fill(row, arm) {
    const { recording } = arm;
    const reached = recording.toTolerance >= 0;
    const cells = {
      error: length(arm.error),
      tolerance: reached ? String(recording.toTolerance) : recording.iterations > 0 ? `> ${recording.iterations}` : '–',
      cost: cost(arm.costs.median),
      violations: this.store.get('lm') ? String(arm.violations) : '–',
      tracking: this.motion.moving ? length(arm.tracking.rms) : '–',
    };
    for (const td of row.cells) if (td.dataset.cell) td.textContent = cells[td.dataset.cell];
    row.dataset.error = String(arm.error);
    row.dataset.reached = String(arm.status === 'solved');
    row.cells[4].classList.toggle('is-bad', arm.violations > 0);
  }
}

/** @param {string} name */
function cell(name) {
  const td = document.createElement('td');
  td.dataset.cell = name;
  td.textContent = '–';
  return td;
}

/** @param {string} id @param {string} text */
function put(id, text) {
  const element = document.getElementById(id);
  if (element && element.textContent !== text) element.textContent = text;
}
