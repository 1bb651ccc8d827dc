/** The card "How it works": draws and describes one iteration of the current method. */

import { besideCards } from '../region.js';
import { solverInfo } from '../settings.js';
import { explain, iterationOf } from './explanation.js';
import { degrees, drawOther, drawPass, drawStep, drawTurn } from './explanationmarks.js';
import { points } from './kinematics.js';

const MORE = 'The change is not the method’s alone: the loop around it also keeps limits, leaves dead points, extrapolates slow '
  + 'descents, mixes passes of FABRIK with those before them and pulls toward a rest pose.';

/** @typedef {import('./explanation.js').Rotations|import('./explanation.js').Passes|import('./explanation.js').Step} Explanation */

export class HowItWorks {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('../theme.js').Theme} parts.theme
   * @param {{step: number|null, isStale: boolean}} parts.view
   * @param {import('./workspace.js').Workspace} parts.workspace
   */
  constructor({ store, arms, theme, view, workspace }) {
    Object.assign(this, { store, arms, theme, view, workspace });
    /** Turn or pass that was chosen; null: the turn that is largest, the first pass. @type {number|null} */
    this.chosen = null;
    const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
    [this.box, this.text, this.parts, this.part] = ['how', 'how-text', 'how-parts', 'how-part'].map(find);
    [this.back, this.on] = ['how-back', 'how-on'].map((id) => /** @type {HTMLButtonElement} */ (find(id)));
    this.back.addEventListener('click', () => this.choose(-1));
    this.on.addEventListener('click', () => this.choose(1));
    store.watch(['algo', 'race', 'n'], () => {
      this.chosen = null;
    });
    store.watch(['hw'], () => {
      this.box.hidden = !this.isOn;
      this.update();
    });
  }

  get isOn() {
    return this.store.get('hw');
  }

  /** @returns {{iteration: import('./explanation.js').Iteration, explanation: Explanation}|null} */
  get shown() {
    const iteration = iterationOf(this.arms.front, this.view.step);
    return iteration && { iteration, explanation: explain(iteration) };
  }

  /** The turn before or after, or the other pass. @param {1|-1} step */
  choose(step) {
    const { shown } = this;
    if (!shown) return;
    const count = partsOf(shown.explanation);
    this.chosen = Math.min(Math.max(this.partOf(shown.explanation) + step, 0), count - 1);
    this.view.isStale = true;
    this.update();
  }

  /** @param {Explanation} explanation @returns {number} the turn or pass that is shown */
  partOf(explanation) {
    const usual = explanation.kind === 'rotations' ? largestTurn(explanation.rotations) : 0;
    return Math.min(this.chosen ?? usual, partsOf(explanation) - 1);
  }

  /** @param {CanvasRenderingContext2D} ctx  in the arm's coordinates @param {number} [unit]  one pixel of the screen in them */
  draw(ctx, unit = 1) {
    const shown = this.isOn ? this.shown : null;
    if (!shown) return;
    const { iteration, explanation } = shown;
    const { from, to, request } = iteration;
    const pen = { ctx, unit, colour: (/** @type {string} */ name) => this.theme.colour(name), own: this.theme.colour(iteration.solver), bounds: besideCards(this.workspace.clear) };
    const before = points(from, request.length, request.base);
    const after = points(to, request.length, request.base);
    const isBefore = this.view.step !== null && this.view.step < iteration.number;
    drawOther(pen, isBefore ? after : before);
    const part = this.partOf(explanation);
    if (explanation.kind === 'rotations') drawTurn(pen, explanation.rotations[part], request.target);
    else if (explanation.kind === 'step') drawStep(pen, explanation, [...pairs(before), ...pairs(after), request.target]);
    else if (part === 0) drawPass(pen, before, explanation.backward, 'backward', pen.colour('target'));
    else drawPass(pen, explanation.backward, explanation.forward, 'forward', pen.colour('base'));
  }

  /** Write the words. */
  update() {
    if (!this.isOn) return;
    const { shown } = this;
    const count = shown ? partsOf(shown.explanation) : 1;
    const part = shown ? this.partOf(shown.explanation) : 0;
    put(this.text, shown ? inWords(shown.iteration, shown.explanation, part) : 'No iteration to show yet: move the target.');
    this.parts.hidden = count < 2;
    this.back.disabled = part === 0;
    this.on.disabled = part === count - 1;
    put(this.part, `${shown?.explanation.kind === 'rotations' ? 'turn' : 'pass'} ${part + 1} of ${count}`);
  }
}

