/** Writes a Python program that reproduces what the page shows. */

import { Quaternion, Vector3 } from 'three';
import { shortest } from './codec.js';
import { attachText, importText, worldText } from './snippetworld.js';

/** @typedef {import('./codec.js').Goal} Goal */

const AXES = { x: '[1, 0, 0]', y: '[0, 1, 0]', z: '[0, 0, 1]' };

/**
 * What the program is made of.
 * @typedef {object} Shown
 * @property {string} title
 * @property {{robots: string[]} | {text: string, name: string, isArm: boolean}} source
 * @property {string} base @property {string|null} angles @property {boolean} lenient
 * @property {string} solver
 * @property {[string, number][]} parameters  of the solver, by name
 * @property {string} branches
 * @property {boolean} limits
 * @property {{objects: import('./objectcodec.js').Thing[], clearance: number}|null} world  clearance [m]; null: collisions are left aside
 * @property {number} tolerance [m] @property {number} toleranceRotation [rad]
 * @property {{description: import('./protocol.js').ArmScene, q: ArrayLike<number>, goals: Goal[], locked: string[], widened: {joint: string, lower: number|null, upper: number|null}[], posture: {q: number[], weight: number}|null}[]} arms
 */

/** @param {Shown} shown @returns {string} */
export function program(shown) {
  const isScene = 'text' in shown.source && shown.source.isArm;
  const body = isScene ? sceneBody(shown) : modelsBody(shown);
  const isTurned = (/** @type {{quat_xyzw: number[]}} */ { quat_xyzw }) => quat_xyzw.slice(0, 3).some(Boolean);
  const hasPoses = shown.arms.some(({ goals }) => goals.some(({ kind }) => kind !== 'position')) || shown.world?.objects.some(isTurned);
  return [
    `"""${plain(shown.title)}, as the limbik playground shows it."""`,
    '',
    ...(isScene ? ['import dataclasses', ''] : []),
    'import numpy as np',
    '',
    'import limbik',
    ...(shown.world ? [importText(shown.world.objects)] : []),
    ...(hasPoses ? ['from limbik.spatial import pose_from, quat_to_matrix'] : []),
    '',
    ...shown.arms.flatMap(({ widened }) => widened.map(widenedText)),
    ...body,
  ].join('\n');
}

/** @param {{joint: string, lower: number|null, upper: number|null}} limit @returns {string} a comment: the program has the limits of the model */
function widenedText({ joint, lower, upper }) {
  return `# The playground has wider limits for joint ${plain(joint)}: ${lower ?? 'its own'} to ${upper ?? 'its own'}.`;
}

/** @param {Shown} shown */
function modelsBody(shown) {
  return shown.arms.flatMap((arm, i) => {
    const shift = 'robots' in shown.source ? standsAt(arm.description) : 0;
    const goals = arm.goals.map((goal) => ({ ...goal, position: [goal.position[0], goal.position[1] - shift, goal.position[2]] }));
    const lines = [
      `model = limbik.load(${sourceText(shown, i)})`,
      `q = np.array([${numbers(arm.q)}])  # where it stands`,
      ...(shift ? [`# It stands at y = ${shortest(shift)} m in the playground, here at 0.`] : []),
      ...(shown.world && goals.length ? [...worldText(shown.world.objects, shift), ...attachText(shown.world.objects, i, 'model')] : []),
    ];
    return goals.length ? [...lines, `goals = [${goalList(goals, arm.posture)}]`, call('solution = limbik.solve', ['model', 'goals', 'start=q', ...options(shown, arm.locked)]), 'print(solution)', 'print(solution.q)', ''] : [...lines, 'print(model.forward(q))', ''];
  });
}

/** @param {Shown} shown @param {number} i */
function sourceText({ source, base }, i) {
  const what = 'robots' in source ? quoted(source.robots[i]) : block(source.text);
  return base === 'floating' ? `${what}, base="floating"` : what;
}

