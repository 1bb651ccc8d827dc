/**
 * The tour of a first visit: five short steps, each beside the thing it is about. It goes on by itself when the person
 * does the thing, takes no pointer outside its card, and is shown once: on the bare address, never over a state that a
 * link opens.
 */

import { beside } from '../beside.js';
import { points } from './kinematics.js';

const STORED = 'limbik-tour';
const LINGER = 700; // [ms] that a step stays once it is done
const AROUND = 30; // [px] free around the target

/**
 * @typedef {object} Step
 * @property {string} text
 * @property {string[]} [at]  elements, the first one that can be seen; without: at the target
 * @property {() => boolean} [isDone]  whether the person has done it
 */

export class Tour {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./workspace.js').Workspace} parts.workspace
   * @param {import('./motion.js').Motion} parts.motion
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('../help.js').Help} parts.help
   * @param {(point: [number, number]) => [number, number]} parts.onScreen  where a point of the arm's plane is on it [px]
   */
  constructor({ store, workspace, motion, arms, help, onScreen }) {
    Object.assign(this, { store, workspace, motion, arms, onScreen });
    this.isFirst = location.search === '' && !wasShown();
    this.steps = this.makeSteps();
    /** Step that is shown; -1: none. */
    this.index = -1;
    /** When the thing was done; NaN: not yet [ms]. */
    this.doneAt = NaN;
    this.atBegin = '';
    this.build();
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.isOpen && !help.dialog.open) this.end();
    });
    document.getElementById('tour-show')?.addEventListener('click', () => {
      store.set({ help: false });
      this.show(0);
      this.next.focus();
    });
  }

  /** @returns {Step[]} */
  makeSteps() {
    const { store, workspace, motion } = this;
    const reach = () => store.get('n') * store.get('L');
    const distance = () => Math.hypot(workspace.home[0] - workspace.base[0], workspace.home[1] - workspace.base[1]);
    return [
      { text: 'Drag the target: the arm follows.', isDone: () => this.spot() !== this.atBegin && !motion.held },
      { text: 'Race several solvers to the same target.', at: ['#race-switch'], isDone: () => store.get('race').length > 0 },
      { text: 'Break it: switch on joint limits.', at: ['#lm', '#panel-toggle', '#tab-settings'], isDone: () => store.get('lm') },
      { text: 'Drag the target out of reach: the arm gets as near as it can.', isDone: () => distance() > reach() && !motion.held },
      { text: 'The same in 3-D: robots, and several goals at once.', at: ['#to-space'] },
    ];
  }

  /** What tells whether a hand has moved the target. */
  spot() {
    return `${this.store.get('tx')} ${this.store.get('ty')}`;
  }

  build() {
    this.card = document.createElement('section');
    this.card.className = 'tour';
    this.card.hidden = true;
    this.card.setAttribute('role', 'dialog');
    this.card.setAttribute('aria-label', 'Tour');
    this.card.innerHTML = `<p aria-live="polite"><small></small> <span></span></p>
      <div><button type="button" class="button small" id="tour-skip">Skip</button>
      <button type="button" class="button small" id="tour-next">Next</button></div>`;
    [this.count, this.text] = /** @type {HTMLElement[]} */ ([...this.card.querySelectorAll('small, span')]);
    [this.skip, this.next] = /** @type {HTMLButtonElement[]} */ ([...this.card.querySelectorAll('button')]);
    this.skip.addEventListener('click', () => this.end());
    this.next.addEventListener('click', () => this.goOn());
    document.getElementById('bar')?.before(this.card); // behind the canvas in the order of the Tab key
  }

  get isOpen() {
    return this.index >= 0;
  }

  /** Show it on a first visit. */
  begin() {
    if (!this.isFirst) return;
    this.isFirst = false;
    remember();
    this.show(0);
  }

  /** @param {number} index */
  show(index) {
    this.index = index;
    this.doneAt = NaN;
    this.atBegin = this.spot();
    const { text, isDone } = this.steps[index];
    /** Done before: then it takes Next. */
    this.mayBeDone = index === 0 || !isDone?.();
    this.count.textContent = `${index + 1} of ${this.steps.length}`;
    this.text.textContent = text;
    const isLast = index === this.steps.length - 1;
    this.next.textContent = isLast ? 'Done' : 'Next';
    this.skip.hidden = isLast;
    this.card.hidden = false;
    this.uncover();
    this.moveCard();
  }

  goOn() {
    if (this.index + 1 < this.steps.length) this.show(this.index + 1);
    else this.end();
  }

  end() {
    const hadFocus = this.card.contains(document.activeElement);
    this.index = -1;
    this.card.hidden = true;
    if (hadFocus) document.getElementById('view')?.focus();
  }

  /** Once per display frame. @param {number} now [ms] */
  tick(now) {
    if (!this.isOpen) return;
    if (Number.isNaN(this.doneAt) && this.mayBeDone && this.steps[this.index].isDone?.()) this.doneAt = now;
    this.card.classList.toggle('is-done', !Number.isNaN(this.doneAt));
    if (now - this.doneAt > LINGER) this.goOn();
    if (this.isOpen) this.moveCard();
  }

  /** Have a control of the panel in sight: its section open, and in the middle of the panel. */
  uncover() {
    const [selector] = this.steps[this.index].at ?? [];
    const control = selector && document.querySelector(`.panel ${selector}`);
    if (!control) return;
    control.closest('details')?.setAttribute('open', '');
    control.scrollIntoView({ block: 'center' });
  }

  /** The element that the step is about; undefined: the target. @returns {Element|undefined} */
  anchor() {
    const elements = this.steps[this.index].at?.map((selector) => /** @type {Element} */ (document.querySelector(selector)));
    return elements?.find((element) => element.checkVisibility({ visibilityProperty: true }));
  }

  moveCard() {
    const anchor = this.anchor();
    const thing = anchor ? withSurroundings(anchor) : this.aroundTarget();
    const bounds = anchor?.closest('.bar') ? { ...this.workspace.clear, top: 0 } : this.workspace.clear;
    const { left, top, side, tip } = beside(thing, this.card.getBoundingClientRect(), bounds, this.armPoints(), this.card.dataset.side);
    this.card.dataset.side = side;
    this.card.classList.toggle('is-away', this.motion.held); // nothing lies in the way of a hand that drags
    this.card.style.setProperty('--tip', `${tip.toFixed(1)}px`);
    this.card.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
  }

  /** The target, or all of its path where it moves. @returns {import('../beside.js').Box} */
  aroundTarget() {
    const path = this.motion.path(24).map(this.onScreen);
    const [xs, ys] = [path.map(([x]) => x), path.map(([, y]) => y)];
    return { left: Math.min(...xs) - AROUND, right: Math.max(...xs) + AROUND, top: Math.min(...ys) - AROUND, bottom: Math.max(...ys) + AROUND };
  }

  /** Joints of the arm in front, and the middles of its links. @returns {[number, number][]} */
  armPoints() {
    const chain = points(this.arms.front.q, this.store.get('L'), this.workspace.base);
    /** @type {[number, number][]} */
    const found = [];
    for (let i = 0; i + 3 < chain.length; i += 2) {
      found.push([chain[i], chain[i + 1]], [(chain[i] + chain[i + 2]) / 2, (chain[i + 1] + chain[i + 3]) / 2]);
    }
    return found.map(this.onScreen);
  }
}

/**
 * An element and what lies between it and the canvas, so that the card covers no other control.
 * @param {Element} element  of the bar, the panel or the tabs @returns {import('../beside.js').Box}
 */
function withSurroundings(element) {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const bar = element.closest('.bar')?.getBoundingClientRect();
  if (bar) return { left, top, right, bottom: bar.bottom };
  const panel = element.closest('.panel')?.getBoundingClientRect();
  if (!panel) return { left, top, right, bottom };
  const isSheet = panel.left === 0;
  return isSheet ? { left, top: panel.top, right, bottom: panel.bottom } : { left: panel.left, top, right, bottom };
}

function wasShown() {
  try {
    return localStorage.getItem(STORED) !== null;
  } catch {
    return true; // nothing can be remembered: a tour at every visit would be too much
  }
}

function remember() {
  try {
    localStorage.setItem(STORED, 'shown');
  } catch {
    // Storage may be full: the tour comes again.
  }
}
