/**
 * `Stage`: the 3-D scene of arms, goals and marks; draws on change, and passes pointer events on. Lengths in metres,
 * angles in radians, z up; pixels are those of the window.
 */

import { Color, Matrix4, Quaternion, Sphere, Vector3 } from 'three';
import { Camera, onPlane } from './camera.js';
import { Crew } from './armbodies.js';
import { Gizmo, REACH } from './gizmo.js';
import { Handles, orientation } from './handles.js';
import { Hands } from './pointer.js';
import { decomposed } from './objectedits.js';
import { PathMarks } from './pathmarks.js';
import { Scenery } from './scenery.js';
import { Solids } from './solids.js';
import { Studio } from './studio.js';
import { picture } from './ribbon.js';
import { Voxels } from './voxels.js';

const HOME = { azimuth: -0.87, elevation: 0.36 }; // [rad]
const REST = 250; // [ms] without motion, after which the view has come to rest
const SHARP_AFTER = 400; // [ms] without a picture, after which one is drawn with all pixels
const NORMALS = { xy: new Vector3(0, 0, 1), yz: new Vector3(1, 0, 0), xz: new Vector3(0, 1, 0) };

/**
 * @typedef {object} Handlers
 * @property {(id: string, pose: {position: number[], quat_xyzw: number[]}, phase: 'start'|'drag'|'end') => void} [onGoalMove]
 * @property {(id: string) => void} [onGoalSelect]
 * @property {(point: number[]) => void} [onPoint]  a click: on the surface of an arm, or on the plane that `setPlane` chose
 * @property {(event: PointerEvent) => boolean} [wantsLink]  whether a hand there means to take links
 * @property {(arm: number, link: string, point: Vector3) => string|null} [onTakeLink]  a hand takes a link: the goal
 *   that it holds then
 * @property {() => boolean} [wantsStroke]  whether a hand is to draw
 * @property {(points: number[][], isDone: boolean) => void} [onStroke]  a hand draws on the plane that `setPlane` chose; done without
 *   points: it has let go of it
 * @property {(index: number, pose: {position: number[], quat_xyzw: number[]}, phase: 'start'|'drag'|'end') => void} [onThingMove]
 * @property {(index: number) => void} [onThingSelect]  -1: none
 * @property {(voxel: number) => void} [onVoxel]  a click on a voxel of the reach map
 * @property {(name: string, message: string) => void} [onThingFault]  the shape of an object cannot be shown
 * @property {(view: string) => void} [onCamera]  the view has come to rest
 * @property {() => void} [onDetail]  there is less detail from now on
 */

const THING = 'thing '; // before the index of an object, where goals are known by their numbers

/** @typedef {{name: string, arms: import('./kinematics.js').ArmDescription[]}} Scene */
/** @typedef {{mode: 'camera'|'xy'|'yz'|'xz', depth: number|null}} Plane */

export class Stage {
  /** @param {HTMLCanvasElement} canvas @param {Handlers} [handlers] @throws {Error} where the browser has no WebGL */
  constructor(canvas, handlers = {}) {
    this.canvas = canvas;
    this.handlers = handlers;
    this.studio = new Studio(canvas);
    this.camera = new Camera(canvas, () => this.onCameraMove());
    this.crew = new Crew();
    this.scenery = new Scenery(this.crew);
    this.handles = new Handles(({ arm }) => this.crew.colour(arm));
    this.gizmo = new Gizmo();
    this.path = new PathMarks();
    this.voxels = new Voxels();
    this.solids = new Solids(() => this.onSolids(), (name, message) => this.handlers.onThingFault?.(name, message));
    /** Objects as they are seen. @type {import('./solids.js').Seen[]} */
    this.things = [];
    /** The object that a hand holds: what it says counts more than what is set. */
    this.heldThing = -1;
    this.studio.scene.add(this.crew, this.scenery, this.handles, this.gizmo, this.path, this.solids, this.voxels);
    /** @type {import('./gizmo.js').Setting|null} */
    this.setting = null;
    /** How far what there is to see has gone from where it began [m]. */
    this.away = new Vector3();
    /** The view that `home` chose. */
    this.homeView = '';
    /** @type {Plane} */
    this.placing = { mode: 'camera', depth: null };
    this.isStale = true;
    this.hasOtherPixels = false; // than the next picture is to have
    this.drawnAt = 0;
    /** When the camera last moved; null when its rest has been told. @type {number|null} */
    this.movedAt = null;
    this.hands = new Hands(canvas, this);
    this.setTheme('light');
    this.resize();
  }

  // What there is to see

