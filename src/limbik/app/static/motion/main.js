/** Builds the page of motions from its parts and runs it, one turn per display frame. */

import { Calls } from '../calls.js';
import { Connection } from '../connection.js';
import { fillSlider, find } from '../controls.js';
import { Edits } from '../edits.js';
import { Frames } from '../frames.js';
import { Help } from '../help.js';
import { listen } from '../keys.js';
import { Notices } from '../notice.js';
import { openRegion } from '../region.js';
import { Share } from '../share.js';
import { Shell } from '../shell.js';
import { Fault } from '../space/fault.js';
import { Stage } from '../space/stage.js';
import { Status } from '../status.js';
import { Store } from '../store.js';
import { Theme } from '../theme.js';
import { Views } from '../views.js';
import { Drop } from './drop.js';
import { Grip } from './grip.js';
import { actions, listenToTime } from './keys.js';
import { Opener } from './opener.js';
import { Panel } from './panel.js';
import { insertParts } from './parts.js';
import { Player } from './player.js';
import { SETTINGS, UNDONE } from './settings.js';
import { Timeline } from './timeline.js';
import { View } from './view.js';

const LONGEST_TURN = 0.25; // [s] after a longer one the motion goes on from where it was

await insertParts();

let isBuilt = false;
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('view'));
const description = /** @type {HTMLElement} */ (document.getElementById('view-state'));
const slider = /** @type {HTMLInputElement} */ (find(document, '#time'));
const store = new Store(location.search, SETTINGS);
store.touched.add('view');
if (matchMedia('(prefers-reduced-motion: reduce)').matches) store.suit({ px: true });
const notices = new Notices();
new Shell(store, () => layout());
const connection = new Connection({
  welcome: onWelcome,
  shown: (shown) => calls.onAnswer(shown),
  error: (error) => calls.onError(error) || notices.show(`The server refused this: ${error.message}`, { isError: true }),
  lost: onLost,
});
const calls = new Calls(connection);
const theme = new Theme(store, () => repaint());

/** What the picture is drawn on; tests ask it where things are seen. */
export const stage = makeStage();

const player = new Player(store, () => onTime());
const timeline = new Timeline({ canvas: /** @type {HTMLCanvasElement} */ (find(document, '#timeline')), player, theme });
const view = new View({ stage, store, player });
const fault = new Fault();
const opener = new Opener({ store, calls, onShown, onFault, onRefused });
const grip = new Grip({ store, player, opener, view });
const panel = new Panel({ store, opener, notices });
const status = new Status(connection, () => opener.waited);
const help = new Help(store);
const edits = new Edits({ store, names: UNDONE, pose: () => null, setPose: () => {} });
new Drop(opener);
new Share(() => store.link({ help: false }), notices, linkNote);
new Views('motion', () => store.query());

isBuilt = true;
store.gather = () => (view.shown ? { t: player.time, cam: stage.getView() } : {});
listen(actions({ store, player, stage, help }), () => document.querySelector('dialog[open]') !== null);
listenToTime(player);
find(document, '#fault-close').addEventListener('click', () => fault.hide());
find(document, '#play').addEventListener('click', () => player.toggle());
find(document, '#back').addEventListener('click', () => player.step(-1));
find(document, '#on').addEventListener('click', () => player.step(1));
slider.addEventListener('input', () => {
  player.pause();
  player.seek(Number(slider.value));
});
bindSpeed(/** @type {HTMLInputElement} */ (find(document, '#sp')));
store.watch(['px'], showPlaying);
store.watch(['cv'], layout);
window.addEventListener('resize', layout);
document.documentElement.dataset.built = '1';
repaint();
layout();
if (store.notes.length) notices.show('Some values of the link were changed:', { details: store.notes });
connection.open();
new Frames({ onTurn, onReadout });

