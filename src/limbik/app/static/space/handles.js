/** Drawn handles of goals: spheres of one size on the screen, with the axes of directions. */

import { BackSide, Color, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from 'three';
import { token } from './colours.js';
import { triad } from './marks.js';
import { Ribbon } from './ribbon.js';

const RADIUS = 8; // [px]
const ARROWS = 46; // [px]

/**
 * @typedef {object} Goal
 * @property {string} id
 * @property {number} arm
 * @property {string} frame
 * @property {'position'|'pose'|'direction'} kind
 * @property {number[]} position [3]
 * @property {number[]} [quat_xyzw]  of poses and directions [4]
 * @property {boolean} [selected]
 * @property {boolean} [isLeft]  the arm is elsewhere for now: no thread leads to it
 * @property {boolean} [isOutOfReach]
 */

export class Handles extends Group {
  /** @param {(goal: Goal) => Color} colourOf */
  constructor(colourOf) {
    super();
    this.colourOf = colourOf;
    /** @type {Map<string, Handle>} */
    this.handles = new Map();
    /** The goal that a hand holds: what it says counts more than what is set. */
    this.held = '';
  }

  /** @param {Goal[]} goals @returns {boolean} whether anything looks different */
  setGoals(goals) {
    const wanted = new Set(goals.map(({ id }) => id));
    const gone = [...this.handles].filter(([id]) => !wanted.has(id));
    for (const [id, handle] of gone) this.drop(id, handle);
    return goals.filter((goal) => this.setGoal(goal)).length + gone.length > 0;
  }

  /** @param {Goal} goal @returns {boolean} whether it looks different */
  setGoal(goal) {
    const old = this.handles.get(goal.id);
    const isSame = old && old.goal.kind === goal.kind;
    if (old && !isSame) this.drop(goal.id, old);
    const handle = isSame ? old : new Handle(goal.kind);
    if (!isSame) {
      this.handles.set(goal.id, handle);
      this.add(handle);
    }
    const pose = this.held === goal.id && old ? { position: old.goal.position, quat_xyzw: old.goal.quat_xyzw } : {};
    const colour = this.colourOf(goal);
    const look = JSON.stringify([goal, pose, colour]);
    if (handle.look === look) return false;
    handle.look = look;
    handle.set({ ...goal, ...pose }, colour);
    return true;
  }

  /** @param {string} id @param {Handle} handle */
  drop(id, handle) {
    handle.dispose();
    this.handles.delete(id);
  }

  get selected() {
    return [...this.handles.values()].find(({ goal }) => goal.selected) ?? null;
  }

  /**
   * The goal below a pixel: of several the selected, else the nearest to the eye.
   * @param {import('./camera.js').Camera} camera @param {number} x @param {number} y @param {number} reach [px]
   * @returns {string|null}
   */
  hit(camera, x, y, reach) {
    let best = null;
    let min = Infinity;
    for (const [id, { goal }] of this.handles) {
      const point = new Vector3(...goal.position);
      const pixel = camera.pixel(point);
      if (Math.hypot(pixel.x - x, pixel.y - y) > reach) continue;
      const depth = goal.selected ? -Infinity : point.distanceTo(camera.eye.position);
      if (best === null || depth < min) [best, min] = [id, depth];
    }
    return best;
  }

  /** The same size on the screen, wherever the camera is; smaller where the picture is low. @param {import('./camera.js').Camera} camera */
  update(camera) {
    for (const handle of this.handles.values()) handle.scaleTo(camera.handleSize * camera.metresPerPixel(handle.knob.position));
  }

  setTheme() {
    for (const handle of this.handles.values()) handle.set(handle.goal, this.colourOf(handle.goal));
  }
}

class Handle extends Group {
  /** @param {Goal['kind']} kind */
  constructor(kind) {
    super();
    /** @type {Goal} */
    this.goal = { id: '', arm: 0, frame: '', kind, position: [0, 0, 0] };
    /** What it was last set to, as text. */
    this.look = '';
    this.knob = new Group();
    this.core = sphere(1, {});
    this.rim = sphere(1.28, { side: BackSide });
    // The part of the goal that is inside an arm is seen faintly.
    this.shine = sphere(1, { depthTest: false, opacity: 0.3 });
    this.halo = sphere(2.1, { opacity: 0.16, depthWrite: false });
    this.shine.renderOrder = 950;
    this.halo.renderOrder = 940;
    this.knob.add(this.core, this.rim, this.shine, this.halo);
    this.string = new Ribbon(2, { width: 1.5, opacity: 0.55 });
    this.string.renderOrder = 690;
    this.arrows = kind === 'position' ? null : triad();
    if (this.arrows && kind === 'direction') keepLast(this.arrows);
    if (this.arrows) this.knob.add(this.arrows);
    this.add(this.knob, this.string);
  }

  /** @param {Goal} goal @param {Color} colour */
  set(goal, colour) {
    this.goal = goal;
    this.knob.position.fromArray(goal.position);
    if (this.arrows) this.arrows.quaternion.copy(orientation(goal));
    const isSelected = goal.selected === true;
    const target = token(goal.isOutOfReach ? 'out-of-reach' : 'target');
    const core = isSelected ? new Color('#ffffff') : colour;
    for (const mesh of [this.core, this.shine]) mesh.material.color.copy(core);
    this.rim.material.color.set(isSelected || goal.isOutOfReach ? target : token('joint'));
    // The selected goal is seen through the arms, with its rim behind it.
    for (const mesh of [this.rim, this.core]) mesh.material.depthTest = !isSelected;
    this.rim.renderOrder = isSelected ? 945 : 0;
    this.core.renderOrder = isSelected ? 946 : 0;
    this.shine.visible = !isSelected;
    this.halo.material.color.set(target);
    this.halo.visible = isSelected;
    this.string.setColour(isSelected || goal.isOutOfReach ? target : token('guide'));
  }

  /** A thread from where the frame is. @param {Vector3|null} point */
  tieTo(point) {
    this.string.setPoints(point ? [...point.toArray(), ...this.goal.position] : []);
  }

  /** @param {number} pixel [m] */
  scaleTo(pixel) {
    const radius = pixel * (this.goal.selected ? 1.15 : 1) * RADIUS;
    for (const mesh of [this.core, this.rim, this.shine, this.halo]) mesh.scale.setScalar(radius * mesh.userData.size);
    this.arrows?.scale.setScalar(pixel * ARROWS);
  }

  dispose() {
    this.removeFromParent();
    this.traverse((/** @type {any} */ node) => {
      node.geometry?.dispose();
      node.material?.dispose();
    });
  }
}

/** @param {number} size @param {object} options */
function sphere(size, options) {
  const mesh = new Mesh(new SphereGeometry(1, 24, 16), new MeshBasicMaterial({ transparent: true, toneMapped: false, ...options }));
  mesh.userData.size = size;
  return mesh;
}

/** Of three arrows, of two parts each, only the one along z. @param {Group} arrows */
function keepLast(arrows) {
  for (const child of arrows.children.slice(0, 4)) child.visible = false;
}

/** @param {Goal} goal @returns {Quaternion} */
export function orientation({ quat_xyzw: xyzw }) {
  return xyzw ? new Quaternion(...xyzw).normalize() : new Quaternion();
}
