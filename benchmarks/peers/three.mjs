// Adapter for three.js' CCDIKSolver on a chain of bones.
import { pathToFileURL } from "node:url";
import { place_joints, serve } from "./server.mjs";

const load = (path) => import(pathToFileURL(`${process.argv[2]}/three/${path}`).href);
const THREE = await load("build/three.module.js");
const { CCDIKSolver } = await load("examples/jsm/animation/CCDIKSolver.js");
const BUDGET = 1000;
const X = new THREE.Vector3(1, 0, 0);

serve((request) => {
  const { lengths, planar, limit, tolerance } = request;
  const bones = [new THREE.Bone()]; // joints 0..n-1, then the effector, then the target
  for (const length of lengths) {
    const bone = new THREE.Bone();
    bone.position.set(length, 0, 0);
    bones[bones.length - 1].add(bone);
    bones.push(bone);
  }
  const target = new THREE.Bone();
  const effector = bones[lengths.length];
  const joints = bones.slice(0, lengths.length);
  bones.push(target);
  const links = joints
    .map((_, index) => {
      if (limit === null) return { index };
      return {
        index,
        limitation: new THREE.Vector3(0, 0, 1),
        rotationMin: new THREE.Vector3(0, 0, -limit),
        rotationMax: new THREE.Vector3(0, 0, limit),
      };
    })
    .reverse();
  const mesh = { skeleton: { bones } };
  const solver = new CCDIKSolver(mesh, [{ target: lengths.length + 1, effector: lengths.length, links, iteration: 1 }]);
  const position = new THREE.Vector3();
  const goal = new THREE.Vector3();

  return {
    place(problem) {
      joints.forEach((joint, i) => {
        const local = new THREE.Vector3(...problem.start[i]).applyQuaternion(frame(joints, i).invert());
        if (planar) joint.quaternion.setFromAxisAngle(new THREE.Vector3(0, 0, 1), Math.atan2(local.y, local.x));
        else joint.quaternion.setFromUnitVectors(X, local.normalize());
      });
      bones[0].updateMatrixWorld(true);
      goal.set(...problem.target);
    },
    solve() {
      target.position.copy(goal);
      target.updateMatrixWorld(true);
      let before = Infinity;
      for (let sweep = 0; sweep < BUDGET; sweep++) {
        const distance = position.setFromMatrixPosition(effector.matrixWorld).distanceTo(goal);
        if (distance <= tolerance || distance === before) return sweep;
        before = distance;
        solver.update();
      }
      return BUDGET;
    },
    positions() {
      return bones.slice(0, lengths.length + 1).map((bone) => {
        position.setFromMatrixPosition(bone.matrixWorld);
        return position.toArray();
      });
    },
  };
});

// Orientation of the frame that joint i turns in.
function frame(joints, i) {
  const total = new THREE.Quaternion();
  for (let k = 0; k < i; k++) total.multiply(joints[k].quaternion);
  return total;
}
