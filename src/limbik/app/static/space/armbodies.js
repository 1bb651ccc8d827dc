/** The drawn arms of a scene: one body for each configuration that is shown. */

import { Box3, Group, Raycaster, Vector3 } from 'three';
import { Body, capsuleSolids, visualSolids } from './body.js';
import { armHue, segmentColour } from './colours.js';
import { Highlights } from './highlights.js';
import { Kinematics } from './kinematics.js';
import { discard } from './marks.js';
import { Meshes } from './meshes.js';
import { skeleton } from './skeleton.js';

/** @typedef {import('three').Matrix4} Matrix4 */

/**
 * @typedef {object} Arm
 * @property {import('./kinematics.js').ArmDescription} description
 * @property {Kinematics} kinematics
 * @property {import('./skeleton.js').Skeleton} bones
 * @property {number} hue
 * @property {import('./body.js').Solids} solids
 * @property {boolean} hasMeshes
 * @property {Map<string, Body>} bodies  by key
 */

export class Crew extends Group {
  constructor() {
    super();
    /** @type {Arm[]} */
    this.arms = [];
    this.meshes = new Meshes();
  }

  /**
   * Other arms, at first made of capsules.
   * @param {import('./kinematics.js').ArmDescription[]} descriptions @param {() => void} onChange
   * @returns {Promise<string[]>} when the meshes are there: what could not be shown
   */
  async setArms(descriptions, onChange) {
    this.empty();
    const arms = descriptions.map((description, k) => {
      const bones = skeleton(description);
      const hue = armHue(k);
      const solids = capsuleSolids(description, bones, hue);
      return { description, kinematics: new Kinematics(description), bones, hue, solids, hasMeshes: false, bodies: new Map() };
    });
    this.arms = arms;
    this.meshes.keep(descriptions.flatMap(({ visuals }) => visuals));
    const dressed = arms.filter(({ description }) => description.visuals.length > 0);
    const faults = await Promise.all(dressed.map((arm) => this.dress(arm, onChange)));
    return faults.flat();
  }

  /** Put the meshes on. @param {Arm} arm @param {() => void} onChange @returns {Promise<string[]>} */
  async dress(arm, onChange) {
    const { solids, faults } = await visualSolids(arm.description, arm.bones, arm.hue, this.meshes);
    if (!this.arms.includes(arm) || faults.length === arm.description.visuals.length) return faults;
    free(arm.solids);
    Object.assign(arm, { solids, hasMeshes: true });
    for (const body of arm.bodies.values()) body.setSolids(solids, true);
    onChange();
    return faults;
  }

  empty() {
    for (const { bodies, solids } of this.arms) {
      for (const body of bodies.values()) this.dismiss(body);
      free(solids);
    }
    this.arms = [];
  }

  /** @param {Body} body */
  dismiss(body) {
    if (body.highlights) discard(body.highlights);
    body.dispose();
  }

  /**
   * @param {number} arm @param {string} key @param {ArrayLike<number>|null} q [nq]; null removes the body
   * @returns {boolean} whether that changes anything
   */
  setPose(arm, key, q) {
    const { bodies } = this.arms[arm];
    const old = bodies.get(key);
    if (q === null) {
      if (old) this.dismiss(old);
      return bodies.delete(key);
    }
    const hasMoved = (old ?? this.enlist(arm, key)).setPose(q);
    if (hasMoved) this.moveHighlights(arm, key);
    return hasMoved;
  }

  /** @param {number} arm @param {string} key @returns {Body} */
  enlist(arm, key) {
    const { kinematics, solids, hasMeshes, bodies } = this.arms[arm];
    const body = new Body(kinematics);
    body.setSolids(solids, hasMeshes);
    bodies.set(key, body);
    this.add(body.group);
    return body;
  }

  /**
   * @param {number} arm @param {string} key @param {Partial<import('./body.js').Look>} look
   * @returns {boolean} whether that changes anything
   */
  setLook(arm, key, look) {
    const body = this.arms[arm].bodies.get(key) ?? this.enlist(arm, key);
    const before = body.look.highlighted.join();
    const isOther = body.setLook(look);
    if (body.look.highlighted.join() === before) return isOther;
    this.highlight(arm, key, body.look.highlighted);
    return true;
  }

  /** @param {number} arm @param {string} key @param {string[]} joints */
  highlight(arm, key, joints) {
    const { description, bones, bodies } = this.arms[arm];
    const body = /** @type {Body} */ (bodies.get(key));
    if (body.highlights) discard(body.highlights);
    body.highlights = joints.length ? new Highlights(description, bones, joints) : null;
    if (body.highlights) this.add(body.highlights);
    this.moveHighlights(arm, key);
  }

