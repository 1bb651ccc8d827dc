/** Points of a path: line, circle or figure eight from a start, or a drawn stroke at even spacing. */

import { placed } from './codec.js';

const TURN = 2 * Math.PI;
const COUNTS = { line: 2, circle: 61, eight: 81 }; // poses of each shape
const MAX = 60; // points of a stroke
const APART = 0.01; // of the reach, between points of a stroke at least
const DECIMALS = 4; // decimals of a stroke's metres

export const SHAPES = Object.keys(COUNTS);

/**
 * The points of a shape that begins at a point.
 * @param {'line'|'circle'|'eight'} kind @param {number[]} home @param {(phase: number) => number[]} offset  from there, for a phase from 0 to a turn
 * @returns {number[][]}
 */
export function shapePoints(kind, home, offset) {
  const pieces = COUNTS[kind] - 1;
  return Array.from({ length: pieces + 1 }, (_, k) => offset((TURN * k) / pieces).map((part, axis) => placed(home[axis] + part)));
}

/**
 * A stroke as evenly spaced points.
 * @param {number[][]} points  as a hand has drawn them @param {number} reach [m]
 * @returns {number[][]} none for a stroke that is too short to follow
 */
export function evenly(points, reach) {
  const along = [0];
  for (let k = 1; k < points.length; k += 1) along.push(along[k - 1] + distance(points[k - 1], points[k]));
  const length = along[along.length - 1] ?? 0;
  const pieces = Math.min(MAX - 1, Math.floor(length / (APART * reach)));
  if (pieces < 1) return [];
  let at = 0;
  return Array.from({ length: pieces + 1 }, (_, k) => {
    const wanted = (length * k) / pieces;
    while (at < along.length - 2 && along[at + 1] < wanted) at += 1;
    return between(points[at], points[at + 1], (wanted - along[at]) / (along[at + 1] - along[at] || 1)).map((x) => Number(x.toFixed(DECIMALS)) + 0);
  });
}

/**
 * The part of a line of points between two positions, which are counted in points: 2.5 is midway between points 2 and 3.
 * @param {number[][]} points @param {number} from @param {number} to @returns {number[][]}
 */
export function piece(points, from, to) {
  const inside = points.filter((_, k) => k > from && k < to);
  return [pointAt(points, from), ...inside, pointAt(points, to)];
}

/** @param {number[][]} points @param {number} position @returns {number[]} */
export function pointAt(points, position) {
  const low = Math.max(0, Math.min(points.length - 2, Math.floor(position)));
  return points.length === 1 ? points[0] : between(points[low], points[low + 1], position - low);
}

/** @param {number[]} a @param {number[]} b @param {number} fraction */
function between(a, b, fraction) {
  return a.map((x, axis) => x + fraction * (b[axis] - x));
}

/** @param {number[]} a @param {number[]} b */
function distance(a, b) {
  return Math.hypot(...a.map((x, axis) => b[axis] - x));
}
