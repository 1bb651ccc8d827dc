/** The WebSocket to the server: opens it, and reconnects. */

import * as protocol from './protocol.js';

const FIRST_WAIT = 250; // [ms]
const LONGEST_WAIT = 5000; // [ms]
const HANDSHAKE = 8000; // [ms] from opening to the welcome

/**
 * What is done with a message of each type, and when the connection is lost; types without an entry are passed over.
 * @typedef {Record<string, (message: *) => void> & {welcome: (welcome: protocol.Welcome) => void, lost: () => void}} Handlers
 */

export class Connection {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    /** @type {'connecting'|'open'|'waiting'} */
    this.state = 'connecting';
    this.failures = 0;
    this.ids = 0;
    /** When the next attempt is made, as performance.now(). */
    this.retryAt = 0;
    this.timer = 0;
    /** @type {WebSocket|null} */
    this.socket = null;
    window.addEventListener('online', () => this.retryNow());
    document.addEventListener('visibilitychange', () => !document.hidden && this.retryNow());
  }

  get live() {
    return this.state === 'open';
  }

  open() {
    window.clearTimeout(this.timer);
    this.state = 'connecting';
    const socket = new WebSocket(address());
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    this.timer = window.setTimeout(() => socket.close(), HANDSHAKE);
    socket.addEventListener('open', () => socket.send(protocol.hello()));
    socket.addEventListener('message', (event) => this.socket === socket && this.receive(event.data));
    socket.addEventListener('close', () => this.socket === socket && this.closed());
  }

  /** Do not wait for the next attempt. */
  retryNow() {
    if (this.state === 'waiting') this.open();
  }

  /** A number for the next request, which its answer bears as well. */
  nextId() {
    this.ids += 1;
    return this.ids;
  }

  /** @param {string} message */
  send(message) {
    this.socket?.send(message);
  }

  /** @param {string|ArrayBuffer} data */
  receive(data) {
    const message = protocol.read(data);
    if (message.type === 'welcome') {
      window.clearTimeout(this.timer);
      this.state = 'open';
      this.failures = 0;
    }
    if (message.type !== 'lost') this.handlers[message.type]?.(message);
  }

  closed() {
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.failures);
    this.failures += 1;
    this.state = 'waiting';
    this.retryAt = performance.now() + wait;
    window.clearTimeout(this.timer);
    // A hidden tab waits until it is looked at again.
    if (!document.hidden) this.timer = window.setTimeout(() => this.open(), wait);
    this.handlers.lost();
  }
}

/** @returns {URL} */
function address() {
  const url = new URL('ws', document.baseURI);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.search = '';
  url.hash = '';
  return url;
}