  /**
   * Other arms. None is seen before `setPose`.
   * @param {Scene} scene @returns {Promise<string[]>} when the meshes are there: what could not be loaded
   */
  setScene(scene) {
    this.scenery.reset();
    this.away.set(0, 0, 0);
    const settled = this.crew.setArms(scene.arms, () => this.onBodies());
    this.setExtent();
    this.invalidate();
    return settled;
  }

  /** The space of the arms as they stand in their first configurations. */
  setExtent() {
    const { center, radius } = this.crew.homeBox().getBoundingSphere(new Sphere());
    // The floor is at the origin, or at the feet of what reaches below it.
    const lowest = this.crew.restBox().min.z;
    const floor = lowest < -0.02 * radius ? lowest : 0;
    center.add(this.away);
    this.camera.extent = radius;
    this.studio.setExtent(center, radius);
    this.scenery.setExtent(center, radius, floor);
    this.path.setExtent(radius);
    this.camera.apply();
  }

  /** What there is to see has gone elsewhere: floor and light go with it, and the camera if it is to. @param {number[]} by  [3] [m] @param {boolean} withCamera */
  follow(by, withCamera) {
    const shift = new Vector3(...by);
    this.away.add(shift);
    this.scenery.floor.follow(shift);
    this.studio.follow(shift);
    this.studio.moveShadow();
    const isHome = this.getView() === this.homeView;
    if (withCamera) this.camera.shift(shift);
    if (withCamera && isHome) this.homeView = this.getView();
    this.invalidate();
  }

  onBodies() {
    this.setExtent();
    this.stayHome();
    this.studio.moveShadow();
    this.invalidate();
  }

  /** @param {number} arm @param {string} key  of the solver @param {ArrayLike<number>|null} q [nq]; null removes the body */
  setPose(arm, key, q) {
    if (!this.crew.setPose(arm, key, q)) return;
    this.studio.moveShadow();
    this.invalidate();
  }

  /** @param {number} arm @param {string} key @param {Partial<import('./body.js').Look>} look */
  setLook(arm, key, look) {
    if (!this.crew.setLook(arm, key, look)) return;
    this.scenery.tint(arm, key, look.color);
    this.studio.moveShadow();
    this.invalidate();
  }

  /** @param {import('./handles.js').Goal[]} goals */
  setGoals(goals) {
    if (this.handles.setGoals(goals)) this.invalidate();
  }

  onSolids() {
    this.studio.moveShadow();
    this.invalidate();
  }

  /** @param {import('./solids.js').Seen[]} things */
  setThings(things) {
    const held = this.things[this.heldThing];
    this.things = things.map((thing, i) => (i === this.heldThing && held ? { ...thing, pose: held.pose } : thing));
    if (this.solids.set(this.things)) this.onSolids();
  }

  /** Lines between what is near each other. @param {import('./solids.js').Near[]} near */
  setNear(near) {
    if (this.solids.setNear(near)) this.invalidate();
  }

  /** @param {import('./gizmo.js').Setting|null} setting */
  setGizmo(setting) {
    this.setting = setting;
    this.invalidate();
  }

  /** @param {Partial<import('./scenery.js').Marks>} marks */
  setMarks(marks) {
    this.scenery.setMarks(marks);
    if (marks.shadow !== undefined) this.studio.setShadow(marks.shadow);
    this.invalidate();
  }

  /** The descriptions of joints have other limits. */
  limitsChanged() {
    this.scenery.forget('limits');
    this.invalidate();
  }

  /** @param {number} arm @param {ArrayLike<number>} point [3] @param {ArrayLike<number>|null} matrix  J J^T [9]; null: none */
  setEllipsoid(arm, point, matrix) {
    if (this.scenery.setEllipsoid(arm, point, matrix)) this.invalidate();
  }

  /** The trace of a body goes on to where its end effectors are now. @param {number} arm @param {string} key */
  leaveTrace(arm, key) {
    if (this.scenery.leaveTrace(arm, key)) this.invalidate();
  }

  clearTraces() {
    this.scenery.clearTraces();
    this.invalidate();
  }

  /** @param {import('./pathmarks.js').Drawn} drawn */
  setPath(drawn) {
    this.path.set(drawn);
    this.invalidate();
  }

  /** Voxels of a reach map; null: none. @param {{map: import('./voxels.js').Map, voxels: number[], axis: number}|null} shown */
  setVoxels(shown) {
    if (shown) this.voxels.show(shown.map, shown.voxels, shown.axis);
    else this.voxels.clear();
    this.invalidate();
  }

  /** The orientations that are reached at a point. @param {number[]} point @param {number[][]} quats @param {number} length [m] @param {string} colour */
  setRays(point, quats, length, colour) {
    this.voxels.showRays(point, quats, length, colour);
    this.invalidate();
  }

