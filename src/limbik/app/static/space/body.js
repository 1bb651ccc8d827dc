/** `Body`: one drawn body of an arm, tinted, opaque or translucent; its links are solids made from visuals, meshes or capsules. */

import { Color, Group, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial } from 'three';
import { capsules, tipSpheres } from './capsules.js';
import { segmentColour, token } from './colours.js';
import { matrix } from './kinematics.js';
import { assemble, ball, box, capsule, cylinder } from './shapes.js';

const PLAIN = new Color('#c3c9d3'); // of meshes that have no colour

/** @typedef {Map<string, import('three').BufferGeometry>} Solids  one for each link that is seen */

/**
 * @typedef {object} Look
 * @property {string|null} color  tint of the whole body; null: its own colours
 * @property {number} opacity
 * @property {boolean} isGhost
 * @property {string[]} highlighted  names of joints
 * @property {string[]} collides  names of links
 */

// Where bodies coincide the opaque one is seen.
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 };

/** @type {Look} */
const USUAL = { color: null, opacity: 1, isGhost: false, highlighted: [], collides: [] };

export class Body {
  /** @param {import('./kinematics.js').Kinematics} kinematics */
  constructor(kinematics) {
    this.kinematics = kinematics;
    this.group = new Group();
    this.look = { ...USUAL };
    /** @type {number[]} */
    this.q = [];
    /** Poses of the links and frames in the world. @type {Map<string, Matrix4>} */
    this.poses = new Map();
    this.tint = { value: new Color() };
    this.tinted = { value: 0 };
    this.material = tintable(this.tint, this.tinted);
    /** Of links that collide. */
    this.alarm = tintable({ value: new Color(token('out-of-reach')) }, { value: 1 });
    // Written before a translucent body: only what is in front of it is seen, not its inside.
    this.depth = new MeshBasicMaterial({ colorWrite: false, transparent: true, ...BEHIND });
    /** @type {{link: string, mesh: Mesh, mask: Mesh}[]} */
    this.links = [];
    this.hasMeshes = false;
    /** @type {import('./highlights.js').Highlights|null} */
    this.highlights = null;
  }

  /** @param {Solids} solids @param {boolean} hasMeshes */
  setSolids(solids, hasMeshes) {
    this.group.clear();
    this.hasMeshes = hasMeshes;
    this.links = [...solids].map(([link, geometry]) => {
      const mesh = new Mesh(geometry, this.material);
      const mask = new Mesh(geometry, this.depth);
      mesh.userData.link = link;
      for (const object of [mask, mesh]) {
        object.matrixAutoUpdate = false;
        this.group.add(object);
      }
      return { link, mesh, mask };
    });
    this.applyLook();
    this.applyPose();
  }

  /** @param {ArrayLike<number>} q [nq] @returns {boolean} whether it moved */
  setPose(q) {
    if (this.q.length === q.length && this.q.every((value, k) => value === q[k])) return false;
    this.q = Array.from(q);
    this.poses = this.kinematics.poses(q);
    this.applyPose();
    return true;
  }

  applyPose() {
    for (const { link, mesh, mask } of this.links) {
      const pose = this.poses.get(link);
      for (const object of [mesh, mask]) {
        object.visible = pose !== undefined && (object === mesh || this.isTranslucent);
        if (pose) object.matrix.copy(pose);
        object.matrixWorldNeedsUpdate = true;
      }
    }
  }

  get isTranslucent() {
    return this.look.opacity < 1 || this.look.isGhost;
  }

  /** @param {Partial<Look>} look @returns {boolean} whether it looks different */
  setLook(look) {
    const before = this.look;
    this.look = { ...before, ...look };
    const isSame = this.look.color === before.color && this.look.opacity === before.opacity && this.look.isGhost === before.isGhost
      && this.look.collides.join() === before.collides.join();
    if (isSame) return false;
    this.applyLook();
    this.applyPose();
    return true;
  }

