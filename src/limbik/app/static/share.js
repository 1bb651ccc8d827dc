/** The copy-link button. */

export class Share {
  /**
   * @param {import('./store.js').Store} store
   * @param {import('./place.js').Place} place
   * @param {import('./notice.js').Notices} notices
   */
  constructor(store, place, notices) {
    this.store = store;
    this.place = place;
    this.notices = notices;
    document.getElementById('copy-link')?.addEventListener('click', () => this.copy());
  }

  /** A link that opens all of the state, with the places that the window chose. */
  link() {
    const [mx, my] = this.place.base;
    const [tx, ty] = this.place.home;
    return this.store.link({ mx, my, tx, ty, help: false });
  }

  async copy() {
    const link = this.link();
    try {
      await navigator.clipboard.writeText(link);
      this.notices.show('Link copied. It opens exactly this.');
    } catch {
      history.replaceState(null, '', link);
      this.notices.show('The browser did not allow copying. The whole link is in the address bar.');
    }
  }
}
