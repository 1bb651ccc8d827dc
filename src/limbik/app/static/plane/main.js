/** Builds the 2-D playground from its parts and runs it, one turn per display frame. */

import { Calls } from '../calls.js';
import { Connection } from '../connection.js';
import { Convergence } from '../convergence.js';
import { Edits } from '../edits.js';
import { Following } from '../following.js';
import { Frames } from '../frames.js';
import { Help } from '../help.js';
import { Hud } from '../hud.js';
import { listen } from '../keys.js';
import { Notices } from '../notice.js';
import { Poses } from '../poses.js';
import { Race } from '../race.js';
import { ReachLine } from '../reachline.js';
import { besideCards, besideRace } from '../region.js';
import { solverInfo } from '../settings.js';
import { Share } from '../share.js';
import { Shell } from '../shell.js';
import { SourceCard } from '../source.js';
import { Status } from '../status.js';
import { Store } from '../store.js';
import { Theme } from '../theme.js';
import { Views } from '../views.js';
import { Arms } from './arms.js';
import { Camera } from './camera.js';
import { HowItWorks } from './howitworks.js';
import { actions } from './keys.js';
import { degrees, pairs, points, radians } from './kinematics.js';
import { Landscape } from './landscape.js';
import { PlaneLoop } from './loop.js';
import { Motion } from './motion.js';
import { Panel } from './panel.js';
import { Workspace, tenth } from './workspace.js';
import { Pointer } from './pointer.js';
import { SETTINGS } from './settings.js';
import { PlaneSolutions } from './solutions.js';
import { Tour } from './tour.js';
import { View } from './view.js';

const LOW = 480; // [px] height of a window in which cards take much of the picture
const NEARER = 1.25;
const LONGEST_TURN = 0.25; // [s] after a longer one an arm goes on from where it was
/** What the arm does next depends on these. */
const PRESENT = ['algo', 'race', 'n', 'L', 'it', 'tol', 'g', 'la', 'd', 'lm', 'ld', 'rb', 'rq', 'mv', 'mx', 'my', 'tx', 'ty', 'px'];

/** What can be undone. */
const UNDONE = [...PRESENT.filter((name) => name !== 'px'), 'sp', 'sl', 'tr', 'rg', 'all', 'es', 'ex', 'ey', 'km', 'poses'];

let isBuilt = false;
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('view'));
const description = /** @type {HTMLElement} */ (document.getElementById('view-state'));
const store = new Store(location.search, SETTINGS);
const notices = new Notices();
new Shell(store, () => layout());
const camera = new Camera();
const workspace = new Workspace(store, camera);
store.gather = () => ({ cam: camera.view(workspace.region), q: arms.list.map(({ q }) => q) });
const motion = new Motion(store, workspace);
const arms = new Arms(store);
const connection = new Connection({
  welcome: onWelcome,
  frame: (frame) => loop.onAnswer(frame),
  solutions: (solutions) => calls.onAnswer(solutions),
  error: onError,
  status: (message) => {
    status.compiling = message.state === 'compiling' ? message.message : '';
    if (!status.compiling) loop.wake(); // for the time of a solve that was interpreted
  },
  lost: onLost,
});
const calls = new Calls(connection);
const loop = new PlaneLoop({ store, arms, workspace, motion, connection, onFrame });
const theme = new Theme(store, () => repaint());
const following = new Following(store);
const view = new View(canvas, { store, arms, workspace, camera, motion, loop, theme, following });
const howItWorks = new HowItWorks({ store, arms, theme, view, workspace });
view.howItWorks = howItWorks;
const solutions = new PlaneSolutions({ store, calls, arms, workspace, motion, loop, view, onMove });
const landscape = new Landscape({ store, arms, workspace, motion, view, theme, onPose });
const help = new Help(store);
const status = new Status(connection, () => loop.waited);
const convergence = new Convergence({ store, arms, loop, view, theme, present: PRESENT });
const race = new Race({ store, arms, motion, view, loop, convergence, restart, onResize: () => layout() });
const hud = new Hud(store, arms, 'px');
const reachLine = new ReachLine(arms, 'px', true);
const panel = new Panel({ store, arms, motion, notices });
const pointer = new Pointer(canvas, { store, workspace, camera, motion, view, onTake: () => convergence.release(), onCamera });
new Poses({ store, notices, write: () => degrees(arms.front.q), take: takePose });
const source = new SourceCard(() => arms.front.solver);
const tour = new Tour({ store, workspace, motion, arms, help, onScreen: (point) => camera.toScreen(point) });
new Share(link, notices);
new Views('plane', () => store.query());

isBuilt = true;
standAsLinked();
document.documentElement.dataset.built = '1';
begin();

