/** The card of solving methods in the panel: a description of the current one, and its parameters. */

import { find } from './controls.js';
import { solverInfo } from './settings.js';

/** The page's name of each parameter of a solver. */
const SETTINGS = { damping: 'd', lambda_: 'la', gamma: 'g', anneal: 'an' };

export class Methods {
  constructor() {
    /** What the server says about its solvers. @type {Map<string, import('./protocol.js').Method>} */
    this.about = new Map();
  }

  /** @param {import('./protocol.js').Welcome} welcome */
  learn(welcome) {
    for (const method of welcome.solvers) this.about.set(method.name, method);
  }

  /**
   * The parameters of a solver that are not what it would choose itself.
   * @param {string} solver @param {import('./store.js').Store} store @returns {[string, number][]} name and value
   */
  chosen(solver, store) {
    const parameters = this.about.get(solver)?.parameters ?? [];
    return parameters.flatMap(({ name, default: usual }) => {
      const value = store.get(SETTINGS[/** @type {keyof typeof SETTINGS} */ (name)]);
      return value === null || value === usual ? [] : [[name, value]];
    });
  }

  /** @param {string[]} running  solvers @param {string} front  the one that is told about */
  show(running, front) {
    const used = new Set(running.flatMap((solver) => solverInfo(solver).settings));
    for (const setting of Object.values(SETTINGS)) {
      document.querySelector(`[data-number=${setting}]`)?.classList.toggle('is-off', !used.has(setting));
    }
    find(document, '#about-title').textContent = `${solverInfo(front).title}.`;
    find(document, '#about-summary').textContent = this.about.get(front)?.summary ?? '';
    find(document, '#about-source').textContent = this.about.get(front)?.source ?? '';
  }
}
