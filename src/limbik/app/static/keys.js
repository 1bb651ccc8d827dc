/** Keys, except while a text or number is typed. */

import { SOLVERS } from './settings.js';

const TYPED = ['text', 'number', 'search', 'email', 'url', 'tel', 'password'];

/** @param {EventTarget|null} target @returns {boolean} whether keys belong to a field */
function isField(target) {
  if (target instanceof HTMLInputElement) return TYPED.includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    || (target instanceof HTMLElement && target.isContentEditable);
}

/**
 * @param {Record<string, () => void>} actions  by key
 * @param {() => boolean} isCovered  while true only "?" works (help is open)
 */
export function listen(actions, isCovered) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isField(event.target)) return;
    if (isCovered() && event.key !== '?') return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!Object.hasOwn(actions, key)) return;
    event.preventDefault();
    actions[key]();
  });
}

/**
 * What each key does.
 * @param {object} parts
 * @param {import('./store.js').Store} parts.store
 * @param {import('./race.js').Race} parts.race
 * @param {import('./motion.js').Motion} parts.motion
 * @param {import('./help.js').Help} parts.help
 * @param {() => void} parts.step @param {() => void} parts.reset
 * @returns {Record<string, () => void>}
 */
export function actions({ store, race, motion, help, step, reset }) {
  const flip = (/** @type {string} */ name) => () => store.set({ [name]: !store.get(name) });
  const solvers = SOLVERS.map((solver) => [solver.key, () => race.bringToFront(solver.name)]);
  return {
    ...Object.fromEntries(solvers),
    p: flip('px'),
    t: flip('tr'),
    g: flip('rg'),
    k: flip('km'),
    c: () => motion.choose('circle'),
    l: () => motion.choose('eight'),
    s: () => motion.choose('none'),
    r: () => race.toggle(),
    '.': step,
    0: reset,
    '?': () => help.toggle(),
  };
}