window.limbikReady = false;
const edits = new Edits({ store, names: UNDONE, pose: () => arms.list.map(({ q }) => [...q]), setPose: setPoses });
listen(actions({ store, race, motion, help, step, reset, look, solutions: () => solutions.toggle() }), () => help.dialog.open);
for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-look]'))) {
  button.addEventListener('click', () => look(/** @type {*} */ (button.dataset.look)));
}
document.getElementById('step')?.addEventListener('click', step);
document.getElementById('reset')?.addEventListener('click', reset);
document.getElementById('shuffle')?.addEventListener('click', () => resetArms('random'));
window.addEventListener('resize', layout);
store.watch(null, () => {
  loop.wake();
  view.isStale = true;
});
store.watch(['cv', 'hw', 'es'], traceIfOpen);
store.watch(['algo', 'race'], () => source.update());
store.watch(['px'], () => (store.get('px') ? following.pause(moving()) : following.goOn()));
// A click makes the arm move; what is dragged after it, or pulled by a slider, is followed at once.
canvas.addEventListener('pointermove', () => view.held && following.hurry());
document.getElementById('panel')?.addEventListener('input', ({ target }) => /** @type {HTMLInputElement} */ (target).type === 'range' && following.hurry());
store.watch(['km', 'race'], layout);
layout();
complain();
connection.open();
const frames = new Frames({ onTurn, onReadout });

/** @param {number} now @param {number} seconds */
function onTurn(now, seconds) {
  loop.tick(seconds);
  move(seconds);
  if (motion.moving && loop.mayAsk) view.isStale = true;
  view.draw();
  pointer.moveHint();
  tour.tick(now);
  convergence.tick(now);
}

/** The arms go on to what is solved; while the past is shown nobody sees it. @param {number} seconds */
function move(seconds) {
  if (motion.moving) following.hurry();
  if (!following.advance(moving(), loop.isHeld ? Infinity : Math.min(seconds, LONGEST_TURN))) return;
  for (const arm of arms.list) {
    const joints = points(following.pose(arm, null), store.get('L'), workspace.base);
    arm.leave(joints[joints.length - 2], joints[joints.length - 1]);
  }
  view.isStale = true;
  if (store.touched.size) store.writeSoon();
}

/** @returns {import('../following.js').Arm[]} */
function moving() {
  return [{ runners: arms.list, parts: Array.from({ length: store.get('n') }, (_, at) => ({ at, kind: 'revolute' })) }];
}

/** Write the numbers, also where scripts and screen readers find them. @param {number} now */
function onReadout(now) {
  if (view.held === null) edits.tick(now);
  hud.update(frames.perSecond, view.step);
  reachLine.update();
  race.update(frames.perSecond, loop.serverMs);
  howItWorks.update();
  solutions.tick();
  landscape.tick();
  const state = arms.list.map((arm) => [arm.solver, { q: [...arm.pose(view.step)], error: arm.errorAt(view.step), status: arm.status }]);
  const text = JSON.stringify({ arms: Object.fromEntries(state), target: motion.target, base: workspace.base, outOfReach: arms.front.outOfReach, camera: [camera.scale, camera.x, camera.y] });
  if (canvas.dataset.state !== text) {
    canvas.dataset.state = text;
    description.textContent = arms.list.map(inWords).join(' ');
  }
}

/** How an arm stands, for those who hear it. @param {import('../runner.js').Runner} arm */
function inWords(arm) {
  const [x, y] = motion.target.map(Math.round);
  const joints = Array.from(arm.pose(view.step), (angle) => Math.round((angle * 180) / Math.PI)).join(', ');
  const error = arm.errorAt(view.step);
  const off = Number.isNaN(error) ? '' : `, ${Number(error.toPrecision(3))} px off`; // before the first answer
  return `${solverInfo(arm.solver).title}: target at ${x}, ${y} px${off}; joints at ${joints} degrees.`;
}

function onFrame() {
  view.isStale = true;
  convergence.touch();
  status.update();
  window.limbikReady = true;
  pointer.invite();
  tour.begin();
}

/** @param {import('../protocol.js').Welcome} welcome */
function onWelcome(welcome) {
  loop.forget();
  solutions.forget();
  panel.learn(welcome);
  const version = document.getElementById('version');
  if (version) version.textContent = `limbik ${welcome.limbik}`;
  status.update();
  if (!store.get('px')) return;
  window.limbikReady = true;
  pointer.invite();
}

function onLost() {
  window.limbikReady = false;
  status.compiling = '';
  loop.forget();
  calls.onLost();
  status.update();
}

/** @param {import('../protocol.js').ServerError} error */
function onError(error) {
  if (calls.onError(error)) return;
  loop.onError(error);
  notices.show(`The server refused this: ${error.message}`, { isError: true });
  panel.blame(error.field);
}

