/** The table of solvers with their names, keys and settings, and helpers that round and clamp the number of a setting; for all pages. */

/**
 * @typedef {object} SolverInfo
 * @property {string} name  name in the URL and on the wire
 * @property {string} short  what the buttons say
 * @property {string} title
 * @property {string} key  the key that chooses it
 * @property {string[]} settings  names of the settings that it has in a panel, also before the server has told of it
 */

/** @type {SolverInfo[]} */
export const SOLVERS = [
  { name: 'ccd', short: 'CCD', title: 'Cyclic coordinate descent', key: '1', settings: ['d', 'an'] },
  { name: 'fabrik', short: 'FABRIK', title: 'Forward and backward reaching', key: '2', settings: [] },
  { name: 'jt', short: 'JT', title: 'Jacobian transpose', key: '3', settings: ['g', 'd'] },
  { name: 'dls', short: 'DLS', title: 'Damped least squares', key: '4', settings: ['la', 'd'] },
  { name: 'pinv', short: 'PINV', title: 'Pseudo-inverse', key: '5', settings: ['d'] },
  { name: 'sdls', short: 'SDLS', title: 'Selectively damped least squares', key: '6', settings: [] },
  { name: 'newton', short: 'Newton', title: 'Newton-Raphson', key: '7', settings: ['d'] },
  { name: 'lm', short: 'LM', title: 'Levenberg-Marquardt', key: '8', settings: [] },
  { name: 'transpose-classic', short: 'JT classic', title: 'Jacobian transpose, classic step', key: '9', settings: ['d'] },
];

export const SOLVER_NAMES = SOLVERS.map((solver) => solver.name);

/**
 * @typedef {object} Setting
 * @property {'number'|'flag'|'choice'|'names'|'angles'|'position'|'own'} kind  own: with `read` and `write` of its own
 * @property {*} fallback  the default; null: the page chooses it to suit the window
 * @property {number} [min]
 * @property {number} [max]
 * @property {number} [slider]  end of the slider, in both directions, where typing may go further
 * @property {number} [digits]  decimals shown
 * @property {string} [unit]
 * @property {boolean} [isOptional]  null is a value as well: what is best is chosen elsewhere
 * @property {string[]} [choices]
 * @property {(name: string, text: string) => {value?: *, note?: string|null}} [read]  as the readers of urlstate.js
 * @property {(value: *) => string} [write]
 */

/** @param {string} name @returns {SolverInfo} */
export function solverInfo(name) {
  return /** @type {SolverInfo} */ (SOLVERS.find((solver) => solver.name === name));
}

/** Round to the decimals of a setting. @param {Setting} setting @param {number} value */
export function rounded(setting, value) {
  return Number(value.toFixed(setting.digits ?? 0));
}

/**
 * Bring a number into the range of a setting.
 * @param {string} name @param {Setting} setting @param {number} value
 * @returns {{value: number, note: string|null}} note: what was changed, in words; null where nothing was
 */
export function clamped(name, setting, value) {
  const low = setting.min ?? -Infinity;
  const high = setting.max ?? Infinity;
  const inside = Math.min(high, Math.max(low, value));
  if (inside === value) return { value: rounded(setting, value), note: null };
  const unit = setting.unit ? ` ${setting.unit}` : '';
  return { value: inside, note: `${name}=${value} is outside ${low} to ${high}${unit}; ${inside} is used` };
}

/** @param {string[]} names  of solvers @returns {string[]} each once, in the order of the page */
export function inOrder(names) {
  return SOLVER_NAMES.filter((name) => names.includes(name));
}
