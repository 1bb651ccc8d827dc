/** A reach map in space: cubes coloured by the fraction of orientations that is reached, and where the flange points in one of them. */

import { Box3, BoxGeometry, Color, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, Quaternion, Raycaster, SphereGeometry, Vector3 } from 'three';
import { discard } from './marks.js';
import { Ribbon } from './ribbon.js';

const FILLED = 0.94; // of a voxel's edge, in a slice
const FLAT = 0.04; // and across it: the arm is seen on both sides
const SMALL = 0.2; // where all are shown, so that one sees between them
const MAX_CUBES = 200_000;
const DIRECTION = new Vector3(0, 0, 1);

// Viridis (matplotlib): of equal steps to the eye, also without colours.
const SCALE = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'].map((hex) => new Color(hex));

/** @param {number} fraction  from 0 to 1 @param {Color} [into] @returns {Color} */
export function colourOf(fraction, into = new Color()) {
  const at = Math.min(1, Math.max(0, fraction)) * (SCALE.length - 1);
  const low = Math.min(SCALE.length - 2, Math.floor(at));
  return into.lerpColors(SCALE[low], SCALE[low + 1], at - low);
}

/**
 * @typedef {object} Map  of what a frame reaches, as the server tells it
 * @property {string} robot @property {string} frame
 * @property {number[]} corner  [3] [m] @property {number} voxel  [m] its edge @property {number[]} shape  [3] voxels
 * @property {number} orientations @property {boolean} proved @property {boolean} complete
 * @property {string[]|null} world  the objects from which what is reached is free; null: not looked at
 * @property {number} slice  [m] height of the slice with the largest reached fraction
 * @property {Uint8Array} levels  of the voxels, z fastest: 255 where all orientations are reached
 */

/** @param {Map} map @param {number[]} cell  [3] whole numbers @returns {number} */
export function indexOf({ shape }, [x, y, z]) {
  return (x * shape[1] + y) * shape[2] + z;
}

/** @param {Map} map @param {number} index @returns {number[]} [3] whole numbers */
export function cellOf({ shape }, index) {
  return [Math.floor(index / (shape[1] * shape[2])), Math.floor(index / shape[2]) % shape[1], index % shape[2]];
}

/** @param {Map} map @param {number} index @returns {number[]} [3] [m] */
export function centreOf(map, index) {
  return cellOf(map, index).map((k, axis) => map.corner[axis] + (k + 0.5) * map.voxel);
}

/** The voxels of a slice in which anything is reached. @param {Map} map @param {number} axis @param {number} at  which slice @returns {number[]} */
export function sliceOf(map, axis, at) {
  const [first, second] = [0, 1, 2].filter((other) => other !== axis);
  const found = [];
  const cell = [0, 0, 0];
  cell[axis] = at;
  for (cell[first] = 0; cell[first] < map.shape[first]; cell[first] += 1) {
    for (cell[second] = 0; cell[second] < map.shape[second]; cell[second] += 1) {
      const index = indexOf(map, cell);
      if (map.levels[index] > 0) found.push(index);
    }
  }
  return found;
}

/** All in which anything is reached; where they are too many, an even part of them. @param {Map} map @returns {number[]} */
export function allOf(map) {
  const found = [];
  for (let index = 0; index < map.levels.length; index += 1) if (map.levels[index] > 0) found.push(index);
  const step = Math.ceil(found.length / MAX_CUBES);
  return step > 1 ? found.filter((_, k) => k % step === 0) : found;
}

export class Voxels extends Group {
  constructor() {
    super();
    /** The voxels that are drawn, in the order of their cubes. @type {number[]} */
    this.shown = [];
    /** @type {InstancedMesh|null} */
    this.cubes = null;
    this.rays = new Group();
    this.add(this.rays);
  }

  /** @param {Map} map @param {number[]} voxels @param {number} axis  across which they are a slice; 3: they are none */
  show(map, voxels, axis) {
    if (this.cubes) discard(this.cubes);
    this.shown = voxels;
    const size = [0, 1, 2].map((k) => map.voxel * (axis === 3 ? SMALL : k === axis ? FLAT : FILLED));
    const material = new MeshBasicMaterial({ toneMapped: false, transparent: axis < 3, opacity: axis < 3 ? 0.72 : 1 });
    this.cubes = new InstancedMesh(new BoxGeometry(...size), material, voxels.length);
    const [pose, colour] = [new Matrix4(), new Color()];
    for (const [k, index] of voxels.entries()) {
      const [x, y, z] = centreOf(map, index);
      this.cubes.setMatrixAt(k, pose.makeTranslation(x, y, z));
      this.cubes.setColorAt(k, colourOf(map.levels[index] / 255, colour));
    }
    this.cubes.frustumCulled = false;
    this.add(this.cubes);
  }

  /** What is drawn is inside of it. @returns {Box3} */
  get box() {
    this.cubes?.computeBoundingBox();
    return this.cubes?.boundingBox ?? new Box3();
  }

  clear() {
    if (this.cubes) discard(this.cubes);
    this.cubes = null;
    this.shown = [];
    this.showRays([], [], 0, '');
  }

  /** Where the frame's z axis points, in each orientation that is reached at a point. @param {number[]} point @param {number[][]} quats @param {number} length [m] @param {string} colour */
  showRays(point, quats, length, colour) {
    for (const child of [...this.rays.children]) discard(child);
    for (const quat of quats) {
      const end = DIRECTION.clone().applyQuaternion(new Quaternion(...quat)).multiplyScalar(length);
      const ray = new Ribbon(2, { colour, width: 1.5, opacity: 0.9, isOnTop: true });
      ray.setPoints([...point, point[0] + end.x, point[1] + end.y, point[2] + end.z]);
      const tip = new Mesh(new SphereGeometry(0.03 * length, 8, 6), new MeshBasicMaterial({ color: colour, toneMapped: false, depthTest: false }));
      tip.position.set(...ray.points.array.slice(3, 6));
      this.rays.add(ray, tip);
    }
  }

  /** The voxel below a pixel. @param {import('three').Ray} ray @returns {{voxel: number, point: Vector3}|null} */
  hit(ray) {
    if (!this.cubes) return null;
    const caster = new Raycaster(ray.origin, ray.direction);
    const [found] = caster.intersectObject(this.cubes, false);
    return found ? { voxel: this.shown[/** @type {number} */ (found.instanceId)], point: found.point } : null;
  }
}