  applyLook() {
    const { color, opacity, isGhost, collides } = this.look;
    this.tinted.value = color ? 1 : 0;
    if (color) this.tint.value.set(color);
    const isTranslucent = this.isTranslucent;
    for (const material of [this.material, this.alarm]) {
      if (material.transparent !== isTranslucent) material.needsUpdate = true;
      material.transparent = isTranslucent;
      Object.assign(material, BEHIND, { polygonOffset: isTranslucent });
      material.opacity = opacity;
    }
    for (const { link, mesh } of this.links) {
      mesh.material = collides.includes(link) ? this.alarm : this.material;
      mesh.castShadow = !isGhost && opacity > 0.75;
      mesh.receiveShadow = !isTranslucent;
    }
  }

  /** Translucent bodies are drawn one after the other, the farthest first. @param {number} order */
  setOrder(order) {
    for (const { mesh, mask } of this.links) {
      mask.renderOrder = 2 * order;
      mesh.renderOrder = 2 * order + 1;
    }
  }

  dispose() {
    this.group.removeFromParent();
    this.material.dispose();
    this.alarm.dispose();
    this.depth.dispose();
  }
}

/** A material that mixes a tint into the colours of the vertices. @param {{value: Color}} tint @param {{value: number}} tinted */
function tintable(tint, tinted) {
  const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.5, metalness: 0.05 });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { tint, tinted });
    shader.fragmentShader = `uniform vec3 tint;\nuniform float tinted;\n${shader.fragmentShader}`.replace(
      '#include <color_fragment>',
      `vec3 own = vColor.rgb;
       float light = dot(own, vec3(0.2126, 0.7152, 0.0722));
       diffuseColor.rgb *= mix(own, mix(tint * (0.55 + 0.45 * light), vec3(light), 0.12), tinted);`,
    );
  };
  return material;
}

/**
 * The solids of an arm without its meshes.
 * @param {import('./kinematics.js').ArmDescription} arm @param {import('./skeleton.js').Skeleton} bones @param {number} hue @returns {Solids}
 */
export function capsuleSolids(arm, bones, hue) {
  return solidsOf([...capsules(arm, bones, hue), ...tipSpheres(bones, hue)]);
}

/**
 * The solids of an arm as its description has them. What cannot be loaded is left out and said.
 * @param {import('./kinematics.js').ArmDescription} arm @param {import('./skeleton.js').Skeleton} bones @param {number} hue
 * @param {import('./meshes.js').Meshes} meshes
 * @returns {Promise<{solids: Solids, faults: string[]}>}
 */
export async function visualSolids(arm, bones, hue, meshes) {
  /** @type {string[]} */
  const faults = [];
  const placed = await Promise.all(arm.visuals.map(async (visual) => {
    try {
      return await partsOf(visual, segmentColour(hue, bones.number(visual.link)), meshes);
    } catch (error) {
      faults.push(`The mesh of link ${visual.link} of ${arm.name} is not shown: ${/** @type {Error} */ (error).message}`);
      return [];
    }
  }));
  return { solids: solidsOf([...placed.flat(), ...tipSpheres(bones, hue)]), faults };
}

/**
 * @param {import('./meshes.js').Visual} visual @param {Color} usual  of shapes that have no colour
 * @param {import('./meshes.js').Meshes} meshes @returns {Promise<import('./capsules.js').Placed[]>}
 */
async function partsOf(visual, usual, meshes) {
  const { link, shape, pose, color, scale = [1, 1, 1] } = visual;
  const own = color ? new Color().setRGB(color[0], color[1], color[2], 'srgb') : null;
  const transform = matrix(pose).multiply(new Matrix4().makeScale(scale[0], scale[1], scale[2]));
  if (shape !== 'mesh') return [{ link, part: { geometry: primitive(visual), matrix: transform, colour: own ?? usual } }];
  const pieces = await meshes.load(visual);
  return pieces.map(({ geometry, colour }) => ({ link, part: { geometry, matrix: transform, colour: colour ?? own ?? PLAIN } }));
}

/** @param {import('./meshes.js').Visual} visual */
function primitive({ shape, size = [0, 0, 0], radius = 0, length = 0 }) {
  if (shape === 'box') return box(size);
  if (shape === 'sphere') return ball(radius);
  return shape === 'capsule' ? capsule(radius, length) : cylinder(radius, length);
}

/** @param {import('./capsules.js').Placed[]} placed @returns {Solids} */
function solidsOf(placed) {
  const links = Map.groupBy(placed, ({ link }) => link);
  return new Map([...links].map(([link, list]) => [link, assemble(list.map(({ part }) => part))]));
}
