/**
 * Types of the messages of the page of motions, mirroring `app/protocol/motion.py`; `fetchNumbers` loads the
 * configurations of a motion. Metres, radians, z up.
 *
 * @typedef {object} Shown
 * @property {'shown'} type @property {number} id @property {string} key @property {string} name  of the file
 * @property {number} frames @property {number} dt @property {number} height  in the first frame [m] @property {string} up @property {string|number} unit
 * @property {import('../space/protocol.js').ArmScene[]} arms  the body, and the robot where there is one
 * @property {string[]} links  that a hand may take
 * @property {{name: string, spans: [number, number][]}[]} feet  first and last frames in which each stands
 * @property {{slide_before: number[], slide_after: number[], depth_before: number[], depth_after: number[]}} curves  [cm/s] and [mm]
 * @property {Measures[]} measures  before, after, and of the robot
 * @property {{kind: string, vertices: number[], faces: number[]}} ground
 * @property {Record<string, string>} files  names by what they hold
 * @property {string[]} animations
 * @property {string[]} notes
 *
 * @typedef {{title: string, slide_cm_s: number|null, slide_peak_cm_s: number|null, depth_mm: number|null, jitter_mm: number|null, jerk: number|null}} Measures
 * @typedef {{before: Float32Array, after: Float32Array, robot: Float32Array|null}} Numbers  rows of q, one for each frame
 */

/** The configurations of a motion that is open. @param {Shown} shown @returns {Promise<Numbers>} */
export async function fetchNumbers({ key, frames, arms }) {
  const answer = await fetch(`motion/${key}`);
  if (!answer.ok) throw new Error('The server no longer has this motion.');
  const numbers = new Float32Array(await answer.arrayBuffer());
  const size = frames * arms[0].nq;
  return { before: numbers.subarray(0, size), after: numbers.subarray(size, 2 * size), robot: arms[1] ? numbers.subarray(2 * size) : null };
}
