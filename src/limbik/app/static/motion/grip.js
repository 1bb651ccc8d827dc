/** Drags a link of the figure; the drag becomes a change of the motion when the hand lets go. */

import { withDrag } from './changes.js';

const DECIMALS = 4;

export class Grip {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./player.js').Player} parts.player
   * @param {import('./opener.js').Opener} parts.opener
   * @param {import('./view.js').View} parts.view
   */
  constructor({ store, player, opener, view }) {
    Object.assign(this, { store, player, opener, view });
  }

  /** @param {string} link @param {number[]} position [3] [m] @param {'start'|'drag'|'end'} phase */
  move(link, position, phase) {
    const { store, player, opener, view } = this;
    player.pause();
    const place = position.map((value) => +value.toFixed(DECIMALS));
    /** @type {import('./changes.js').Drag} */
    const change = { kind: 'drag', link, frame: player.frame, place, falloff: store.get('fall') };
    if (phase !== 'end') {
      view.held = link;
      opener.preview(change);
      return;
    }
    view.held = '';
    opener.pending = null;
    store.set({ ch: withDrag(store.get('ch'), change) });
    view.touch();
  }
}
