/** Opens motions: the example, or files; requests the motion again after every change. */

import { Refusal } from '../calls.js';
import { keepFiles } from '../upload.js';
import { withDrag } from './changes.js';
import { fetchNumbers } from './protocol.js';
import { OF_FILE } from './settings.js';

/** Settings of a request. */
const REQUESTED = ['token', 'unit', 'up', 'anim', 'ch', 'robot'];

export class Opener {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('../calls.js').Calls} parts.calls
   * @param {(shown: import('./protocol.js').Shown, numbers: import('./protocol.js').Numbers) => void} parts.onShown
   * @param {(message: string) => void} parts.onFault  a file cannot be opened
   * @param {(message: string) => void} parts.onRefused  a change of what is open cannot be made: it is taken back
   */
  constructor({ store, calls, onShown, onFault, onRefused }) {
    Object.assign(this, { store, calls, onShown, onFault, onRefused });
    this.isOpen = false; // the server has welcomed the page
    this.requestedAt = 0;
    /** A change that a hand is making. @type {import('./changes.js').Drag|null} */
    this.pending = null;
    this.isAsking = false;
    this.question = '';
    /** What was requested when it was last shown. @type {Record<string, *>|null} */
    this.shown = null;
    /** All settings of the file that is shown. @type {Record<string, *>|null} */
    this.shownSettings = null;
    store.watch(REQUESTED, () => this.ask());
  }

  /** How long the page has been waiting for an answer [ms]. */
  get waited() {
    return this.requestedAt ? performance.now() - this.requestedAt : 0;
  }

  begin() {
    this.isOpen = true;
    this.question = '';
    this.ask();
  }

  onLost() {
    this.isOpen = this.isAsking = false;
    this.requestedAt = 0;
  }

  /** @param {import('./changes.js').Drag|null} change  that a hand is making; null: none any more */
  preview(change) {
    this.pending = change;
    this.ask();
  }

  body() {
    const { store, pending } = this;
    const [up, changes] = [store.get('up'), store.get('ch')];
    return {
      token: store.get('token'),
      unit: store.get('unit'),
      up: up === 'auto' ? null : up,
      animation: store.get('anim'),
      changes: pending ? withDrag(changes, pending) : changes,
      robot: pending ? null : store.get('robot'), // which takes longer than a hand waits
    };
  }

  /** One question at a time; the newest state is what is requested next. */
  async ask() {
    if (!this.isOpen || this.isAsking) return;
    const body = this.body();
    const question = JSON.stringify(body);
    if (question === this.question) {
      if (this.shown) this.shown = this.settings(REQUESTED); // a hand has let go of what is shown
      return;
    }
    this.question = question;
    this.isAsking = true;
    this.requestedAt = performance.now();
    const settings = this.settings(REQUESTED);
    try {
      const shown = await this.calls.ask('motion', body);
      this.onShown(shown, await fetchNumbers(shown));
      this.shown = settings;
      this.shownSettings = this.settings([...REQUESTED, ...OF_FILE]);
    } catch (error) {
      if (!this.isOpen) return;
      this.refused(settings, error instanceof Error ? error.message : String(error));
    } finally {
      this.isAsking = false;
      this.requestedAt = 0;
    }
    this.ask();
  }

  /** @param {string[]} names */
  settings(names) {
    return Object.fromEntries(names.map((name) => [name, this.store.get(name)]));
  }

  /** @param {Record<string, *>} settings  that were requested @param {string} message */
  refused(settings, message) {
    if (!this.shown || this.shown.token !== settings.token) {
      this.onFault(message);
      if (this.shownSettings) this.store.set(this.shownSettings); // what is shown goes on, with its changes and its address
      this.question = JSON.stringify(this.body());
      return;
    }
    this.pending = null;
    this.store.set(this.shown);
    this.onRefused(message);
  }

  example() {
    this.openOther({ token: null, name: null });
  }

  /** @param {File[]} files @param {string[]} paths */
  async upload(files, paths) {
    try {
      const { token, name } = await keepFiles(files, paths);
      this.openOther({ token, name });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.onFault(error.message);
    }
  }

  /** @param {Record<string, *>} changes */
  openOther(changes) {
    this.store.clear(OF_FILE);
    this.store.set(changes); // before others hear of it: what is requested is the new file
    this.store.tell(OF_FILE);
  }
}
