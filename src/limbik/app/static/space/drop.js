/** Takes files that are dropped on the 3-D page, or chosen in a dialog. */

import { Refusal } from '../calls.js';
import { find } from '../controls.js';
import { collect, hasFiles, MAX } from '../dropfiles.js';
import { keepFiles } from '../upload.js';
import { LONGEST_TEXT } from './codec.js';
import { FollowPath } from './followpath.js';

const ZIP = /\.zip$/i;
const WORLD = /\.(scene|json)$/i;
const SHAPE = /\.(stl|obj|ply|xyz|pts)$/i;
const TABLE = /\.ya?ml$/i;
const OBJECTS = /^\s*(collision_)?objects\s*:/m; // in a YAML, which may be a DH table
const MOTION = /\.(bvh|c3d|trc)$/i;
const CSV = /\.csv$/i;
const MESH = /\.(stl|dae|obj|ply|glb|gltf|png|jpe?g|tga|mtl|bin)$/i;

export class Drop {
  /** @param {import('./scenes.js').Scenes} scenes @param {import('../notice.js').Notices} notices @param {FollowPath} followPath @param {import('./objectlist.js').ObjectList} objectList */
  constructor(scenes, notices, followPath, objectList) {
    Object.assign(this, { scenes, notices, followPath, objectList });
    this.sign = find(document, '#drop');
    this.field = /** @type {HTMLInputElement} */ (find(document, '#file'));
    this.depth = 0;
    document.addEventListener('dragenter', (event) => this.enter(event));
    document.addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault());
    document.addEventListener('dragleave', () => this.leave());
    document.addEventListener('drop', (event) => this.dropped(event));
    find(document, '#file-open').addEventListener('click', () => this.field.click());
    this.field.addEventListener('change', () => this.chosen());
  }

  /** @param {DragEvent} event */
  enter(event) {
    if (!hasFiles(event)) return;
    event.preventDefault();
    this.depth += 1;
    this.sign.hidden = false;
  }

  leave() {
    this.depth = Math.max(0, this.depth - 1);
    this.sign.hidden = this.depth === 0;
  }

  /** @param {DragEvent} event */
  async dropped(event) {
    if (!hasFiles(event)) return;
    event.preventDefault();
    this.depth = 0;
    this.sign.hidden = true;
    const transfer = /** @type {DataTransfer} */ (event.dataTransfer);
    await this.tell(transfer.files[0]?.name, async () => this.open(await collect(transfer)));
  }

  async chosen() {
    const found = [...(this.field.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    this.field.value = '';
    await this.tell(found[0]?.path, () => this.open(found));
  }

  /** Read files; those that the browser cannot read are told of. @param {string|undefined} name @param {() => Promise<void>} read */
  async tell(name, read) {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      this.scenes.onFault(name ?? 'The file', `The browser cannot read it: ${error.message}`, null);
    }
  }

  /** @param {{path: string, file: File}[]} found */
  async open(found) {
    if (found.length === 0) return;
    if (found.length > MAX) {
      this.scenes.onFault('Too many files', `At most ${MAX} files are taken at once, found ${found.length}.`, null);
      return;
    }
    const [{ file }] = found;
    if (await isOfObjects(found.map((one) => one.file))) {
      await this.objectList.open(found.map((one) => one.file), found.map((one) => one.path));
      return;
    }
    if (found.length > 1 || file.size > LONGEST_TEXT || ZIP.test(file.name) || MESH.test(file.name)) {
      await this.scenes.upload(found.map((one) => one.file), found.map((one) => one.path));
      return;
    }
    if (MOTION.test(file.name)) {
      await this.offerMotion(file);
      return;
    }
    const text = await file.text();
    if (CSV.test(file.name) && FollowPath.isPoses(text)) await this.followPath.open(file.name, text);
    else await this.scenes.openText(file.name, text);
  }

  /** The page of motions is where a motion is played. @param {File} file */
  async offerMotion(file) {
    try {
      const { token, name } = await keepFiles([file], [file.name]);
      const link = { text: 'Open it in Motion', href: `?${new URLSearchParams({ view: 'motion', token, name })}` };
      this.notices.show(`${file.name} is a motion.`, { link });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.scenes.onFault(file.name, error.message, null);
    }
  }
}

/** Whether files hold objects and no robot: worlds, or nothing but meshes and clouds. @param {File[]} files @returns {Promise<boolean>} */
async function isOfObjects(files) {
  if (files.length === 1 && WORLD.test(files[0].name)) return true;
  if (files.length === 1 && TABLE.test(files[0].name) && files[0].size <= LONGEST_TEXT) return OBJECTS.test(await files[0].text());
  return files.every(({ name }) => SHAPE.test(name));
}
