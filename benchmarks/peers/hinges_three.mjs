// three.js' CCDIKSolver on a chain of hinges, each about one axis of its bone; answers joint angles.
import { pathToFileURL } from "node:url";
import { serve } from "./server.mjs";

const load = (path) => import(pathToFileURL(`${process.argv[2]}/three/${path}`).href);
const THREE = await load("build/three.module.js");
const { CCDIKSolver } = await load("examples/jsm/animation/CCDIKSolver.js");

serve(({ axes, offsets, limit, tolerance, budget }) => {
  const size = axes.length;
  const bones = offsets.map((offset) => {
    const bone = new THREE.Bone();
    bone.position.set(...offset);
    return bone;
  });
  bones.slice(1).forEach((bone, i) => bones[i].add(bone));
  const target = new THREE.Bone();
  bones.push(target);
  const joints = bones.slice(0, size);
  const effector = bones[size];
  const directions = axes.map((axis) => new THREE.Vector3(...axis));
  const links = joints.map((_, index) => ({
    index,
    limitation: directions[index],
    ...(limit !== null && {
      rotationMin: directions[index].clone().multiplyScalar(-limit),
      rotationMax: directions[index].clone().multiplyScalar(limit),
    }),
  }));
  const chain = { target: size + 1, effector: size, links: links.reverse(), iteration: 1 };
  const solver = new CCDIKSolver({ skeleton: { bones } }, [chain]);
  const position = new THREE.Vector3();
  const goal = new THREE.Vector3();

  return {
    place({ start, target: point }) {
      joints.forEach((joint, i) => joint.quaternion.setFromAxisAngle(directions[i], start[i]));
      bones[0].updateMatrixWorld(true);
      goal.set(...point);
    },
    solve() {
      target.position.copy(goal);
      target.updateMatrixWorld(true);
      let before = Infinity;
      for (let sweep = 0; sweep < budget; sweep++) {
        const distance = position.setFromMatrixPosition(effector.matrixWorld).distanceTo(goal);
        if (distance <= tolerance || distance === before) return sweep;
        before = distance;
        solver.update();
      }
      return budget;
    },
    positions() {
      return joints.map(({ quaternion: q }, i) => 2 * Math.atan2(directions[i].dot(q), q.w));
    },
  };
});
