/** The floor, one shaded plane: a pool of light, a grid that fades out, and the shadows that fall on it. */

import { Color, Mesh, PlaneGeometry, ShaderMaterial, UniformsLib, UniformsUtils, Vector3 } from 'three';
import { token } from './colours.js';

const VERTEX = `
  #include <common>
  #include <shadowmap_pars_vertex>
  varying vec3 world;
  void main() {
    #include <beginnormal_vertex>
    #include <defaultnormal_vertex>
    vec4 worldPosition = modelMatrix * vec4(position, 1.0);
    world = worldPosition.xyz;
    #include <shadowmap_vertex>
    gl_Position = projectionMatrix * viewMatrix * worldPosition;
  }`;

const FRAGMENT = `
  #include <common>
  #include <packing>
  #include <lights_pars_begin>
  #include <shadowmap_pars_fragment>
  #include <shadowmask_pars_fragment>
  uniform vec3 pool;
  uniform vec3 line;
  uniform vec3 shade;
  uniform float poolStrength;
  uniform float lineStrength;
  uniform float shadeStrength;
  uniform vec3 centre;
  uniform float extent;
  uniform float cell;
  varying vec3 world;

  float lines(float size, float width) {
    vec2 cell = world.xy / size;
    vec2 pixel = max(fwidth(cell), 1e-6);
    vec2 near = abs(fract(cell - 0.5) - 0.5) / pixel;
    vec2 cover = 1.0 - smoothstep(vec2(width - 0.5), vec2(width + 0.5), near);
    cover *= 1.0 - smoothstep(0.15, 0.5, pixel);
    return max(cover.x, cover.y);
  }

  vec4 over(vec4 top, vec4 below) {
    float alpha = top.a + below.a * (1.0 - top.a);
    return vec4((top.rgb * top.a + below.rgb * below.a * (1.0 - top.a)) / max(alpha, 1e-4), alpha);
  }

  void main() {
    float far = length(world.xy - centre.xy) / extent;
    float fading = exp(-0.8 * far * far);
    vec4 result = vec4(pool, poolStrength * exp(-1.1 * far * far));
    float grid = max(0.45 * lines(cell, 0.6), lines(10.0 * cell, 0.8));
    result = over(vec4(line, lineStrength * grid * fading), result);
    float shadow = (1.0 - getShadowMask()) * smoothstep(2.2, 1.1, far);
    result = over(vec4(shade, shadeStrength * shadow), result);
    if (!gl_FrontFacing) result.a *= 0.4;
    gl_FragColor = result;
    #include <colorspace_fragment>
  }`;

export class Floor extends Mesh {
  constructor() {
    const own = {
      pool: { value: new Color() }, line: { value: new Color() }, shade: { value: new Color() },
      poolStrength: { value: 0 }, lineStrength: { value: 0 }, shadeStrength: { value: 0 },
      centre: { value: new Vector3() }, extent: { value: 1 }, cell: { value: 0.1 },
    };
    const uniforms = UniformsUtils.merge([UniformsLib.lights, own]);
    super(new PlaneGeometry(1, 1), new ShaderMaterial({
      uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, lights: true, transparent: true, depthWrite: false, side: 2,
    }));
    this.uniforms = uniforms;
    this.receiveShadow = true;
    this.renderOrder = -100;
    this.isGridOn = true;
    this.theme = 'light';
  }

  /** @param {Vector3} centre  on the floor @param {number} radius  of what stands on it [m] */
  setExtent(centre, radius) {
    this.position.copy(centre);
    this.scale.setScalar(9 * radius);
    this.updateMatrixWorld();
    this.uniforms.centre.value.copy(centre);
    this.uniforms.extent.value = 1.6 * radius;
    this.uniforms.cell.value = 10 ** Math.round(Math.log10(radius / 7));
  }

  /** Along the ground. @param {Vector3} shift [m] */
  follow({ x, y }) {
    this.position.x += x;
    this.position.y += y;
    this.updateMatrixWorld();
    this.uniforms.centre.value.copy(this.position);
  }

  /** @param {boolean} isOn */
  setGrid(isOn) {
    this.isGridOn = isOn;
    this.setTheme(this.theme);
  }

  /** @param {string} theme */
  setTheme(theme) {
    const isDark = theme === 'dark';
    this.theme = theme;
    const { pool, line, shade, poolStrength, lineStrength, shadeStrength } = this.uniforms;
    pool.value.set(isDark ? '#303a49' : '#ffffff');
    poolStrength.value = isDark ? 0.75 : 0.55;
    line.value.set(isDark ? '#8b97aa' : token('guide'));
    lineStrength.value = this.isGridOn ? (isDark ? 0.3 : 0.55) : 0;
    shade.value.set(isDark ? '#000000' : '#1b2436');
    shadeStrength.value = isDark ? 0.55 : 0.3;
  }

  dispose() {
    this.geometry.dispose();
    /** @type {ShaderMaterial} */ (this.material).dispose();
  }
}
