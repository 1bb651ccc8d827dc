/** The panel of the page of motions: file, changes, robot, measures, exports, and the changes as Python code. */

import { Controls, find } from '../controls.js';
import { inPython, inWords } from './changes.js';

/** @type {{title: string, key: 'slide_cm_s'|'slide_peak_cm_s'|'depth_mm'|'jitter_mm'|'jerk', unit: string}[]} */
const ROWS = [
  { title: 'Slide', key: 'slide_cm_s', unit: 'cm/s' },
  { title: 'at most', key: 'slide_peak_cm_s', unit: 'cm/s' },
  { title: 'In the ground', key: 'depth_mm', unit: 'mm' },
  { title: 'Jitter', key: 'jitter_mm', unit: 'mm' },
  { title: 'Jerk', key: 'jerk', unit: 'm/s³' },
];
const SAVES = { body: '', table: 'Joints as ', robot: 'Robot as ' };
const BETTER = 0.9; // of what was before

export class Panel {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./opener.js').Opener} parts.opener
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, opener, notices }) {
    Object.assign(this, { store, opener, notices });
    /** @type {import('./protocol.js').Shown|null} */
    this.shown = null;
    const controls = new Controls(store, notices);
    controls.bind(find(document, '#panel'));
    controls.bind(find(document, '#dock'));
    this.robot = /** @type {HTMLSelectElement} */ (find(document, '#robot'));
    this.animation = /** @type {HTMLSelectElement} */ (find(document, '#animation'));
    this.robot.addEventListener('change', () => store.set({ robot: this.robot.value || null }));
    this.animation.addEventListener('change', () => store.set({ anim: this.animation.value }));
    find(document, '#example-open').addEventListener('click', () => opener.example());
    find(document, '#stand').addEventListener('click', () => this.stand());
    find(document, '#clean').addEventListener('click', () => this.add({ kind: 'clean', method: 'butterworth', cutoff_hz: store.get('hz') }));
    store.watch(['ground'], () => this.showGround());
    store.watch(['ch'], () => this.showChanges());
    store.watch(['robot'], () => this.chooseRobot());
  }

  /** The robots that can stand beside a body. @param {import('../space/protocol.js').Robot[]} robots */
  learn(robots) {
    const able = robots.filter(({ kind, installed, name }) => kind === 'humanoid' && installed && name !== 'baxter');
    this.robot.replaceChildren(new Option('no robot', ''), ...able.map(({ name, title }) => new Option(title, name)));
    this.chooseRobot();
  }

  chooseRobot() {
    const name = this.store.get('robot') ?? '';
    if (name && ![...this.robot.options].some(({ value }) => value === name)) this.robot.append(new Option(name, name));
    this.robot.value = name;
  }

  /** @param {import('./changes.js').Change} change */
  add(change) {
    this.store.set({ ch: [...this.store.get('ch'), change] });
  }

  /** On another ground the feet are put anew: the one before is left. */
  stand() {
    const { store } = this;
    const change = { kind: 'stand', ground: store.get('ground'), slope: store.get('slope'), rise: store.get('rise') };
    store.set({ ch: [...store.get('ch').filter((/** @type {import('./changes.js').Change} */ { kind }) => kind !== 'stand'), change] });
  }

  showGround() {
    const ground = this.store.get('ground');
    find(document, '#slope-row').hidden = ground !== 'slope';
    find(document, '#rise-row').hidden = ground !== 'stairs' && ground !== 'hills';
  }

  showChanges() {
    const changes = /** @type {import('./changes.js').Change[]} */ (this.store.get('ch'));
    find(document, '#changes').replaceChildren(...changes.map((change, i) => this.row(change, i)));
    find(document, '#changes-hint').hidden = changes.length > 0;
    this.showPython();
  }

  /** @param {import('./changes.js').Change} change @param {number} i */
  row(change, i) {
    const item = document.createElement('li');
    const words = Object.assign(document.createElement('span'), { textContent: inWords(change, this.shown?.dt ?? 0) });
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', className: 'sign', title: 'Take this back' });
    button.setAttribute('aria-label', `Take back: ${words.textContent}`);
    button.innerHTML = '<svg class="icon"><use href="#i-close"/></svg>';
    button.addEventListener('click', () => this.store.set({ ch: this.store.get('ch').filter((/** @type {*} */ _, /** @type {number} */ k) => k !== i) }));
    item.append(words, button);
    return item;
  }

  /** @param {import('./protocol.js').Shown} shown */
  show(shown) {
    this.shown = shown;
    const seconds = ((shown.frames - 1) * shown.dt).toFixed(2);
    const about = `${shown.frames} frames, ${seconds} s, ${Math.round(1 / shown.dt)} a second; ${shown.height.toPrecision(3)} m high`;
    find(document, '#motion-title').textContent = shown.name;
    find(document, '#motion-about').textContent = `${shown.name}: ${about}.`;
    find(document, '#unit-row').classList.toggle('is-idle', !shown.name.toLowerCase().endsWith('.bvh') || this.store.get('token') === null);
    find(document, '#drag-text').textContent = shown.links.length
      ? 'Drag a ball: the hips, a hand or a foot. The frames before and after go along.'
      : 'This skeleton has no limb of two bones that could be dragged.';
    find(document, '#stand').toggleAttribute('disabled', shown.feet.length === 0);
    this.showAnimations(shown.animations);
    this.showNotes(shown);
    this.showMeasures(shown.measures);
    find(document, '#saves').replaceChildren(...Object.entries(shown.files).map(([kind, name]) => saveLink(shown.key, kind, name)));
    this.showChanges();
  }

  showNothing() {
    find(document, '#motion-about').textContent = 'Nothing is open.';
  }

  /** @param {string[]} animations */
  showAnimations(animations) {
    find(document, '#animation-row').hidden = animations.length < 2;
    this.animation.replaceChildren(...animations.map((name) => new Option(name, name)));
    this.animation.value = this.store.get('anim') ?? animations[0] ?? '';
  }

  /** @param {import('./protocol.js').Shown} shown */
  showNotes({ feet, notes }) {
    const list = find(document, '#motion-notes');
    const all = feet.length ? notes : [...notes, 'No link is called foot or ankle, so contacts are not known.'];
    list.replaceChildren(...all.map((text) => Object.assign(document.createElement('li'), { textContent: text })));
    list.hidden = all.length === 0;
  }

  /** @param {import('./protocol.js').Measures[]} measures */
  showMeasures(measures) {
    const table = find(document, '#measures');
    const isChanged = this.store.get('ch').length > 0;
    const columns = measures.filter((_, k) => k !== 1 || isChanged);
    const head = document.createElement('tr');
    head.append(cell('th', ''), ...columns.map(({ title }, k) => cell('th', k === 0 && !isChanged ? 'file' : title)));
    find(table, 'thead').replaceChildren(head);
    find(table, 'tbody').replaceChildren(...ROWS.map(({ title, key, unit }) => {
      const row = document.createElement('tr');
      const first = cell('th', title);
      first.append(Object.assign(document.createElement('small'), { textContent: ` ${unit}` }));
      const values = columns.map((column, k) => {
        const value = cell('td', number(column[key]));
        const before = measures[0][key];
        const isBetter = k === 1 && isChanged && before !== null && (column[key] ?? Infinity) < BETTER * before;
        value.classList.toggle('is-better', isBetter);
        return value;
      });
      row.append(first, ...values);
      return row;
    }));
  }

  showPython() {
    const { shown, store } = this;
    if (!shown) return;
    const isBvh = shown.name.toLowerCase().endsWith('.bvh'); // other files have units of their own
    const unit = store.get('unit') === 'cm' || !isBvh ? '' : `, unit="${store.get('unit')}"`;
    const up = store.get('up') === 'auto' ? '' : `, up="${store.get('up')}"`;
    const lines = ['import limbik', '', `motion = limbik.load_motion(${JSON.stringify(shown.name)}${unit}${up})`];
    const changes = /** @type {import('./changes.js').Change[]} */ (store.get('ch'));
    lines.push(...changes.map((change, i) => inPython(change, shown.up, changes.slice(0, i))));
    lines.push(`motion.save(${JSON.stringify(shown.files.body)})`);
    if (store.get('robot')) {
      lines.push(`robot = limbik.motion.retarget(motion, limbik.load("${store.get('robot')}"))`, `robot.save(${JSON.stringify(shown.files.robot ?? 'robot.csv')})`);
    }
    find(document, '#motion-python').textContent = lines.join('\n');
  }
}

/** @param {string} key @param {string} kind @param {string} name */
function saveLink(key, kind, name) {
  const link = document.createElement('a');
  const ending = name.slice(name.lastIndexOf('.') + 1).toUpperCase();
  Object.assign(link, { className: 'button small', href: `motion/${key}/${kind}`, download: name, title: name });
  link.textContent = SAVES[/** @type {keyof typeof SAVES} */ (kind)] + ending;
  return link;
}

/** @param {'td'|'th'} kind @param {string} text */
function cell(kind, text) {
  return Object.assign(document.createElement(kind), { textContent: text, title: text });
}

/** @param {number|null} value */
function number(value) {
  if (value === null) return '–';
  if (Math.abs(value) < 0.005) return '0';
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
