/** The help overlay, open where the state says so. */

export class Help {
  /** @param {import('./store.js').Store} store */
  constructor(store) {
    this.store = store;
    this.dialog = /** @type {HTMLDialogElement} */ (document.getElementById('help'));
    this.dialog.addEventListener('close', () => store.get('help') && store.set({ help: false }));
    this.dialog.addEventListener('click', (event) => event.target === this.dialog && this.dialog.close());
    document.getElementById('help-open')?.addEventListener('click', () => this.toggle());
    store.watch(['help'], () => this.apply());
  }

  toggle() {
    this.store.set({ help: !this.store.get('help') });
  }

  apply() {
    const isOpen = this.store.get('help');
    if (isOpen && !this.dialog.open) this.dialog.showModal();
    if (!isOpen && this.dialog.open) this.dialog.close();
  }
}
