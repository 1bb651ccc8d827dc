/** The renderer with background, lights and shadow. */

import {
  BackSide, Color, DirectionalLight, HemisphereLight, Mesh, MeshBasicMaterial, NeutralToneMapping, PCFShadowMap,
  PMREMGenerator, PlaneGeometry, Scene, ShaderMaterial, SphereGeometry, Vector3, WebGLRenderer,
} from 'three';
import { token } from './colours.js';
import { Detail, drawsInSoftware } from './detail.js';

const LAMP = new Vector3(-0.35, -0.75, 1.25).normalize(); // where the main lamp stands
const RIM = new Vector3(0.9, 0.6, 0.45).normalize(); // and the one that lights edges from behind

export class Studio {
  /** @param {HTMLCanvasElement} canvas @throws {Error} where the browser has no WebGL */
  constructor(canvas) {
    this.canvas = canvas;
    this.detail = new Detail(drawsInSoftware());
    this.renderer = makeRenderer(canvas, !this.detail.isSoftware);
    this.scene = new Scene();
    this.background = makeBackground();
    this.sky = new HemisphereLight('#ffffff', '#8f98a8', 0.55);
    this.lamp = new DirectionalLight('#fff6ea', 1.9);
    this.rim = new DirectionalLight('#dfe9ff', 0.7);
    this.lamp.castShadow = this.detail.hasShadow;
    this.lamp.shadow.mapSize.set(1024, 1024);
    this.lamp.shadow.radius = 8;
    this.scene.add(this.background, this.sky, this.lamp, this.lamp.target, this.rim, this.rim.target);
    if (!this.detail.isSoftware) this.scene.environment = surroundings(this.renderer);
    this.setExtent(new Vector3(), 1);
    this.moveShadow();
  }

  /** Fit the bitmap to the canvas and the display. @returns {{width: number, height: number}} of the canvas [px] */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.setPixels(this.detail.pixels);
    return { width, height };
  }

  /** @param {number} ratio  device pixels for one pixel of the window */
  setPixels(ratio) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  /** Aim the lamps at what there is to see. @param {Vector3} centre @param {number} radius [m] */
  setExtent(centre, radius) {
    aim(this.lamp, LAMP, centre, radius);
    aim(this.rim, RIM, centre, radius);
    const { shadow } = this.lamp;
    const [half, near, far] = [1.5 * radius, 0.5 * radius, 6 * radius];
    Object.assign(shadow.camera, { left: -half, right: half, top: half, bottom: -half, near, far });
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = 0.012 * radius;
    shadow.bias = -0.0006;
  }

  /** @param {Vector3} shift  of what there is to see [m] */
  follow(shift) {
    for (const light of [this.lamp, this.rim]) {
      light.position.add(shift);
      light.target.position.add(shift);
    }
  }

  /** The shadow is drawn anew when a body has moved, not when the camera has. */
  moveShadow() {
    this.renderer.shadowMap.needsUpdate = true;
  }

  /** @param {boolean} isOn */
  setShadow(isOn) {
    this.lamp.castShadow = isOn;
    this.moveShadow();
  }

  /** Light that suits the theme, and its colours. @param {'light'|'dark'} theme */
  setTheme(theme) {
    const isDark = theme === 'dark';
    const ground = new Color(token('ground'));
    const { uniforms } = this.background.material;
    uniforms.low.value.copy(ground).lerp(new Color(isDark ? '#000000' : '#c6cdd9'), isDark ? 0.25 : 0.55);
    uniforms.high.value.copy(ground).lerp(new Color(isDark ? '#2b3442' : '#ffffff'), isDark ? 0.55 : 0.3);
    this.sky.intensity = isDark ? 0.3 : 0.55;
    this.lamp.intensity = isDark ? 1.5 : 1.75;
    this.rim.intensity = isDark ? 1.3 : 0.5;
    this.scene.environmentIntensity = isDark ? 0.45 : 0.42;
    this.sky.groundColor.set(isDark ? '#20262f' : '#aab2bf');
    if (!this.scene.environment) this.sky.intensity += isDark ? 1.1 : 1.6; // instead of it
  }

  /** @param {import('three').Camera} camera */
  draw(camera) {
    this.renderer.render(this.scene, camera);
  }

  /** One picture with all pixels of the display. @param {import('three').Camera} camera */
  drawSharp(camera) {
    this.setPixels(this.detail.maxPixels);
    this.draw(camera);
  }

  dispose() {
    this.scene.environment?.dispose();
    this.background.geometry.dispose();
    this.background.material.dispose();
    this.renderer.dispose();
  }
}

