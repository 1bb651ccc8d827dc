/** Arrows, squares and rings to move and turn a goal along axes, across planes and about axes; of one size on the screen. */

import {
  Color, ConeGeometry, CylinderGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, PlaneGeometry, Quaternion,
  ShaderMaterial, TorusGeometry, Vector2, Vector3,
} from 'three';
import { onPlane } from './camera.js';
import { AXES } from './colours.js';

const ARROW = { start: 20, end: 76 }; // [px] from the goal
export const REACH = ARROW.end + 10; // [px]
const SQUARE = { at: 30, size: 17 }; // [px] centre along both axes, edge
const RING = 66; // [px]
const NEAR = 9; // [px] a hand this near takes a part
const EDGE_ON = 0.18; // sine between ring and view, below which a ring is turned by its tangent

const DIRECTIONS = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
const ACROSS = { yz: 'x', xz: 'y', xy: 'z' }; // the normal of each plane

/** @typedef {'x'|'y'|'z'|'yz'|'xz'|'xy'} Part */
/** @typedef {{mode: 'move'|'rotate', space: 'world'|'local'}} Setting */
/** @typedef {{position: Vector3, turn: Quaternion}} Pose */

export class Gizmo extends Group {
  constructor() {
    super();
    this.visible = false;
    this.moving = new Group();
    this.turning = new Group();
    this.add(this.moving, this.turning);
    /** @type {Map<string, {setColour: (colour: Color) => void, colour: Color}>} */
    this.paints = new Map();
    for (const name of /** @type {('x'|'y'|'z')[]} */ (['x', 'y', 'z'])) this.buildArrow(name);
    for (const name of /** @type {('yz'|'xz'|'xy')[]} */ (['yz', 'xz', 'xy'])) this.buildSquare(name);
    for (const name of /** @type {('x'|'y'|'z')[]} */ (['x', 'y', 'z'])) this.buildRing(name);
    this.traverse((node) => {
      node.renderOrder = 1000;
    });
    /** @type {Setting|null} */
    this.setting = null;
    /** @type {Pose|null} */
    this.pose = null;
    this.pointed = '';
    /** What a hand has taken hold of. @type {Grip|null} */
    this.grip = null;
  }

  /** @param {'x'|'y'|'z'} name */
  buildArrow(name) {
    const material = flat(AXES[name]);
    const { start, end } = ARROW;
    const shaft = new Mesh(new CylinderGeometry(1.3, 1.3, end - start - 10, 10).translate(0, (start + end - 10) / 2, 0), material);
    const head = new Mesh(new ConeGeometry(5.2, 15, 20).translate(0, end - 6, 0), material);
    for (const mesh of [shaft, head]) {
      mesh.quaternion.setFromUnitVectors(DIRECTIONS.y, DIRECTIONS[name]);
      this.moving.add(mesh);
    }
    this.paint(`move ${name}`, AXES[name], (colour) => material.color.copy(colour));
  }

  /** @param {'yz'|'xz'|'xy'} name */
  buildSquare(name) {
    const colour = AXES[/** @type {'x'} */ (ACROSS[name])];
    const material = flat(colour, 0.5);
    const mesh = new Mesh(new PlaneGeometry(SQUARE.size, SQUARE.size), material);
    mesh.quaternion.setFromUnitVectors(DIRECTIONS.z, DIRECTIONS[/** @type {'x'} */ (ACROSS[name])]);
    for (const axis of name) mesh.position.addScaledVector(DIRECTIONS[/** @type {'x'} */ (axis)], SQUARE.at);
    this.moving.add(mesh);
    this.paint(`move ${name}`, colour, (value) => material.color.copy(value));
  }

  /** @param {'x'|'y'|'z'} name */
  buildRing(name) {
    const material = ringPaint(AXES[name]);
    const mesh = new Mesh(new TorusGeometry(RING, 1.7, 10, 96), material);
    mesh.quaternion.setFromUnitVectors(DIRECTIONS.z, DIRECTIONS[name]);
    this.turning.add(mesh);
    this.paint(`rotate ${name}`, AXES[name], (colour) => material.uniforms.colour.value.copy(colour));
  }

  /** @param {string} name @param {string} colour @param {(colour: Color) => void} setColour */
  paint(name, colour, setColour) {
    this.paints.set(name, { setColour, colour: new Color(colour) });
  }

  /** @param {Setting|null} setting @param {Pose|null} pose  of the selected goal */
  set(setting, pose) {
    this.setting = setting;
    this.pose = pose;
    this.visible = setting !== null && pose !== null;
    if (!setting || !pose) return;
    this.moving.visible = setting.mode === 'move';
    this.turning.visible = setting.mode === 'rotate';
    this.position.copy(pose.position);
    this.quaternion.copy(this.axes);
  }

  /** How its axes are turned. While a hand turns the goal they stay as they were. @returns {Quaternion} */
  get axes() {
    if (this.grip) return this.grip.axes;
    return this.setting?.space === 'local' && this.pose ? this.pose.turn.clone() : new Quaternion();
  }

