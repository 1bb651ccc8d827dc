/** Lines that are a number of pixels wide, whatever the distance. */

import {
  BufferAttribute, Color, DoubleSide, InstancedBufferGeometry, InstancedInterleavedBuffer, InterleavedBufferAttribute, Mesh,
  ShaderMaterial, Vector2,
} from 'three';

/** Size of the picture, for all ribbons [px]. */
export const picture = { value: new Vector2(1, 1) };

const VERTEX = `
  attribute vec3 first;
  attribute vec3 second;
  uniform vec2 picture;
  uniform float width;
  uniform float count;
  varying float along;
  void main() {
    vec4 a = modelViewMatrix * vec4(first, 1.0);
    vec4 b = modelViewMatrix * vec4(second, 1.0);
    if (projectionMatrix[2][3] == -1.0) {
      // What is behind the eye is not in the picture: the piece is cut at the nearest plane.
      float edge = projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0) * 1.001;
      if (a.z > -edge && b.z < -edge) a = mix(a, b, (a.z + edge) / (a.z - b.z));
      else if (b.z > -edge && a.z < -edge) b = mix(b, a, (b.z + edge) / (b.z - a.z));
    }
    vec4 from = projectionMatrix * a;
    vec4 to = projectionMatrix * b;
    vec2 direction = (to.xy / to.w - from.xy / from.w) * picture;
    direction = length(direction) > 1e-6 ? normalize(direction) : vec2(1.0, 0.0);
    vec4 end = position.x < 0.5 ? from : to;
    vec2 offset = vec2(-direction.y, direction.x) * position.y + direction * (position.x - 0.5) * 0.6;
    end.xy += offset * width / picture * end.w;
    along = (float(gl_InstanceID) + position.x) / count;
    gl_Position = end;
  }`;

const FRAGMENT = `
  uniform vec3 colour;
  uniform float opacity;
  uniform float fade;
  varying float along;
  void main() {
    gl_FragColor = vec4(colour, opacity * mix(1.0, along * along, fade));
    #include <colorspace_fragment>
  }`;

/**
 * @typedef {object} Stroke
 * @property {string|Color} [colour] @property {number} [width] [px] @property {number} [opacity]
 * @property {boolean} [fades]  towards its first point @property {boolean} [isOnTop]
 */

export class Ribbon extends Mesh {
  /** @param {number} max  points @param {Stroke} [stroke] */
  constructor(max, { colour = '#888888', width = 2, opacity = 1, fades = false, isOnTop = false } = {}) {
    const uniforms = {
      picture,
      width: { value: width },
      count: { value: 1 },
      colour: { value: new Color(colour) },
      opacity: { value: opacity },
      fade: { value: fades ? 1 : 0 },
    };
    const shaders = { uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT };
    const material = new ShaderMaterial({ ...shaders, transparent: true, depthWrite: false, depthTest: !isOnTop, side: DoubleSide });
    super(new InstancedBufferGeometry(), material);
    this.frustumCulled = false;
    this.uniforms = uniforms;
    this.points = new InstancedInterleavedBuffer(new Float32Array(3 * max), 3);
    const corners = new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0]);
    this.geometry.setAttribute('position', new BufferAttribute(corners, 3)).setIndex([0, 1, 2, 0, 2, 3]);
    this.geometry.setAttribute('first', new InterleavedBufferAttribute(this.points, 3, 0));
    // The second end of a piece is the first end of the next: the same numbers, one point further on.
    this.geometry.setAttribute('second', new InterleavedBufferAttribute(this.points, 3, 3));
    this.setPoints([]);
  }

  /** @param {ArrayLike<number>} points  x y z x y z ... */
  setPoints(points) {
    const pieces = Math.max(0, points.length / 3 - 1);
    this.points.array.set(points);
    this.points.needsUpdate = true;
    /** @type {InstancedBufferGeometry} */ (this.geometry).instanceCount = pieces;
    this.uniforms.count.value = Math.max(1, pieces);
    this.visible = pieces > 0;
  }

  /** @param {string|Color} colour */
  setColour(colour) {
    this.uniforms.colour.value.set(colour);
  }

  dispose() {
    this.removeFromParent();
    this.geometry.dispose();
    /** @type {ShaderMaterial} */ (this.material).dispose();
  }
}

/** A level circle. @param {import('three').Vector3} centre @param {number} radius @param {number} pieces @returns {number[]} */
export function circlePoints({ x, y, z }, radius, pieces) {
  return Array.from({ length: pieces + 1 }, (_, k) => {
    const angle = (2 * Math.PI * k) / pieces;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle), z];
  }).flat();
}
