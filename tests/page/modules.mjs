/** Runs functions that use the page's modules: each line of input is [function, argument], each line of output its result. */

import { registerHooks } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const STATIC = pathToFileURL(`${process.argv[2]}/`);
// What modules ask of a window: a screen of plain pixels, and someone who has not asked for less motion.
globalThis.window = { devicePixelRatio: 1, matchMedia: () => ({ matches: false }) };

const LIBRARIES = { three: 'vendor/three/three.module.min.js' };

registerHooks({
  resolve(name, context, next) {
    const path = LIBRARIES[name] ?? (name.startsWith('/static/') ? name.slice('/static/'.length) : null);
    return next(path === null ? name : new URL(path, STATIC).href, context);
  },
});

for await (const line of createInterface({ input: process.stdin })) {
  const [text, argument] = JSON.parse(line);
  try {
    const result = await eval(`(${text})`)(argument);
    console.log(JSON.stringify({ result }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.stack }));
  }
}