/** @param {DirectionalLight} light @param {Vector3} from @param {Vector3} centre @param {number} radius [m] */
function aim(light, from, centre, radius) {
  light.position.copy(centre).addScaledVector(from, 3 * radius);
  light.target.position.copy(centre);
}

/** @param {HTMLCanvasElement} canvas @param {boolean} antialias @returns {WebGLRenderer} */
function makeRenderer(canvas, antialias) {
  try {
    const renderer = new WebGLRenderer({ canvas, antialias, powerPreference: 'high-performance' });
    renderer.debug.checkShaderErrors = false; // each check waits for a compiler; without, they work side by side
    renderer.toneMapping = NeutralToneMapping;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    renderer.shadowMap.autoUpdate = false;
    return renderer;
  } catch {
    throw new Error('This browser has no WebGL, which the playground in three dimensions is drawn with.');
  }
}

/** A gradient behind everything, lightest above the middle. */
function makeBackground() {
  const material = new ShaderMaterial({
    uniforms: { low: { value: new Color() }, high: { value: new Color() } },
    vertexShader: 'varying vec2 at; void main() { at = position.xy; gl_Position = vec4(position.xy, 1.0, 1.0); }',
    fragmentShader: `
      uniform vec3 low;
      uniform vec3 high;
      varying vec2 at;
      // Grains finer than one step of brightness, so that no steps are seen.
      float grain(vec2 at) { return fract(sin(dot(at, vec2(12.9898, 78.233))) * 43758.5453) - 0.5; }
      void main() {
        float light = 1.0 - smoothstep(0.0, 1.7, length((at - vec2(0.0, 0.15)) * vec2(0.9, 1.0)));
        gl_FragColor = vec4(mix(low, high, light), 1.0);
        #include <colorspace_fragment>
        gl_FragColor.rgb += grain(gl_FragCoord.xy) / 255.0;
      }`,
    depthTest: false,
    depthWrite: false,
  });
  const mesh = new Mesh(new PlaneGeometry(2, 2), material);
  mesh.frustumCulled = false;
  mesh.renderOrder = -1000;
  return mesh;
}

/** What shiny surfaces mirror: a light studio with three large lamps. @param {WebGLRenderer} renderer */
function surroundings(renderer) {
  const studio = new Scene();
  const glow = (/** @type {string} */ colour, /** @type {number} */ strength) => (
    new MeshBasicMaterial({ color: new Color(colour).multiplyScalar(strength), side: BackSide }));
  studio.add(new Mesh(new SphereGeometry(10, 24, 12), glow('#aeb8c8', 0.6)));
  for (const [x, y, z, size, strength] of [[4, -5, 6, 2.4, 9], [-6, 3, 4, 1.8, 5], [0, 7, 2, 1.5, 4]]) {
    const lamp = new Mesh(new SphereGeometry(size, 16, 8), glow('#ffffff', strength));
    lamp.position.set(x, y, z);
    /** @type {MeshBasicMaterial} */ (lamp.material).side = 0;
    studio.add(lamp);
  }
  const generator = new PMREMGenerator(renderer);
  const { texture } = generator.fromScene(studio, 0.04, 0.1, 30, { size: 64 });
  generator.dispose();
  for (const { geometry, material } of /** @type {any[]} */ (studio.children)) {
    geometry.dispose();
    material.dispose();
  }
  return texture;
}