  /** The plane on which clicks place and hands carry goals: through the selected goal, or at a depth. @param {Plane} plane */
  setPlane(plane) {
    this.placing = plane;
    this.invalidate();
  }

  /** The colours of tokens.css are read again. @param {'light'|'dark'} theme */
  setTheme(theme) {
    this.studio.setTheme(theme);
    this.scenery.setTheme(theme);
    this.handles.setTheme();
    this.path.show();
    this.solids.setTheme();
    this.crew.setTheme();
    this.invalidate();
  }

  // Drawing

  resize() {
    const { width, height } = this.studio.resize();
    picture.value.set(width, height);
    this.camera.apply();
    this.stayHome();
  }

  /** The part of the window that panels leave open: it shows the middle of the view. @param {import('./camera.js').Region|null} region */
  setRegion(region) {
    this.camera.region = region;
    this.camera.apply();
    this.stayHome();
  }

  invalidate() {
    this.isStale = true;
  }

  /** Draw, if something has changed. To be called for every frame. @param {number} [now] [ms] @returns {boolean} whether it drew */
  draw(now = performance.now()) {
    this.camera.advance(now);
    this.tellRest();
    if (!this.isStale) {
      this.detail.rested();
      this.sharpen(now);
      return false;
    }
    if (this.hasOtherPixels) this.resize(); // here, so that a picture follows at once: resizing empties the canvas
    this.hasOtherPixels = this.isStale = false;
    this.drawnAt = now;
    this.prepare();
    this.studio.draw(this.camera.eye);
    if (this.detail.drew(now)) this.reduce();
    return true;
  }

  /** A picture that rests is drawn once with all pixels. @param {number} now [ms] */
  sharpen(now) {
    const { pixels, maxPixels } = this.detail;
    if (this.hasOtherPixels || !(pixels < maxPixels) || !(now - this.drawnAt > SHARP_AFTER)) return;
    this.hasOtherPixels = true;
    this.studio.drawSharp(this.camera.eye);
  }

  get detail() {
    return this.studio.detail;
  }

  /** From the next picture on there is less detail. */
  reduce() {
    this.hasOtherPixels = true;
    this.invalidate();
    this.handlers.onDetail?.();
  }

  /** What depends on bodies, goals and camera together. */
  prepare() {
    const { handles } = this.handles;
    this.gizmo.set(this.setting, this.held());
    this.gizmo.update(this.camera);
    this.handles.update(this.camera);
    for (const handle of handles.values()) handle.tieTo(handle.goal.isLeft ? null : this.crew.framePoint(handle.goal.arm, handle.goal.frame));
    this.solids.update(this.camera, this.canvas.clientHeight);
    this.crew.sort(this.camera.eye.position);
    this.scenery.update();
    this.scenery.setSheet(this.placing.mode === 'camera' ? null : this.sheet());
  }

  /** What the gizmo is on: the selected object, else the selected goal, where that can be turned. @returns {import('./gizmo.js').Pose|null} */
  held() {
    const thing = this.things.find(({ selected }) => selected);
    if (thing) return poseOf(thing);
    const { selected } = this.handles;
    const canTurn = this.setting?.mode !== 'rotate' || selected?.goal.kind !== 'position';
    return selected && canTurn ? { position: new Vector3(...selected.goal.position), turn: orientation(selected.goal) } : null;
  }

  /** The goal or the object that is selected; '' for none. */
  get selectedId() {
    const index = this.things.findIndex(({ selected }) => selected);
    return index >= 0 ? `${THING}${index}` : this.handles.selected?.goal.id ?? '';
  }

  /** Where a goal or an object is. @param {string} id @returns {Vector3|null} */
  middleOf(id) {
    const thing = id.startsWith(THING) ? this.things[Number(id.slice(THING.length))] : null;
    if (thing) return poseOf(thing).position;
    const goal = this.handles.handles.get(id)?.goal;
    return goal ? new Vector3(...goal.position) : null;
  }

  /** The object below a pixel, unless an arm is before it. @param {number} x @param {number} y @returns {{id: string, point: Vector3}|null} */
  thingBelow(x, y) {
    const ray = this.camera.ray(x, y);
    const found = this.solids.hit(ray);
    if (!found) return null;
    const arm = this.crew.hit(ray);
    const isHidden = arm && arm.point.distanceTo(ray.origin) < found.point.distanceTo(ray.origin);
    return isHidden ? null : { id: `${THING}${found.index}`, point: found.point };
  }