/** @param {Float64Array} chain  x y x y ... @returns {import('./explanation.js').Point[]} */
function pairs(chain) {
  return Array.from({ length: chain.length / 2 }, (_, k) => [chain[2 * k], chain[2 * k + 1]]);
}

/** @param {Explanation} explanation @returns {number} */
function partsOf(explanation) {
  if (explanation.kind === 'rotations') return explanation.rotations.length;
  return explanation.kind === 'passes' ? 2 : 1;
}

/** @param {import('./explanation.js').Turn[]} rotations */
function largestTurn(rotations) {
  return rotations.reduce((best, { turn }, k) => (Math.abs(turn) > Math.abs(rotations[best].turn) ? k : best), 0);
}

/** @param {import('./explanation.js').Iteration} iteration @param {Explanation} explanation @param {number} part @returns {string} */
function inWords({ solver, number, count, request }, explanation, part) {
  const words = { rotations: turnInWords, passes: passInWords, step: stepInWords }[explanation.kind];
  const newton = solver === 'newton' ? ` ${newtonInWords(request.settings.damping)}` : '';
  return `${solverInfo(solver).short}, iteration ${number} of ${count}: ${words(/** @type {*} */ (explanation), part)}${newton}`;
}

/** What damping does to Newton's convergence. @param {number} damping */
function newtonInWords(damping) {
  if (damping === 1) return 'Near a target in reach such a step squares the error: the digits that are right double.';
  return `Damping ${damping} takes that part of the step: near a target in reach each leaves ${Math.round(100 * (1 - damping))} % of the `
    + 'error, where the whole step would square it.';
}

/** @param {import('./explanation.js').Rotations} explanation @param {number} part */
function turnInWords({ rotations, isPlain }, part) {
  const { joint, turn, wanted } = rotations[part];
  const isAll = Math.abs(turn - wanted) < 1e-3 * Math.abs(wanted);
  const aim = isAll ? 'so that the end effector points at the target' : `of the ${degrees(wanted)} that would point the end effector at the target`;
  return `joint ${joint + 1} turns by ${degrees(turn)}, ${aim}.${isPlain ? '' : ` ${MORE}`}`;
}

/** @param {import('./explanation.js').Passes} explanation @param {number} part */
function passInWords({ isPlain }, part) {
  if (part === 0) return 'the last point is put on the target, and each of the others is drawn after it, along the line between them.';
  const words = 'the first point is put back on the base, and the others are drawn after it again.';
  return isPlain ? words : `${words} ${MORE}`;
}

/** @param {import('./explanation.js').Step} explanation */
function stepInWords({ largest, turn, taken, undamped }) {
  const rule = 'each thin arrow is a column of the Jacobian: where the end effector goes when that joint turns. The thick one is the '
    + `step, the columns times the rotations; joint ${largest + 1} turns farthest, by ${degrees(turn)}.${undamped ? ' Dashed: the step without damping.' : ''}`;
  if (Number.isNaN(taken)) return `${rule} ${MORE}`;
  if (taken === 0) return `${rule} It would have made the error grow, so a shorter one is tried next.`;
  return taken === 1 ? rule : `${rule} Taken: ${100 * taken} % of it, as more made the error grow before.`;
}

/** @param {HTMLElement} element @param {string} text */
function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
