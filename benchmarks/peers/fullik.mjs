// Adapter for @aminere/fullik: Chain2D and Chain3D.
import { pathToFileURL } from "node:url";
import { place_joints, serve } from "./server.mjs";

const FIK = await import(pathToFileURL(`${process.argv[2]}/@aminere/fullik/build/fik.module.js`).href);
const BUDGET = 1000;
const REACH = 1000; // the package works in pixels: its comparisons of targets and bases are absolute at 0.001

serve((request) => {
  const { lengths, planar, limit } = request;
  const scale = REACH / lengths.reduce((a, b) => a + b, 0);
  const Vector = planar ? FIK.V2 : FIK.V3;
  const vector = (p) => (planar ? new Vector(p[0] * scale, p[1] * scale) : new Vector(...p.map((x) => x * scale)));
  const chain = planar ? new FIK.Chain2D() : new FIK.Chain3D();
  const straight = place_joints(lengths.map(() => [1, 0, 0]), lengths).map(vector);
  lengths.forEach((_, i) => {
    const bone = planar ? new FIK.Bone2D(straight[i], straight[i + 1]) : new FIK.Bone3D(straight[i], straight[i + 1]);
    if (limit !== null) {
      const degrees = (limit * 180) / Math.PI;
      if (planar) {
        bone.setClockwiseConstraintDegs(degrees);
        bone.setAnticlockwiseConstraintDegs(degrees);
      } else {
        bone.setBallJointConstraintDegs(degrees);
      }
    }
    chain.addBone(bone);
  });
  if (limit !== null) {
    const degrees = (limit * 180) / Math.PI;
    if (planar) chain.setBaseboneConstraintType(FIK.GLOBAL_ABSOLUTE);
    else chain.setRotorBaseboneConstraint("global", new FIK.V3(1, 0, 0), degrees);
  }
  chain.solveDistanceThreshold = request.tolerance * scale;
  chain.minIterationChange = request.tolerance * scale * 1e-3;
  chain.maxIteration = BUDGET;
  let target;
  let iterations;
  const iterate = chain.solveIK;
  chain.solveIK = function (goal) {
    iterations += 1;
    return iterate.call(this, goal);
  };
  return {
    place(problem) {
      const joints = place_joints(problem.start, lengths).map(vector);
      chain.bones.forEach((bone, i) => {
        bone.setStartLocation(joints[i]);
        bone.setEndLocation(joints[i + 1]);
      });
      chain.lastTargetLocation.set(Infinity, Infinity, Infinity);
      target = vector(problem.target);
    },
    solve() {
      iterations = 0;
      chain.solveForTarget(target);
      return iterations;
    },
    positions() {
      const points = [chain.bones[0].start, ...chain.bones.map((bone) => bone.end)];
      return points.map((p) => [p.x / scale, p.y / scale, (p.z ?? 0) / scale]);
    },
  };
});
