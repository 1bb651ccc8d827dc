/** Takes motion files that are dropped on the page, or chosen in a dialog. */

import { find } from '../controls.js';
import { collect, hasFiles } from '../dropfiles.js';

export class Drop {
  /** @param {import('./opener.js').Opener} opener */
  constructor(opener) {
    this.opener = opener;
    const sign = find(document, '#drop');
    const field = /** @type {HTMLInputElement} */ (find(document, '#file'));
    let depth = 0;
    const enter = (/** @type {number} */ by) => {
      depth = Math.max(0, depth + by);
      sign.hidden = depth === 0;
    };
    document.addEventListener('dragenter', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      enter(1);
    });
    document.addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault());
    document.addEventListener('dragleave', () => enter(-1));
    document.addEventListener('drop', async (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      enter(-depth);
      await this.open(await collect(/** @type {DataTransfer} */ (event.dataTransfer)));
    });
    find(document, '#file-open').addEventListener('click', () => field.click());
    field.addEventListener('change', async () => {
      const found = [...(field.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
      field.value = '';
      await this.open(found);
    });
  }

  /** @param {{path: string, file: File}[]} found */
  async open(found) {
    if (found.length) await this.opener.upload(found.map(({ file }) => file), found.map(({ path }) => path));
  }
}