/** @param {Shown} shown */
function sceneBody(shown) {
  const { source, angles, lenient, branches } = shown;
  const text = 'text' in source ? source.text : '';
  const lists = shown.arms.map(({ goals, posture }) => `    [${goalList(goals, posture, '    ')}],`);
  const stances = shown.arms.map(({ q }) => `    np.array([${numbers(q)}]),`);
  const locked = [...new Set(shown.arms.flatMap((arm) => arm.locked))];
  return [
    `scene = limbik.load_scene(${[block(text), ...(angles ? [`angles=${quoted(angles)}`] : []), ...(lenient ? ['lenient=True'] : [])].join(', ')})`,
    'goals = [', ...lists, ']',
    'stances = [', ...stances, ']',
    'arms = [dataclasses.replace(arm, goals=tuple(g), q=q) for arm, g, q in zip(scene.arms, goals, stances, strict=True)]',
    ...(shown.world ? worldText(shown.world.objects) : []),
    ...(shown.world ? shown.arms.flatMap((_, i) => carried(shown.world?.objects ?? [], i)) : []),
    'scene = dataclasses.replace(scene, arms=tuple(arms))',
    call('solutions = scene.solve', [`branches=${quoted(branches)}`, ...options(shown, locked)]),
    'for arm, solution in zip(scene.arms, solutions, strict=True):',
    '    print(arm.name, solution)',
    '    print(arm.q if solution is None else solution.q)',
    '',
  ];
}

/** What an arm of a scene carries. @param {import('./objectcodec.js').Thing[]} objects @param {number} i */
function carried(objects, i) {
  const attached = attachText(objects, i, 'model');
  return attached.length ? [`model = arms[${i}].model`, ...attached, `arms[${i}] = dataclasses.replace(arms[${i}], model=model)`] : [];
}

/** @param {Shown} shown @param {string[]} locked @returns {string[]} */
function options({ solver, parameters, limits, tolerance, toleranceRotation, world }, locked) {
  const parts = parameters.map(([name, value]) => `, ${name}=${value}`).join('');
  return [
    `solver=${parts ? `limbik.solvers.get(${quoted(solver)}${parts})` : quoted(solver)}`,
    `tolerance=${Number(tolerance.toPrecision(6))}`,
    `tolerance_rotation=${Number(toleranceRotation.toPrecision(6))}`,
    ...(limits ? [] : ['limits=False']),
    ...(world ? ['world=world'] : []),
    ...(world?.clearance ? [`clearance=${Number(world.clearance.toPrecision(6))}`] : []),
    ...(locked.length ? [`locked=[${locked.map(quoted).join(', ')}]`] : []),
  ];
}

/** @param {string} name @param {string[]} parts */
function call(name, parts) {
  return `${name}(\n${parts.map((one) => `    ${one},\n`).join('')})`;
}

/** @param {Goal[]} goals @param {Shown['arms'][number]['posture']} posture  beside goals @param {string} [indent] */
function goalList(goals, posture, indent = '') {
  if (goals.length === 0) return '';
  const last = posture ? [`limbik.Posture(q=[${numbers(posture.q)}], weight=${posture.weight})`] : [];
  return `\n${[...goals.flatMap(goalText), ...last].map((line) => `${indent}    ${line},\n`).join('')}${indent}`;
}

/** @param {Goal} goal @returns {string[]} */
function goalText({ frame, kind, position, quat_xyzw, axis = 'z' }) {
  const at = `[${numbers(position)}]`;
  const turn = `quat_to_matrix([${numbers(quat_xyzw)}])`;
  if (kind === 'pose') return [`limbik.Pose(frame=${quoted(frame)}, target=pose_from(\n        ${turn}, ${at}))`];
  const point = `limbik.Position(frame=${quoted(frame)}, target=${at})`;
  if (kind === 'position') return [point];
  const along = new Vector3(0, 0, 1).applyQuaternion(new Quaternion(...quat_xyzw));
  return [point, `limbik.Direction(frame=${quoted(frame)}, axis=${AXES[axis]}, target=[${numbers(along.toArray())}])`];
}

/** Where a robot that is not the first stands beside the others [m]. @param {import('./protocol.js').ArmScene} description */
function standsAt({ root, joints }) {
  const stand = joints.find((joint) => joint.parent === root);
  return stand && stand.kind === 'fixed' && /^stand_*$/.test(stand.name) ? stand.origin[7] : 0;
}

/** @param {ArrayLike<number>} values */
function numbers(values) {
  return Array.from(values, (value) => shortest(value)).join(', ');
}

/** @param {string} text  as a Python string of one line */
function quoted(text) {
  return JSON.stringify(text);
}

/** @param {string} text  as a Python string of several lines */
function block(text) {
  return `"""\\\n${text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')}${text.endsWith('\n') ? '' : '\n'}"""`;
}

/** @param {string} text  without what would end a docstring */
function plain(text) {
  return text.replaceAll(/["\\\n\r]/g, ' ').trim();
}
