/** The card with the source text of the method's step. */

export class SourceCard {
  /** @param {() => string} solver  the one in front */
  constructor(solver) {
    this.solver = solver;
    this.box = /** @type {HTMLDetailsElement} */ (document.getElementById('source'));
    this.file = /** @type {HTMLElement} */ (document.getElementById('source-file'));
    this.text = /** @type {HTMLElement} */ (document.getElementById('source-text'));
    /** Solver whose source is shown. */
    this.shown = '';
    this.box.addEventListener('toggle', () => this.update());
  }

  /** Have the text of the solver in front, where the card is open. */
  async update() {
    const solver = this.solver();
    if (!this.box.open || solver === this.shown) return;
    this.shown = solver;
    try {
      const answer = await fetch(`source/${solver}`);
      const { file, text, message } = await answer.json();
      if (this.shown === solver) this.show(answer.ok ? file : message, answer.ok ? text : '');
    } catch {
      if (this.shown !== solver) return;
      this.shown = ''; // requested again when the card is opened the next time
      this.show('The server did not answer.', '');
    }
  }

  /** @param {string} file @param {string} text */
  show(file, text) {
    this.file.textContent = file;
    this.text.textContent = text;
    this.text.hidden = text === '';
    this.text.scrollTo(0, 0);
  }
}
