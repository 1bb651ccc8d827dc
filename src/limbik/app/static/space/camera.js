/** The orbiting camera of the 3-D page, z up. Pixels are those of the window. */

import { OrthographicCamera, PerspectiveCamera, Ray, Vector2, Vector3 } from 'three';

const HALF_ANGLE = (0.5 * 32 * Math.PI) / 180; // of the perspective view, from its middle to its upper edge
const STEEPEST = 1.5533; // [rad] elevation: 89 degrees
const GLIDE = 380; // [ms]
const MARGIN = 1.16; // around what is framed
const ROOMY = 450; // [px] height of a picture from which on handles have their full size
const SMALLEST = 0.6; // of it

/**
 * @typedef {object} State
 * @property {number} azimuth  of the eye around z, from x [rad]
 * @property {number} elevation  of the eye above the horizon [rad]
 * @property {number} distance  of the eye from the centre [m]
 * @property {Vector3} centre
 */

/** @typedef {{left: number, top: number, right: number, bottom: number}} Region */

export class Camera {
  /** @param {HTMLCanvasElement} canvas @param {() => void} onMove */
  constructor(canvas, onMove) {
    this.canvas = canvas;
    this.onMove = onMove;
    this.perspective = new PerspectiveCamera();
    this.orthographic = new OrthographicCamera();
    /** @type {'perspective'|'orthographic'} */
    this.projection = 'perspective';
    /** @type {State} */
    this.state = { azimuth: -0.9, elevation: 0.38, distance: 3, centre: new Vector3(0, 0, 0.3) };
    /** @type {{from: State, to: State, start: number|null}|null} */
    this.glide = null;
    /** The part of the canvas that is open. @type {Region|null} */
    this.region = null;
    /** Radius of what there is to see [m]. */
    this.extent = 1;
    this.apply();
  }

  /** The camera to draw with. */
  get eye() {
    return this.projection === 'perspective' ? this.perspective : this.orthographic;
  }

  /** Into the picture. @returns {Vector3} unit */
  get forward() {
    return this.eye.getWorldDirection(new Vector3());
  }

  /** Metres that one pixel covers at a point. @param {Vector3} point @returns {number} */
  metresPerPixel(point) {
    const depth = point.clone().sub(this.eye.position).dot(this.forward);
    const distance = this.projection === 'perspective' ? Math.max(depth, 1e-6) : this.state.distance;
    return (2 * distance * this.tangent) / this.open.height;
  }

  /** How large handles are in a low picture, as part of their full size. */
  get handleSize() {
    return Math.max(SMALLEST, Math.min(1, this.open.height / ROOMY));
  }

  /** Half the height of the open part, at distance 1. */
  get tangent() {
    return Math.tan(HALF_ANGLE);
  }

  /** The open part of the canvas, from the canvas' corner. */
  get open() {
    const { width, height, left, top } = this.canvas.getBoundingClientRect();
    const region = this.region;
    if (!region) return { x: width / 2, y: height / 2, width, height };
    const inside = {
      x: (region.left + region.right) / 2 - left,
      y: (region.top + region.bottom) / 2 - top,
      width: region.right - region.left,
      height: region.bottom - region.top,
    };
    return inside.width > 40 && inside.height > 40 ? inside : { x: width / 2, y: height / 2, width, height };
  }

