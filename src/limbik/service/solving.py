"""Requests answered: every door of the service, HTTP and others, asks this and has no logic of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from limbik import Direction, JointValue, LookAt, Model, Orientation, Pose, Position
from limbik.errors import ConfigurationError, GoalError, did_you_mean
from limbik.formats.motion_csv import coordinate_names
from limbik.goals import Goal
from limbik.service import messages
from limbik.service.messages import (
    AnyGoal,
    DirectionGoal,
    ForwardAnswer,
    ForwardRequest,
    JointGoal,
    LookAtGoal,
    OrientationGoal,
    Placed,
    PoseGoal,
    Quaternion,
    RobotAnswer,
    Solvable,
    SolveAllAnswer,
    SolveAllRequest,
    SolveAnswer,
    SolveBatchAnswer,
    SolveBatchRequest,
    SolveRequest,
    Start,
    Vector,
)
from limbik.service.plain import all_data, data, finite, units
from limbik.service.robots import Robots
from limbik.spatial import (
    Array,
    Matrix3,
    Matrix4,
    pose_from,
    quat_from_matrix,
    quat_normalise,
    quat_to_matrix,
)

SHORTEST = 1e-6  # of a quaternion that is turned into a rotation


class Service:
    """Answers requests about robots; may be used by any number of threads.

    Every method raises a LimbikError for what cannot be answered: a robot, frame or joint that is not there,
    numbers of another count, a quaternion of no length.
    """

    def __init__(self) -> None:
        self._robots = Robots()

    def robots(self) -> list[str]:
        """The names of robots; "planar-3" and so on are there, too."""
        return self._robots.names()

    def robot(self, name: str) -> RobotAnswer:
        """What a robot is like."""
        model = self._robots.model(name)
        return RobotAnswer(
            name=name,
            names=coordinate_names(model),
            units=units(model),
            lower=[finite(value) for value in model.lower],
            upper=[finite(value) for value in model.upper],
            neutral=model.neutral.tolist(),
            frames=list(model.frame_names),
            end_effector=model.end_effector,
        )

    def solve(self, request: SolveRequest) -> SolveAnswer:
        """A configuration that meets goals, or why there is none."""
        model = self._robots.model(request.robot)
        goals: Any = [goal_of(each) for each in request.goals]
        solution = model.solve(
            goals,
            solver=request.solver,
            mode=request.mode,
            locked=request.locked,
            tolerance=request.tolerance,
            tolerance_rotation=request.tolerance_rotation,
            **_options(model, request),
        )
        found = data(model, solution)
        del found["robot"]
        return SolveAnswer(explanation=str(solution.explain()), **found)

    def solve_all(self, request: SolveAllRequest) -> SolveAllAnswer:
        """All configurations for a pose."""
        model = self._robots.model(request.robot)
        answers = model.solve_all(
            Pose(target=pose_of(request.pose, "pose"), frame=request.frame),
            start=configuration(model, request.start, "start"),
            limits=request.limits,
        )
        found = all_data(model, answers)
        del found["robot"]
        return SolveAllAnswer(explanation=answers.explain(), **found)

    def solve_batch(self, request: SolveBatchRequest) -> SolveBatchAnswer:
        """A configuration for each of many poses."""
        model = self._robots.model(request.robot)
        poses = np.array([pose_of(each, f"poses[{k}]") for k, each in enumerate(request.poses)])
        found = model.solve_batch(poses.reshape(-1, 4, 4), frame=request.frame, **_options(model, request))
        return SolveBatchAnswer(
            names=coordinate_names(model),
            q=found.q.tolist(),
            success=found.success.tolist(),
            errors=[
                messages.GoalError(position=position, rotation=rotation)
                for position, rotation in zip(
                    found.error.tolist(), found.error_rotation.tolist(), strict=True
                )
            ],
            time=found.time,
        )

    def forward(self, request: ForwardRequest) -> ForwardAnswer:
        """Where frames are."""
        model = self._robots.model(request.robot)
        q = configuration(model, request.q, "q")
        assert q is not None, "q is required"
        frames = [model.end_effector] if request.frames is None else request.frames
        return ForwardAnswer(poses={frame: placed(model.pose(q, frame)) for frame in frames})


def goal_of(asked: AnyGoal) -> Goal:
    """The goal that a message means."""
    if isinstance(asked, JointGoal):
        return JointValue(
            joint=asked.joint,
            value=asked.value,
            weight=asked.weight,
            tolerance=asked.tolerance,
            priority=asked.priority,
        )
    if isinstance(asked, PoseGoal):
        return Pose(
            target=pose_from(rotation_of(asked.quaternion, "quaternion"), np.array(asked.position)),
            frame=asked.frame,
            weights=asked.weights,
            tolerance=asked.tolerance,
            priority=asked.priority,
        )
    weighted: dict[str, Any] = {
        "frame": asked.frame,
        "weight": asked.weight,
        "tolerance": asked.tolerance,
        "priority": asked.priority,
    }
    if isinstance(asked, OrientationGoal):
        return Orientation(target=rotation_of(asked.quaternion, "quaternion"), **weighted)
    if isinstance(asked, DirectionGoal):
        return Direction(axis=np.array(asked.axis), target=np.array(asked.direction), **weighted)
    if isinstance(asked, LookAtGoal):
        return LookAt(axis=np.array(asked.axis), target=np.array(asked.point), **weighted)
    return Position(target=np.array(asked.position), **weighted)


def configuration(model: Model, given: Start | None, name: str) -> Array | None:
    """q [nq] of numbers, or of joints by name on top of the neutral configuration."""
    if given is None:
        return None
    if isinstance(given, list):
        if len(given) != model.nq:
            raise ConfigurationError(f"`{name}` needs {model.nq} numbers, found {len(given)}")
        return np.array(given)
    q, names = model.neutral.copy(), coordinate_names(model)
    for joint, value in given.items():
        if joint not in names:
            hint = did_you_mean(joint, names)
            raise ConfigurationError(f"`{name}`: {model.name!r} has no {joint!r}; {hint}")
        q[names.index(joint)] = value
    return q


def pose_of(asked: Placed, name: str) -> Matrix4:
    """[4, 4]"""
    return pose_from(rotation_of(asked.quaternion, f"the quaternion of `{name}`"), np.array(asked.position))


def rotation_of(quaternion: Quaternion, name: str) -> Matrix3:
    """[3, 3]; raises GoalError for a quaternion of no length."""
    if not math.hypot(*quaternion) > SHORTEST:
        raise GoalError(f"{name} needs a length above {SHORTEST:g}, found {list(quaternion)}")
    return quat_to_matrix(quat_normalise(np.array(quaternion)))


def placed(pose: Matrix4) -> Placed:
    """A pose as a message."""
    position: Vector = tuple(pose[:3, 3].tolist())
    turn: Quaternion = tuple(quat_from_matrix(pose[:3, :3]).tolist())
    return Placed(position=position, quaternion=turn)


def _options(model: Model, request: Solvable) -> dict[str, Any]:
    return {
        "start": configuration(model, request.start, "start"),
        "limits": request.limits,
        "seed": request.seed,
        "time_limit": request.time_limit,
    }
