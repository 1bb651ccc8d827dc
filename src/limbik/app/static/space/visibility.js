/** Where goals, end effectors and arms are on the screen, so that cards do not cover them. */

import { Vector3 } from 'three';

const GOAL = 1000; // what it weighs that a goal or an end effector is covered,
const GHOST = 10; // a part of the ghost,
const ARM = 1; // a part of the arm
const PARTS = 6; // of a link
const ALIKE = 0.01; // [m] where the ghost is no farther from the arm, it is not seen

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
  const body = along(mechanism, q);
  const ghost = nearest ? along(mechanism, nearest).filter((point, k) => point.distanceTo(body[k]) > ALIKE) : [];
  return [
    ...own.map(({ position }) => position).map(see(GOAL)),
    ...own.map(({ frame }) => tip(frame)).map(see(GOAL)),
    ...ghost.map((point) => see(GHOST)(point.toArray())),
    ...body.map((point) => see(ARM)(point.toArray())),
  ];
}

/** Points along the links. @param {import('./arms.js').Mechanism} mechanism @param {ArrayLike<number>} q @returns {Vector3[]} */
function along({ kinematics, description }, q) {
  const poses = kinematics.poses(q);
  const at = (/** @type {string} */ link) => new Vector3().setFromMatrixPosition(/** @type {import('three').Matrix4} */ (poses.get(link)));
  return description.joints.flatMap(({ parent, child }) => {
    const [from, to] = [at(parent), at(child)];
    return Array.from({ length: PARTS }, (_, k) => from.clone().lerp(to, (k + 1) / PARTS));
  });
}
