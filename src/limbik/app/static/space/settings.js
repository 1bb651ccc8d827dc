/**
 * Every setting of the 3-D page: its name in the URL, range and default; and which belong to a scene, affect the arms' next motion, or can be undone.
 */

import { JOINT_SPEED } from '../following.js';
import { POSES } from '../poses.js';
import { SOLVER_NAMES } from '../settings.js';
import { GOALS, LOCKS, POINTS, STANCES, TEXT, WIDENED, WORDS } from './codec.js';
import { THINGS } from './objectcodec.js';

/** @type {Record<string, import('../settings.js').Setting>} */
export const SETTINGS = {
  view: { kind: 'choice', choices: ['3d'], fallback: '3d' },
  robot: WORDS,
  arm: TEXT,
  name: TEXT,
  token: TEXT,
  base: { kind: 'choice', choices: ['fixed', 'floating'], fallback: 'fixed' },
  angles: { kind: 'choice', choices: ['range', 'initial'], fallback: null },
  lenient: { kind: 'flag', fallback: false },
  q: STANCES,
  goal: GOALS,
  sel: { kind: 'number', min: 0, max: 500, digits: 0, fallback: 0 },
  one: { kind: 'flag', fallback: false },
  lock: LOCKS,
  poses: POSES,
  wide: WIDENED,
  obj: THINGS,
  osel: { kind: 'number', min: -1, max: 500, digits: 0, fallback: -1 },
  map: TEXT,
  ms: { kind: 'choice', choices: ['x', 'y', 'z', 'all'], fallback: 'z' },
  mi: { kind: 'number', min: 0, max: 1000, digits: 0, isOptional: true, fallback: null },
  co: { kind: 'flag', fallback: false },
  cl: { kind: 'number', min: 0, max: 500, slider: 50, digits: 1, unit: 'mm', fallback: 0 },
  branches: { kind: 'choice', choices: ['independent', 'coupled'], fallback: 'independent' },
  algo: { kind: 'choice', choices: SOLVER_NAMES, fallback: 'lm' },
  race: { kind: 'names', choices: SOLVER_NAMES, fallback: [] },
  it: { kind: 'number', min: 1, max: 1000, slider: 100, digits: 0, fallback: 20 },
  tol: { kind: 'number', min: 0.001, max: 100, slider: 10, digits: 3, unit: 'mm', fallback: 0.01 },
  ta: { kind: 'number', min: 0.001, max: 90, slider: 5, digits: 3, unit: '°', fallback: 0.01 },
  d: { kind: 'number', min: 0.05, max: 1, digits: 3, fallback: 1 },
  la: { kind: 'number', min: 0, max: 10, slider: 1, digits: 3, unit: 'm', isOptional: true, fallback: null },
  g: { kind: 'number', min: 0.01, max: 1, digits: 3, isOptional: true, fallback: null },
  an: { kind: 'number', min: 0, max: 1, digits: 2, fallback: 0 },
  lm: { kind: 'flag', fallback: true },
  pw: { kind: 'number', min: 0, max: 1, digits: 2, fallback: 0 },
  pq: STANCES,
  mv: { kind: 'choice', choices: ['none', 'circle', 'eight'], fallback: 'none' },
  sp: { kind: 'number', min: 0.2, max: 3, digits: 2, unit: '×', fallback: 1 },
  path: { kind: 'choice', choices: ['none', 'line', 'circle', 'eight', 'drawn', 'file'], fallback: 'none' },
  ps: { kind: 'number', min: 0.01, max: 1, slider: 0.5, digits: 2, fallback: 0.14 },
  pc: { kind: 'flag', fallback: false },
  pr: { kind: 'number', min: 0.1, max: 4, digits: 1, unit: '×', fallback: 1 },
  pts: POINTS,
  csv: TEXT,
  csvname: TEXT,
  jv: JOINT_SPEED,
  cam: TEXT,
  gizmo: { kind: 'choice', choices: ['move', 'rotate'], fallback: 'move' },
  axes: { kind: 'choice', choices: ['world', 'local'], fallback: 'world' },
  plane: { kind: 'choice', choices: ['camera', 'xy', 'yz', 'xz'], fallback: 'camera' },
  depth: { kind: 'number', min: -100, max: 100, slider: 2, digits: 3, unit: 'm', isOptional: true, fallback: null },
  mg: { kind: 'flag', fallback: true },
  ma: { kind: 'flag', fallback: false },
  rg: { kind: 'flag', fallback: false },
  tr: { kind: 'flag', fallback: false },
  sl: { kind: 'flag', fallback: false },
  el: { kind: 'flag', fallback: false },
  sh: { kind: 'flag', fallback: true },
  fr: { kind: 'flag', fallback: false },
  all: { kind: 'flag', fallback: false },
  px: { kind: 'flag', fallback: false },
  km: { kind: 'flag', fallback: true },
  pn: { kind: 'flag', fallback: null },
  cv: { kind: 'flag', fallback: null },
  help: { kind: 'flag', fallback: false },
  theme: { kind: 'choice', choices: ['auto', 'light', 'dark'], fallback: 'auto' },
};

/** Settings that belong to a scene: another scene begins without them. */
export const OF_SCENE = ['robot', 'arm', 'name', 'token', 'base', 'angles', 'lenient', 'q', 'goal', 'sel', 'osel', 'one', 'lock', 'wide', 'pq', 'poses', 'cam', 'map', 'ms', 'mi', 'depth', 'path', 'pts', 'csv', 'csvname'];

/** What the arms do next depends on these. */
export const PRESENT = ['algo', 'race', 'it', 'tol', 'ta', 'd', 'la', 'g', 'an', 'lm', 'goal', 'lock', 'wide', 'branches', 'pw', 'pq', 'mv', 'sp', 'px', 'obj', 'co', 'cl'];

/** What can be undone. */
export const UNDONE = [...PRESENT.filter((name) => name !== 'px'), 'sel', 'osel', 'one', 'poses', 'ms', 'mi', 'path', 'ps', 'pc', 'pts', 'gizmo', 'axes', 'plane', 'depth', 'mg', 'ma', 'rg', 'tr', 'sl', 'el', 'sh', 'fr', 'all', 'km'];
