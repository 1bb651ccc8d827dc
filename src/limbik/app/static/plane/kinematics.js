/** Forward kinematics of the planar arm, y down; its first and random poses, another number of links, angles to and from text. */

/**
 * The pose that arms start from and are reset to: a quarter turn, spread evenly. The server calls it the neutral bend.
 * @param {number} links @returns {Float32Array}
 */
export function firstPose(links) {
  return new Float32Array(links).fill(Math.PI / 2 / links);
}

/** A pose without order, from -1 to 1 rad at every joint after the first. @param {number} links @returns {Float32Array} */
export function randomPose(links) {
  const q = Float32Array.from({ length: links }, () => Math.random() * 2 - 1);
  q[0] = Math.random() * Math.PI;
  return q;
}

/** The same pose with another number of links: cut, or straight at the end. @param {ArrayLike<number>} q @param {number} links */
export function resized(q, links) {
  const result = new Float32Array(links);
  for (let i = 0; i < Math.min(links, q.length); i += 1) result[i] = q[i];
  return result;
}

/**
 * Positions of the joints and of the end effector.
 * @param {ArrayLike<number>} q @param {number} length  of a link @param {[number, number]} base
 * @returns {Float64Array} x0 y0 x1 y1 ... [2 (links + 1)]
 */
export function points(q, length, base) {
  const result = new Float64Array(2 * q.length + 2);
  let [x, y] = base;
  let heading = 0;
  result[0] = x;
  result[1] = y;
  for (let i = 0; i < q.length; i += 1) {
    heading += q[i];
    x += length * Math.cos(heading);
    y -= length * Math.sin(heading);
    result[2 * i + 2] = x;
    result[2 * i + 3] = y;
  }
  return result;
}

/** Numbers x0 y0 x1 y1 ... as points. @param {ArrayLike<number>} numbers @returns {[number, number][]} */
export function pairs(numbers) {
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
}

/** Angles as the address has them. @param {ArrayLike<number>} q [rad] @returns {string} [degrees] */
export function degrees(q) {
  return Array.from(q, (angle) => Number(((angle * 180) / Math.PI).toFixed(3))).join();
}

/** @param {string} text  angles as `degrees` writes them @returns {number[]} [rad], NaN for what is no number */
export function radians(text) {
  return text.split(',').map((part) => (part.trim() === '' ? NaN : (Number(part) * Math.PI) / 180));
}