  /** What a pixel of its full size is in space [m]. @param {import('./camera.js').Camera} camera */
  unit(camera) {
    return camera.handleSize * camera.metresPerPixel(this.position);
  }

  /** @param {import('./camera.js').Camera} camera */
  update(camera) {
    this.scale.setScalar(this.unit(camera));
    for (const child of /** @type {any[]} */ (this.turning.children)) {
      child.material.uniforms.forward.value.copy(camera.forward);
      child.material.uniforms.centre.value.copy(this.position);
    }
  }

  /** Light up the part below a hand. @param {Part|null} part @returns {boolean} whether that is a change */
  point(part) {
    const name = part ? `${this.setting?.mode} ${part}` : '';
    if (name === this.pointed) return false;
    this.pointed = name;
    for (const [key, { setColour, colour }] of this.paints) {
      setColour(key === name ? colour.clone().lerp(new Color('#ffffff'), 0.55) : colour);
    }
    return true;
  }

  /** The part below a pixel. @param {import('./camera.js').Camera} camera @param {number} x @param {number} y @returns {Part|null} */
  hit(camera, x, y) {
    if (!this.visible) return null;
    const at = new Vector2(x, y);
    let best = null;
    let min = NEAR;
    for (const [name, distance] of this.distances(camera, at)) {
      if (distance < min) [best, min] = [name, distance];
    }
    return best;
  }

  /** How far a pixel is from each part. @param {import('./camera.js').Camera} camera @param {Vector2} at @returns {[Part, number][]} */
  distances(camera, at) {
    const axes = /** @type {('x'|'y'|'z')[]} */ (['x', 'y', 'z']);
    if (this.setting?.mode === 'rotate') return axes.map((name) => [name, this.toRing(camera, at, name)]);
    const [start, end] = [ARROW.start, ARROW.end + 4];
    const arrows = axes.map((name) => {
      const [near, far] = [start, end].map((along) => this.pixel(camera, name, along));
      return /** @type {[Part, number]} */ ([name, toSegment(at, near, far)]);
    });
    const squares = /** @type {('yz'|'xz'|'xy')[]} */ (['yz', 'xz', 'xy']).map((name) => (
      /** @type {[Part, number]} */ ([name, this.pixel(camera, name, SQUARE.at).distanceTo(at) < 0.75 * SQUARE.size ? 0.5 : Infinity])));
    return [...arrows, ...squares];
  }

  /**
   * Where a point of a part is seen: along an axis, or along both axes of a plane.
   * @param {import('./camera.js').Camera} camera @param {Part} part @param {number} along [px] @returns {Vector2}
   */
  pixel(camera, part, along) {
    const local = new Vector3();
    for (const axis of part) local.addScaledVector(DIRECTIONS[/** @type {'x'} */ (axis)], along);
    return camera.pixel(this.toWorld(camera, local));
  }

  /** @param {import('./camera.js').Camera} camera @param {Vector3} local [px] @returns {Vector3} */
  toWorld(camera, local) {
    return local.multiplyScalar(this.unit(camera)).applyQuaternion(this.quaternion).add(this.position);
  }

  /**
   * To the half of a ring that faces the eye.
   * @param {import('./camera.js').Camera} camera @param {Vector2} at @param {'x'|'y'|'z'} name
   * @returns {number} [px]
   */
  toRing(camera, at, name) {
    let min = Infinity;
    let before = null;
    for (let k = 0; k <= 64; k += 1) {
      const point = this.onRing(camera, name, (2 * Math.PI * k) / 64);
      const isBehind = point.clone().sub(this.position).dot(camera.forward) > 0.15 * RING * this.unit(camera);
      const pixel = camera.pixel(point);
      if (before && !isBehind) min = Math.min(min, toSegment(at, before, pixel));
      before = isBehind ? null : pixel;
    }
    return min;
  }

  /** @param {import('./camera.js').Camera} camera @param {'x'|'y'|'z'} name @param {number} angle @returns {Vector3} */
  onRing(camera, name, angle) {
    const [u, v] = { x: ['y', 'z'], y: ['z', 'x'], z: ['x', 'y'] }[name].map((axis) => DIRECTIONS[/** @type {'x'} */ (axis)]);
    return this.toWorld(camera, u.clone().multiplyScalar(RING * Math.cos(angle)).addScaledVector(v, RING * Math.sin(angle)));
  }

  /** Where a hand can take hold of a part. @param {import('./camera.js').Camera} camera @param {Part} part @returns {Vector2} */
  gripPoint(camera, part) {
    if (this.setting?.mode !== 'rotate') return this.pixel(camera, part, part.length === 1 ? 0.7 * ARROW.end : SQUARE.at);
    const points = Array.from({ length: 64 }, (_, k) => this.onRing(camera, /** @type {'x'} */ (part), (2 * Math.PI * k) / 64));
    const depth = (/** @type {Vector3} */ point) => point.dot(camera.forward);
    return camera.pixel(points.reduce((best, point) => (depth(point) < depth(best) ? point : best)));
  }

