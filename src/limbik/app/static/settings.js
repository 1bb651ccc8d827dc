/**
 * Every setting of the page: its name in the URL, its range and its default. The one table that the store,
 * the panel and the URL read.
 */

/**
 * @typedef {object} SolverInfo
 * @property {string} name  name in the URL and on the wire
 * @property {string} short  what the buttons say
 * @property {string} title
 * @property {string} key  the key that chooses it
 * @property {string[]} settings  names of the settings it uses
 */

/** @type {SolverInfo[]} */
export const SOLVERS = [
  { name: 'ccd', short: 'CCD', title: 'Cyclic coordinate descent', key: '1', settings: ['d'] },
  { name: 'fabrik', short: 'FABRIK', title: 'Forward and backward reaching', key: '2', settings: [] },
  { name: 'jt', short: 'JT', title: 'Jacobian transpose', key: '3', settings: ['g', 'd'] },
  { name: 'dls', short: 'DLS', title: 'Damped least squares', key: '4', settings: ['la', 'd'] },
  { name: 'pinv', short: 'PINV', title: 'Pseudo-inverse', key: '5', settings: ['d'] },
  { name: 'sdls', short: 'SDLS', title: 'Selectively damped least squares', key: '6', settings: [] },
  { name: 'newton', short: 'Newton', title: 'Newton-Raphson', key: '7', settings: ['d'] },
  { name: 'lm', short: 'LM', title: 'Levenberg-Marquardt', key: '8', settings: [] },
];

const NAMES = SOLVERS.map((solver) => solver.name);

/**
 * @typedef {object} Setting
 * @property {'number'|'flag'|'choice'|'names'|'angles'|'place'} kind
 * @property {*} fallback  the default; null: the page chooses it to suit the window
 * @property {number} [min]
 * @property {number} [max]
 * @property {number} [slider]  end of the slider where typing may go further
 * @property {number} [digits]  decimals kept
 * @property {string} [unit]
 * @property {string[]} [choices]
 */

/** @type {Record<string, Setting>} */
export const SETTINGS = {
  algo: { kind: 'choice', choices: NAMES, fallback: 'dls' },
  race: { kind: 'names', choices: NAMES, fallback: [] },
  n: { kind: 'number', min: 2, max: 64, slider: 12, digits: 0, fallback: 5 },
  L: { kind: 'number', min: 30, max: 140, digits: 1, unit: 'px', fallback: 70 },
  it: { kind: 'number', min: 1, max: 64, digits: 0, fallback: 16 },
  tol: { kind: 'number', min: 0.01, max: 10, slider: 5, digits: 2, unit: 'px', fallback: 0.1 },
  g: { kind: 'number', min: 0.02, max: 1, digits: 3, fallback: 0.5 },
  la: { kind: 'number', min: 0, max: 10, digits: 3, fallback: 0.5 },
  d: { kind: 'number', min: 0.05, max: 1, digits: 3, fallback: 0.7 },
  px: { kind: 'flag', fallback: false },
  rg: { kind: 'flag', fallback: false },
  tr: { kind: 'flag', fallback: false },
  km: { kind: 'flag', fallback: true },
  lm: { kind: 'flag', fallback: false },
  ld: { kind: 'number', min: 10, max: 180, digits: 1, unit: '°', fallback: 90 },
  sl: { kind: 'flag', fallback: false },
  rb: { kind: 'number', min: 0, max: 0.5, digits: 3, fallback: 0 },
  rq: { kind: 'angles', fallback: null },
  mv: { kind: 'choice', choices: ['none', 'circle', 'eight'], fallback: 'none' },
  sp: { kind: 'number', min: 0.2, max: 3, digits: 2, unit: '×', fallback: 1 },
  mx: { kind: 'place', digits: 1, fallback: null },
  my: { kind: 'place', digits: 1, fallback: null },
  tx: { kind: 'place', digits: 1, fallback: null },
  ty: { kind: 'place', digits: 1, fallback: null },
  pn: { kind: 'flag', fallback: null },
  cv: { kind: 'flag', fallback: null },
  help: { kind: 'flag', fallback: false },
  theme: { kind: 'choice', choices: ['auto', 'light', 'dark'], fallback: 'auto' },
};

/** Settings of one method only; the panel shows those that a running solver uses. */
export const METHOD_SETTINGS = ['g', 'la', 'd'];

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
 * @param {string} name @param {number} value
 * @returns {{value: number, note: string|null}} note: what was changed, in words; null where nothing was
 */
export function clamped(name, value) {
  const setting = SETTINGS[name];
  const low = setting.min ?? -Infinity;
  const high = setting.max ?? Infinity;
  const inside = Math.min(high, Math.max(low, value));
  if (inside === value) return { value: rounded(setting, value), note: null };
  const unit = setting.unit ? ` ${setting.unit}` : '';
  return { value: inside, note: `${name}=${value} is outside ${low} to ${high}${unit}; ${inside} is used` };
}
