/** Draws the objects around the arms, and labelled lines between near pairs; finds the object below a ray. */

import {
  BufferAttribute, BufferGeometry, CanvasTexture, Color, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshStandardMaterial,
  Points, PointsMaterial, Raycaster, SRGBColorSpace, Sprite, SpriteMaterial, Vector3,
} from 'three';
import { token } from './colours.js';
import { discard } from './marks.js';
import { readRaw } from './meshes.js';
import { Ribbon } from './ribbon.js';
import { ball, box, capsule, cylinder } from './shapes.js';

const LABEL = 0.034; // height of a label's writing, as a fraction of the picture
const SHARP = 25; // [degrees] an edge is drawn where faces meet at more

/** @typedef {import('./objectcodec.js').Thing & {pose: Matrix4, collides: boolean, selected: boolean}} Seen */
/** @typedef {{points: number[], distance: number, collides: boolean}} Near  points: of both, x y z x y z */

export class Solids extends Group {
  /** @param {() => void} onChange  a shape has come from the server @param {(name: string, message: string) => void} onFault */
  constructor(onChange, onFault) {
    super();
    Object.assign(this, { onChange, onFault });
    /** @type {Solid[]} */
    this.solids = [];
    this.lines = new Group();
    this.add(this.lines);
    /** What the lines show, as text. */
    this.near = '';
    /** Shapes of files. @type {Map<string, Promise<BufferGeometry>>} */
    this.cache = new Map();
  }

  /** @param {Seen[]} seen @returns {boolean} whether anything looks different */
  set(seen) {
    let isOther = seen.length !== this.solids.length;
    for (const solid of this.solids.splice(seen.length)) discard(solid);
    for (const [i, thing] of seen.entries()) {
      const shape = shapeOf(thing);
      if (this.solids[i]?.shape !== shape) {
        if (this.solids[i]) discard(this.solids[i]);
        this.solids[i] = new Solid(shape);
        this.add(this.solids[i]);
        this.dress(this.solids[i], thing);
      }
      isOther = this.solids[i].show(thing) || isOther;
    }
    return isOther;
  }

  /** @param {Solid} solid @param {Seen} thing */
  async dress(solid, { kind, size, token: key, name }) {
    if (kind !== 'stored') return solid.setGeometry(primitive(kind, size));
    try {
      solid.setGeometry((await this.load(key)).clone());
      this.onChange();
    } catch (error) {
      this.onFault(name, /** @type {Error} */ (error).message);
    }
  }

  /** @param {string} key @returns {Promise<BufferGeometry>} */
  load(key) {
    let found = this.cache.get(key);
    if (!found) {
      found = fetchShape(key);
      this.cache.set(key, found);
      found.catch(() => this.cache.delete(key));
    }
    return found;
  }

  /** @param {Near[]} near @returns {boolean} whether that changes anything */
  setNear(near) {
    const text = JSON.stringify(near.map(({ points, ...rest }) => [points.map((x) => x.toFixed(4)), rest]));
    if (text === this.near) return false;
    this.near = text;
    for (const child of [...this.lines.children]) discard(child);
    for (const one of near) this.lines.add(...lineOf(one));
    return true;
  }

  /** The object below a ray, and where. @param {import('three').Ray} ray @returns {{index: number, point: Vector3}|null} */
  hit(ray) {
    const caster = new Raycaster(ray.origin, ray.direction);
    caster.params.Points = { threshold: 0.01 };
    this.updateMatrixWorld();
    const bodies = this.solids.flatMap(({ body }, index) => (body ? [{ body, index }] : []));
    const [first] = caster.intersectObjects(bodies.map(({ body }) => body), false);
    return first ? { index: bodies.find(({ body }) => body === first.object)?.index ?? -1, point: first.point } : null;
  }

  /** Labels keep their size on the screen. @param {import('./camera.js').Camera} camera @param {number} height [px] of the picture */
  update(camera, height) {
    for (const sprite of this.lines.children) {
      if (!(sprite instanceof Sprite)) continue;
      const size = camera.metresPerPixel(sprite.position) * Math.max(15, LABEL * 0.5 * height);
      sprite.scale.set(size * sprite.userData.aspect, size, 1);
    }
  }

  /** The colours of the theme. */
  setTheme() {
    for (const solid of this.solids) solid.paint();
    this.near = '';
  }

  /** Where an object is seen to be. @param {number} i @returns {Vector3} */
  middle(i) {
    return new Vector3().setFromMatrixPosition(this.solids[i].matrix);
  }
}

class Solid extends Group {
  /** @param {string} shape */
  constructor(shape) {
    super();
    this.shape = shape;
    this.matrixAutoUpdate = false;
    this.look = '';
    this.collides = this.isSelected = false;
    /** @type {Mesh|Points|null} */
    this.body = null;
    /** @type {LineSegments|null} */
    this.edges = null;
  }