  /** Put state, window and open part into both cameras. */
  apply() {
    const { azimuth, elevation, distance, centre } = this.state;
    const away = new Vector3(Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation));
    for (const camera of [this.perspective, this.orthographic]) {
      camera.up.set(0, 0, 1);
      camera.position.copy(centre).addScaledVector(away, distance);
      camera.lookAt(centre);
      camera.updateMatrixWorld();
    }
    this.project();
    this.onMove();
  }

  /** The projection: the open part shows HALF_ANGLE above and below the centre, the rest of the canvas what lies around it. */
  project() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const { x, y, height: openHeight } = this.open;
    const unit = this.tangent / (openHeight / 2); // tangent of one pixel
    const edges = [-x, width - x, y, y - height].map((pixels) => pixels * unit);
    const { distance } = this.state;
    const near = Math.max(0.004 * distance, distance - 40 * this.extent);
    const far = distance + 40 * this.extent;
    frustum(this.perspective, edges.map((edge) => edge * near), near, far);
    frustum(this.orthographic, edges.map((edge) => edge * distance), -40 * this.extent, far);
  }

  // Moving

  /** @param {number} dx @param {number} dy  of the hand [px] */
  orbit(dx, dy) {
    const turn = (1.6 * Math.PI) / this.open.height;
    const { azimuth, elevation } = this.state;
    this.jump({ azimuth: azimuth - turn * dx, elevation: clamp(elevation + turn * dy, STEEPEST) });
  }

  /** What is at the centre follows the hand. @param {number} dx @param {number} dy [px] */
  pan(dx, dy) {
    const scale = this.metresPerPixel(this.state.centre);
    const [right, up] = [new Vector3(), new Vector3()];
    this.eye.matrixWorld.extractBasis(right, up, new Vector3());
    this.jump({ centre: this.state.centre.clone().addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale) });
  }

  /** @param {number} factor  below 1: nearer @param {{x: number, y: number}} [at]  what is below this pixel stays there */
  zoom(factor, at) {
    const distance = Math.min(Math.max(this.state.distance * factor, 0.02 * this.extent), 30 * this.extent);
    const before = at ? this.onPivotPlane(at) : null;
    this.jump({ distance });
    if (!at || !before) return;
    const after = this.onPivotPlane(at);
    if (after) this.jump({ centre: this.state.centre.clone().add(before).sub(after) });
  }

  /** @param {{x: number, y: number}} at */
  onPivotPlane(at) {
    return onPlane(this.ray(at.x, at.y), this.state.centre, this.forward);
  }

  /** @param {Partial<State>} change */
  jump(change) {
    this.glide = null;
    this.state = { ...this.state, ...change };
    this.apply();
  }

  /** Go along with what is looked at. @param {Vector3} by [m] */
  shift(by) {
    this.state = { ...this.state, centre: this.state.centre.clone().add(by) };
    if (this.glide) for (const state of [this.glide.from, this.glide.to]) state.centre = state.centre.clone().add(by);
    this.apply();
  }

  /** Move there softly; at once for those who prefer less motion. @param {Partial<State>} change @param {boolean} [softly] */
  glideTo(change, softly = true) {
    if (!softly || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.jump(change);
      return;
    }
    const to = { ...this.state, ...change };
    // The short arc.
    to.azimuth = this.state.azimuth + wrapped(to.azimuth - this.state.azimuth);
    this.glide = { from: this.state, to, start: null };
    this.onMove();
  }

  /** Take the next step of a glide. @param {number} now [ms] @returns {boolean} whether a glide goes on */
  advance(now) {
    const glide = this.glide;
    if (!glide) return false;
    glide.start ??= now;
    const part = Math.min(1, (now - glide.start) / GLIDE);
    const soft = 1 - (1 - part) ** 3;
    const mix = (/** @type {number} */ a, /** @type {number} */ b) => a + (b - a) * soft;
    const { from, to } = glide;
    this.state = {
      azimuth: mix(from.azimuth, to.azimuth),
      elevation: mix(from.elevation, to.elevation),
      distance: Math.exp(mix(Math.log(from.distance), Math.log(to.distance))),
      centre: from.centre.clone().lerp(to.centre, soft),
    };
    if (part === 1) this.glide = null;
    this.apply();
    return this.glide !== null;
  }

  /**
   * The state from which a box is seen in the middle of the open part, or beside it where points would be cut off.
   * @param {import('three').Box3} box @param {{azimuth: number, elevation: number}} from
   * @param {{point: Vector3, reach: number}[]} marks  reach: the margin around each point [px]
   * @returns {State}
   */
  framed(box, { azimuth, elevation }, marks) {
    const { width, height } = this.open;
    const up = new Vector3(-Math.sin(elevation) * Math.cos(azimuth), -Math.sin(elevation) * Math.sin(azimuth), Math.cos(elevation));
    const right = new Vector3(-Math.sin(azimuth), Math.cos(azimuth), 0);
    const away = right.clone().cross(up);
    const centre = box.getCenter(new Vector3());
    const offsets = corners(box).map((corner) => corner.sub(centre));
    const depth = (/** @type {Vector3} */ offset) => (this.projection === 'perspective' ? offset.dot(away) : 0);
    const distances = offsets.map((offset) => {
      const across = Math.max(Math.abs(offset.dot(up)), (Math.abs(offset.dot(right)) * height) / width);
      return (MARGIN * across) / this.tangent + depth(offset);
    });
    let distance = Math.max(...distances);
    const pixel = (2 * distance * this.tangent) / height; // [m] at the centre
    const seen = [
      ...offsets.map((offset) => ({ offset, reach: 0 })),
      ...marks.map(({ point, reach }) => ({ offset: point.clone().sub(centre), reach: pixel * reach })),
    ].filter(({ offset }) => depth(offset) < distance);
    const farther = [[right, width], [up, height]].map(([axis, pixels]) => {
      const spans = seen.map(({ offset, reach }) => ({ at: (offset.dot(axis) * distance) / (distance - depth(offset)), reach }));
      const [low, high] = [Math.min(...spans.map(({ at, reach }) => at - reach)), Math.max(...spans.map(({ at, reach }) => at + reach))];
      const half = (pixels * pixel) / 2;
      const isWhole = high - low < 2 * half;
      centre.addScaledVector(axis, isWhole ? Math.max(0, high - half) + Math.min(0, low + half) : (low + high) / 2);
      return (high - low) / (2 * half);
    });
    distance *= Math.max(1, ...farther);
    return { azimuth, elevation, distance, centre };
  }

  // In words

  /** A text for the URL: azimuth and elevation in degrees, distance and centre in metres, the projection. @returns {string} */
  getView() {
    const { azimuth, elevation, distance, centre } = this.glide?.to ?? this.state;
    const degrees = [wrapped(azimuth), elevation].map((angle) => +((angle * 180) / Math.PI).toFixed(1));
    const metres = [distance, ...centre.toArray()].map((value) => +value.toPrecision(4));
    return [...degrees, ...metres, this.projection === 'perspective' ? 'p' : 'o'].join(',');
  }

  /** @param {string} text  from `getView` @returns {boolean} false for a text that is none, and nothing changes */
  setView(text) {
    const words = text.split(',');
    const numbers = words.slice(0, 6).map((word) => (word.trim() === '' ? NaN : Number(word)));
    const isView = words.length === 7 && numbers.every(Number.isFinite) && numbers[2] > 0 && /^[po]$/.test(words[6]);
    if (!isView) return false;
    const [azimuth, elevation, distance, x, y, z] = numbers;
    this.projection = words[6] === 'p' ? 'perspective' : 'orthographic';
    this.jump({
      azimuth: (azimuth * Math.PI) / 180,
      elevation: clamp((elevation * Math.PI) / 180, STEEPEST),
      distance,
      centre: new Vector3(x, y, z),
    });
    return true;
  }

  // Between the window and space

  /** What lies below a pixel. @param {number} x @param {number} y @returns {Ray} */
  ray(x, y) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const [u, v] = [(2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height];
    const origin = new Vector3(u, v, -1).unproject(this.eye);
    return new Ray(origin, new Vector3(u, v, 0.5).unproject(this.eye).sub(origin).normalize());
  }

  /** Where a point is seen. @param {Vector3} point @returns {Vector2} */
  pixel(point) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const seen = point.clone().project(this.eye);
    return new Vector2(left + ((seen.x + 1) * width) / 2, top + ((1 - seen.y) * height) / 2);
  }
}

