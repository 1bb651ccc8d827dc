"""`Tracker`: differential inverse kinematics for control loops, one time step after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbik import measure
from limbik.collision.free_options import free_options
from limbik.collision.world import World
from limbik.compiler import native
from limbik.compiler.arrays import zeros
from limbik.compiler.call import Call
from limbik.errors import GoalError, SolverError, shortened
from limbik.goals import Goal, GoalLike, as_goals
from limbik.goals.task import AIM, AXIS
from limbik.model.joints import JointKind
from limbik.model.model import Model, as_bounded_configuration, as_model
from limbik.motion.active_set import BoundedScratch
from limbik.motion.avoidance import Avoidance, LastStep
from limbik.motion.ball_limits import body_velocities
from limbik.motion.programs import tracker as tracker_program
from limbik.motion.rates import rate_limits, refuse_limited_balls
from limbik.motion.state import (
    BRAKES,
    DT,
    FIRST_FACTOR,
    FRESH,
    LOWER_FACTOR,
    REVERSALS,
    TARGET_CHANGE,
    TrackerState,
)
from limbik.motion.targets import Targets
from limbik.options import RateLimits
from limbik.solvers.checked_options import hashable, read_options
from limbik.solvers.task_set import TaskSet
from limbik.spatial import Array, as_real, quat_conjugate, quat_rotate
from limbik.status import PoseError
from limbik.tree.workspace import Objectives, Workspace

SHORTEST_STEP, LONGEST_STEP = 1e-6, 1e6  # [s]: in shorter ones accelerations are lost in rounding
ROUNDING = 1e-12  # [rad or lengths] within which a joint is at a bound


class Tracker:
    """Moves a model toward goals, step by step, within the limits of its joints.

        tracker = robot.tracker(limbik.Pose(target=pose), dt=0.01, velocity_limits=1.0)
        for pose in poses:
            q = tracker.step(pose)

    goals:
        A goal or several, as `solve` takes them, with any priorities; or a bare pose or point for the end
        effector. Their first targets.
    dt [s]:
        The length of a step.
    start [nq]:
        Where the joints are at rest before the first step; default: the neutral configuration. A joint beyond
        its limits returns as fast as it may.
    velocity_limits [rad/s or m/s], acceleration_limits [rad/s^2 or m/s^2]:
        One number for all joints, one for each velocity [nv], or a mapping from the names of joints. Of
        joints without one, those of the model; `math.inf` is none. They hold for each of the three rates of a
        ball joint; those of a floating joint's position are along the axes in which it is counted. Joints
        that follow others stay within theirs.
    locked:
        Names of joints that keep still.
    tool:
        Pose of a tool, as in `solve`.
    world, clearance [m]:
        Nothing is brought nearer than the clearance to the world's objects, or to the robot itself (see
        `limbik.solve`): the robot slides along what is in the way, and stops before it. Where it is in
        collision already, it goes out of it. Objects may move between steps.

    Joint limits are always respected, and so are those of velocity and acceleration: a joint brakes in time
    before its limit, and one that begins beyond it returns as fast as these allow; a joint that moves no goal
    keeps still. With acceleration limits the joints also brake before the targets, so that they do not run
    past them. Without velocity limits a joint turns by 1 rad at most in one step. While the targets rest, the
    arm comes to rest, out of reach, too.

    One step solves the goals' bounded least-squares problem exactly (see `limbik.motion.step`). A goal of a
    lower priority takes nothing from a higher one. With a world, a step may be shorter than acceleration
    limits allow: not to collide comes first.

    Raises GoalError, ConfigurationError, SolverError or CollisionError for what has no meaning.
    """

    def __init__(
        self,
        model: Model,
        goals: GoalLike | Sequence[Goal],
        dt: float = 0.01,
        *,
        start: ArrayLike | None = None,
        velocity_limits: RateLimits = None,
        acceleration_limits: RateLimits = None,
        locked: Sequence[str] = (),
        tool: ArrayLike | None = None,
        world: World | None = None,
        clearance: float = 0.0,
    ) -> None:
        if not SHORTEST_STEP <= as_real(dt) <= LONGEST_STEP:
            raise SolverError(
                f"`dt` needs a time from {SHORTEST_STEP:g} to {LONGEST_STEP:g} s, found {shortened(dt)}"
            )
        self._words = {
            "dt": dt, "velocity_limits": velocity_limits, "acceleration_limits": acceleration_limits,
            "locked": locked, "tool": tool, "world": world, "clearance": clearance,
        }  # fmt: skip
        self.model = as_model(model)
        self.dt = float(dt)
        checked_goals = as_goals(goals)
        options = read_options(hashable({"locked": locked, "tool": tool}))
        self._tasks = TaskSet(model, checked_goals, options)
        accelerations = rate_limits(model, acceleration_limits, "acceleration_limits")
        refuse_limited_balls(model, accelerations)
        self._targets = Targets(model, checked_goals, self._tasks.order, len(self._tasks.tasks))
        self._motion = _motion_of(self._tasks, self._targets)
        self._motion.settings[DT] = self.dt
        self._motion.settings[BRAKES] = np.isfinite(accelerations).any()
        self._motion.velocity_limits[:] = rate_limits(model, velocity_limits, "velocity_limits")
        self._motion.acceleration_limits[:] = accelerations
        self._objectives, self._workspace, self._call = _packed(self._tasks, self._motion)
        self._tasks.fill(checked_goals, self._objectives.targets)
        self._write = self._targets.writer
        self._q = self._motion.q
        free = free_options(world, clearance)
        longest = self.dt * self._motion.velocity_limits
        self._avoidance = None if free is None else Avoidance(model, free, self._tasks.tree.units, longest)
        self._rest_at(start, "`start`")

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy goes on from here by itself, in the same world, or in a copy of that."""
        steps = None if self._avoidance is None else self._avoidance.steps
        state = tuple(self._motion), self._objectives.targets, steps
        return _gone_on, (type(self), self.model, self._targets.goals, self._words, *state)

    def step(self, targets: Any = None) -> Array:
        """Move by one time step; returns the configuration [nq] it leads to.

        targets:
            Of the only goal, or a list with one for each goal, in the order of the goals: what
            the goal is brought to (such as a pose 4x4), or a goal that differs in this alone. None: as in the
            step before.

        Raises GoalError for a target without a meaning, and then has not moved.
        """
        before = None if self._avoidance is None else self._q.copy()
        try:
            if targets is not None:
                self._write(targets)
            while refused := self._call.run():
                self._targets.repair(refused - 1)
        except GoalError:
            self._targets.restore(self._objectives.targets)
            raise
        if before is not None:
            self._avoid(before)
        return self._q.copy()

    @property
    def q(self) -> Array:
        """The configuration [nq] that the last step has led to."""
        return self._q.copy()

    @property
    def v(self) -> Array:
        """The velocity [nv, rad/s and m/s] where the last step has ended, as `Model.jacobian` takes it."""
        v = self._motion.v.copy()
        for joint in self.model.joints:
            if joint.kind is JointKind.FLOATING:
                at, here = self.model.v_slice(joint.name).start, self.model.q_slice(joint.name).stop
                v[at : at + 3] = quat_rotate(quat_conjugate(self._q[here - 4 : here]), v[at : at + 3])
        return v

    @property
    def errors(self) -> tuple[PoseError, ...]:
        """How far each goal is from being met, in the order of the goals."""
        return measure.goal_errors(self._tasks.request(self._targets.goals), self._q)

    @property
    def limited(self) -> tuple[str, ...]:
        """The names of the joints that a limit has held back in the last step."""
        motion = self._motion
        margin = np.minimum(motion.upper - motion.moved, motion.moved - motion.lower)
        is_held = (margin <= ROUNDING) & (self._tasks.tree.units > 0.0)
        joints = (joint for joint in self.model.joints if joint.nv)
        return tuple(joint.name for joint in joints if is_held[self.model.v_slice(joint.name)].any())

    @property
    def obstacles(self) -> tuple[tuple[str, str], ...]:
        """The pairs of bodies, by name, that have held back the last step; the nearest first."""
        return () if self._avoidance is None else self._avoidance.pairs

    def reset(self, q: ArrayLike | None = None) -> None:
        """Be at rest at a configuration [nq]; default: the neutral one."""
        self._rest_at(q, "`q`")

    def warmup(self) -> None:
        """Wait until there is machine code, without which a step takes a thousand times as long."""
        native.compile_now(tracker_program())

    def _rest_at(self, q: ArrayLike | None, name: str) -> None:
        model = self.model
        q = model.neutral if q is None else as_bounded_configuration(model, q, name)
        self._q[:] = model.clip(q)
        for joint in model.joints:
            if joint.nq == 1:
                self._q[model.q_slice(joint.name)] = q[model.q_slice(joint.name)]
        self._motion.v[:] = 0.0
        self._motion.active[:] = 0.0
        self._motion.settings[[FRESH, FIRST_FACTOR, LOWER_FACTOR]] = 1.0
        self._motion.settings[REVERSALS] = 0.0
        if self._avoidance is not None:
            self._avoidance.begin()

    def _avoid(self, before: Array) -> None:
        """Make another step from a configuration [nq] where the one that was made is not allowed."""
        avoidance, motion = self._avoidance, self._motion
        assert avoidance is not None, "only then is it called"
        rows = int(self._objectives.level_rows[1])
        J, to_body = self._workspace.J[:rows], body_velocities(self._tasks.tree.movers, motion)
        step = avoidance.corrected(before, motion.moved, J, motion.lower, motion.upper, to_body)
        step = avoidance.damped(step, motion.settings[TARGET_CHANGE] == 0.0)
        if step is not motion.moved:
            self._q[:] = avoidance.reached(before, step)
            motion.moved[:] = step
            motion.v[:] = self._tasks.tree.units * (to_body @ step) / self.dt
            motion.settings[FRESH] = 1.0


