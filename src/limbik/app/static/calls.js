/** Requests to the server with one reply each (explain, export, open), as promises. */

export class Refusal extends Error {}

export class Calls {
  /** @param {import('./connection.js').Connection} connection */
  constructor(connection) {
    this.connection = connection;
    /** @type {Map<number, {resolve: (answer: *) => void, reject: (error: Refusal) => void}>} */
    this.waiting = new Map();
  }

  /**
   * @param {string} type @param {Record<string, *>} body
   * @returns {Promise<*>} rejected with a `Refusal` where the server refuses or goes away
   */
  ask(type, body) {
    if (!this.connection.live) return Promise.reject(new Refusal('The server is not connected.'));
    const id = this.connection.nextId();
    this.connection.send(JSON.stringify({ type, id, ...body }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** @param {{id: number}} answer */
  onAnswer(answer) {
    this.waiting.get(answer.id)?.resolve(answer);
    this.waiting.delete(answer.id);
  }

  /** @param {import('./protocol.js').ServerError} error @returns {boolean} whether it belongs to a question */
  onError(error) {
    const call = error.id === null ? undefined : this.waiting.get(error.id);
    if (!call) return false;
    this.waiting.delete(/** @type {number} */ (error.id));
    call.reject(new Refusal(error.message));
    return true;
  }

  onLost() {
    for (const { reject } of this.waiting.values()) reject(new Refusal('The server went away.'));
    this.waiting.clear();
  }
}
