/** What the numbers of q are: which joints they belong to, how each moves between configurations, and titles with units for CSV. */

const QUATERNION = ['x', 'y', 'z', 'w'];

/** The joints that have a part of q. @param {import('./kinematics.js').ArmDescription} description @returns {import('./kinematics.js').JointDescription[]} */
export function movingJoints({ joints }) {
  return joints.filter((joint) => joint.q >= 0 && !joint.mimic);
}

/** @param {import('./kinematics.js').JointDescription} joint @returns {number} of numbers in q */
export function sizeOf({ kind }) {
  return { ball: 4, floating: 7 }[/** @type {'ball'} */ (kind)] ?? 1;
}

/** How each joint moves from one configuration to another. @param {import('./kinematics.js').ArmDescription} description @returns {import('../following.js').Part[]} */
export function motionParts(description) {
  return movingJoints(description).flatMap(({ kind, q }) => {
    if (kind === 'ball') return [{ at: q, kind: 'quaternion' }];
    if (kind === 'floating') return [...[q, q + 1, q + 2].map((at) => ({ at, kind: 'prismatic' })), { at: q + 3, kind: 'quaternion' }];
    return [{ at: q, kind: kind === 'prismatic' ? 'prismatic' : 'revolute' }];
  });
}

/** Every number of q with its joint and its unit, in brackets. @param {import('./kinematics.js').ArmDescription} description @returns {{at: number, title: string}[]} */
export function columns(description) {
  return movingJoints(description).flatMap(({ name, kind, q }) => {
    const turn = (/** @type {number} */ from) => QUATERNION.map((axis, i) => ({ at: from + i, title: `${name} q${axis} [1]` }));
    if (kind === 'ball') return turn(q);
    if (kind === 'floating') return [...['x', 'y', 'z'].map((axis, i) => ({ at: q + i, title: `${name} ${axis} [m]` })), ...turn(q + 3)];
    return [{ at: q, title: `${name} [${kind === 'prismatic' ? 'm' : 'rad'}]` }];
  });
}

/** A text as a cell of CSV. @param {string} text */
export function cell(text) {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