  /** The part of the placing plane that is shown: about the selected goal, or the middle of the view. */
  sheet() {
    const { point, normal } = this.plane();
    const goal = this.handles.selected?.goal.position;
    const middle = goal ? new Vector3(...goal) : this.camera.state.centre.clone();
    return { point: middle.addScaledVector(normal, point.sub(middle).dot(normal)), normal };
  }

  /** All pixels of the display, whatever is left out otherwise. @returns {Promise<Blob>} PNG */
  snapshot() {
    this.prepare();
    this.gizmo.visible = false; // it is for the hands
    this.studio.drawSharp(this.camera.eye);
    const made = new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be made.'))), 'image/png');
    });
    this.resize();
    this.invalidate();
    return made;
  }

  // The camera

  onCameraMove() {
    this.isStale = true;
    this.movedAt = performance.now();
  }

  tellRest() {
    if (this.movedAt === null || this.camera.glide || this.hands.task || performance.now() - this.movedAt < REST) return;
    this.movedAt = null;
    this.handlers.onCamera?.(this.getView());
  }

  getView() {
    return this.camera.getView();
  }

  /** @param {string} view @returns {boolean} false for a text that is no view */
  setView(view) {
    return this.camera.setView(view);
  }

  /** The view from which a scene is first seen. @param {{softly?: boolean}} [how] */
  home({ softly = true } = {}) {
    this.frame(this.crew.homeBox().translate(this.away), HOME, softly);
    this.homeView = this.getView();
  }

  /** A view that nobody has changed since `home` goes on showing everything. */
  stayHome() {
    if (this.getView() === this.homeView) this.home({ softly: false });
  }

  /** Everything as large as it can be seen whole, from where the camera is. @param {{softly?: boolean, including?: number[]}} [how]  including: a point that is not there yet */
  fit({ softly = true, including } = {}) {
    const box = this.crew.box();
    if (including) box.expandByPoint(new Vector3(...including));
    for (const { pose } of this.things) box.expandByPoint(new Vector3().setFromMatrixPosition(pose));
    box.union(this.voxels.box);
    for (const { goal } of this.handles.handles.values()) box.expandByPoint(new Vector3(...goal.position));
    this.frame(box.isEmpty() ? this.crew.homeBox() : box, this.camera.state, softly);
  }

  /** Go back until a point is seen that is not. @param {number[]} point [3] */
  see(point) {
    const { x, y } = this.screenPoint(point);
    const { left, top, right, bottom } = this.camera.region ?? this.canvas.getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) this.fit({ including: point });
  }

  /** @param {import('three').Box3} box @param {{azimuth: number, elevation: number}} direction @param {boolean} softly */
  frame(box, { azimuth, elevation }, softly) {
    const held = this.setting && this.held();
    const marks = held ? [{ point: held.position, reach: this.camera.handleSize * REACH }] : [];
    this.camera.glideTo(this.camera.framed(box, { azimuth, elevation }, marks), softly);
  }

  /** @param {'perspective'|'orthographic'} projection */
  setProjection(projection) {
    this.camera.projection = projection;
    this.camera.apply();
  }

  /** @param {number} dx @param {number} dy [px] */
  orbit(dx, dy) {
    this.camera.orbit(dx, dy);
  }

  /** @param {number} dx @param {number} dy [px] */
  pan(dx, dy) {
    this.camera.pan(dx, dy);
  }

  /** @param {number} factor  below 1: nearer */
  zoom(factor) {
    this.camera.zoom(factor);
  }

  // What the hands do

  /** @param {string} id */
  select(id) {
    if (id.startsWith(THING)) this.handlers.onThingSelect?.(Number(id.slice(THING.length)));
    else this.handlers.onGoalSelect?.(id);
  }

  /** A goal or an object. @param {string} id @param {Partial<import('./gizmo.js').Pose>} pose @param {'start'|'drag'|'end'} phase */
  move(id, { position, turn }, phase) {
    if (id.startsWith(THING)) return this.moveThing(Number(id.slice(THING.length)), { position, turn }, phase);
    const handle = this.handles.handles.get(id);
    if (!handle) return;
    const { goal } = handle;
    const moved = {
      position: position ? position.toArray() : goal.position,
      quat_xyzw: turn ? turn.toArray() : orientation(goal).toArray(),
    };
    this.handles.held = '';
    this.handles.setGoal({ ...goal, ...moved });
    this.handles.held = phase === 'end' ? '' : id;
    this.invalidate();
    this.handlers.onGoalMove?.(id, moved, phase);
  }

  /** @param {number} index @param {Partial<import('./gizmo.js').Pose>} pose @param {'start'|'drag'|'end'} phase */
  moveThing(index, pose, phase) {
    const thing = this.things[index];
    if (!thing) return;
    const { position, turn } = { ...poseOf(thing), ...Object.fromEntries(Object.entries(pose).filter(([, value]) => value)) };
    this.heldThing = phase === 'end' ? -1 : index;
    this.things[index] = { ...thing, pose: new Matrix4().compose(position, turn, new Vector3(1, 1, 1)) };
    this.solids.set(this.things);
    this.onSolids();
    this.handlers.onThingMove?.(index, { position: position.toArray(), quat_xyzw: turn.toArray() }, phase);
  }

  /** @param {PointerEvent} event @returns {import('./pointer.js').Hit|null} */
  linkBelow(event) {
    return this.handlers.wantsLink?.(event) ? this.crew.hit(this.camera.ray(event.clientX, event.clientY)) : null;
  }

  /** @param {import('./pointer.js').Hit} hit @returns {string|null} */
  takeLink({ arm, link, point }) {
    return this.handlers.onTakeLink?.(arm, link, point) ?? null;
  }

  /** Whether the next drag draws. */
  get draws() {
    return this.handlers.wantsStroke?.() ?? false;
  }

  /** @param {number[][]} points @param {boolean} isDone */
  stroke(points, isDone) {
    this.handlers.onStroke?.(points, isDone);
  }

  /** @param {number} x @param {number} y */
  click(x, y) {
    if (this.things.some(({ selected }) => selected)) {
      this.handlers.onThingSelect?.(-1);
      return;
    }
    const ray = this.camera.ray(x, y);
    const arm = this.crew.hit(ray);
    const voxel = this.voxels.hit(ray);
    if (voxel && !(arm && arm.point.distanceTo(ray.origin) < voxel.point.distanceTo(ray.origin))) {
      this.handlers.onVoxel?.(voxel.voxel);
      return;
    }
    const { point, normal } = this.plane();
    const at = arm?.point ?? onPlane(ray, point, normal);
    if (at) this.handlers.onPoint?.(at.toArray());
  }

  /** The plane on which goals are placed and carried. @returns {{point: Vector3, normal: Vector3}} */
  plane() {
    const { mode, depth } = this.placing;
    const goal = this.handles.selected?.goal.position;
    const normal = mode === 'camera' ? this.camera.forward : NORMALS[mode].clone();
    const { centre } = this.camera.state;
    if (depth === null) return { point: goal ? new Vector3(...goal) : centre.clone(), normal };
    const start = mode === 'camera' ? centre.clone() : new Vector3();
    return { point: start.addScaledVector(normal, depth), normal };
  }

  // For the page and for tests

  /** @param {number} arm @returns {string} its colour, as CSS has it */
  colour(arm) {
    return `#${new Color(this.crew.colour(arm)).getHexString()}`;
  }

  /** @param {ArrayLike<number>} point [3] @returns {{x: number, y: number}} where it is seen */
  screenPoint(point) {
    const { x, y } = this.camera.pixel(new Vector3(point[0], point[1], point[2]));
    return { x, y };
  }

  /** Where a goal is seen. @param {string} id @returns {{x: number, y: number}|null} */
  goalPoint(id) {
    const handle = this.handles.handles.get(id);
    return handle ? this.screenPoint(handle.goal.position) : null;
  }

  /** Where the middle of an object is seen. @param {number} index @returns {{x: number, y: number}|null} */
  thingPoint(index) {
    const point = this.middleOf(`${THING}${index}`);
    return point ? this.screenPoint(point.toArray()) : null;
  }

  /** Where a hand can take hold of the gizmo. @param {import('./gizmo.js').Part} part @returns {{x: number, y: number}} */
  gizmoPoint(part) {
    this.prepare();
    const { x, y } = this.gizmo.gripPoint(this.camera, part);
    return { x, y };
  }

  visibleBodies() {
    return this.crew.bodies.filter(({ body }) => body.poses.size > 0).map(({ arm, key, body }) => ({
      arm, key, opacity: body.look.opacity, isGhost: body.look.isGhost, collides: body.look.collides, links: body.links.length,
      hasMeshes: body.hasMeshes,
    }));
  }

  dispose() {
    this.hands.dispose();
    this.scenery.dispose();
    this.handles.setGoals([]);
    this.crew.empty();
    this.studio.dispose();
  }
}

/** @param {import('./solids.js').Seen} thing @returns {import('./gizmo.js').Pose} */
function poseOf({ pose }) {
  const { position, quat_xyzw } = decomposed(pose);
  return { position: new Vector3(...position), turn: new Quaternion(...quat_xyzw) };
}
