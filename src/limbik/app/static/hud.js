/** The metrics card: solver, error, iterations, frames per second, solve time. */

import { count, duration, length } from './format.js';
import { solverInfo } from './settings.js';

export class Hud {
  /**
   * @param {import('./store.js').Store} store @param {import('./race.js').Lineup} arms @param {string} unit  of length
   * @param {() => number} [turn]  how far off the goals' directions are [degrees]; NaN where there are none
   */
  constructor(store, arms, unit, turn = () => NaN) {
    Object.assign(this, { arms, unit, turn });
    this.box = /** @type {HTMLElement} */ (document.getElementById('hud'));
    store.watch(['km'], () => {
      /** @type {HTMLElement} */ (document.getElementById('metrics')).hidden = !store.get('km');
    });
    store.watch(['algo', 'race'], () => this.name());
  }

  name() {
    const { name, short, title } = solverInfo(this.arms.front.solver);
    this.box.dataset.solver = name;
    put('hud-short', short);
    put('hud-title', title);
  }

  /**
   * @param {number} fps @param {number|null} step  of the last solve that is shown; null: now
   * @param {boolean} [isSolved]  whether what is shown was solved for the goals: not on a path
   */
  update(fps, step, isSolved = true) {
    const { front } = this.arms;
    const { recording, microseconds } = front;
    const error = isSolved ? front.errorAt(step) : NaN;
    const turn = isSolved ? this.turn() : NaN;
    put('hud-error', length(error), Number.isFinite(turn) ? `${this.unit}, ${length(turn)}°` : this.unit);
    put('hud-iterations', isSolved && recording.last >= 0 ? String(front.iterationsAt(step)) : '–');
    put('hud-fps', count(fps));
    const [time, unit] = recording.last >= 0 && Number.isNaN(microseconds) ? ['preparing', ''] : duration(microseconds);
    put('hud-time', time, unit);
    this.box.dataset.error = String(error);
  }
}

/** @param {string} id @param {string} text @param {string} [unit] */
function put(id, text, unit = '') {
  const element = /** @type {HTMLElement} */ (document.getElementById(id));
  const whole = text + unit;
  if (element.dataset.text === whole) return;
  element.dataset.text = whole;
  element.textContent = text;
  if (unit && text !== '–') element.append(' ', Object.assign(document.createElement('small'), { textContent: unit }));
}
