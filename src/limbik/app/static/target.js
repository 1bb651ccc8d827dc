/** The panel's choice of a moving target, and its speed. */

import { find } from './controls.js';

/** @param {import('./store.js').Store} store @param {{moving: boolean, choose: (kind: *) => void}} motion */
export function bindTarget(store, motion) {
  for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[name=mv]'))) {
    radio.addEventListener('change', () => motion.choose(radio.value));
  }
  store.watch(['mv'], () => {
    find(document, `input[name=mv][value=${store.get('mv')}]`).checked = true;
    find(document, '[data-number=sp]').classList.toggle('is-idle', !motion.moving);
  });
}
