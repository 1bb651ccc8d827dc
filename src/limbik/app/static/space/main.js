/** Builds the 3-D playground from its parts, and updates it once per display frame. */

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
import { besideCards, besideTools, openRegion } from '../region.js';
import { Share } from '../share.js';
import { Shell } from '../shell.js';
import { Status } from '../status.js';
import { Store } from '../store.js';
import { Theme } from '../theme.js';
import { Views } from '../views.js';
import { Arms } from './arms.js';
import { STANCES } from './codec.js';
import { Drop } from './drop.js';
import { Explain } from './explain.js';
import { Exports } from './exports.js';
import { Fault } from './fault.js';
import { FollowPath } from './followpath.js';
import { GoalList } from './goallist.js';
import { Goals } from './goals.js';
import { Joints } from './joints.js';
import { actions, listenToView } from './keys.js';
import { SpaceLoop } from './loop.js';
import { Motion } from './motion.js';
import { ObjectList } from './objectlist.js';
import { Objects } from './objectedits.js';
import { Panel } from './panel.js';
import { insertParts } from './parts.js';
import { PathPlayer } from './pathplayer.js';
import { ReachMap } from './reachmap.js';
import { Recorder } from './recorder.js';
import { Redundancy } from './redundancy.js';
import { Robots } from './robots.js';
import { Scenes } from './scenes.js';
import { SelfMotion } from './selfmotion.js';
import { PRESENT, SETTINGS, UNDONE } from './settings.js';
import { SpaceSolutions } from './solutions.js';
import { Stage } from './stage.js';
import { Tools } from './tools.js';
import { View } from './view.js';

const LONGEST_TURN = 0.25; // [s] after a longer one an arm goes on from where it was
const ARM_WORDS = /`(arm|seg|goal|br|endbr)`/; // in what the server says of an arm file

await insertParts();

let isBuilt = false;
let isKnown = false; // to the server: the scene that is shown
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('view'));
const coordinates = /** @type {HTMLElement} */ (document.getElementById('coordinates'));
const description = /** @type {HTMLElement} */ (document.getElementById('view-state'));
const store = new Store(location.search, SETTINGS);
store.touched.add('view');
const notices = new Notices();
new Shell(store, () => layout());
const goals = new Goals(store);
const motion = new Motion(store, goals);
const arms = new Arms(store, () => goals.arm);
Object.assign(goals, { arms, motion });
const objects = new Objects(store, arms);
const connection = new Connection({
  welcome: onWelcome,
  scene: (scene) => calls.onAnswer(scene),
  explanation: (explanation) => calls.onAnswer(explanation),
  solutions: (solutions) => calls.onAnswer(solutions),
  curve: (curve) => calls.onAnswer(curve),
  path: (path) => calls.onAnswer(path),
  world: (world) => calls.onAnswer(world),
  exported: (exported) => calls.onAnswer(exported),
  motion: (answer) => loop.onAnswer(answer),
  error: onError,
  status: (message) => {
    status.compiling = message.state === 'compiling' ? message.message : '';
    if (!status.compiling) loop.wake(); // for the time of a solve that was interpreted
  },
  lost: onLost,
});
const calls = new Calls(connection);
const loop = new SpaceLoop({ store, arms, goals, objects, motion, connection, onFrame, onNotes });
const theme = new Theme(store, () => repaint());

/** What the picture is drawn on; tests ask it where things are seen. */
export const stage = makeStage();
showDetail();

