/** The message that a scene could not be opened. */

import { find } from '../controls.js';

export class Fault {
  constructor() {
    this.box = find(document, '#fault');
    this.lenient = find(document, '#fault-lenient');
    find(document, '#fault-close').addEventListener('click', () => this.hide());
  }

  /** @param {string} what @param {string} message @param {(() => void)|null} [openLeniently] */
  show(what, message, openLeniently = null) {
    find(document, '#fault-title').textContent = `${what} could not be opened`;
    find(document, '#fault-text').textContent = message;
    this.lenient.hidden = openLeniently === null;
    this.lenient.onclick = () => {
      this.hide();
      openLeniently?.();
    };
    this.box.hidden = false;
  }

  hide() {
    this.box.hidden = true;
  }
}
