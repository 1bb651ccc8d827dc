/** Keyboard shortcuts of the 2-D page. */

import { SOLVERS } from '../settings.js';

/**
 * What each key does.
 * @param {object} parts
 * @param {import('../store.js').Store} parts.store
 * @param {import('../race.js').Race} parts.race
 * @param {import('./motion.js').Motion} parts.motion
 * @param {import('../help.js').Help} parts.help
 * @param {() => void} parts.step @param {() => void} parts.reset @param {() => void} parts.solutions
 * @param {(how: 'fit'|'home'|'in'|'out') => void} parts.look
 * @returns {Record<string, () => void>}
 */
export function actions({ store, race, motion, help, step, reset, look, solutions }) {
  const flip = (/** @type {string} */ name) => () => store.set({ [name]: !store.get(name) });
  const solvers = SOLVERS.map((solver) => [solver.key, () => race.bringToFront(solver.name)]);
  return {
    ...Object.fromEntries(solvers),
    p: flip('px'),
    t: flip('tr'),
    g: flip('rg'),
    k: flip('km'),
    c: () => motion.choose('circle'),
    i: () => motion.choose('eight'),
    l: () => motion.choose('eight'), // as in the playground that this one follows
    s: () => motion.choose('none'),
    r: () => race.toggle(),
    x: solutions,
    e: flip('es'),
    f: () => look('fit'),
    Home: () => look('home'),
    '+': () => look('in'),
    '=': () => look('in'),
    '-': () => look('out'),
    '.': step,
    0: reset,
    '?': () => help.toggle(),
  };
}
