// closed-chain-ik's damped least squares on a chain of hinges about x, y or z; answers joint angles.
import { pathToFileURL } from "node:url";
import { serve } from "./server.mjs";

const core = (path) => import(pathToFileURL(`${process.argv[2]}/closed-chain-ik/src/core/${path}`).href);
const { Solver, Joint, Link, Goal, DOF } = await core("index.js");
const { ChainSolver } = await core("ChainSolver.js");

let iterations = 0; // it tells nobody how many it made: each fills the error once
const fill = ChainSolver.prototype.fillErrorVector;
ChainSolver.prototype.fillErrorVector = function (...given) {
  iterations++;
  return fill.apply(this, given);
};

serve(({ axes, offsets, limit, tolerance, budget }) => {
  const turns = [DOF.EX, DOF.EY, DOF.EZ];
  const root = new Link();
  let link = root;
  const joints = axes.map((axis, i) => {
    const joint = new Joint();
    joint.setDoF(turns[axis.findIndex((value) => value !== 0)]);
    joint.setPosition(...offsets[i]);
    if (limit !== null) {
      joint.setMinLimits(-limit);
      joint.setMaxLimits(limit);
    }
    link.addChild(joint);
    link = new Link();
    joint.addChild(link);
    return joint;
  });
  const mount = new Joint(); // without a degree of freedom
  mount.setPosition(...offsets[axes.length]);
  link.addChild(mount);
  const tip = new Link();
  mount.addChild(tip);
  const goal = new Goal();
  goal.setGoalDoF(DOF.X, DOF.Y, DOF.Z);
  goal.makeClosure(tip);
  const solver = new Solver(root);
  solver.maxIterations = budget;
  solver.translationConvergeThreshold = tolerance;

  return {
    place({ start, target }) {
      joints.forEach((joint, i) => joint.setDoFValues(start[i]));
      goal.setPosition(...target);
    },
    solve() {
      iterations = 0;
      try {
        solver.solve();
      } catch {
        // it throws where all joints have come to their limits: its answer is where it stands
      }
      return Math.min(iterations, budget);
    },
    positions() {
      return joints.map((joint) => joint.dofValues[joint.dof[0]]);
    },
  };
});
