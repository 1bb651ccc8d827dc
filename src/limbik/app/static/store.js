/**
 * The store of all settings: read by every part of the page, written to the URL. Every part of the page reads from here
 * and hears of changes from here.
 *
 * The address bar names the settings that were set or touched; `link()` names all of them.
 */

import { readQuery, writeQuery } from './urlstate.js';

const WRITE_EVERY = 700; // [ms], with two writes at most: Safari takes 100 in 30 s

export class Store {
  /**
   * @param {string} query  the query string that the page was opened with
   * @param {Record<string, import('./settings.js').Setting>} settings  the table of the view
   */
  constructor(query, settings) {
    const { values, notes } = readQuery(query, settings);
    this.settings = settings;
    /** What could not be taken from the URL as it was written. */
    this.notes = notes;
    /** @type {Record<string, *>} */
    this.values = {};
    for (const [name, setting] of Object.entries(settings)) this.values[name] = values[name] ?? setting.fallback;
    this.touched = new Set(Object.keys(values));
    /** @type {{names: string[]|null, tell: () => void}[]} */
    this.listeners = [];
    this.timer = 0;
    /** Settings that change all the time: they are requested only when the address or a link is written. */
    this.gather = () => /** @type {Record<string, *>} */ ({});
  }

  /** @param {string} name */
  get(name) {
    return this.values[name];
  }

  /** Set a default that suits this window; it enters the address bar only when it is touched. */
  suit(/** @type {Record<string, *>} */ defaults) {
    for (const [name, value] of Object.entries(defaults)) {
      if (!this.touched.has(name)) this.values[name] = value;
    }
  }

  /** Back to the defaults, and out of the address bar; who listens is to be told. @param {string[]} names */
  clear(names) {
    for (const name of names) {
      this.values[name] = this.settings[name].fallback;
      this.touched.delete(name);
    }
  }

  /** Change settings and tell who listens. @param {Record<string, *>} changes */
  set(changes) {
    const changed = Object.keys(changes).filter((name) => this.values[name] !== changes[name]);
    for (const name of Object.keys(changes)) this.touched.add(name);
    for (const name of changed) this.values[name] = changes[name];
    if (changed.length) this.tell(changed);
    this.writeSoon();
  }

  /**
   * Hear of changes.
   * @param {string[]|null} names  null: of any
   * @param {() => void} tell  called now as well
   */
  watch(names, tell) {
    this.listeners.push({ names, tell });
    tell();
  }

  /** @param {string[]} changed */
  tell(changed) {
    for (const { names, tell } of this.listeners) {
      if (names === null || names.some((name) => changed.includes(name))) tell();
    }
  }

  /** Write what somebody changes now, so that who leaves at once comes back to it; and what goes on changing after it. */
  writeSoon() {
    if (this.timer) return;
    if (navigator.userActivation?.hasBeenActive) this.write();
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.write();
    }, WRITE_EVERY);
  }

  /** Put the touched settings into the address bar. */
  write() {
    history.replaceState(null, '', location.pathname + this.query());
  }

  /** The touched settings as a query string. */
  query() {
    const touched = Object.fromEntries([...this.touched].map((name) => [name, this.values[name]]));
    return writeQuery({ ...touched, ...this.gather() }, this.settings);
  }

  /** A link that opens the whole state. @param {Record<string, *>} more  settings to add or to replace */
  link(more = {}) {
    return location.origin + location.pathname + writeQuery({ ...this.values, ...this.gather(), ...more }, this.settings);
  }
}