  /** A hand takes hold. @param {import('./camera.js').Camera} camera @param {Part} part @param {number} x @param {number} y */
  take(camera, part, x, y) {
    if (!this.pose || !this.setting) return;
    const axes = this.axes;
    const axis = DIRECTIONS[/** @type {'x'} */ (ACROSS[/** @type {'xy'} */ (part)] ?? part)].clone().applyQuaternion(axes);
    const pose = { position: this.pose.position.clone(), turn: this.pose.turn.clone() };
    const kind = this.setting.mode === 'rotate' ? 'turn' : part.length === 1 ? 'line' : 'plane';
    const isFlat = Math.abs(axis.dot(camera.forward)) < EDGE_ON;
    this.grip = { kind, axis, axes, pose, start: new Vector2(x, y), from: new Vector3(), isFlat };
    this.grip.from = this.onGrip(camera, x, y) ?? pose.position.clone();
  }

  /**
   * Where the hand's ray meets the line or the plane that it moves along.
   * @param {import('./camera.js').Camera} camera @param {number} x @param {number} y @returns {Vector3|null}
   */
  onGrip(camera, x, y) {
    const { kind, axis, pose } = /** @type {Grip} */ (this.grip);
    const ray = camera.ray(x, y);
    if (kind !== 'line') return onPlane(ray, pose.position, axis);
    // The plane through the axis that faces the eye best.
    const normal = camera.forward.addScaledVector(axis, -camera.forward.dot(axis));
    const met = normal.length() > 0.02 ? onPlane(ray, pose.position, normal.normalize()) : null;
    return met && pose.position.clone().addScaledVector(axis, met.sub(pose.position).dot(axis));
  }

  /**
   * The goal's pose, now that the hand is here.
   * @param {import('./camera.js').Camera} camera @param {number} x @param {number} y @returns {Pose}
   */
  pull(camera, x, y) {
    const grip = /** @type {Grip} */ (this.grip);
    const { kind, axis, pose, from } = grip;
    if (kind === 'turn') {
      const turn = new Quaternion().setFromAxisAngle(axis, this.angle(camera, grip, x, y));
      return { position: pose.position.clone(), turn: turn.multiply(pose.turn) };
    }
    const met = this.onGrip(camera, x, y) ?? from;
    return { position: pose.position.clone().add(met).sub(from), turn: pose.turn.clone() };
  }

  /** @param {import('./camera.js').Camera} camera @param {Grip} grip @param {number} x @param {number} y @returns {number} [rad] */
  angle(camera, { axis, pose, from, start, isFlat }, x, y) {
    const met = isFlat ? null : onPlane(camera.ray(x, y), pose.position, axis);
    const first = from.clone().sub(pose.position);
    if (met) {
      const second = met.sub(pose.position);
      return Math.atan2(first.clone().cross(second).dot(axis), first.dot(second));
    }
    // Seen from its edge a ring is rolled: as far as the hand goes along it.
    const ahead = camera.pixel(pose.position.clone().addScaledVector(camera.forward.cross(axis), 1e-3)).sub(camera.pixel(pose.position));
    return -new Vector2(x, y).sub(start).dot(ahead.normalize()) / RING;
  }

  release() {
    this.grip = null;
  }
}

/**
 * @typedef {object} Grip
 * @property {'line'|'plane'|'turn'} kind
 * @property {Vector3} axis  of the line or turn, or the normal of the plane
 * @property {Quaternion} axes
 * @property {Pose} pose  of the goal when it was taken
 * @property {Vector2} start [px]
 * @property {Vector3} from  where the hand took hold
 * @property {boolean} isFlat  a ring seen from its edge
 */

/** @param {string} color @param {number} [opacity] */
function flat(color, opacity = 1) {
  const onTop = { transparent: true, depthTest: false, depthWrite: false, toneMapped: false };
  return new MeshBasicMaterial({ color, opacity, side: DoubleSide, ...onTop });
}

/** A ring's paint: strong on the half that faces the eye. @param {string} colour */
function ringPaint(colour) {
  return new ShaderMaterial({
    uniforms: { colour: { value: new Color(colour) }, forward: { value: new Vector3() }, centre: { value: new Vector3() } },
    vertexShader: `
      varying vec3 world;
      void main() {
        world = (modelMatrix * vec4(position, 1.0)).xyz;
        gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
      }`,
    fragmentShader: `
      uniform vec3 colour;
      uniform vec3 forward;
      uniform vec3 centre;
      varying vec3 world;
      void main() {
        float behind = dot(normalize(world - centre), forward);
        gl_FragColor = vec4(colour, mix(0.95, 0.16, smoothstep(-0.05, 0.25, behind)));
        #include <colorspace_fragment>
      }`,
    transparent: true,
    depthTest: false,
    depthWrite: false,
  });
}

/** @param {Vector2} at @param {Vector2} a @param {Vector2} b @returns {number} from a point to a straight piece */
function toSegment(at, a, b) {
  const along = b.clone().sub(a);
  const part = Math.min(1, Math.max(0, at.clone().sub(a).dot(along) / Math.max(1e-9, along.lengthSq())));
  return at.distanceTo(along.multiplyScalar(part).add(a));
}