  /** @param {BufferGeometry} geometry */
  setGeometry(geometry) {
    if (geometry.userData.isCloud) {
      this.body = new Points(geometry, new PointsMaterial({ size: 4, sizeAttenuation: false }));
      this.add(this.body);
      return this.paint();
    }
    this.body = new Mesh(geometry, new MeshStandardMaterial({ roughness: 0.75, metalness: 0, transparent: true }));
    this.body.castShadow = this.body.receiveShadow = true;
    this.edges = new LineSegments(new EdgesGeometry(geometry, SHARP), new LineBasicMaterial({ transparent: true, toneMapped: false }));
    this.add(this.body, this.edges);
    return this.paint();
  }

  /** @param {Seen} thing @returns {boolean} whether it looks different */
  show({ pose, collides, selected }) {
    const look = `${pose.elements} ${collides} ${selected}`;
    if (look === this.look) return false;
    this.look = look;
    this.matrix.copy(pose);
    this.matrixWorldNeedsUpdate = true;
    if (collides !== this.collides || selected !== this.isSelected) {
      Object.assign(this, { collides, isSelected: selected });
      this.paint();
    }
    return true;
  }

  paint() {
    if (!this.body) return;
    const own = new Color(token(this.collides ? 'out-of-reach' : 'thing'));
    if (this.isSelected) own.lerp(new Color(token('target')), 0.3);
    const edge = new Color(token(this.isSelected ? 'target' : this.collides ? 'out-of-reach' : 'guide'));
    const paint = /** @type {any} */ (this.body.material);
    const isCloud = this.body instanceof Points;
    paint.color.copy(isCloud && !this.collides ? new Color(token(this.isSelected ? 'target' : 'text-2')) : own);
    paint.opacity = this.collides ? 0.78 : 0.92;
    if (!this.edges) return;
    const line = /** @type {LineBasicMaterial} */ (this.edges.material);
    line.color.copy(edge);
    line.opacity = this.isSelected ? 1 : 0.55;
  }
}

/** What of a thing makes another solid. @param {Seen} thing */
function shapeOf({ kind, size, token: key }) {
  return `${kind} ${size.join()} ${key}`;
}

/** @param {import('./objectcodec.js').Kind} kind @param {number[]} size @returns {BufferGeometry} */
function primitive(kind, size) {
  if (kind === 'box') return box(size);
  if (kind === 'sphere') return ball(size[0]);
  return kind === 'capsule' ? capsule(size[0], size[1]) : cylinder(size[0], size[1]);
}

/** @param {string} key @returns {Promise<BufferGeometry>} */
async function fetchShape(key) {
  const answer = await fetch(`thing/${key}`);
  if (!answer.ok) throw new Error('the server no longer has its shape: drop its file again');
  const bytes = await answer.arrayBuffer();
  const [, triangles] = new Uint32Array(bytes, 0, 2);
  if (triangles > 0) return readRaw(bytes)[0].geometry;
  const cloud = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(bytes, 8), 3));
  cloud.userData.isCloud = true;
  return cloud;
}

/** A line, and what it measures. @param {Near} near @returns {import('three').Object3D[]} */
function lineOf({ points, distance, collides }) {
  const colour = token(collides ? 'out-of-reach' : 'near');
  const ribbon = new Ribbon(2, { colour, width: 2.5, opacity: 0.95, isOnTop: true });
  ribbon.setPoints(points);
  ribbon.renderOrder = 730;
  const [a, b] = [new Vector3(...points.slice(0, 3)), new Vector3(...points.slice(3))];
  const label = writing(`${(1000 * distance).toFixed(Math.abs(distance) < 0.01 ? 1 : 0).replace('-', '−')} mm`, colour);
  label.position.copy(a.add(b).multiplyScalar(0.5));
  return [ribbon, label];
}

/** @param {string} text @param {string} colour @returns {Sprite} */
function writing(text, colour) {
  const canvas = document.createElement('canvas');
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const font = '600 30px Inter, system-ui, sans-serif';
  pen.font = font;
  canvas.width = Math.ceil(pen.measureText(text).width) + 24;
  canvas.height = 44;
  pen.fillStyle = token('surface');
  pen.beginPath();
  pen.roundRect(0, 0, canvas.width, canvas.height, 14);
  pen.fill();
  pen.font = font;
  pen.fillStyle = colour;
  pen.textBaseline = 'middle';
  pen.fillText(text, 12, canvas.height / 2 + 2);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  const material = new SpriteMaterial({ map, depthTest: false, transparent: true, toneMapped: false });
  const sprite = new Sprite(material);
  sprite.center.set(0.5, -0.35);
  sprite.renderOrder = 735;
  sprite.userData.aspect = canvas.width / canvas.height;
  return sprite;
}
