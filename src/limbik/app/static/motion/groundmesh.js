/** Draws the ground under a motion where it is a slope, stairs or hills: the server's mesh with its edges. */

import { BufferAttribute, BufferGeometry, Color, EdgesGeometry, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial } from 'three';
import { token } from '../space/colours.js';

const CORNER = 20; // [degrees] an edge is drawn where faces meet at more

export class GroundMesh extends Mesh {
  constructor() {
    super(new BufferGeometry(), new MeshStandardMaterial({ roughness: 0.95, side: 2, flatShading: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    this.receiveShadow = true;
    this.edges = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.5 }));
    this.add(this.edges);
    this.visible = false;
    this.key = '';
    this.setTheme();
  }

  /** @param {import('./protocol.js').Shown['ground']} ground @returns {boolean} whether it looks different */
  set({ kind, vertices, faces }) {
    const key = kind === 'level' ? '' : JSON.stringify(vertices);
    if (key === this.key) return false;
    this.key = key;
    this.visible = kind !== 'level';
    if (!this.visible) return true;
    this.geometry.dispose();
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute('position', new BufferAttribute(new Float32Array(vertices), 3));
    this.geometry.setIndex(faces);
    this.geometry.computeVertexNormals();
    this.edges.geometry.dispose();
    this.edges.geometry = new EdgesGeometry(this.geometry, CORNER);
    return true;
  }

  setTheme() {
    /** @type {MeshStandardMaterial} */ (this.material).color = new Color(token('line-strong'));
    /** @type {LineBasicMaterial} */ (this.edges.material).color = new Color(token('guide'));
  }
}
