/** Collects the files of a drop event, folders included. */

export const MAX = 2000; // files that the server takes

/** @param {DragEvent} event */
export function hasFiles(event) {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** @param {DataTransfer} transfer @returns {Promise<{path: string, file: File}[]>} at most a few more than the server takes */
export async function collect(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === 'file');
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  /** @type {{path: string, file: File}[]} */
  const found = [];
  for (const entry of entries) if (entry) await add(entry, '', found);
  return found;
}

/** @param {FileSystemEntry|File} entry @param {string} folder @param {{path: string, file: File}[]} found */
async function add(entry, folder, found) {
  if (found.length > MAX) return;
  if (entry instanceof File) found.push({ path: folder + entry.name, file: entry });
  else if (entry.isFile) {
    const file = await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject));
    found.push({ path: folder + entry.name, file });
  } else {
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    for (;;) {
      /** @type {FileSystemEntry[]} */
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const one of some) await add(one, `${folder}${entry.name}/`, found);
    }
  }
}
