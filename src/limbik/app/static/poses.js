/** A saved list of named poses: shown in the panel, written to the URL and to exports. */

import { find } from './controls.js';

const MAX = 30;
const LONGEST = 40; // letters of a name

/** @typedef {{name: string, text: string}} Pose  text: as the view writes where its arms stand */

/** The setting that holds them. */
export const POSES = {
  kind: 'own',
  fallback: [],
  read: readPoses,
  write: (/** @type {Pose[]} */ poses) => poses.map(({ name, text }) => `${encodeURIComponent(name)}~${text}`).join('|'),
};

/** @param {string} setting @param {string} written */
function readPoses(setting, written) {
  const entries = written.split('|').filter(Boolean).slice(0, MAX);
  const poses = entries.map(readPose);
  const bad = entries.filter((_, i) => poses[i] === null);
  return { value: poses.filter((pose) => pose !== null), note: bad.length ? `${setting}: ${bad.join(' and ').slice(0, 80)} is not NAME~NUMBERS` : null };
}

/** @param {string} entry @returns {Pose|null} */
function readPose(entry) {
  const [name, text, ...more] = entry.split('~');
  if (!name || !text || more.length) return null;
  try {
    return { name: decodeURIComponent(name).slice(0, LONGEST), text };
  } catch {
    return null;
  }
}

export class Poses {
  /**
   * @param {object} parts
   * @param {import('./store.js').Store} parts.store
   * @param {import('./notice.js').Notices} parts.notices
   * @param {() => string} parts.write  where the arms stand
   * @param {(text: string) => string} parts.take  puts them there; what was wrong, empty where nothing was
   */
  constructor({ store, notices, write, take }) {
    Object.assign(this, { store, notices, write, take });
    this.field = /** @type {HTMLInputElement} */ (find(document, '#pose-name'));
    this.rows = find(document, '#poses');
    find(document, '#pose-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.save();
    });
    store.watch(['poses'], () => this.show());
  }

  /** @returns {Pose[]} */
  get list() {
    return this.store.get('poses');
  }

  /** Keep where the arms stand; a name that is taken stands for the new pose. */
  save() {
    const name = this.field.value.trim().slice(0, LONGEST) || this.unused();
    const others = this.list.filter((pose) => pose.name !== name);
    if (others.length >= MAX) {
      this.notices.show(`At most ${MAX} poses are stored: remove one first.`);
      return;
    }
    this.field.value = '';
    this.store.set({ poses: [...others, { name, text: this.write() }] });
  }

  unused() {
    for (let i = 1; ; i += 1) if (!this.list.some(({ name }) => name === `Pose ${i}`)) return `Pose ${i}`;
  }

  show() {
    this.rows.replaceChildren(...this.list.map((pose) => this.row(pose)));
  }

  /** @param {Pose} pose */
  row({ name, text }) {
    const row = document.createElement('li');
    const take = Object.assign(document.createElement('button'), { type: 'button', className: 'button small', textContent: name, title: 'Take this pose' });
    take.addEventListener('click', () => {
      const problem = this.take(text);
      if (problem) this.notices.show(`${name}: ${problem}`);
    });
    const remove = Object.assign(document.createElement('button'), { type: 'button', className: 'button square small' });
    remove.setAttribute('aria-label', `Remove the pose ${name}`);
    remove.innerHTML = '<svg class="icon"><use href="#i-close"/></svg>';
    remove.addEventListener('click', () => this.store.set({ poses: this.list.filter((pose) => pose.name !== name) }));
    row.append(take, remove);
    return row;
  }
}
