/** The copy-link button. */

export class Share {
  /**
   * @param {() => string|Promise<string>} link  gives a link that opens all of the state
   * @param {import('./notice.js').Notices} notices
   * @param {() => string} [note]  what is said of a link that was copied
   */
  constructor(link, notices, note = () => 'Link copied. It opens exactly this.') {
    Object.assign(this, { link, notices, note });
    document.getElementById('copy-link')?.addEventListener('click', () => this.copy());
  }

  async copy() {
    const link = await this.link();
    try {
      await navigator.clipboard.writeText(link);
      this.notices.show(this.note());
    } catch {
      history.replaceState(null, '', link);
      this.notices.show('The browser did not allow copying. The whole link is in the address bar.');
    }
  }
}
