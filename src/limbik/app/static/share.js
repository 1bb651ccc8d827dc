/** The copy-link button. */

export class Share {
  /**
   * @param {() => string|Promise<string>} link  gives a link that opens all of the state
   * @param {import('./notice.js').Notices} notices
   */
  constructor(link, notices) {
    this.link = link;
    this.notices = notices;
    document.getElementById('copy-link')?.addEventListener('click', () => this.copy());
  }

  async copy() {
    const link = await this.link();
    try {
      await navigator.clipboard.writeText(link);
      this.notices.show('Link copied. It opens exactly this.');
    } catch {
      history.replaceState(null, '', link);
      this.notices.show('The browser did not allow copying. The whole link is in the address bar.');
    }
  }
}