/** @returns {Stage} */
function makeStage() {
  try {
    return new Stage(canvas, {
      onGoalMove: (link, { position }, phase) => grip.move(link, position, phase),
      onCamera: () => store.writeSoon(),
    });
  } catch (error) {
    document.documentElement.dataset.built = '1';
    new Fault().show('The motion view', error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** @param {HTMLInputElement} field */
function bindSpeed(field) {
  const { min, max } = SETTINGS.sp;
  Object.assign(field, { min, max });
  field.addEventListener('change', () => {
    const value = Number(field.value);
    store.set({ sp: Number.isFinite(value) && value > 0 ? Math.min(Math.max(value, min ?? 0), max ?? value) : 1 });
  });
  store.watch(['sp'], () => {
    field.value = String(store.get('sp'));
  });
}

/** @param {number} now @param {number} seconds */
function onTurn(now, seconds) {
  player.tick(Math.min(seconds, LONGEST_TURN));
  view.draw(now);
}

/** The time is another one. */
function onTime() {
  if (!isBuilt) return;
  view.touch();
  timeline.draw();
  Object.assign(slider, { max: String(player.duration || 1), value: String(player.time) });
  fillSlider(slider);
  find(document, '#time-text').textContent = `${player.time.toFixed(2)} s · ${player.frame} of ${player.frames - 1}`;
}

/** Write the numbers, also where scripts and screen readers find them. @param {number} now */
function onReadout(now) {
  edits.tick(now);
  const { shown } = view;
  if (!shown) return;
  const text = `${shown.name}, ${player.time.toFixed(1)} of ${player.duration.toFixed(1)} seconds`;
  if (description.textContent !== text) description.textContent = text;
  const state = JSON.stringify({
    frame: player.frame, frames: player.frames, isPlaying: player.isPlaying, resting: !opener.isAsking,
    links: Object.fromEntries(shown.links.map((link) => [link, view.positionOf(link)])),
    robot: shown.arms[1]?.title ?? null, ground: shown.ground.kind, feet: shown.feet, measures: shown.measures, key: shown.key,
  });
  if (canvas.dataset.state !== state) canvas.dataset.state = state;
}

function showPlaying() {
  const button = find(document, '#play');
  const isPaused = store.get('px');
  button.querySelector('use')?.setAttribute('href', isPaused ? '#i-play' : '#i-pause');
  button.setAttribute('aria-label', isPaused ? 'Play' : 'Pause');
}

/** @param {import('../protocol.js').Welcome & {robots: import('../space/protocol.js').Robot[]}} welcome */
function onWelcome(welcome) {
  panel.learn(welcome.robots);
  const version = document.getElementById('version');
  if (version) version.textContent = `limbik ${welcome.limbik}`;
  status.update();
  opener.begin();
}

function onLost() {
  window.limbikReady = false;
  opener.onLost();
  calls.onLost();
  status.update();
}

/** @param {import('./protocol.js').Shown} shown @param {import('./protocol.js').Numbers} numbers */
function onShown(shown, numbers) {
  const isFirst = view.shown === null;
  fault.hide();
  player.setLength(shown.frames, shown.dt);
  const isOther = view.show(shown, numbers);
  panel.show(shown);
  timeline.show(shown);
  layout();
  onTime();
  if (isOther) openView(isFirst);
  status.update();
  store.writeSoon();
  window.limbikReady = true;
}

/** The view of the link, else the whole body and a robot beside it. @param {boolean} isFirst */
function openView(isFirst) {
  stage.home({ softly: false });
  view.push();
  const wanted = isFirst ? store.get('cam') : null;
  if (wanted !== null && !stage.setView(wanted)) notices.show(`cam=${wanted.slice(0, 60)} is not a view`);
}

/** @param {string} message */
function onFault(message) {
  fault.show(store.get('name') ?? 'The motion', message);
  if (!view.shown) panel.showNothing();
  status.update();
  window.limbikReady = true;
}

/** @param {string} message */
function onRefused(message) {
  view.held = '';
  view.touch();
  notices.show(`This cannot be done: ${message}`, { isError: true });
}

function linkNote() {
  return store.get('token')
    ? 'Link copied. The file stays on this server: the link opens it while the server keeps it.'
    : 'Link copied. It opens exactly this.';
}

/** Measure again: the window, the panel or the dock changed. */
function layout() {
  if (!isBuilt) return;
  stage.resize();
  stage.setRegion(openRegion());
  stage.invalidate();
  timeline.draw();
}

/** Another theme: picture and timeline take its colours. */
function repaint() {
  if (!isBuilt) return;
  stage.setTheme(/** @type {'light'|'dark'} */ (document.documentElement.dataset.theme));
  view.ground.setTheme();
  view.touch();
  timeline.draw();
}
