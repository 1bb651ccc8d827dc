/** Uploads files to the server and returns the tokens by which it knows them. */

import { Refusal } from './calls.js';

const MAX_BYTES = 32 * 2 ** 20; // that the server takes at once

/**
 * Have the server keep files.
 * @param {File[]} files @param {string[]} paths  below the folder that was dropped
 * @returns {Promise<{token: string, name: string}>} rejected with a `Refusal` where it does not take them
 */
export async function keepFiles(files, paths) {
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) throw new Refusal(`At most ${MAX_BYTES / 2 ** 20} MB are taken at once.`);
  const form = new FormData();
  for (const [i, file] of files.entries()) form.append('file', file, paths[i]);
  const isZip = files.length === 1 && /\.zip$/i.test(files[0].name);
  const request = isZip
    ? { method: 'POST', body: files[0], headers: { 'X-Name': encodeURIComponent(files[0].name), 'Content-Type': 'application/zip' } }
    : { method: 'POST', body: form };
  /** @type {{token?: string, name?: string, error?: string}} */
  let answer;
  try {
    answer = await (await fetch('upload', request)).json();
  } catch {
    answer = { error: 'The server did not take the files.' };
  }
  if (!answer.token) throw new Refusal(answer.error ?? 'The server did not take the files.');
  return { token: answer.token, name: answer.name ?? files[0].name };
}
