/** Keyboard shortcuts of the 3-D page. */

import { SOLVERS } from '../settings.js';

const TURN = 24; // [px] that an arrow key turns or shifts the view by
const NEARER = 1.15;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const PRESSED = 'button, a, summary, input, select, textarea, [role=switch]';

/**
 * What each key does, anywhere on the page.
 * @param {object} parts
 * @param {import('../store.js').Store} parts.store
 * @param {import('../race.js').Race} parts.race
 * @param {import('./goals.js').Goals} parts.goals
 * @param {import('./motion.js').Motion} parts.motion
 * @param {import('./tools.js').Tools} parts.tools
 * @param {import('./stage.js').Stage} parts.stage
 * @param {import('../help.js').Help} parts.help
 * @param {() => void} parts.step @param {() => void} parts.reset @param {() => void} parts.remove @param {() => void} parts.search @param {() => void} parts.draw @param {() => void} parts.playPath @param {() => void} parts.robots @param {() => void} parts.solutions
 * @returns {Record<string, () => unknown>}
 */
export function actions({ store, race, goals, motion, tools, stage, help, step, reset, remove, search, draw, playPath, robots, solutions }) {
  const flip = (/** @type {string} */ name) => () => store.set({ [name]: !store.get(name) });
  const solvers = SOLVERS.map((solver) => [solver.key, () => race.bringToFront(solver.name)]);
  const use = (/** @type {string} */ tool) => () => tools.use(tool);
  return {
    ...Object.fromEntries(solvers),
    n: () => goals.selectNext(1),
    v: () => goals.selectNext(-1),
    Delete: remove,
    p: flip('px'),
    t: flip('tr'),
    g: flip('rg'),
    k: flip('km'),
    m: use('move'),
    e: use('rotate'),
    l: use('local'),
    f: use('fit'),
    o: use('parallel'),
    Home: use('home'),
    '+': () => stage.zoom(1 / NEARER),
    '=': () => stage.zoom(1 / NEARER),
    '-': () => stage.zoom(NEARER),
    c: () => motion.choose('circle'),
    i: () => motion.choose('eight'),
    s: () => motion.choose('none'),
    r: () => race.toggle(),
    a: search,
    d: draw,
    w: playPath,
    b: robots,
    x: solutions,
    '.': step,
    0: reset,
    '?': () => (help.dialog.open || !document.querySelector('dialog[open]')) && help.toggle(),
  };
}

/**
 * Arrows, and Space and Esc that stop everything, unless they press a control.
 * @param {HTMLCanvasElement} canvas @param {import('./stage.js').Stage} stage @param {() => void} stop
 */
export function listenToView(canvas, stage, stop) {
  document.addEventListener('keydown', (event) => {
    const arrow = ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)];
    const isOurs = event.target === canvas || event.target === document.body;
    if (!arrow || !isOurs || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const [x, y] = arrow.map((part) => part * TURN);
    if (event.shiftKey) stage.pan(x, y);
    else stage.orbit(x, y);
  });
  document.addEventListener('keydown', (event) => {
    if (document.querySelector('dialog[open]') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') stop();
    const isPressing = event.target instanceof Element && event.target.closest(PRESSED);
    if (event.key !== ' ' || isPressing) return;
    event.preventDefault();
    stop();
  });
}