const following = new Following(store);
const view = new View({ stage, store, arms, goals, objects, theme, following });
const help = new Help(store);
const status = new Status(connection, () => Math.max(loop.waited, scenes.waited));
const convergence = new Convergence({ store, arms, loop, view, theme, present: PRESENT });
const race = new Race({
  store, arms, motion, view, loop, convergence, restart, onResize: () => layout(), turn: (runner) => (view.turn(runner) * 180) / Math.PI,
});
const hud = new Hud(store, arms, 'mm', () => (view.turn() * 180) / Math.PI);
const reachLine = new ReachLine(arms, 'mm', false);
const fault = new Fault();
const scenes = new Scenes({ store, calls, onScene, onFault, onOpening });
const panel = new Panel({ store, arms, motion, scenes, notices });
const goalList = new GoalList({ store, goals, arms, view, stage, notices });
const objectList = new ObjectList({ store, objects, arms, view, calls, scenes, notices });
const joints = new Joints({ store, arms, goals, view, onMove });
const selfMotion = new SelfMotion({ store, calls, arms, goals, motion, loop });
const redundancy = new Redundancy({ store, arms, loop, selfMotion, onMove, notices });
const explain = new Explain({ store, calls, arms, goals, objects, motion, loop, view, stage, search });
const solutions = new SpaceSolutions({ store, calls, arms, goals, objects, motion, loop, view, onMove });
const player = new PathPlayer({ store, arms, view, loop, convergence, theme, present: PRESENT });
const followPath = new FollowPath({ store, calls, arms, goals, motion, loop, stage, player, notices });
const reachMap = new ReachMap({ store, stage, goals, arms, notices });
const recorder = new Recorder(arms, following);
const robots = new Robots(scenes);
const tools = new Tools({ store, stage, goals, notices });
new Drop(scenes, notices, followPath, objectList);
new Exports({ store, scenes, calls, arms, goals, objects, stage, recorder, loop, methods: panel.methods, notices });
const edits = new Edits({ store, names: UNDONE, pose: () => arms.stances(), setPose: setPoses });
new Poses({ store, notices, write: () => STANCES.write(arms.standing()), take: takePose });
new Share(() => store.link({ help: false }), notices, () => scenes.linkNote);
new Views('space', () => store.query());

isBuilt = true;

store.gather = () => (scenes.scene ? { q: arms.stances(), cam: stage.getView() } : {});
listen(actions({ store, race, goals, motion, tools, stage, help, step, reset, remove, search, draw: () => followPath.draw(!followPath.isDrawing), playPath: () => player.toggle(), robots: () => robots.open(), solutions: () => solutions.toggle() }), () => document.querySelector('dialog[open]') !== null);
listenToView(canvas, stage, stop);
document.getElementById('step')?.addEventListener('click', step);
document.getElementById('reset')?.addEventListener('click', reset);
document.getElementById('search')?.addEventListener('click', search);
window.addEventListener('resize', layout);
store.watch(PRESENT, () => {
  loop.wake();
  view.touch();
});
store.watch(['el'], () => loop.wake());
store.watch(['wide'], () => stage.limitsChanged());
store.watch(['px'], () => (store.get('px') ? following.pause(arms.mechanisms) : following.goOn()));
// What is pulled by a slider is dragged.
document.getElementById('panel')?.addEventListener('input', ({ target }) => /** @type {HTMLInputElement} */ (target).type === 'range' && following.hurry());
store.watch(['cv'], traceIfOpen);
store.watch(['km', 'race', 'pn', 'cv'], layout);
document.documentElement.dataset.built = '1';
repaint();
layout();
complain(store.notes);
connection.open();
const frames = new Frames({ onTurn, onReadout });

