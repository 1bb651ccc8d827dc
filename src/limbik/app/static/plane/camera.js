/**
 * The camera of the plane: where a point of the world is on the screen. Base, target and arms live in the world, whose unit
 * is a pixel of a view that is not zoomed, y down: what the window does changes the camera, never the problem.
 */

const MIN = 0.02; // [screen px per world px]
const MAX = 20;
const EDGE = 24; // [px] free between what is to be seen and the edge of the open part of the canvas
const MARGIN = 48; // [px] the same where everything is fitted

/** @typedef {[number, number]} Point */
/** @typedef {import('../region.js').Region} Region */
/** @typedef {{centre: Point, scale: number}} View */

export class Camera {
  constructor() {
    /** The view that the page begins with. */
    this.first = { scale: 1, x: 0, y: 0 }; // x, y [px]: where the world's origin is on the screen
    this.home();
  }

  /** Back to the first view. */
  home() {
    Object.assign(this, this.first);
    /** Whether a hand has moved it: then it stays where it is. */
    this.isChosen = false;
  }

  /** Take what it shows now for its first view. */
  keep() {
    const { scale, x, y } = this;
    this.first = { scale, x, y };
  }

  /** Look at a point of the world, in the middle of a region. @param {View} view @param {Region} region */
  look({ centre: [x, y], scale }, region) {
    this.scale = Math.min(MAX, Math.max(MIN, scale));
    this.x = (region.left + region.right) / 2 - this.scale * x;
    this.y = (region.top + region.bottom) / 2 - this.scale * y;
  }

  /** Where it looks; null: where every window would. @param {Region} region @returns {View|null} */
  view(region) {
    if (!this.isChosen && this.scale === 1) return null;
    const centre = this.toWorld([(region.left + region.right) / 2, (region.top + region.bottom) / 2]);
    return { centre, scale: this.scale };
  }

  /** Whether points of the world are inside a region of the screen. @param {Point[]} points @param {Region} region */
  shows(points, { left, top, right, bottom }) {
    return points.map((point) => this.toScreen(point)).every(([x, y]) => x >= left && x <= right && y >= top && y <= bottom);
  }

  /** @param {Point} point  of the world @returns {Point} on the screen [px] */
  toScreen([x, y]) {
    return [this.x + this.scale * x, this.y + this.scale * y];
  }

  /** @param {Point} point  of the screen [px] @returns {Point} in the world */
  toWorld([x, y]) {
    return [(x - this.x) / this.scale, (y - this.y) / this.scale];
  }

  /** Points of the world, x y x y ..., on the screen. @param {ArrayLike<number>} points @returns {Float64Array} */
  allToScreen(points) {
    return Float64Array.from(points, (value, i) => (i % 2 ? this.y : this.x) + this.scale * value);
  }

  /** Zoom, with a point of the screen where it is. @param {number} factor @param {Point} point [px] */
  zoom(factor, [x, y]) {
    const scale = Math.min(MAX, Math.max(MIN, this.scale * factor));
    const change = scale / this.scale;
    this.x = x + change * (this.x - x);
    this.y = y + change * (this.y - y);
    this.scale = scale;
    this.isChosen = true;
  }

  /** @param {number} dx @param {number} dy [px] */
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.isChosen = true;
  }

  /** Show all points in the middle of a region, as large as they fit, at most as large as they are. @param {Point[]} points @param {Region} region */
  fit(points, region) {
    const [low, high] = extent(points);
    const [width, height] = [region.right - region.left, region.bottom - region.top].map((size) => size - 2 * Math.min(MARGIN, 0.2 * size));
    const fits = Math.min(Math.max(width, 1) / Math.max(high[0] - low[0], 1), Math.max(height, 1) / Math.max(high[1] - low[1], 1));
    this.scale = Math.min(1, Math.max(MIN, fits));
    this.x = (region.left + region.right - this.scale * (low[0] + high[0])) / 2;
    this.y = (region.top + region.bottom - this.scale * (low[1] + high[1])) / 2;
  }

  /**
   * After the region has changed, unless a hand has placed the camera: the first view where all that has to be seen is inside,
   * else shifted as little as that takes, else fitted.
   * @param {Point[]} needed  what has to be seen @param {() => Point[]} wanted  what is fitted where that does not fit
   * @param {Region} region
   */
  settle(needed, wanted, region) {
    if (this.isChosen) return;
    this.home();
    const [low, high] = extent(needed).map((point) => this.toScreen(point));
    const width = region.right - region.left - 2 * EDGE;
    const height = region.bottom - region.top - 2 * EDGE;
    if (high[0] - low[0] > width || high[1] - low[1] > height) {
      this.fit(wanted(), region);
      return;
    }
    this.x += shift(low[0], high[0], region.left + EDGE, region.right - EDGE);
    this.y += shift(low[1], high[1], region.top + EDGE, region.bottom - EDGE);
  }
}

/** @param {Point[]} points @returns {[Point, Point]} the smallest and the largest coordinates */
function extent(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [[Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)]];
}

/** The smallest shift that brings an interval between two bounds. @param {number} low @param {number} high @param {number} from @param {number} to */
function shift(low, high, from, to) {
  if (low < from) return from - low;
  return high > to ? to - high : 0;
}
