/** Keyboard shortcuts of the page of motions. */

const NEARER = 1.15;
const PRESSED = 'button, a, summary, input, select, textarea, canvas[role=slider], [role=switch]';

/**
 * What each key does, anywhere on the page.
 * @param {object} parts
 * @param {import('../store.js').Store} parts.store
 * @param {import('./player.js').Player} parts.player
 * @param {import('../space/stage.js').Stage} parts.stage
 * @param {import('../help.js').Help} parts.help
 * @returns {Record<string, () => unknown>}
 */
export function actions({ store, player, stage, help }) {
  const flip = (/** @type {string} */ name) => () => store.set({ [name]: !store.get(name) });
  return {
    p: () => player.toggle(),
    g: flip('gh'),
    c: flip('fo'),
    f: () => stage.fit(),
    Home: () => player.seek(0),
    '+': () => stage.zoom(1 / NEARER),
    '=': () => stage.zoom(1 / NEARER),
    '-': () => stage.zoom(NEARER),
    '?': () => help.toggle(),
  };
}

/** Space plays and pauses, arrows go from frame to frame, unless they press a control. @param {import('./player.js').Player} player */
export function listenToTime(player) {
  document.addEventListener('keydown', (event) => {
    const isPressing = event.target instanceof Element && event.target.closest(PRESSED);
    if (isPressing || document.querySelector('dialog[open]') || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key !== ' ' && !step) return;
    event.preventDefault();
    if (step) player.step(step);
    else player.toggle();
  });
}