/**
 * Where a ray meets a plane; null where it does not or only far away.
 * @param {Ray} ray @param {Vector3} point @param {Vector3} normal @returns {Vector3|null}
 */
export function onPlane(ray, point, normal) {
  const steepness = ray.direction.dot(normal);
  const along = point.clone().sub(ray.origin).dot(normal) / steepness;
  return Math.abs(steepness) > 0.03 && along > 0 ? ray.at(along, new Vector3()) : null;
}

/**
 * @param {PerspectiveCamera|OrthographicCamera} camera @param {number[]} edges  left right top bottom
 * @param {number} near @param {number} far
 */
function frustum(camera, [left, right, top, bottom], near, far) {
  const matrix = camera.projectionMatrix;
  if (camera instanceof PerspectiveCamera) matrix.makePerspective(left, right, top, bottom, near, far);
  else matrix.makeOrthographic(left, right, top, bottom, near, far);
  camera.projectionMatrixInverse.copy(matrix).invert();
}

/** @param {import('three').Box3} box @returns {Vector3[]} */
function corners({ min, max }) {
  const heights = [min.z, max.z];
  return heights.flatMap((z) => [[min.x, min.y], [min.x, max.y], [max.x, min.y], [max.x, max.y]].map(([x, y]) => new Vector3(x, y, z)));
}

/** @param {number} value @param {number} max */
function clamp(value, max) {
  return Math.min(max, Math.max(-max, value));
}

/** @param {number} angle @returns {number} the same from -pi to pi */
function wrapped(angle) {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}
