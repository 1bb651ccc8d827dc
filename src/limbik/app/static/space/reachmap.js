/** Shows a reach map: its slices, and the orientations of a voxel that is clicked. */

import { find } from '../controls.js';
import { token } from './colours.js';
import { allOf, centreOf, colourOf, cellOf, sliceOf } from './voxels.js';

const RAYS = 400; // orientations that are drawn at most
const RAY = 0.12; // of the reach
const OBJECTS = 3; // of a world that are named
const NAMES = ['x', 'y', 'z'];

export class ReachMap {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('./arms.js').Arms} parts.arms
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, stage, goals, arms, notices }) {
    Object.assign(this, { store, stage, goals, arms, notices });
    /** @type {import('./voxels.js').Map|null} */
    this.map = null;
    /** The key of the map in the link. */
    this.key = '';
    /** The voxel that was clicked last. */
    this.clicked = -1;
    /** The voxel that is shown, and what is reached there. @type {{voxel: number, quats: number[][], at: number}|null} */
    this.chosen = null;
    this.section = find(document, '#map-section');
    this.slider = /** @type {HTMLInputElement} */ (find(document, '#map-slice'));
    this.verdict = find(document, '#map-voxel');
    this.slider.addEventListener('input', () => store.set({ mi: Number(this.slider.value) }));
    find(document, '[data-choice=ms]').addEventListener('change', ({ target }) => this.across(/** @type {HTMLInputElement} */ (target).value));
    for (const [id, step] of /** @type {[string, number][]} */ ([['#map-before', -1], ['#map-next', 1]])) {
      find(document, id).addEventListener('click', () => this.turn(step));
    }
    find(document, '#map-scale').style.background = `linear-gradient(to right, ${[0, 0.2, 0.4, 0.6, 0.8, 1].map((fraction) => `#${colourOf(fraction).getHexString()}`).join(', ')})`;
    store.watch(['ms', 'mi'], () => this.show());
  }

  /** Another scene, with the map of its link or without one. */
  async setScene() {
    const key = this.store.get('map') ?? '';
    if (key === this.key) return;
    this.key = key;
    this.map = this.chosen = null;
    this.show();
    if (!key) return;
    const answer = await ask(encodeURIComponent(key));
    const content = await answer?.arrayBuffer();
    if (key !== this.key) return;
    if (content) this.map = read(content);
    else this.notices.show('The reach map of this link is not on this server: `limbik reach open` brings it.', { isError: true });
    this.show();
    if (this.map && this.store.get('cam') === null) this.stage.fit({ softly: false });
  }

  /** Another axis: the slice through what was chosen, or the usual one. @param {string} name */
  across(name) {
    const { map, chosen, store } = this;
    const axis = NAMES.indexOf(name);
    store.set({ ms: name, mi: map && chosen && axis >= 0 ? cellOf(map, chosen.voxel)[axis] : null });
  }

  /** Across which axis slices are; 3: everything is shown. */
  get axis() {
    return [...NAMES, 'all'].indexOf(this.store.get('ms'));
  }

  /** Which slice is shown. */
  get at() {
    const { map, axis } = this;
    if (!map || axis === 3) return 0;
    const middle = axis === 2 ? Math.floor((map.slice - map.corner[2]) / map.voxel) : Math.floor(map.shape[axis] / 2);
    return Math.min(this.store.get('mi') ?? middle, map.shape[axis] - 1);
  }

  show() {
    const { map, axis, at, stage } = this;
    this.section.hidden = map === null;
    if (!map) {
      stage.setVoxels(null);
      return;
    }
    const isSlice = axis < 3;
    stage.setVoxels({ map, voxels: isSlice ? sliceOf(map, axis, at) : allOf(map), axis });
    this.slider.disabled = !isSlice;
    this.slider.max = String(isSlice ? map.shape[axis] - 1 : 0);
    this.slider.value = String(at);
    const where = isSlice ? `${NAMES[axis]} = ${(map.corner[axis] + (at + 0.5) * map.voxel).toFixed(3)} m` : 'everywhere';
    find(document, '#map-at').textContent = where;
    this.slider.setAttribute('aria-valuetext', where);
    find(document, '#map-text').textContent = `${map.orientations} orientations of ${map.frame} in voxels of ${1e3 * map.voxel} mm; ${unfound(map)}${map.complete ? '' : '; the map is not complete'}.`;
    this.tell();
  }

  /** A voxel was clicked. @param {number} voxel */
  async choose(voxel) {
    const { map, key } = this;
    if (!map) return;
    this.clicked = voxel;
    const quats = await (await ask(`${key}/${voxel}`))?.json();
    if (map !== this.map || voxel !== this.clicked) return;
    if (!quats) {
      this.notices.show('The server does not say what is reached in this voxel: it is gone, or the map is damaged.', { isError: true });
      return;
    }
    this.stage.setRays(centreOf(map, voxel), quats.slice(0, RAYS), RAY * (this.arms.active?.description.reach ?? 1), token('accent'));
    this.chosen = { voxel, quats, at: this.nearest(quats) };
    this.go();
  }

  /** The orientation nearest to that of the goal. @param {number[][]} quats @returns {number} */
  nearest(quats) {
    const { list } = this.goals;
    const now = list[this.goal()]?.quat_xyzw ?? [0, 0, 0, 1];
    const likeness = quats.map((quat) => Math.abs(quat.reduce((sum, value, i) => sum + value * now[i], 0)));
    return likeness.indexOf(Math.max(...likeness));
  }

  /** The goal of the map's frame, which there is from now on. @returns {number} */
  goal() {
    const { frame } = /** @type {import('./voxels.js').Map} */ (this.map);
    const isOurs = (/** @type {import('./codec.js').Goal} */ goal) => goal.arm === 0 && goal.frame === frame;
    if (!this.goals.list.some(isOurs)) this.goals.add(0, frame);
    return this.goals.list.findIndex(isOurs);
  }

  /** Another orientation of those that are reached. @param {number} step */
  turn(step) {
    if (!this.chosen?.quats.length) return;
    const { length } = this.chosen.quats;
    this.chosen.at = (this.chosen.at + step + length) % length;
    this.go();
  }

  /** The arm reaches what was chosen. */
  go() {
    const { map, chosen, goals } = this;
    if (!map || !chosen) return;
    const i = this.goal();
    if (chosen.quats.length && i >= 0) {
      goals.select(i);
      goals.change(i, { kind: 'pose' });
      goals.put(i, { position: centreOf(map, chosen.voxel), quat_xyzw: chosen.quats[chosen.at] });
    }
    this.tell();
  }

  /** Say what was chosen. */
  tell() {
    const { map, chosen } = this;
    find(document, '#map-chosen').hidden = !chosen;
    if (!map || !chosen) {
      this.verdict.textContent = 'Click a voxel: the arm goes there, in an orientation that it reaches.';
      return;
    }
    const point = centreOf(map, chosen.voxel).map((x) => x.toFixed(3)).join(', ');
    const { length } = chosen.quats;
    this.verdict.textContent = `(${point}) m: ${length} of ${map.orientations} orientations are reached.`;
    find(document, '#map-turn').textContent = length ? `${chosen.at + 1} of ${length}` : '';
  }
}

/** What the server has of a map; null: nothing. @param {string} path @returns {Promise<Response|null>} */
async function ask(path) {
  const answer = await fetch(`/reach/${path}`).catch(() => null);
  return answer?.ok ? answer : null;
}

/** What it means that a voxel has no colour. @param {import('./voxels.js').Map} map @returns {string} */
function unfound({ proved, world }) {
  const names = world?.slice(0, OBJECTS).join(', ');
  const more = world && world.length > OBJECTS ? ` and ${world.length - OBJECTS} more` : '';
  const free = `free of collision${names ? ` with ${names}${more}` : ''}`;
  if (proved) return `what has no colour is proved to be out of reach${world ? `, or not ${free}` : ''}`;
  return `what has no colour was not found${world ? ` ${free}` : ''}`;
}

/** @param {ArrayBuffer} buffer @returns {import('./voxels.js').Map} */
function read(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { ...header, levels: new Uint8Array(buffer, 4 + length) };
}
