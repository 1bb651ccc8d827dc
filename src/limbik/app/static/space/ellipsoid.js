/** Principal axes of a symmetric 3x3 matrix, for the ellipsoid of manipulability. */

import { Vector3 } from 'three';

const SWEEPS = 24;

/**
 * Eigenvalues and unit eigenvectors of a symmetric 3x3 matrix, right-handed (Jacobi 1846: turn away one element at a time).
 * @param {ArrayLike<number>} rows [9] @returns {{values: number[], axes: [Vector3, Vector3, Vector3]}}
 */
export function symmetricAxes(rows) {
  const a = [0, 3, 6].map((k) => [rows[k], rows[k + 1], rows[k + 2]]);
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) turnAway(a, v, p, q);
  }
  const axes = [0, 1, 2].map((k) => new Vector3(v[0][k], v[1][k], v[2][k]));
  if (axes[0].clone().cross(axes[1]).dot(axes[2]) < 0) axes[2].negate();
  return { values: [a[0][0], a[1][1], a[2][2]], axes: /** @type {[Vector3, Vector3, Vector3]} */ (axes) };
}

/** Turn so that a[p][q] vanishes. @param {number[][]} a @param {number[][]} v @param {number} p @param {number} q */
function turnAway(a, v, p, q) {
  if (a[p][q] === 0) return;
  const ratio = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const tangent = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.hypot(ratio, 1));
  const cosine = 1 / Math.hypot(tangent, 1);
  const sine = tangent * cosine;
  for (let k = 0; k < 3; k += 1) [a[k][p], a[k][q]] = [cosine * a[k][p] - sine * a[k][q], sine * a[k][p] + cosine * a[k][q]];
  for (let k = 0; k < 3; k += 1) [a[p][k], a[q][k]] = [cosine * a[p][k] - sine * a[q][k], sine * a[p][k] + cosine * a[q][k]];
  for (let k = 0; k < 3; k += 1) [v[k][p], v[k][q]] = [cosine * v[k][p] - sine * v[k][q], sine * v[k][p] + cosine * v[k][q]];
}
