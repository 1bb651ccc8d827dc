/** The help overlay, open where the state says so. */

export class Help {
  /** @param {import('./store.js').Store} store */
  constructor(store) {
    this.store = store;
    this.dialog = /** @type {HTMLDialogElement} */ (document.getElementById('help'));
    // The browser tells of a closed dialog only later, when it may be open again: what closes it sets the state at once.
    this.dialog.addEventListener('cancel', (event) => this.close(event));
    this.dialog.addEventListener('submit', (event) => this.close(event));
    this.dialog.addEventListener('click', (event) => event.target === this.dialog && this.close(event));
    this.dialog.addEventListener('close', () => !this.dialog.open && store.get('help') && store.set({ help: false }));
    document.getElementById('help-open')?.addEventListener('click', () => this.toggle());
    store.watch(['help'], () => this.apply());
  }

  toggle() {
    this.store.set({ help: !this.dialog.open });
  }

  /** @param {Event} event */
  close(event) {
    event.preventDefault();
    this.store.set({ help: false });
  }

  apply() {
    const isOpen = this.store.get('help');
    if (isOpen && !this.dialog.open) this.dialog.showModal();
    if (!isOpen && this.dialog.open) this.dialog.close();
  }
}
