/** Solids (balls, cylinders, boxes, capsules, tapers) with colours, merged into one geometry for each link; smooth normals with creases. */

import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, LatheGeometry, Matrix3, Matrix4, Quaternion,
  SphereGeometry, Vector2, Vector3,
} from 'three';

const UP = new Vector3(0, 1, 0);
const ROUND = 28; // sides of what is round
const CREASE = Math.cos(0.7); // faces that meet at less than 40 degrees look like one surface

/** @typedef {{geometry: BufferGeometry, matrix?: Matrix4, colour: Color}} Part  a colour where the geometry has none of its own */

/** @param {number} radius @returns {BufferGeometry} */
export function ball(radius) {
  return new SphereGeometry(radius, ROUND, ROUND / 2);
}

/**
 * A cylinder along z around the origin, its edges rounded.
 * @param {number} radius @param {number} length @param {number} [edge] @returns {BufferGeometry}
 */
export function drum(radius, length, edge = 0.22 * Math.min(radius, length)) {
  const profile = [[0, -length / 2], [radius, -length / 2], [radius, length / 2], [0, length / 2]];
  return new LatheGeometry(rounded(profile, edge), ROUND).rotateX(Math.PI / 2);
}

/** A foot that stands on the plane z = 0 and narrows upwards. @param {number} radius @returns {BufferGeometry} */
export function socket(radius) {
  const profile = [[0, 0], [2.5, 0], [2.5, 0.5], [1.6, 0.75], [1.45, 1.7], [0, 1.7]].map(([x, y]) => [x * radius, y * radius]);
  return new LatheGeometry(rounded(profile, 0.2 * radius), ROUND).rotateX(Math.PI / 2);
}

/** A plain cylinder along z around the origin. @param {number} radius @param {number} length @returns {BufferGeometry} */
export function cylinder(radius, length) {
  return new CylinderGeometry(radius, radius, length, ROUND).rotateX(Math.PI / 2);
}

/** @param {number[]} size  edges along x, y, z @returns {BufferGeometry} */
export function box([x, y, z]) {
  return new BoxGeometry(x, y, z);
}

/**
 * A capsule along z around the origin; `length` without the caps.
 * @param {number} radius @param {number} length @returns {BufferGeometry}
 */
export function capsule(radius, length) {
  return taper(new Vector3(0, 0, -length / 2), new Vector3(0, 0, length / 2), radius, radius);
}

/**
 * A capsule from one point to another whose ends may differ in size.
 * @param {Vector3} from @param {Vector3} to @param {number} first @param {number} last  radii @returns {BufferGeometry}
 */
export function taper(from, to, first, last) {
  const length = from.distanceTo(to);
  const profile = [];
  for (let i = 0; i <= 8; i += 1) profile.push(onArc(0, (Math.PI * i) / 16 - Math.PI / 2, first));
  for (let i = 0; i <= 8; i += 1) profile.push(onArc(length, (Math.PI * i) / 16, last));
  const turn = new Quaternion().setFromUnitVectors(UP, to.clone().sub(from).normalize());
  return new LatheGeometry(profile, ROUND).applyMatrix4(new Matrix4().compose(from, turn, new Vector3(1, 1, 1)));
}

/** A point of a profile. @param {number} height  of the centre @param {number} angle @param {number} radius */
function onArc(height, angle, radius) {
  return new Vector2(Math.max(0, radius * Math.cos(angle)), height + radius * Math.sin(angle));
}

/** A profile with its inner corners cut round. @param {number[][]} corners @param {number} edge @returns {Vector2[]} */
function rounded(corners, edge) {
  const points = corners.map(([x, y]) => new Vector2(x, y));
  const result = [points[0]];
  for (let i = 1; i + 1 < points.length; i += 1) {
    const before = points[i - 1].clone().sub(points[i]).setLength(edge).add(points[i]);
    const after = points[i + 1].clone().sub(points[i]).setLength(edge).add(points[i]);
    for (let k = 0; k <= 5; k += 1) {
      const [a, b] = [before.clone().lerp(points[i], k / 5), points[i].clone().lerp(after, k / 5)];
      result.push(a.lerp(b, k / 5));
    }
  }
  return [...result, points[points.length - 1]];
}

/** One geometry of many parts, with positions, normals and colours. @param {Part[]} parts @returns {BufferGeometry} */
export function assemble(parts) {
  const vertices = parts.reduce((sum, { geometry }) => sum + geometry.attributes.position.count, 0);
  const corners = parts.reduce((sum, { geometry }) => sum + cornersOf(geometry), 0);
  const zeros = () => new Float32Array(3 * vertices);
  const arrays = { position: zeros(), normal: zeros(), color: zeros() };
  const index = new Uint32Array(corners);
  let [vertex, corner] = [0, 0];
  for (const part of parts) {
    copy(part, arrays, vertex);
    corner = copyIndex(part, index, vertex, corner);
    vertex += part.geometry.attributes.position.count;
  }
  const whole = new BufferGeometry().setIndex(new BufferAttribute(index, 1));
  for (const [name, array] of Object.entries(arrays)) whole.setAttribute(name, new BufferAttribute(array, 3));
  return whole;
}

