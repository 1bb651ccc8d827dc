/** Loads and caches the meshes of robots. */

import { BufferAttribute, BufferGeometry, LoadingManager } from 'three';
import { creased } from './shapes.js';

const MAX_CREASED = 150_000; // triangles, beyond which faces are left flat
const WHITE = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=';

/**
 * @typedef {object} Visual
 * @property {string} link
 * @property {'mesh'|'box'|'cylinder'|'capsule'|'sphere'} shape
 * @property {number[]} pose  in the link [16]
 * @property {number[]|null} [color]  r g b a
 * @property {string} [url] @property {'stl'|'dae'|'obj'|'raw'} [format] @property {number[]} [scale]
 * @property {number[]} [size] @property {number} [radius] @property {number} [length]
 */

/** @typedef {{geometry: BufferGeometry, colour: import('three').Color|null}} Piece */

export class Meshes {
  constructor() {
    /** @type {Map<string, Promise<Piece[]>>} */
    this.loaded = new Map();
  }

  /** The pieces of a mesh, in its own coordinates. @param {Visual} visual @returns {Promise<Piece[]>} */
  load({ url = '', format = 'stl' }) {
    let pieces = this.loaded.get(url);
    if (!pieces) {
      pieces = fetchMesh(url, format);
      this.loaded.set(url, pieces);
      // One that failed is requested again by the next scene.
      pieces.catch(() => this.loaded.get(url) === pieces && this.loaded.delete(url));
    }
    return pieces;
  }

  /** Forget all meshes but those of these visuals. @param {Visual[]} visuals */
  keep(visuals) {
    const urls = new Set(visuals.map(({ url }) => url));
    for (const url of this.loaded.keys()) if (!urls.has(url)) this.loaded.delete(url);
  }
}

/** @param {string} url @param {string} format @returns {Promise<Piece[]>} */
async function fetchMesh(url, format) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const read = READERS[/** @type {keyof typeof READERS} */ (format)];
  if (!read) throw new Error(`meshes of format ${format} are not read here`);
  return read(await answer.arrayBuffer());
}

const READERS = { stl: readStl, dae: readCollada, obj: readObj, raw: readRaw };

/** @param {ArrayBuffer} bytes @returns {Promise<Piece[]>} */
async function readStl(bytes) {
  const { STLLoader } = await import('three/addons/loaders/STLLoader.js');
  const geometry = new STLLoader().parse(bytes);
  return [{ geometry: smooth(geometry), colour: null }];
}

/**
 * Positions and colours of a Collada file. Like other readers of robot descriptions this one leaves the `up_axis` aside:
 * the vertices are taken as they are. Pictures are not fetched.
 * @param {ArrayBuffer} bytes @returns {Promise<Piece[]>}
 */
async function readCollada(bytes) {
  const { ColladaLoader } = await import('three/addons/loaders/ColladaLoader.js');
  const text = new TextDecoder().decode(bytes);
  const manager = new LoadingManager();
  manager.setURLModifier(() => WHITE);
  const plain = text.replace(/<up_axis>[^<]*<\/up_axis>/, '').replace(/\.tga\b/gi, '.png');
  const file = new ColladaLoader(manager).parse(plain, '');
  if (!file) throw new Error('it is not Collada');
  return pieces(file.scene, (material) => material.color);
}

/**
 * The faces of an OBJ file. Lines and points beside them are left out: the loader takes an object that has any for lines alone.
 * @param {ArrayBuffer} bytes @returns {Promise<Piece[]>}
 */
async function readObj(bytes) {
  const { OBJLoader } = await import('three/addons/loaders/OBJLoader.js');
  const faces = new TextDecoder().decode(bytes).replace(/^\s*[lp]\s.*$/gm, '');
  return pieces(new OBJLoader().parse(faces), () => null);
}

/** Counts of vertices and triangles, then both. @param {ArrayBuffer} bytes @returns {Piece[]} */
export function readRaw(bytes) {
  const [vertices, triangles] = new Uint32Array(bytes, 0, 2);
  const geometry = new BufferGeometry()
    .setAttribute('position', new BufferAttribute(new Float32Array(bytes, 8, 3 * vertices), 3))
    .setIndex(new BufferAttribute(new Uint32Array(bytes, 8 + 12 * vertices, 3 * triangles), 1));
  return [{ geometry: smooth(geometry), colour: null }];
}

/**
 * All meshes below a node, in the coordinates of the node's parent, one piece for each material.
 * @param {import('three').Object3D} root @param {(material: any) => import('three').Color|null} colourOf @returns {Piece[]}
 */
function pieces(root, colourOf) {
  /** @type {Piece[]} */
  const found = [];
  root.updateMatrixWorld(true);
  root.traverse((/** @type {any} */ node) => {
    if (!node.isMesh) return;
    const materials = Array.isArray(node.material) ? node.material : [node.material];
    const whole = [{ start: 0, count: Infinity, materialIndex: 0 }];
    for (const { start, count, materialIndex } of materials.length > 1 ? node.geometry.groups : whole) {
      const geometry = part(node.geometry, start, count).applyMatrix4(node.matrixWorld);
      found.push({ geometry: geometry.attributes.normal ? geometry : smooth(geometry), colour: colourOf(materials[materialIndex]) });
    }
  });
  return found;
}

/**
 * A run of a geometry's corners as triangles without an index.
 * @param {BufferGeometry} geometry @param {number} start @param {number} count @returns {BufferGeometry}
 */
function part(geometry, start, count) {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  const result = new BufferGeometry();
  for (const name of ['position', 'normal']) {
    const attribute = plain.attributes[name];
    if (!attribute) continue;
    const end = Math.min(attribute.count, start + count);
    result.setAttribute(name, new BufferAttribute(new Float32Array(attribute.array.slice(3 * start, 3 * end)), 3));
  }
  return result;
}

/** @param {BufferGeometry} geometry @returns {BufferGeometry} with normals that are smooth on curved surfaces */
function smooth(geometry) {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  const positions = plain.attributes.position.array;
  if (positions.length <= 9 * MAX_CREASED) return creased(positions);
  plain.computeVertexNormals();
  return plain;
}
