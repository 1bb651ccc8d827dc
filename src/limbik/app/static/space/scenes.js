/** Opens scenes: from the link, the gallery, or files. */

import { Refusal } from '../calls.js';
import { keepFiles } from '../upload.js';
import { LONGEST_TEXT, packText, unpackText } from './codec.js';
import { OF_SCENE } from './settings.js';

const FIRST_ROBOT = 'panda';
const STAYS = ['base', 'goal', 'one', 'lock', 'wide', 'pq']; // while a robot is put beside what is open
const LONGEST_LINK = 6000; // letters of a packed file that an address still carries

export class Scenes {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('../calls.js').Calls} parts.calls
   * @param {(scene: import('./protocol.js').Scene, isNew: boolean, staying: number) => void} parts.onScene  staying: arms that stay as they are
   * @param {(what: string, message: string, values: Record<string, *>|null) => void} parts.onFault  values: of the settings that requested it
   * @param {() => void} parts.onOpening
   */
  constructor({ store, calls, onScene, onFault, onOpening }) {
    Object.assign(this, { store, calls, onScene, onFault, onOpening });
    /** @type {import('./protocol.js').Scene|null} */
    this.scene = null;
    this.latest = 0;
    this.requestedAt = 0;
    /** The server shows another scene than the page: one that was requested, and then another one that failed. */
    this.isElsewhere = false;
    /** The text of the file that is open, for exports. */
    this.text = '';
  }

  /** How long the page has been waiting for a scene [ms]. */
  get waited() {
    return this.requestedAt ? performance.now() - this.requestedAt : 0;
  }

  /** @returns {string[]} */
  get robots() {
    return this.store.get('robot') ?? [FIRST_ROBOT];
  }

  /** What the store names, as after a lost connection. @returns {Promise<boolean>} */
  open() {
    return this.ask(this.store.values, (scene) => this.onScene(scene, false, 0));
  }

  /** Another scene; if it cannot be had, the present one stays. @param {Record<string, *>} changes @param {number} [staying]  arms @returns {Promise<boolean>} */
  openOther(changes, staying = 0) {
    const { store } = this;
    const without = Object.fromEntries(OF_SCENE.map((name) => [name, store.settings[name].fallback]));
    return this.ask({ ...store.values, ...without, ...changes }, (scene) => {
      store.clear(OF_SCENE);
      store.set(changes);
      this.onScene(scene, true, staying);
      store.tell(OF_SCENE);
    });
  }

  /** @param {Record<string, *>} values  of the settings @param {(scene: import('./protocol.js').Scene) => void} take */
  async ask(values, take) {
    this.latest += 1;
    const ours = this.latest;
    this.requestedAt = performance.now();
    this.onOpening();
    try {
      const [source, text] = await sourceOf(values);
      if (ours !== this.latest) return false;
      const scene = await this.calls.ask('open', { source, base: values.base, angles: values.angles, lenient: values.lenient });
      this.isElsewhere = ours !== this.latest;
      if (this.isElsewhere) return false;
      this.scene = scene;
      this.text = text;
      take(scene);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (ours === this.latest && this.calls.connection.live) this.failed(values, error.message);
      return false;
    } finally {
      if (ours === this.latest) this.requestedAt = 0;
    }
  }

  /** The scene before stays; the server is told to return to it if it has left it. @param {Record<string, *>} values @param {string} message */
  failed(values, message) {
    this.onFault(nameOf(values), message, values);
    if (this.isElsewhere && this.scene && values !== this.store.values) this.open();
  }

  /** @param {string[]} names */
  openRobots(names) {
    return this.openOther({ robot: names });
  }

  /** One more robot, on the same kind of base; the others stay as they are. @param {string} name */
  addRobot(name) {
    const { store, robots } = this;
    const staying = Object.fromEntries(STAYS.map((setting) => [setting, store.get(setting)]));
    return this.openOther({ ...staying, q: store.gather().q, robot: [...robots, name] }, robots.length);
  }

  /** One file without others beside it. @param {string} name @param {string} text @param {Record<string, *>} [more] */
  async openText(name, text, more = {}) {
    if (text === '') {
      this.onFault(name, 'The file is empty.', null);
      return false;
    }
    const packed = await packText(text);
    if (packed.length > LONGEST_LINK || new Blob([text]).size > LONGEST_TEXT) return this.upload([new File([text], name)], [name]);
    return this.openOther({ arm: packed, name, ...more });
  }

  /**
   * Files with others beside them, or too long for a link: the server keeps them in its memory.
   * @param {File[]} files @param {string[]} paths  below the folder that was dropped
   */
  async upload(files, paths) {
    const ours = this.latest;
    try {
      const token = await keepFiles(files, paths);
      if (ours !== this.latest) return false; // something else was opened meanwhile
      return this.openOther({ token: token.token, name: token.name });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (ours === this.latest) this.onFault(paths[0], error.message, null);
      return false;
    }
  }

  /** What a link is good for. */
  get linkNote() {
    return this.store.get('token')
      ? 'Link copied. The files stay on this server: it opens them while the server keeps them.'
      : 'Link copied. It opens exactly this.';
  }
}

/** What the settings ask for, and its text where that is in the link. @param {Record<string, *>} values @returns {Promise<[import('./protocol.js').Source, string]>} */
async function sourceOf({ token, arm, name, robot }) {
  if (token) return [{ kind: 'token', token }, ''];
  if (!arm) return [{ kind: 'robot', names: robot ?? [FIRST_ROBOT] }, ''];
  try {
    const text = await unpackText(arm);
    return [{ kind: 'text', name: name ?? 'scene', text }, text];
  } catch {
    throw new Refusal('The file in the link is damaged: was the whole link copied?');
  }
}

/** @param {Record<string, *>} values @returns {string} */
function nameOf({ token, arm, name, robot }) {
  return token || arm ? name ?? 'The file' : (robot ?? [FIRST_ROBOT]).join(', ');
}
