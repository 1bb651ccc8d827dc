/**
 * Every setting of the 2-D page: its name in the URL, its range and its default. The one table that the store,
 * the panel and the URL read.
 */

import { JOINT_SPEED } from '../following.js';
import { SOLVER_NAMES } from '../settings.js';

/** @type {Record<string, import('../settings.js').Setting>} */
export const SETTINGS = {
  algo: { kind: 'choice', choices: SOLVER_NAMES, fallback: 'dls' },
  race: { kind: 'names', choices: SOLVER_NAMES, fallback: [] },
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
  jv: JOINT_SPEED,
  pn: { kind: 'flag', fallback: null },
  cv: { kind: 'flag', fallback: null },
  help: { kind: 'flag', fallback: false },
  theme: { kind: 'choice', choices: ['auto', 'light', 'dark'], fallback: 'auto' },
};
