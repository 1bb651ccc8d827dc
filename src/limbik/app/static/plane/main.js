/** Builds the 2-D playground from its parts and runs it, one turn per display frame. */

import { Connection } from '../connection.js';
import { Convergence } from '../convergence.js';
import { Following } from '../following.js';
import { Frames } from '../frames.js';
import { Help } from '../help.js';
import { Hud } from '../hud.js';
import { listen } from '../keys.js';
import { Notices } from '../notice.js';
import { Race } from '../race.js';
import { Share } from '../share.js';
import { Shell } from '../shell.js';
import { Status } from '../status.js';
import { Store } from '../store.js';
import { Theme } from '../theme.js';
import { Views } from '../views.js';
import { Arms } from './arms.js';
import { actions } from './keys.js';
import { points } from './kinematics.js';
import { PlaneLoop } from './loop.js';
import { Motion } from './motion.js';
import { Panel } from './panel.js';
import { Place } from './place.js';
import { Pointer } from './pointer.js';
import { SETTINGS } from './settings.js';
import { View } from './view.js';

const LONGEST_TURN = 0.25; // [s] after a longer one an arm goes on from where it was
const SMALL_ARM = { n: 5, L: 54 }; // suits a phone
/** What the arm does next depends on these. */
const PRESENT = ['algo', 'race', 'n', 'L', 'it', 'tol', 'g', 'la', 'd', 'lm', 'ld', 'rb', 'rq', 'mv', 'mx', 'my', 'tx', 'ty', 'px'];

let isBuilt = false;
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('view'));
const store = new Store(location.search, SETTINGS);
if (innerWidth < 760) store.suit(SMALL_ARM);
const notices = new Notices();
new Shell(store, () => layout());
const place = new Place(store);
const motion = new Motion(store, place);
const arms = new Arms(store);
const connection = new Connection({
  welcome: onWelcome,
  frame: (frame) => loop.onAnswer(frame),
  error: onError,
  status: (message) => {
    status.compiling = message.state === 'compiling' ? message.message : '';
  },
  lost: onLost,
});
const loop = new PlaneLoop({ store, arms, place, motion, connection, onFrame });
const theme = new Theme(store, () => repaint());
const following = new Following(store);
const view = new View(canvas, { store, arms, place, motion, loop, theme, following });
const help = new Help(store);
const status = new Status(connection, () => loop.waited);
const convergence = new Convergence({ store, arms, loop, view, theme, present: PRESENT });
const race = new Race({ store, arms, motion, view, restart });
const hud = new Hud(store, arms, 'px');
const panel = new Panel({ store, arms, motion, notices });
const pointer = new Pointer(canvas, { store, place, motion, view, onTake: () => convergence.release() });
new Share(link, notices);
new Views('plane', () => store.query());

isBuilt = true;

window.limbikReady = false;
listen(actions({ store, race, motion, help, step, reset: restart }), () => help.dialog.open);
document.getElementById('step')?.addEventListener('click', step);
document.getElementById('reset')?.addEventListener('click', restart);
document.getElementById('shuffle')?.addEventListener('click', () => placeArms('random'));
window.addEventListener('resize', layout);
store.watch(null, () => {
  loop.wake();
  view.isStale = true;
});
store.watch(['cv'], traceIfOpen);
store.watch(['px'], () => (store.get('px') ? following.pause(moving()) : following.goOn()));
// A click makes the arm move; what is dragged after it, or pulled by a slider, is followed at once.
canvas.addEventListener('pointermove', () => view.held && following.hurry());
document.getElementById('panel')?.addEventListener('input', ({ target }) => /** @type {HTMLInputElement} */ (target).type === 'range' && following.hurry());
store.watch(['km', 'race'], layout);
document.documentElement.dataset.built = '1';
layout();
complain();
connection.open();
const frames = new Frames({ onTurn, onReadout });

/** @param {number} now @param {number} seconds */
function onTurn(now, seconds) {
  loop.tick(seconds);
  move(seconds);
  if (motion.moving && !loop.isHeld) view.isStale = true;
  view.draw();
  pointer.placeHint();
  convergence.tick(now);
}

/** The arms go on to what is solved; while the past is shown nobody sees it. @param {number} seconds */
function move(seconds) {
  if (motion.moving) following.hurry();
  if (!following.advance(moving(), loop.isHeld ? Infinity : Math.min(seconds, LONGEST_TURN))) return;
  for (const arm of arms.list) {
    const joints = points(following.pose(arm, null), store.get('L'), place.base);
    arm.leave(joints[joints.length - 2], joints[joints.length - 1]);
  }
  view.isStale = true;
}

/** @returns {import('../following.js').Arm[]} */
function moving() {
  return [{ runners: arms.list, parts: Array.from({ length: store.get('n') }, (_, at) => ({ at, kind: 'turn' })) }];
}

/** Write the numbers, also where scripts and screen readers find them. */
function onReadout() {
  hud.update(frames.perSecond);
  race.update(frames.perSecond, loop.serverMs);
  const state = arms.list.map((arm) => [arm.solver, { q: [...arm.pose(view.step)], error: arm.error, status: arm.status }]);
  const text = JSON.stringify({ arms: Object.fromEntries(state), target: motion.target, base: place.base });
  if (canvas.dataset.state !== text) canvas.dataset.state = text;
}

function onFrame() {
  view.isStale = true;
  convergence.touch();
  status.update();
  window.limbikReady = true;
}

/** @param {import('../protocol.js').Welcome} welcome */
function onWelcome(welcome) {
  loop.forget();
  panel.learn(welcome);
  const version = document.getElementById('version');
  if (version) version.textContent = `limbik ${welcome.limbik}`;
  status.update();
  if (store.get('px')) window.limbikReady = true;
}

function onLost() {
  window.limbikReady = false;
  status.compiling = '';
  loop.forget();
  status.update();
}

/** @param {import('../protocol.js').ServerError} error */
function onError(error) {
  loop.onError(error);
  notices.show(`The server refused this: ${error.message}`, { isError: true });
  panel.blame(error.field);
}

/** A link that opens all of the state, with the places that the window chose. */
function link() {
  const [mx, my] = place.base;
  const [tx, ty] = place.home;
  return store.link({ mx, my, tx, ty, help: false });
}

function step() {
  convergence.release();
  if (!store.get('px')) store.set({ px: true });
  loop.stepOnce();
}

function restart() {
  placeArms('first');
}

/** @param {'first'|'random'} which */
function placeArms(which) {
  convergence.release();
  arms.restart(which);
  loop.wake();
  view.isStale = true;
}

/** The scrubber needs configurations: ask for them while it is open, and run the last solve again if they are missing. */
function traceIfOpen() {
  loop.withTrace = store.get('cv');
  const isMissing = arms.list.some((arm) => arm.recording.last > 0 && !arm.recording.complete);
  if (!loop.withTrace || !isMissing || motion.moving || store.get('px')) return;
  arms.rewind();
  following.pause(moving()); // nobody is to see that
}

/** Measure again: the window, the panel or the dock changed. */
function layout() {
  if (!isBuilt) return;
  place.measure();
  view.resize();
  convergence.resize();
  loop.wake();
}

/** Another theme: canvas and plots take its colours. */
function repaint() {
  if (!isBuilt) return;
  view.isStale = true;
  convergence.rebuild();
}

/** Say what the URL asked for and could not be had. */
function complain() {
  const details = [...store.notes, ...place.notes()];
  if (details.length) notices.show('Some values of the link were changed:', { details });
}