/** @param {Part} part @param {Record<string, Float32Array>} arrays @param {number} start  vertex */
function copy({ geometry, matrix = new Matrix4(), colour }, arrays, start) {
  if (!geometry.attributes.normal) geometry.computeVertexNormals();
  const { position, normal, color } = geometry.attributes;
  const turn = new Matrix3().getNormalMatrix(matrix);
  const vector = new Vector3();
  for (let i = 0; i < position.count; i += 1) {
    const at = 3 * (start + i);
    put(arrays.position, at, vector.fromBufferAttribute(position, i).applyMatrix4(matrix));
    put(arrays.normal, at, vector.fromBufferAttribute(normal, i).applyMatrix3(turn).normalize());
    put(arrays.color, at, color ? vector.fromBufferAttribute(color, i) : vector.set(colour.r, colour.g, colour.b));
  }
}

/** @param {Float32Array} array @param {number} at @param {Vector3} vector */
function put(array, at, { x, y, z }) {
  array[at] = x;
  array[at + 1] = y;
  array[at + 2] = z;
}

/**
 * Triangles of a part, turned over where its matrix mirrors.
 * @param {Part} part @param {Uint32Array} index @param {number} vertex @param {number} corner @returns {number}
 */
function copyIndex({ geometry, matrix }, index, vertex, corner) {
  const isMirrored = matrix !== undefined && matrix.determinant() < 0;
  const count = cornersOf(geometry);
  for (let i = 0; i + 2 < count; i += 3) {
    const [a, b, c] = isMirrored ? [i, i + 2, i + 1] : [i, i + 1, i + 2];
    for (const k of [a, b, c]) {
      index[corner] = vertex + (geometry.index ? geometry.index.getX(k) : k);
      corner += 1;
    }
  }
  return corner;
}

/** @param {BufferGeometry} geometry @returns {number} corners of whole triangles */
function cornersOf({ index, attributes }) {
  const count = index ? index.count : attributes.position.count;
  return count - (count % 3);
}

/**
 * Triangles without an index whose normals are smooth where faces meet at a small angle, and sharp at edges.
 * @param {ArrayLike<number>} positions  three corners for each triangle [9 n] @returns {BufferGeometry}
 */
export function creased(positions) {
  const faces = faceNormals(positions);
  const normals = new Float32Array(positions.length);
  for (const corners of cornersByPosition(positions)) {
    for (const corner of corners) addSimilar(corner, corners, faces, normals);
  }
  return new BufferGeometry()
    .setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3))
    .setAttribute('normal', new BufferAttribute(normals, 3));
}

/**
 * The normal of a corner: of all faces around it that differ little from its own.
 * @param {number} corner @param {number[]} corners @param {Float32Array} faces @param {Float32Array} normals
 */
function addSimilar(corner, corners, faces, normals) {
  const own = 4 * Math.floor(corner / 3);
  let [x, y, z] = [0, 0, 0];
  for (const other of corners) {
    const at = 4 * Math.floor(other / 3);
    const alike = faces[at] * faces[own] + faces[at + 1] * faces[own + 1] + faces[at + 2] * faces[own + 2];
    if (alike < CREASE && at !== own) continue;
    x += faces[at] * faces[at + 3];
    y += faces[at + 1] * faces[at + 3];
    z += faces[at + 2] * faces[at + 3];
  }
  const length = Math.hypot(x, y, z) || 1;
  normals.set([x / length, y / length, z / length], 3 * corner);
}

/** The unit normal of every face, and twice its area. @param {ArrayLike<number>} positions @returns {Float32Array} [4 n] */
function faceNormals(positions) {
  const faces = new Float32Array((4 * positions.length) / 9);
  const [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
  for (let i = 0; i < positions.length / 9; i += 1) {
    a.fromArray(positions, 9 * i);
    b.fromArray(positions, 9 * i + 3).sub(a);
    c.fromArray(positions, 9 * i + 6).sub(a);
    const area = b.cross(c).length();
    b.divideScalar(area || 1).toArray(faces, 4 * i);
    faces[4 * i + 3] = area;
  }
  return faces;
}

/** @param {ArrayLike<number>} positions @returns {Iterable<number[]>} corners that have one position */
function cornersByPosition(positions) {
  const meeting = new Map();
  for (let corner = 0; corner < positions.length / 3; corner += 1) {
    const key = `${positions[3 * corner]} ${positions[3 * corner + 1]} ${positions[3 * corner + 2]}`;
    const corners = meeting.get(key);
    if (corners) corners.push(corner);
    else meeting.set(key, [corner]);
  }
  return meeting.values();
}
