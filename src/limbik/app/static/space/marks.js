/** Drawn marks of an arm: axes of frames, sphere of reach, ellipsoid of manipulability, trace; and the plane on which goals are placed. */

import {
  Color, ConeGeometry, CylinderGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, PlaneGeometry, ShaderMaterial,
  SphereGeometry, Vector3,
} from 'three';
import { AXES } from './colours.js';
import { Ribbon, circlePoints } from './ribbon.js';
import { symmetricAxes } from './ellipsoid.js';

const UP = new Vector3(0, 1, 0);
const DIRECTIONS = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
const TRACE = 600; // points
const SECONDS = 0.22; // an ellipsoid is drawn as far as a frame would come in this time

/** Three arrows of length 1 along x, y and z. @returns {Group} */
export function triad() {
  const group = new Group();
  for (const [name, direction] of Object.entries(DIRECTIONS)) {
    const material = new MeshBasicMaterial({ color: AXES[/** @type {'x'} */ (name)], toneMapped: false });
    const shaft = new Mesh(new CylinderGeometry(0.016, 0.016, 0.86, 10).translate(0, 0.43, 0), material);
    const head = new Mesh(new ConeGeometry(0.05, 0.16, 16).translate(0, 0.92, 0), material);
    for (const mesh of [shaft, head]) {
      mesh.quaternion.setFromUnitVectors(UP, direction);
      group.add(mesh);
    }
  }
  return group;
}

/** A glassy sphere that is seen at its rim, and the circle in which it meets the floor. */
export class Reach extends Group {
  /** @param {Vector3} centre @param {number} radius @param {number} floor  height [m] @param {string} colour */
  constructor(centre, radius, floor, colour) {
    super();
    const shell = new Mesh(new SphereGeometry(radius, 72, 48), rim(colour, 0.34));
    shell.position.copy(centre);
    shell.renderOrder = 900;
    this.add(shell);
    const height = floor - centre.z;
    if (Math.abs(height) >= radius) return;
    const across = Math.sqrt(radius ** 2 - height ** 2);
    const circle = new Ribbon(97, { colour, width: 1.5, opacity: 0.7 });
    const middle = new Vector3(centre.x, centre.y, floor + 0.002 * radius); // not in the floor itself
    circle.setPoints(circlePoints(middle, across, 96));
    this.add(circle);
  }
}

/** Opaque at the rim, clear in the middle. @param {string} colour @param {number} strength @param {number} [middle] */
function rim(colour, strength, middle = 0.03) {
  return new ShaderMaterial({
    uniforms: { colour: { value: new Color(colour) }, strength: { value: strength }, middle: { value: middle } },
    vertexShader: `
      varying vec3 away;
      varying vec3 facing;
      void main() {
        vec4 eye = modelViewMatrix * vec4(position, 1.0);
        bool isPerspective = projectionMatrix[2][3] == -1.0;
        away = isPerspective ? -eye.xyz : vec3(0.0, 0.0, 1.0);
        facing = normalMatrix * normal;
        gl_Position = projectionMatrix * eye;
      }`,
    fragmentShader: `
      uniform vec3 colour;
      uniform float strength;
      uniform float middle;
      varying vec3 away;
      varying vec3 facing;
      void main() {
        float edge = 1.0 - abs(dot(normalize(away), normalize(facing)));
        gl_FragColor = vec4(colour, middle + strength * pow(edge, 3.0));
        #include <colorspace_fragment>
      }`,
    transparent: true,
    depthWrite: false,
  });
}

/** The ellipsoid of J J^T: how fast a frame can move, in each direction, for joint rates of length 1. */
export class Ellipsoid extends Group {
  constructor() {
    super();
    this.visible = false;
    this.body = new Mesh(new SphereGeometry(1, 40, 28), rim('#ffffff', 0.55, 0.2));
    this.body.renderOrder = 800;
    this.body.matrixAutoUpdate = false;
    this.lines = [0, 1, 2].map(() => new Ribbon(2, { width: 1.5, opacity: 0.85, isOnTop: true }));
    for (const line of this.lines) line.renderOrder = 801;
    this.add(this.body, ...this.lines);
  }

  /** @param {ArrayLike<number>} point [3] @param {ArrayLike<number>} rows  J J^T, row by row [9] @param {Color} colour */
  set(point, rows, colour) {
    const centre = new Vector3(point[0], point[1], point[2]);
    const { values, axes } = symmetricAxes(rows);
    const ends = axes.map((axis, k) => axis.multiplyScalar(Math.max(SECONDS * Math.sqrt(Math.max(0, values[k])), 1e-4)));
    this.body.matrix.makeBasis(ends[0], ends[1], ends[2]).setPosition(centre);
    this.body.matrixWorldNeedsUpdate = true;
    this.body.material.uniforms.colour.value.copy(colour);
    this.lines.forEach((line, k) => {
      line.setPoints([...centre.clone().sub(ends[k]).toArray(), ...centre.clone().add(ends[k]).toArray()]);
      line.setColour(colour);
    });
  }
}

/** The plane on which goals are placed, as a sheet of glass. */
export class Sheet extends Group {
  constructor() {
    super();
    const glass = new MeshBasicMaterial({ transparent: true, opacity: 0.07, depthWrite: false, side: DoubleSide, toneMapped: false });
    this.glass = new Mesh(new PlaneGeometry(2, 2), glass);
    this.frame = new Ribbon(5, { width: 1.5, opacity: 0.5 });
    this.frame.setPoints([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, -1, -1, 0]);
    this.add(this.glass, this.frame);
    this.visible = false;
  }

  /** @param {Vector3} centre @param {Vector3} normal @param {number} half  edge [m] @param {string} colour */
  set(centre, normal, half, colour) {
    this.position.copy(centre);
    this.quaternion.setFromUnitVectors(DIRECTIONS.z, normal);
    this.scale.setScalar(half);
    this.glass.material.color.set(colour);
    this.frame.setColour(colour);
  }
}

/** The path that an end effector has taken, which fades towards its beginning. */
export class Trace {
  /** @param {string|Color} colour */
  constructor(colour) {
    this.ribbon = new Ribbon(TRACE, { colour, width: 3, opacity: 0.95, fades: true });
    this.ribbon.renderOrder = 700;
    /** @type {number[]} */
    this.path = [];
  }

  /** @param {Vector3} point @returns {boolean} whether that is another point than the last one */
  extend({ x, y, z }) {
    const [lastX, lastY, lastZ] = this.path.slice(-3);
    if (x === lastX && y === lastY && z === lastZ) return false;
    this.path.push(x, y, z);
    if (this.path.length > 3 * TRACE) this.path.splice(0, 3);
    this.ribbon.setPoints(this.path);
    return true;
  }
}

/** Free what a group holds on the graphics card. @param {import('three').Object3D} group */
export function discard(group) {
  group.removeFromParent();
  group.traverse((/** @type {any} */ node) => {
    node.geometry?.dispose();
    node.material?.dispose();
  });
}
