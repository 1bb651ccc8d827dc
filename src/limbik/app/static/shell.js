/** The frame around the canvas: panel, dock and tabs, pause and step. */

const NARROW = '(max-width: 759px)';

export class Shell {
  /** @param {import('./store.js').Store} store @param {() => void} onLayout  called after something opened or closed */
  constructor(store, onLayout) {
    this.store = store;
    this.narrow = window.matchMedia(NARROW);
    const root = document.documentElement;
    store.suit({ pn: root.dataset.panel === '1', cv: root.dataset.dock === '1' });
    this.press('panel-toggle', () => this.toggle('pn', 'cv'));
    this.press('tab-settings', () => this.toggle('pn', 'cv'));
    this.press('dock-toggle', () => this.toggle('cv', 'pn'));
    this.press('tab-convergence', () => this.toggle('cv', 'pn'));
    this.press('pause', () => store.set({ px: !store.get('px') }));
    const update = () => {
      this.apply();
      onLayout();
    };
    store.watch(['pn', 'cv'], update);
    this.narrow.addEventListener('change', update);
    store.watch(['px'], () => this.showPause());
  }

  /** @param {string} id @param {() => void} action */
  press(id, action) {
    document.getElementById(id)?.addEventListener('click', action);
  }

  /** On a phone only one sheet is open. @param {string} name @param {string} other */
  toggle(name, other) {
    const { panel, dock } = document.documentElement.dataset;
    const isOpen = (name === 'pn' ? panel : dock) !== '1';
    this.store.set(this.narrow.matches ? { [name]: isOpen, [other]: false } : { [name]: isOpen });
  }

  /** On a phone the settings come first where a link wants both open. */
  apply() {
    const { dataset } = document.documentElement;
    const hasPanel = this.store.get('pn');
    const hasDock = this.store.get('cv') && !(hasPanel && this.narrow.matches);
    dataset.panel = hasPanel ? '1' : '0';
    dataset.dock = hasDock ? '1' : '0';
    for (const id of ['panel-toggle', 'tab-settings']) expanded(id, hasPanel);
    for (const id of ['dock-toggle', 'tab-convergence']) expanded(id, hasDock);
  }

  showPause() {
    const isPaused = this.store.get('px');
    const button = /** @type {HTMLElement} */ (document.getElementById('pause'));
    button.setAttribute('aria-pressed', String(isPaused));
    button.title = isPaused ? 'Go on (p)' : 'Pause (p)';
    button.querySelector('use')?.setAttribute('href', isPaused ? '#i-play' : '#i-pause');
  }
}

/** @param {string} id @param {boolean} isOpen */
function expanded(id, isOpen) {
  document.getElementById(id)?.setAttribute('aria-expanded', String(isOpen));
}
