/** Exports of the 3-D page: configurations, scenes, a program, a picture, a recording. */

import { Refusal } from '../calls.js';
import { find } from '../controls.js';
import { STANCES, shortest } from './codec.js';
import { stemOf } from './names.js';
import { cell, movingJoints, sizeOf } from './numbers.js';
import { MILLIMETRES } from './protocol.js';
import { program } from './snippet.js';

const WITH_PRIORITIES = 'lm'; // the solver that heeds a posture

export class Exports {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./scenes.js').Scenes} parts.scenes
   * @param {import('../calls.js').Calls} parts.calls
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./objectedits.js').Objects} parts.objects
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('./recorder.js').Recorder} parts.recorder
   * @param {import('./loop.js').SpaceLoop} parts.loop
   * @param {import('../methods.js').Methods} parts.methods
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor(parts) {
    Object.assign(this, parts);
    this.dialog = /** @type {HTMLDialogElement} */ (find(document, '#snippet'));
    this.program = find(document, '#snippet-text');
    find(document, '#exports').addEventListener('click', (event) => this.clicked(/** @type {HTMLElement} */ (event.target)));
    find(document, '#snippet-copy').addEventListener('click', () => this.copy());
    find(document, '#snippet-save').addEventListener('click', () => this.save('scene.py', this.program.textContent ?? ''));
    this.dialog.addEventListener('click', (event) => event.target === this.dialog && this.dialog.close());
  }

  /** @param {HTMLElement} target */
  async clicked(target) {
    const what = /** @type {HTMLElement|null} */ (target.closest('[data-export]'))?.dataset.export;
    if (!what || !this.scenes.scene) return;
    try {
      await this.export(what);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.notices.show(error.message, { isError: true });
    }
  }

  /** @param {string} what */
  async export(what) {
    if (what === 'json') this.save(`${this.stem}.json`, this.json());
    else if (what === 'csv') this.save(`${this.stem}.csv`, this.csv());
    else if (what === 'motion') this.saveMotion();
    else if (what === 'png') this.save(`${this.stem}.png`, await this.stage.snapshot());
    else if (what === 'python') await this.showProgram();
    else this.save(...(await this.written(what)));
  }

  /** @param {string} format @returns {Promise<[string, string]>} name and text of the scene as the server writes it */
  async written(format) {
    const mechanisms = this.arms.mechanisms;
    const { text, notes = [] } = await this.calls.ask('export', {
      format,
      q: mechanisms.map((mechanism) => [...this.arms.frontOf(mechanism).q]),
      goals: mechanisms.map(({ index }) => this.goals.request(index)),
      widened: mechanisms.map(({ index }) => this.arms.widened(index)),
      world: format === 'world' ? { objects: this.objects.list, clearance: 0 } : null,
    });
    for (const note of notes) this.notices.show(note);
    return [format === 'world' ? `${this.stem}-objects.json` : `${this.stem}.${format}`, text];
  }

  get stem() {
    return stemOf(this.scenes.scene?.name ?? '');
  }

  /** @returns {{arm: string, q: Record<string, number[]>, goals: object[]}[]} numbers of q by joint */
  configurations() {
    return this.arms.mechanisms.map((mechanism) => {
      const { q } = this.arms.frontOf(mechanism);
      return { arm: mechanism.description.name, q: byJoint(mechanism, q), goals: this.goals.request(mechanism.index) };
    });
  }

  /** @returns {{name: string, arms: {arm: string, q: Record<string, number[]>}[]}[]} the stored poses */
  poses() {
    const { store, arms } = this;
    return store.get('poses').map((/** @type {import('../poses.js').Pose} */ { name, text }) => {
      const stances = STANCES.read(name, text).value.filter((stance) => arms.fits(stance));
      return { name, arms: stances.map(({ arm, q }) => ({ arm: arms.mechanisms[arm].description.name, q: byJoint(arms.mechanisms[arm], q) })) };
    });
  }

  json() {
    return `${JSON.stringify({ scene: this.scenes.scene?.name, units: 'rad, m, quaternions xyzw', arms: this.configurations(), poses: this.poses() }, null, 2)}\n`;
  }

  csv() {
    const rows = this.configurations().flatMap(({ arm, q }) =>
      Object.entries(q).map(([joint, values]) => [cell(arm), cell(joint), ...values].join(',')),
    );
    return `arm,joint,value\n${rows.join('\n')}\n`;
  }

  saveMotion() {
    if (this.recorder.rows.length === 0) this.notices.show('Nothing has moved yet.');
    else this.save(`${this.stem}-motion.csv`, this.recorder.csv());
  }

  async showProgram() {
    const { store, scenes, arms } = this;
    this.program.textContent = program({
      title: scenes.scene?.name ?? 'A scene',
      source: await this.programSource(),
      base: store.get('base'),
      angles: store.get('angles'),
      lenient: store.get('lenient'),
      solver: store.get('algo'),
      parameters: this.methods.chosen(store.get('algo'), store),
      branches: store.get('branches'),
      limits: store.get('lm'),
      world: this.objects.request(),
      tolerance: store.get('tol') / MILLIMETRES,
      toleranceRotation: (store.get('ta') * Math.PI) / 180,
      arms: arms.mechanisms.map((mechanism) => ({
        description: mechanism.description,
        q: arms.frontOf(mechanism).q,
        goals: this.goals.list.flatMap((goal, i) => (goal.arm === mechanism.index ? [{ ...goal, position: this.goals.positionOf(i) }] : [])),
        locked: arms.locked(mechanism.index),
        widened: store.get('token') ? [] : arms.widened(mechanism.index), // what the server writes has them
        posture: store.get('algo') === WITH_PRIORITIES ? this.loop.posture(mechanism.index) : null,
      })),
    });
    this.dialog.showModal();
  }

  /**
   * Robots by name, files by their text; of files that are not in the link the `.arm` or URDF that the server writes.
   * @throws {Refusal} where URDF would have other numbers for the joints
   */
  async programSource() {
    const { store, scenes } = this;
    if (store.get('token')) {
      const isArm = Boolean(scenes.scene?.angles);
      if (!isArm && this.arms.mechanisms.some(({ description }) => movingJoints(description).some((joint) => sizeOf(joint) > 1))) {
        throw new Refusal('The program would hold these files as URDF, which has no ball joints or floating bases: load the files themselves, limbik.load("FILE").');
      }
      const [name, text] = await this.written(isArm ? 'arm' : 'urdf');
      return { name, text, isArm };
    }
    if (!store.get('arm')) return { robots: scenes.robots };
    return { name: store.get('name') ?? 'scene', text: scenes.text, isArm: isArmText(scenes.text) };
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.program.textContent ?? '');
      this.notices.show('Program copied.');
    } catch {
      this.notices.show('The browser did not allow copying: select the text instead.', { isError: true });
    }
  }

  /** @param {string} name @param {string|Blob} content */
  save(name, content) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: 'text/plain' }));
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.notices.show(`Saved ${name}.`);
  }
}

/** Numbers of q by joint. @param {import('./arms.js').Mechanism} mechanism @param {ArrayLike<number>} q @returns {Record<string, number[]>} */
function byJoint({ description }, q) {
  const part = (/** @type {number} */ at, /** @type {number} */ size) => Array.from(q).slice(at, at + size).map((value) => Number(shortest(value)));
  return Object.fromEntries(movingJoints(description).map((joint) => [joint.name, part(joint.q, sizeOf(joint))]));
}

/** Whether a text is one of the arm format: its first word is `arm`. @param {string} text */
function isArmText(text) {
  const first = text.split('\n').map((line) => line.replace(/#.*/, '').trim()).find(Boolean);
  return /^-?arm\s/.test(first ?? '');
}
