/** Where the subject of an explanation is seen: goals, end effectors, the ghost, and the arm itself. */

import { Vector3 } from 'three';

const GOAL = 1000; // what it weighs that a goal or an end effector is covered,
const GHOST = 10; // a part of the ghost,
const ARM = 1; // a part of the arm
const PARTS = 6; // of a link

/** @typedef {{x: number, y: number, weight: number}} Seen  in pixels of the window */

/**
 * @param {object} subject
 * @param {import('./stage.js').Stage} subject.stage
 * @param {import('./arms.js').Arms} subject.arms
 * @param {import('./goals.js').Goals} subject.goals
 * @param {number} subject.arm
 * @param {number[]|null} subject.nearest  configuration of the ghost
 * @returns {Seen[]}
 */
export function seenOf({ stage, arms, goals, arm, nearest }) {
  const mechanism = arms.mechanisms[arm];
  const { kinematics } = mechanism;
  const { q } = arms.frontOf(mechanism);
  const see = (/** @type {number} */ weight) => (/** @type {ArrayLike<number>} */ point) => ({ ...stage.screenPoint(point), weight });
  const own = goals.list.flatMap((goal, i) => (goal.arm === arm ? [{ ...goal, position: goals.positionOf(i) }] : []));
  const tip = (/** @type {string} */ frame) => new Vector3().setFromMatrixPosition(kinematics.framePose(frame, q)).toArray();
  return [
    ...own.map(({ position }) => position).map(see(GOAL)),
    ...own.map(({ frame }) => tip(frame)).map(see(GOAL)),
    ...(nearest ? along(mechanism, nearest) : []).map(see(GHOST)),
    ...along(mechanism, q).map(see(ARM)),
  ];
}

/** Points along the links. @param {import('./arms.js').Mechanism} mechanism @param {ArrayLike<number>} q @returns {number[][]} */
function along({ kinematics, description }, q) {
  const poses = kinematics.poses(q);
  const at = (/** @type {string} */ link) => new Vector3().setFromMatrixPosition(/** @type {import('three').Matrix4} */ (poses.get(link)));
  return description.joints.flatMap(({ parent, child }) => {
    const [from, to] = [at(parent), at(child)];
    return Array.from({ length: PARTS }, (_, k) => from.clone().lerp(to, (k + 1) / PARTS).toArray());
  });
}
