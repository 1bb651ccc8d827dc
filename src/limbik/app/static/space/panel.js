/** The settings panel of the 3-D page. */

import { Controls, find } from '../controls.js';
import { Methods } from '../methods.js';
import { bindTarget } from '../target.js';
import { SOLVERS } from '../settings.js';

/** The page's name of each entry that the server may refuse. */
const FIELDS = { iterations: 'it', tolerance: 'tol', tolerance_rotation: 'ta', damping: 'd', gamma: 'g', lambda: 'la', anneal: 'an', weight: 'pw' };
/** What a scene is, and how it is seen, whatever its base and the reading of its angles. */
const READING = ['robot', 'arm', 'name', 'token', 'base', 'angles', 'lenient', 'cam'];

export class Panel {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./scenes.js').Scenes} parts.scenes
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, arms, motion, scenes, notices }) {
    Object.assign(this, { store, arms, scenes });
    this.methods = new Methods();
    new Controls(store, notices).bind(find(document, '#panel'));
    this.floating = /** @type {HTMLInputElement} */ (find(document, '#floating'));
    this.floating.addEventListener('change', () => this.reopen({ base: this.floating.checked ? 'floating' : 'fixed' }));
    find(document, '#angles-row').addEventListener('change', (event) => this.reopen({ angles: /** @type {HTMLInputElement} */ (event.target).value }));
    bindTarget(store, motion);
    store.watch(['algo', 'race'], () => this.showMethod());
  }

  /** The same source read differently: q and goals mean other things then. @param {Record<string, *>} changes */
  async reopen(changes) {
    const { store } = this;
    const readings = READING.filter((name) => store.get(name) !== store.settings[name].fallback).map((name) => [name, store.get(name)]);
    const isOpen = await this.scenes.openOther({ ...Object.fromEntries(readings), ...changes });
    if (!isOpen) this.showReading();
  }

  /** How the scene that is shown was read. */
  showReading() {
    const { store } = this;
    this.floating.checked = store.get('base') === 'floating';
    const angles = store.get('angles') ?? this.scenes.scene?.angles;
    if (angles) find(document, `input[name=angles][value=${angles}]`).checked = true;
  }

  /** @param {import('./protocol.js').Scene} scene */
  setScene(scene) {
    const isArms = scene.arms.some((arm) => arm.segments.length > 0);
    const title = this.store.get('name') ?? scene.name;
    find(document, '#scene-title').textContent = title.replace(/ \(\d+ joints\)$/, ''); // how many is told behind it
    find(document, '#scene-about').textContent = scene.arms.length === 1 ? inWords(scene.arms[0]) : `${scene.arms.length} arms`;
    find(document, '#base-row').hidden = isArms;
    find(document, '#angles-row').hidden = !isArms;
    this.showReading();
    list('#scene-notes', scene.notes);
    this.showMethod();
  }

  /** What the server says about its solvers. @param {import('../protocol.js').Welcome} welcome */
  learn(welcome) {
    this.methods.learn(welcome);
    this.showMethod();
  }

  showMethod() {
    const { wanted, front } = this.arms;
    this.methods.show(wanted, front.solver);
    this.showRefusals();
  }

  /** Solvers that cannot do this, with the reason: at their buttons, and for those that run in the panel. */
  showRefusals() {
    const refusals = [];
    for (const { name, short, title } of SOLVERS) {
      const reason = this.reason(name);
      const chip = /** @type {HTMLElement|null} */ (document.querySelector(`.chip[data-solver=${name}]`));
      chip?.classList.toggle('is-unable', reason !== '');
      chip?.setAttribute('title', reason || title);
      if (reason && this.arms.wanted.includes(name)) refusals.push(`${short}: ${reason}`);
    }
    list('#refusals', refusals);
  }

  /** Why a solver cannot do what is requested; empty where it can. @param {string} solver */
  reason(solver) {
    for (const { description, runners } of this.arms.mechanisms) {
      const refusal = runners.find((runner) => runner.solver === solver)?.refusal;
      if (refusal) return refusal;
      if (description.reason[solver] && !runners.some((runner) => runner.solver === solver)) return description.reason[solver];
    }
    return '';
  }

  /** Point at the control that the server refused. @param {string|null} field  such as "settings.gamma" */
  blame(field) {
    const name = FIELDS[/** @type {keyof typeof FIELDS} */ ((field ?? '').split('.').pop() ?? '')];
    if (name) document.getElementById(name)?.setAttribute('aria-invalid', 'true');
  }
}

/** @param {import('./protocol.js').ArmScene} arm */
function inWords({ joints, nv, reach }) {
  const count = joints.filter((joint) => joint.q >= 0 && !joint.mimic).length;
  const freedom = nv === count ? '' : `, ${nv} degrees of freedom`;
  return `${count} joint${count === 1 ? '' : 's'}${freedom}${reach ? `, reach ${reach.toFixed(2)} m` : ''}`;
}

/** @param {string} selector @param {string[]} lines  none: the list is hidden */
function list(selector, lines) {
  const element = find(document, selector);
  const text = lines.join('\n');
  if (element.dataset.text === text) return;
  element.dataset.text = text;
  element.hidden = lines.length === 0;
  element.replaceChildren(...lines.map((line) => Object.assign(document.createElement('li'), { textContent: line })));
}
