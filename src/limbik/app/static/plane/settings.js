/**
 * Every setting of the 2-D page: its name in the URL, its range and its default. The one table that the store,
 * the panel and the URL read.
 */

import { JOINT_SPEED } from '../following.js';
import { POSES } from '../poses.js';
import { SOLVER_NAMES } from '../settings.js';
import { degrees, radians } from './kinematics.js';

/** @type {Record<string, import('../settings.js').Setting>} */
export const SETTINGS = {
  algo: { kind: 'choice', choices: SOLVER_NAMES, fallback: 'dls' },
  race: { kind: 'names', choices: SOLVER_NAMES, fallback: [] },
  n: { kind: 'number', min: 2, max: 64, slider: 12, digits: 0, fallback: 4 },
  L: { kind: 'number', min: 10, max: 300, slider: 140, digits: 1, unit: 'px', fallback: 90 },
  it: { kind: 'number', min: 1, max: 64, digits: 0, fallback: 8 },
  tol: { kind: 'number', min: 0.01, max: 10, slider: 5, digits: 2, unit: 'px', fallback: 0.1 },
  g: { kind: 'number', min: 0.02, max: 1, digits: 3, fallback: 0.3 },
  la: { kind: 'number', min: 0, max: 300, slider: 50, digits: 2, unit: 'px', fallback: 2 },
  d: { kind: 'number', min: 0.05, max: 1, digits: 3, fallback: 0.6 },
  px: { kind: 'flag', fallback: false },
  rg: { kind: 'flag', fallback: true },
  tr: { kind: 'flag', fallback: false },
  km: { kind: 'flag', fallback: true },
  hw: { kind: 'flag', fallback: false },
  all: { kind: 'flag', fallback: false },
  es: { kind: 'flag', fallback: false },
  ex: { kind: 'number', min: 1, max: 64, digits: 0, fallback: 1 },
  ey: { kind: 'number', min: 1, max: 64, digits: 0, fallback: 2 },
  lm: { kind: 'flag', fallback: false },
  ld: { kind: 'number', min: 10, max: 180, digits: 1, unit: '°', fallback: 160 },
  sl: { kind: 'flag', fallback: false },
  rb: { kind: 'number', min: 0, max: 0.5, digits: 3, fallback: 0 },
  rq: { kind: 'angles', fallback: null },
  mv: { kind: 'choice', choices: ['none', 'circle', 'eight'], fallback: 'none' },
  sp: { kind: 'number', min: 0.2, max: 3, digits: 2, unit: '×', fallback: 1 },
  mx: { kind: 'position', min: -1e5, max: 1e5, digits: 1, unit: 'px', fallback: null },
  my: { kind: 'position', min: -1e5, max: 1e5, digits: 1, unit: 'px', fallback: null },
  tx: { kind: 'position', min: -1e5, max: 1e5, digits: 1, unit: 'px', fallback: null },
  ty: { kind: 'position', min: -1e5, max: 1e5, digits: 1, unit: 'px', fallback: null },
  jv: JOINT_SPEED,
  poses: POSES,
  q: { kind: 'own', fallback: null, read: readAngles, write: (arms) => arms.map(degrees).join(';') },
  cam: { kind: 'own', fallback: null, read: readView, write: writeView },
  pn: { kind: 'flag', fallback: null },
  cv: { kind: 'flag', fallback: null },
  help: { kind: 'flag', fallback: false },
  theme: { kind: 'choice', choices: ['auto', 'light', 'dark'], fallback: 'auto' },
};

/** How the arms stand: joint by joint in degrees, arm after arm. @param {string} name @param {string} text */
function readAngles(name, text) {
  const arms = text.split(';').map(radians);
  const isRight = arms.every((q) => q.length === arms[0].length && q.every(Number.isFinite));
  return isRight ? { value: arms } : { note: `${name} is not how an arm stands: angles in degrees, of several arms with ; between them` };
}

/** What the camera looks at, as x, y and scale. @param {string} name @param {string} text */
function readView(name, text) {
  const [x, y, scale, ...more] = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  const isView = more.length === 0 && [x, y, scale].every(Number.isFinite) && scale > 0;
  return isView ? { value: { centre: [x, y], scale } } : { note: `${name}=${text} is not a view: x, y and scale, such as 400,300,0.5` };
}

/** @param {import('./camera.js').View} view */
function writeView({ centre: [x, y], scale }) {
  return [x.toFixed(1), y.toFixed(1), scale.toPrecision(3)].map(Number).join();
}