/** @returns {Stage} */
function makeStage() {
  try {
    return new Stage(canvas, {
      onGoalMove(id, pose, phase) {
        motion.held = phase !== 'end';
        convergence.release();
        goals.put(Number(id), pose);
      },
      onGoalSelect: (id) => goals.select(Number(id)),
      onThingMove(index, pose, phase) {
        motion.held = phase !== 'end';
        convergence.release();
        objects.put(index, pose);
      },
      onThingSelect: (index) => objects.select(index),
      onVoxel: (voxel) => reachMap.choose(voxel),
      onThingFault: (name, message) => notices.show(`${name} is not shown: ${message}`),
      onPoint(position) {
        if (goals.selected >= 0) goals.put(goals.selected, { position });
      },
      wantsLink: ({ shiftKey }) => shiftKey || goalList.picks,
      onTakeLink(arm, link, point) {
        const isTaken = goalList.take(arm, link, point);
        stage.setGoals(goals.drawn());
        return isTaken ? String(goals.selected) : null;
      },
      wantsStroke: () => isBuilt && followPath.isDrawing,
      onStroke: (points, isDone) => followPath.stroke(points, isDone),
      onCamera() {
        tools.show();
        explain.side.update();
        store.writeSoon();
      },
      onDetail: () => showDetail(),
    });
  } catch (error) {
    document.documentElement.dataset.built = '1';
    new Fault().show('The 3-D view', error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** Where little is drawn a shadow is not, unless it was requested, and the panel says so. */
function showDetail() {
  const note = /** @type {HTMLElement} */ (document.getElementById('detail-note'));
  note.textContent = stage.detail.note;
  note.hidden = note.textContent === '';
  if (stage.detail.hasShadow) return;
  store.suit({ sh: false });
  store.tell(['sh']);
}

/** @param {number} now @param {number} seconds */
function onTurn(now, seconds) {
  loop.tick(seconds);
  move(seconds);
  player.tick(Math.min(seconds, LONGEST_TURN));
  recorder.take(now, isBusy());
  if (motion.moving && loop.mayAsk) view.touch();
  view.draw(now);
  convergence.tick(now);
}

/** The arms go on to what is solved; while the past is shown nobody sees it. @param {number} seconds */
function move(seconds) {
  if (motion.held || motion.moving) following.hurry();
  if (following.advance(arms.mechanisms, loop.isHeld ? Infinity : Math.min(seconds, LONGEST_TURN))) view.touch();
}

/** Whether the arms are moving, or may be soon. */
function isBusy() {
  return following.moves || motion.held || !loop.resting || loop.inFlight !== null;
}

/** Write the numbers, also where scripts and screen readers find them. @param {number} now */
function onReadout(now) {
  if (!arms.active) return;
  if (!motion.held) edits.tick(now);
  hud.update(frames.perSecond, view.step, view.path === null);
  reachLine.update();
  race.update(frames.perSecond, loop.serverMs);
  goalList.update();
  objectList.update();
  joints.update();
  redundancy.update();
  solutions.tick();
  followPath.tick();
  panel.showRefusals();
  explain.tick();
  const text = view.coordinates();
  if (coordinates.textContent !== text) coordinates.textContent = description.textContent = text;
  const state = JSON.stringify(stateOf());
  if (canvas.dataset.state !== state) canvas.dataset.state = state;
}

function stateOf() {
  return {
    arms: arms.mechanisms.map(({ runners }) =>
      Object.fromEntries(runners.map((runner) => [runner.solver, { q: [...runner.pose(view.step)], error: runner.errorAt(view.step), status: runner.status }])),
    ),
    goals: goals.list.map((goal, i) => ({ ...goal, position: goals.positionOf(i) })),
    selected: goals.selected,
    outOfReach: goals.list.map((_, i) => view.outOfReach(i)),
    resting: loop.resting && !loop.inFlight,
    path: player.state,
    objects: objects.list,
    near: view.nearOf(),
    verdict: view.verdict(),
  };
}

function onFrame() {
  view.touch();
  convergence.touch();
  status.update();
  store.writeSoon();
  window.limbikReady = true;
  explain.tick();
}

/** @param {string[]} notes */
function onNotes(notes) {
  for (const note of notes) notices.show(note);
}

/** @param {import('../protocol.js').Welcome & {robots: import('./protocol.js').Robot[]}} welcome */
function onWelcome(welcome) {
  loop.forget();
  panel.learn(welcome);
  robots.learn(welcome.robots);
  const version = document.getElementById('version');
  if (version) version.textContent = `limbik ${welcome.limbik}`;
  status.update();
  scenes.open();
}

function onOpening() {
  loop.isOpen = false;
  loop.forget();
}

/** @param {import('./protocol.js').Scene} scene @param {boolean} isNew  whether it is another scene than before @param {number} staying  arms that stay as they are */
function onScene(scene, isNew, staying) {
  // After a lost connection the same scene is opened again: everything stays where it is.
  const isSame = !isNew && arms.mechanisms.length > 0;
  convergence.release();
  if (!isSame) fault.hide();
  const unfit = arms.setScene(scene, isSame ? arms.stances() : store.get('q') ?? []);
  view.clear();
  solutions.forget();
  selfMotion.forget();
  followPath.forget();
  recorder.clear();
  complain([...unfit, ...goals.setScene(staying), ...objects.setScene()]);
  stage.clearTraces();
  stage.setScene(scene).then((messages) => messages.length && notices.show('Some meshes could not be shown:', { details: messages.slice(0, 4) }));
  if (!isSame) openView();
  panel.setScene(scene);
  goalList.setScene();
  objectList.setScene();
  reachMap.setScene();
  joints.setScene();
  tools.show();
  loop.isOpen = true;
  isKnown = true;
  loop.forget();
  convergence.rebuild();
  if (!isSame) edits.clear();
  race.show();
  hud.name();
  layout();
  if (store.get('px')) window.limbikReady = true;
}

/** The view of the link, else the one from which a scene is first seen. */
function openView() {
  const wanted = store.get('cam');
  if (wanted !== null && stage.setView(wanted)) return;
  if (wanted !== null) complain([`cam=${wanted.slice(0, 60)} is not a view`]);
  view.push(); // the goals take part in it
  stage.home({ softly: false });
}

/** @param {string} what @param {string} message @param {Record<string, *>|null} values  of the settings that requested it */
function onFault(what, message, values) {
  const { arm, token, name, angles, lenient } = values ?? {};
  const mayBeLenient = (arm || token) && !lenient && ARM_WORDS.test(message);
  fault.show(what, message, mayBeLenient ? () => scenes.openOther({ arm, token, name, angles, lenient: true }) : null);
  loop.isOpen = isKnown && !scenes.isElsewhere;
  status.update();
  window.limbikReady = true;
}

function onLost() {
  window.limbikReady = false;
  status.compiling = '';
  loop.isOpen = false;
  isKnown = false;
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

/** Neither the past nor a path is shown any more. */
function toPresent() {
  convergence.release();
  player.release();
}

/** A hand has moved a joint. */
function onMove() {
  toPresent();
  edits.touch();
  loop.wake();
  view.touch();
}

function step() {
  if (convergence.stepOnce()) return;
  toPresent();
  if (!store.get('px')) store.set({ px: true });
  loop.stepOnce();
}

/** The goals and the configurations that the scene begins with. */
function reset() {
  if (!arms.active) return;
  restart();
  store.set({ mv: 'none', goal: goals.first(), sel: 0 });
}

/** The selected object goes, or the selected goal. */
function remove() {
  if (objects.selected >= 0) {
    objects.remove(objects.selected);
    return;
  }
  if (goals.selected >= 0) goals.remove(goals.selected);
}

/** @param {import('./codec.js').Stance[]} stances  where the arms stand from now on */
function setPoses(stances) {
  toPresent();
  arms.stand(stances);
  loop.wake();
  view.touch();
}

/** The arms as they were when a pose was stored, and their goals with them. @param {string} text @returns {string} what was wrong */
function takePose(text) {
  const { value: stances, note } = STANCES.read('the pose', text);
  if (note) return note;
  if (!stances.every((stance) => arms.fits(stance))) return 'it is of another scene.';
  edits.touch();
  setPoses(stances);
  for (const { index } of arms.mechanisms) goals.follow(index, arms.frontOf(arms.mechanisms[index]).q);
  return '';
}

function restart() {
  toPresent();
  edits.touch();
  arms.restart((mechanism) => arms.racing && goals.areMetAt(mechanism));
  stage.clearTraces();
  loop.wake();
  view.touch();
  race.start();
}

/** Look for an answer from anywhere. */
function search() {
  toPresent();
  edits.touch();
  loop.search();
}

/** Everything that moves stands. */
function stop() {
  following.stop(arms.mechanisms);
  motion.choose('none');
  followPath.draw(false);
  toPresent();
  loop.rest();
}

/** The scrubber needs configurations: ask for them while it is open, and run the last solve again if they are missing. */
function traceIfOpen() {
  loop.withTrace = store.get('cv');
  const isMissing = arms.list.some(({ recording }) => recording.last > 0 && !recording.complete);
  if (!loop.withTrace || !isMissing || motion.moving || store.get('px')) return;
  arms.rewind();
  following.pause(arms.mechanisms); // nobody is to see that
}

/** Measure again: the window, the panel or the dock changed. */
function layout() {
  if (!isBuilt) return;
  stage.resize();
  stage.setRegion(besideCards(besideTools(openRegion(), 'tools')));
  stage.invalidate();
  convergence.resize();
  explain.side.update();
}

/** Another theme: picture and plots take its colours. */
function repaint() {
  if (!isBuilt) return;
  stage.setTheme(/** @type {'light'|'dark'} */ (document.documentElement.dataset.theme));
  view.touch();
  convergence.rebuild();
}

/** Say what the URL requested and could not be had. @param {string[]} details */
function complain(details) {
  if (details.length) notices.show('Some values of the link were changed:', { details });
}
