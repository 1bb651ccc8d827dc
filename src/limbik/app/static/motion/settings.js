/** Every setting of the page of motions: its name in the URL, its range and its default. */

import { TEXT } from '../space/codec.js';
import { CHANGES } from './changes.js';

/** @type {Record<string, import('../settings.js').Setting>} */
export const SETTINGS = {
  view: { kind: 'choice', choices: ['motion'], fallback: 'motion' },
  token: TEXT,
  name: TEXT,
  unit: { kind: 'choice', choices: ['cm', 'm', 'mm', 'inch'], fallback: 'cm' },
  up: { kind: 'choice', choices: ['auto', 'x', 'y', 'z'], fallback: 'auto' },
  anim: TEXT,
  ch: CHANGES,
  ground: { kind: 'choice', choices: ['level', 'slope', 'stairs', 'hills'], fallback: 'level' },
  slope: { kind: 'number', min: -35, max: 35, slider: 25, digits: 1, unit: '°', fallback: 12 },
  rise: { kind: 'number', min: 0.02, max: 0.3, digits: 2, unit: 'm', fallback: 0.12 },
  hz: { kind: 'number', min: 0.1, max: 500, slider: 20, digits: 1, unit: 'Hz', fallback: 6 },
  fall: { kind: 'number', min: 0.02, max: 10, slider: 1, digits: 2, unit: 's', fallback: 0.3 },
  robot: TEXT,
  t: { kind: 'number', min: 0, max: 1e6, digits: 3, unit: 's', fallback: 0 },
  sp: { kind: 'number', min: 0.05, max: 4, slider: 2, digits: 2, unit: '×', fallback: 1 },
  loop: { kind: 'flag', fallback: true },
  gh: { kind: 'flag', fallback: true },
  gr: { kind: 'flag', fallback: true },
  fo: { kind: 'flag', fallback: true },
  mg: { kind: 'flag', fallback: true },
  sh: { kind: 'flag', fallback: true },
  cam: TEXT,
  px: { kind: 'flag', fallback: false },
  pn: { kind: 'flag', fallback: null },
  cv: { kind: 'flag', fallback: null },
  help: { kind: 'flag', fallback: false },
  theme: { kind: 'choice', choices: ['auto', 'light', 'dark'], fallback: 'auto' },
};

/** Settings that belong to a file: another one begins without them. */
export const OF_FILE = ['token', 'name', 'up', 'anim', 'ch', 't', 'cam'];

/** What can be undone. */
export const UNDONE = ['ch', 'robot', 'unit', 'up', 'anim'];
