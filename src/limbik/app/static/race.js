/** The choice of solvers: one, or several in a race from one pose. */

import { scrollsSideways } from './overflow.js';
import { RaceTable } from './racetable.js';
import { inOrder } from './settings.js';

const FIRST_RACE = ['ccd', 'fabrik', 'jt', 'dls'];
const SPEEDS = [1, 2, 3, 5, 10, 20, 50, Infinity]; // iterations per second, to begin with

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
   * @param {import('./racetable.js').Shown} parts.view
   * @param {import('./loop.js').Loop} parts.loop
   * @param {import('./convergence.js').Convergence} parts.convergence
   * @param {() => void} parts.restart  puts all arms to their first pose, and begins the race
   * @param {() => void} parts.onResize  called when the table has another size
   * @param {(arm: import('./runner.js').Runner) => number} [parts.turn]  how far off its goals' directions are [degrees]; NaN where there are none
   */
  constructor({ store, arms, motion, view, loop, convergence, restart, onResize, turn = () => NaN }) {
    Object.assign(this, { store, arms, motion, convergence, restart });
    this.lineUp = FIRST_RACE;
    /** The solvers that run, as text. @type {string|null} */
    this.running = null;
    this.table = new RaceTable({ store, arms, motion, view, loop, turn, onChoose: (solver) => this.bringToFront(solver), onResize });
    this.speed = /** @type {HTMLInputElement} */ (document.getElementById('race-speed'));
    this.speed.max = String(SPEEDS.length - 1);
    this.speed.addEventListener('input', () => this.changeSpeed());
    this.button = /** @type {HTMLElement} */ (document.getElementById('race-switch'));
    this.chips = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.chip')]);
    this.button.addEventListener('click', () => this.toggle());
    scrollsSideways(/** @type {HTMLElement} */ (document.getElementById('solver-chips')));
    for (const chip of this.chips) chip.addEventListener('click', () => this.press(/** @type {string} */ (chip.dataset.solver)));
    document.getElementById('race-restart')?.addEventListener('click', restart);
    this.showSpeed();
    store.watch(['algo', 'race'], () => this.show());
  }

  /** Iterations per second, to begin with; Infinity: as fast as it goes. */
  get perSecond() {
    return SPEEDS[Number(this.speed.value)];
  }

  changeSpeed() {
    const { slow } = this.convergence;
    this.showSpeed();
    if (!slow.isOn) return;
    if (Number.isFinite(this.perSecond)) slow.perSecond = this.perSecond;
    else this.convergence.release();
  }

  showSpeed() {
    const { perSecond, speed } = this;
    const isSlow = Number.isFinite(perSecond);
    speed.setAttribute('aria-valuetext', isSlow ? `${perSecond} iterations per second to begin with` : 'as fast as it goes');
    speed.style.setProperty('--fill', `${(100 * Number(speed.value)) / (SPEEDS.length - 1)}%`);
    /** @type {HTMLElement} */ (document.getElementById('race-speed-text')).textContent = isSlow ? `${perSecond} iter./s` : 'full';
  }

  /** The arms have been put to one pose: they go for the target, in slow motion where it stands. */
  start() {
    if (this.arms.racing && !this.motion.moving && Number.isFinite(this.perSecond)) this.convergence.slowDown(this.perSecond);
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

  /** Chips and table; another set of solvers starts anew. */
  show() {
    const { racing, list, front } = this.arms;
    const solvers = list.map((arm) => arm.solver);
    this.button.setAttribute('aria-pressed', String(racing));
    document.getElementById('solver-chips')?.setAttribute('aria-label', racing ? 'Solvers in the race' : 'Solver');
    for (const chip of this.chips) chip.setAttribute('aria-pressed', String(solvers.includes(chip.dataset.solver ?? '')));
    this.chips.find((chip) => chip.dataset.solver === front.solver)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    /** @type {HTMLElement} */ (document.getElementById('hud')).hidden = racing;
    this.table.show();
    const running = racing ? solvers.join() : '';
    const isAnother = this.running !== null && this.running !== running;
    this.running = running;
    if (isAnother && racing) this.restart();
  }

  /** Write the numbers. @param {number} fps @param {number} serverMs */
  update(fps, serverMs) {
    if (this.arms.racing) this.table.update(fps, serverMs);
  }
}