  setTheme() {
    for (const { arm, key, body } of this.bodies) this.highlight(arm, key, body.look.highlighted);
  }

  /** @param {number} arm @param {string} key */
  moveHighlights(arm, key) {
    const body = this.arms[arm].bodies.get(key);
    body?.highlights?.update(body.poses);
  }

  /** All bodies, with the arm and the key of each. @returns {{arm: number, key: string, body: Body}[]} */
  get bodies() {
    return this.arms.flatMap(({ bodies }, arm) => [...bodies].map(([key, body]) => ({ arm, key, body })));
  }

  /** The body of an arm that stands out: no ghost, and the most opaque. @param {number} arm @returns {Body|null} */
  front(arm) {
    const bodies = [...(this.arms[arm]?.bodies.values() ?? [])].filter(({ look, poses }) => !look.isGhost && poses.size > 0);
    return bodies.sort((a, b) => b.look.opacity - a.look.opacity)[0] ?? null;
  }

  /** @param {number} arm @returns {import('three').Color} */
  colour(arm) {
    return segmentColour(this.arms[arm]?.hue ?? 0);
  }

  /** The body and the link below a ray. @param {import('three').Ray} ray @returns {{arm: number, link: string, point: Vector3}|null} */
  hit(ray) {
    const caster = new Raycaster(ray.origin, ray.direction);
    const solid = this.bodies.filter(({ body }) => !body.look.isGhost);
    const owners = new Map(solid.flatMap(({ arm, body }) => body.links.map(({ mesh }) => [mesh, arm])));
    this.updateMatrixWorld();
    const [first] = caster.intersectObjects([...owners.keys()].filter(({ visible }) => visible), false);
    if (!first) return null;
    return { arm: owners.get(/** @type {any} */ (first.object)) ?? 0, link: first.object.userData.link, point: first.point };
  }

  /** Translucent bodies from the farthest to the nearest. @param {Vector3} eye */
  sort(eye) {
    const distance = (/** @type {Body} */ body) => boxOf(body).getCenter(new Vector3()).distanceTo(eye);
    const clear = this.bodies.map(({ body }) => body).filter(({ isTranslucent }) => isTranslucent);
    clear.sort((a, b) => distance(b) - distance(a)).forEach((body, k) => body.setOrder(k + 1));
  }

  /** Where a frame of the front body is. @param {number} arm @param {string} frame @returns {Vector3|null} */
  framePoint(arm, frame) {
    const pose = this.front(arm)?.poses.get(frame);
    return pose ? new Vector3().setFromMatrixPosition(pose) : null;
  }

  /** Around all arms in the configurations that they come with. @returns {Box3} */
  restBox() {
    const box = new Box3();
    for (const { kinematics, description, solids } of this.arms) {
      const poses = kinematics.linkPoses(description.q);
      for (const [link, geometry] of solids) box.union(placedBox(geometry, /** @type {Matrix4} */ (poses.get(link))));
    }
    return box.isEmpty() ? new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1)) : box;
  }

  /** The same with a margin around each shoulder for an arm that moves. @returns {Box3} */
  homeBox() {
    return this.arms.reduce((box, { kinematics, description, bones }) => {
      const shoulder = kinematics.shoulder(description.end_effector, description.neutral);
      return box.union(new Box3().setFromCenterAndSize(shoulder, new Vector3(1, 1, 1).multiplyScalar(0.55 * bones.length)));
    }, this.restBox());
  }

  /** Around all bodies. @returns {Box3} */
  box() {
    return this.bodies.reduce((box, { body }) => box.union(boxOf(body)), new Box3());
  }
}

/** @param {Body} body @returns {Box3} */
function boxOf(body) {
  const box = new Box3();
  for (const { link, mesh } of body.links) {
    const pose = body.poses.get(link);
    if (pose) box.union(placedBox(mesh.geometry, pose));
  }
  return box;
}

/** @param {import('three').BufferGeometry} geometry @param {Matrix4} pose @returns {Box3} */
function placedBox(geometry, pose) {
  if (!geometry.boundingBox) geometry.computeBoundingBox();
  return /** @type {Box3} */ (geometry.boundingBox).clone().applyMatrix4(pose);
}

/** @param {import('./body.js').Solids} solids */
function free(solids) {
  for (const geometry of solids.values()) geometry.dispose();
}
