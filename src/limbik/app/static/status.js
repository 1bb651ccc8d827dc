/** What the page says about its server: connecting, compiling, late, gone. Nothing while all is well. */

const PATIENCE = 500; // [ms] before a first connection, or an answer that is late, is worth a word

export class Status {
  /**
   * @param {import('./connection.js').Connection} connection
   * @param {() => number} waited  how long the page has been waiting for an answer [ms]
   */
  constructor(connection, waited) {
    this.connection = connection;
    this.waited = waited;
    this.box = /** @type {HTMLElement} */ (document.getElementById('status'));
    this.text = /** @type {HTMLElement} */ (document.getElementById('status-text'));
    this.retry = /** @type {HTMLButtonElement} */ (document.getElementById('retry'));
    /** What the server says it is compiling. */
    this.compiling = '';
    this.retry.addEventListener('click', () => connection.retryNow());
    window.setInterval(() => this.update(), 250);
  }

  update() {
    const { state, failures } = this.connection;
    const isLost = state !== 'open' && failures > 0;
    const isFirst = state !== 'open' && !isLost && performance.now() > PATIENCE;
    this.box.classList.toggle('is-lost', isLost);
    this.retry.hidden = !(isLost && state === 'waiting');
    if (isLost) this.say(this.lost());
    else if (isFirst) this.say('Connecting to the server');
    else this.say(this.waited() > PATIENCE ? this.compiling || 'Waiting for the server' : '');
  }

  lost() {
    if (this.connection.state === 'connecting') return 'Server not answering, trying again';
    const seconds = Math.max(0, Math.ceil((this.connection.retryAt - performance.now()) / 1000));
    return `Server not answering, next try in ${seconds} s`;
  }

  /** @param {string} text */
  say(text) {
    if (this.text.textContent !== text) this.text.textContent = text;
    this.box.hidden = text === '';
  }
}
