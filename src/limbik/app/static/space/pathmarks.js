/** Draws a path in space, with balls at its breaks. */

import { Color, Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from 'three';
import { token } from './colours.js';
import { discard } from './marks.js';
import { Ribbon } from './ribbon.js';

const BALL = 0.016; // of the extent of the scene

/**
 * Colours are names of tokens.css.
 * @typedef {{points: number[][], colour: string}} Line
 * @typedef {{point: number[], colour: string}} Mark
 * @typedef {{lines: Line[], marks: Mark[]}} Drawn
 */

export class PathMarks extends Group {
  constructor() {
    super();
    /** @type {Drawn} */
    this.drawn = { lines: [], marks: [] };
    this.extent = 1;
  }

  /** @param {Drawn} drawn */
  set(drawn) {
    this.drawn = drawn;
    this.show();
  }

  /** @param {number} extent [m] of the scene */
  setExtent(extent) {
    this.extent = extent;
    this.show();
  }

  /** With the colours of the theme. */
  show() {
    for (const child of [...this.children]) discard(child);
    for (const { points, colour } of this.drawn.lines) this.add(line(points, token(colour)));
    for (const { point, colour } of this.drawn.marks) this.add(ball(point, token(colour), BALL * this.extent));
  }
}

/** @param {number[][]} points @param {string} colour */
function line(points, colour) {
  const ribbon = new Ribbon(points.length, { colour, width: 3, opacity: 0.9, isOnTop: true });
  ribbon.setPoints(points.flat());
  ribbon.renderOrder = 710;
  return ribbon;
}

/** @param {number[]} point @param {string} colour @param {number} radius [m] */
function ball(point, colour, radius) {
  const material = new MeshBasicMaterial({ color: new Color(colour), toneMapped: false, depthTest: false, transparent: true });
  const mesh = new Mesh(new SphereGeometry(radius, 20, 14), material);
  mesh.position.copy(new Vector3(...point));
  mesh.renderOrder = 720;
  return mesh;
}
