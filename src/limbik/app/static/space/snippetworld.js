/** Writes the objects around the arms as lines of that Python program. */

import { shortest } from './codec.js';

/** @typedef {import('./objectcodec.js').Thing} Thing */

/** The classes that the program needs. @param {Thing[]} objects @returns {string} */
export function importText(objects) {
  const kinds = objects.filter(({ kind }) => kind !== 'stored').map(({ kind }) => `${kind[0].toUpperCase()}${kind.slice(1)}`);
  return `from limbik.collision import ${[...new Set([...kinds, 'World'])].sort().join(', ')}`;
}

/** A world of all that stands by itself. @param {Thing[]} objects @param {number} [shift]  of the arm along y [m] @returns {string[]} */
export function worldText(objects, shift = 0) {
  const standing = objects.filter(({ held }) => !held);
  return ['world = World()', ...standing.flatMap((thing) => {
    const { name, kind, position: [x, y, z], touch } = thing;
    if (kind === 'stored') return [leftOut(thing)];
    const parts = [quoted(name), shapeText(thing), poseText({ ...thing, position: [x, y - shift, z] }), ...touching(touch)];
    return [`world.add(${parts.join(', ')})`];
  })];
}

/** What an arm carries. @param {Thing[]} objects @param {number} arm @param {string} model @returns {string[]} */
export function attachText(objects, arm, model) {
  return objects.filter(({ held }) => held?.arm === arm).map((thing) => {
    const { name, kind, held, touch } = thing;
    if (kind === 'stored') return leftOut(thing);
    const parts = [quoted(name), shapeText(thing), `frame=${quoted(held?.frame ?? '')}`, `pose=${poseText(thing)}`, ...touching(touch)];
    return `${model} = ${model}.attach(${parts.join(', ')})`;
  });
}

/** @param {Thing} thing */
function leftOut({ name }) {
  return `# ${JSON.stringify(name)} is left out: its shape came from a file, limbik.collision.Mesh(FILE).`;
}

/** @param {Thing} thing */
function shapeText({ kind, size }) {
  const [first, second] = size.map(shortest);
  if (kind === 'box') return `Box((${size.map(shortest).join(', ')}))`;
  if (kind === 'sphere') return `Sphere(${first})`;
  return `${kind === 'cylinder' ? 'Cylinder' : 'Capsule'}(radius=${first}, length=${second})`;
}

/** @param {Thing} thing */
function poseText({ position, quat_xyzw }) {
  const at = `(${position.map(shortest).join(', ')})`;
  return quat_xyzw.slice(0, 3).some(Boolean) ? `pose_from(quat_to_matrix([${quat_xyzw.map(shortest).join(', ')}]), ${at})` : at;
}

/** @param {string[]} touch */
function touching(touch) {
  return touch.length ? [`touch=[${touch.map(quoted).join(', ')}]`] : [];
}

/** @param {string} text  as a Python string of one line */
function quoted(text) {
  return JSON.stringify(text);
}
