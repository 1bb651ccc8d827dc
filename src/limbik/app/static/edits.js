/** Undo and redo of changes to the settings, with the arms' configurations. */

const REST = 350; // [ms] after the last change until it counts as one step
const MAX = 200; // steps that are stored

/**
 * @typedef {object} Step
 * @property {string} settings  as JSON
 * @property {*} pose  how the arms stood when the next change began
 */

export class Edits {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {string[]} parts.names  of the settings that can be undone
   * @param {() => *} parts.pose  how the arms stand
   * @param {(pose: *) => void} parts.setPose  puts them there
   */
  constructor({ store, names, pose, setPose }) {
    Object.assign(this, { store, names, pose, setPose });
    /** @type {Step[]} */
    this.steps = [];
    this.at = 0;
    /** When something was last changed; null: all of it is in a step. @type {number|null} */
    this.changedAt = null;
    this.buttons = ['undo', 'redo'].map((id) => /** @type {HTMLButtonElement} */ (document.getElementById(id)));
    this.buttons[0].addEventListener('click', () => this.undo());
    this.buttons[1].addEventListener('click', () => this.redo());
    document.addEventListener('keydown', (event) => this.key(event));
    // What a hand does next is a step of its own, however soon it comes.
    document.addEventListener('pointerdown', () => this.keep(), true);
    document.addEventListener('keydown', (event) => event.repeat || isText(event.target) || this.keep(), true);
    store.watch(names, () => this.touch());
    this.clear();
  }

  /** Begin anew, as after another scene was opened. */
  clear() {
    this.steps = [{ settings: this.settings(), pose: this.pose() }];
    this.at = 0;
    this.changedAt = null;
    this.show();
  }

  settings() {
    return JSON.stringify(Object.fromEntries(this.names.map((name) => [name, this.store.get(name)])));
  }

  /** A person changes something, a setting or how the arms stand. */
  touch() {
    this.changedAt = performance.now();
  }

  /** Now and then: a change that has come to rest becomes a step. @param {number} now */
  tick(now) {
    if (!this.steps.length) return;
    if (this.changedAt === null) this.steps[this.at].pose = this.pose();
    else if (now - this.changedAt > REST) this.keep();
  }

  /** What has been changed becomes a step; those that were undone are forgotten. */
  keep() {
    if (this.changedAt === null) return;
    this.changedAt = null;
    const step = { settings: this.settings(), pose: this.pose() };
    const before = this.steps[this.at];
    const isSame = step.settings === before.settings && JSON.stringify(step.pose) === JSON.stringify(before.pose);
    if (isSame) return;
    this.steps = [...this.steps.slice(0, this.at + 1), step].slice(-MAX);
    this.at = this.steps.length - 1;
    this.show();
  }

  undo() {
    this.keep();
    this.go(this.at - 1);
  }

  redo() {
    this.keep();
    this.go(this.at + 1);
  }

  /** @param {number} to  index of a step */
  go(to) {
    if (!this.steps[to]) return;
    this.at = to;
    const { settings, pose } = this.steps[to];
    this.store.set(JSON.parse(settings));
    this.setPose(pose);
    this.changedAt = null;
    this.show();
  }

  show() {
    this.buttons[0].disabled = this.at === 0;
    this.buttons[1].disabled = this.at === this.steps.length - 1;
  }

  /** Ctrl or Command with Z or Y, unless a text is edited. @param {KeyboardEvent} event */
  key(event) {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isText(event.target) || !['z', 'y'].includes(key) || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    if (key === 'y' || event.shiftKey) this.redo();
    else this.undo();
  }
}

/** @param {EventTarget|null} target  whether a text is edited in it */
function isText(target) {
  return target instanceof HTMLElement && target.matches('input:not([type=range], [type=checkbox], [type=radio]), textarea');
}