/** A link that opens all of the state. */
function link() {
  return store.link({ help: false });
}

function step() {
  if (convergence.stepOnce()) return;
  convergence.release();
  if (!store.get('px')) store.set({ px: true });
  loop.stepOnce();
}

/** The first pose, and the target where it was first. */
function reset() {
  const [tx, ty] = workspace.first;
  store.set({ mv: 'none', tx, ty });
  restart();
}

function restart() {
  resetArms('first');
}

/** An arm is placed by hand. */
function onMove() {
  convergence.release();
  edits.touch();
  loop.wake();
  view.isStale = true;
}

/** @param {'first'|'random'} which */
function resetArms(which) {
  onMove();
  arms.restart(which);
  race.start();
}

/** The arms as they were when a pose was stored, and the target at its end effector. @param {string} text  [degrees] @returns {string} what was wrong */
function takePose(text) {
  const q = radians(text);
  if (!q.every(Number.isFinite)) return 'its angles are not numbers.';
  if (q.length !== store.get('n')) return `it is of an arm with ${q.length} links.`;
  convergence.release();
  const [tx, ty] = pairs(points(q, store.get('L'), workspace.base))[q.length];
  store.set({ mv: 'none', tx: tenth(tx), ty: tenth(ty) });
  setPoses([q]);
  return '';
}

/** @param {number[][]} poses  of the arms */
function setPoses(poses) {
  arms.list.forEach((arm, i) => arm.setPose(poses[i] ?? poses[0]));
  loop.wake();
  view.isStale = true;
}

/** All arms set out from there. @param {number[]} q */
function onPose(q) {
  onMove();
  setPoses([q]);
}

/** Scrubber, explanation and landscape need configurations: ask for them while one is open, and run the last solve again if they are missing. */
function traceIfOpen() {
  loop.withTrace = store.get('cv') || store.get('hw') || store.get('es');
  const isMissing = arms.list.some((arm) => arm.recording.last > 0 && !arm.recording.complete);
  if (!loop.withTrace || !isMissing || motion.moving || store.get('px')) return;
  arms.rewind();
  following.pause(moving()); // nobody is to see that
}

/** Measure again: the window, the panel or the dock changed. */
function layout() {
  if (!isBuilt) return;
  workspace.measure();
  // The table of a race covers no arm.
  camera.settle(arms.racing ? seen() : needed(), seen, uncovered());
  view.resize();
  convergence.resize();
  loop.wake();
}

/** The arms stand as the address has them. */
function standAsLinked() {
  const poses = store.get('q');
  if (!poses) return;
  if (poses[0].length === store.get('n')) arms.list.forEach((arm, i) => arm.setPose(poses[i] ?? poses[0]));
  else store.notes.push(`q is how an arm with ${poses[0].length} links stands, and not one with ${store.get('n')}`);
}

/** The first view: that of the address, or of the world as it is; everything where that leaves base or target out. */
function begin() {
  workspace.measure();
  workspace.choose();
  if (!camera.shows(store.get('q') ? seen() : needed(), workspace.clear)) camera.fit(seen(), workspace.clear);
  camera.keep();
}

/** Where base and target are to be seen: cards are smaller than the arm but in a low window. */
function uncovered() {
  return window.innerHeight < LOW ? besideCards(workspace.clear) : besideRace(workspace.clear);
}

/** What the view shows if it fits. @returns {[number, number][]} */
function needed() {
  return [workspace.base, workspace.home, ...(motion.moving ? motion.path(16) : [])];
}

/** What the view shows when everything is fitted. @returns {[number, number][]} */
function seen() {
  const joints = arms.list.flatMap((arm) => pairs(points(arm.q, store.get('L'), workspace.base)));
  return [workspace.base, ...(motion.moving ? motion.path(32) : [motion.target]), ...joints];
}

/** @param {'fit'|'home'|'in'|'out'} how */
function look(how) {
  const { left, top, right, bottom } = workspace.region;
  if (how === 'home') camera.home();
  else if (how === 'fit') camera.fit(seen(), workspace.clear);
  else camera.zoom(how === 'in' ? NEARER : 1 / NEARER, [(left + right) / 2, (top + bottom) / 2]);
  camera.isChosen = how !== 'home';
  camera.settle(needed(), seen, uncovered());
  onCamera();
}

/** The view has been moved. */
function onCamera() {
  view.isStale = true;
  store.writeSoon();
}

/** Another theme: canvas and plots take its colours. */
function repaint() {
  if (!isBuilt) return;
  view.isStale = true;
  convergence.rebuild();
}

/** Say what the URL requested and could not be had. */
function complain() {
  if (store.notes.length) notices.show('Some values of the link were changed:', { details: store.notes });
}