def _gone_on(
    kind: type[Tracker],
    model: Model,
    goals: Sequence[Goal],
    words: dict[str, Any],
    motion: Sequence[Array],
    targets: Array,
    steps: LastStep | None,
) -> Tracker:
    """A tracker as another one was."""
    tracker = kind(model, goals, **words)
    for array, numbers in zip(tracker._motion, motion, strict=True):
        array[...] = numbers
    tracker._objectives.targets[:] = targets
    if tracker._avoidance is not None and steps is not None:
        tracker._avoidance.steps = steps
    return tracker


def _motion_of(tasks: TaskSet, targets: Targets) -> TrackerState:
    """The arrays of a tracker with these targets."""
    motion = zeros(TrackerState, tasks.sizes)._replace(inputs=targets.inputs, forms=targets.forms)
    for task in tasks.tasks:
        rows = np.flatnonzero(task["weights"])
        if task["kind"] in (AXIS, AIM):
            rows = np.zeros(2, np.intp)  # along the error, and across it
        tolerance = task["weights"][rows] * task["tolerance"][rows]
        motion.tolerance[task["row"] : task["row"] + rows.size] = tolerance
        motion.is_across[task["row"] + 1 : task["row"] + rows.size] = task["kind"] in (AXIS, AIM)
    return motion


def _packed(tasks: TaskSet, motion: TrackerState) -> tuple[Objectives, Workspace, Call]:
    """The objectives, what a step works on, and the step."""
    records = tasks.tasks.copy()
    records["unclipped"] = 1.0  # `motion.tolerances` clips
    objectives = tasks.objectives(tasks.targets())._replace(tasks=records)
    workspace, scratch = zeros(Workspace, tasks.sizes), zeros(BoundedScratch, tasks.sizes)
    call = Call(tracker_program(), tasks.tree, objectives, workspace, motion, scratch)
    return objectives, workspace, call
