"""`Service`: answers requests by the library; used by HTTP, MoveIt and rosbridge."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbik import Direction, JointValue, LookAt, Model, Orientation, Pose, Position
from limbik.errors import ConfigurationError, GoalError, did_you_mean
from limbik.formats.motion_csv import coordinate_names
from limbik.goals import Goal
from limbik.request import clipped
from limbik.service import messages
from limbik.service.arrays import SHORTEST, poses_of_rows
from limbik.service.groups import JointGroup, group_of, groups_of, locked_for
from limbik.service.messages import (
    EMPTY,
    AnyGoal,
    ArrayRequest,
    CheckAnswer,
    CheckRequest,
    DirectionGoal,
    ForwardAnswer,
    ForwardRequest,
    InWorld,
    JointGoal,
    LookAtGoal,
    OrientationGoal,
    PathAnswer,
    PathBreak,
    PathRequest,
    PoseGoal,
    PoseInWorld,
    Quaternion,
    RobotAnswer,
    RobotRequest,
    Solvable,
    SolveAllAnswer,
    SolveAllRequest,
    SolveAnswer,
    SolveBatchAnswer,
    SolveBatchRequest,
    SolveRequest,
    Start,
    WorldAnswer,
)
from limbik.service.plain import all_data, data, finite, units
from limbik.service.robots import Robots, ServedRobot
from limbik.service.worlds import Worlds
from limbik.solution import BatchSolution
from limbik.spatial import (
    Array,
    Matrix3,
    Matrix4,
    pose_from,
    quat_from_matrix,
    quat_normalise,
    quat_to_matrix,
)


class Service:
    """Answers requests about robots; may be used by any number of threads.

    Every method raises a LimbikError for what cannot be answered: a robot, frame or joint that is not there,
    numbers of another count, a quaternion of no length.
    """

    def __init__(self) -> None:
        self._robots, self._worlds = Robots(), Worlds()

    def robots(self) -> list[str]:
        """The names of robots; "planar-3" and so on are there, too."""
        return self._robots.names()

    def robot(self, name: str) -> RobotAnswer:
        """What a robot is like."""
        return _described(name, self._robots.robot(name))

    def put_robot(self, name: str, request: RobotRequest) -> RobotAnswer:
        """Keep a robot under a name."""
        return _described(name, self._robots.put(name, request))

    def remove_robot(self, name: str) -> None:
        """Forget a robot that was put there."""
        self._robots.remove(name)

    def worlds(self) -> list[str]:
        """The names of worlds."""
        return self._worlds.names()

    def world(self, name: str) -> WorldAnswer:
        """What stands in a world."""
        return WorldAnswer(name=name, objects=list(self._worlds.world(name).names))

    def put_world(self, name: str, document: Mapping[str, Any]) -> WorldAnswer:
        """Keep a world under a name."""
        return WorldAnswer(name=name, objects=list(self._worlds.put(name, document).names))

    def remove_world(self, name: str) -> None:
        """Forget a world."""
        self._worlds.remove(name)

    def solve(self, request: SolveRequest) -> SolveAnswer:
        """A configuration that meets goals, or why there is none."""
        model, srdf = self._robots.robot(request.robot)
        goals: Any = [goal_of(each) for each in request.goals]
        locked, options = list(request.locked), self._options(model, request)
        if request.group is not None:
            group = group_of(model, srdf, request.group)
            goals = [_at_tip(goal, group) for goal in goals]
            others = locked_for(model, group, [goal.frame or model.end_effector for goal in goals])
            if request.limits and options.get("start") is not None:
                options["start"] = clipped(model, options["start"], set(others) - set(locked))
            locked += others
        solution = model.solve(
            goals,
            solver=request.solver,
            mode=request.mode,
            locked=locked,
            limits=request.limits,
            tolerance=request.tolerance,
            tolerance_rotation=request.tolerance_rotation,
            **options,
        )
        result = data(model, solution)
        del result["robot"]
        return SolveAnswer(explanation=str(solution.explain()), **result)

    def solve_all(self, request: SolveAllRequest) -> SolveAllAnswer:
        """All configurations for a pose."""
        model = self._robots.robot(request.robot).model
        answers = model.solve_all(
            Pose(target=pose_of(request.pose, "pose"), frame=request.frame),
            limits=request.limits,
            **self._options(model, request),
        )
        result = all_data(model, answers)
        del result["robot"]
        return SolveAllAnswer(explanation=answers.explain(), **result)

    def solve_batch(self, request: SolveBatchRequest) -> SolveBatchAnswer:
        """A configuration for each of many poses."""
        model = self._robots.robot(request.robot).model
        result = self._batch(request, poses_of(request.poses))
        return SolveBatchAnswer(
            names=coordinate_names(model),
            q=result.q.tolist(),
            success=result.success.tolist(),
            errors=[
                messages.RemainingError(position=position, rotation=rotation)
                for position, rotation in zip(
                    result.error.tolist(), result.error_rotation.tolist(), strict=True
                )
            ],
            time=result.time,
        )

    def solve_array(self, request: ArrayRequest, poses: Array) -> dict[str, NDArray[Any]]:
        """The same for poses [N, 4, 4] that are numbers already, by name."""
        result = self._batch(request, poses)
        return {
            "q": result.q,
            "success": result.success,
            "error": result.error,
            "error_rotation": result.error_rotation,
        }

    def path(self, request: PathRequest) -> PathAnswer:
        """Configurations along poses."""
        model = self._robots.robot(request.robot).model
        result = model.solve_path(
            poses_of(request.poses),
            frame=request.frame,
            max_step=request.max_step,
            deviation=(request.deviation[0], request.deviation[1]),
            **self._options(model, request),
        )
        return PathAnswer(
            complete=result.complete,
            explanation=result.explain(),
            names=coordinate_names(model),
            q=result.q.tolist(),
            position=result.position.tolist(),
            times=None if result.times is None else result.times.tolist(),
            breaks=[
                PathBreak(begin=each.begin, end=each.end, reason=each.reason.value, joints=list(each.joints))
                for each in result.breaks
            ],
            deviation=list(result.deviation),
        )

    def check(self, request: CheckRequest) -> CheckAnswer:
        """Whether configurations are free of collision: of the robot itself where no world is named."""
        model = self._robots.robot(request.robot).model
        world = self._worlds.world(request.world or EMPTY)
        answer = CheckAnswer(free=[], distance=[], pairs=[])
        for k, each in enumerate(request.q):
            q = configuration(model, each, f"q[{k}]")
            assert q is not None, "each is a configuration"
            result = model.check(q, world, clearance=request.clearance)
            answer.free.append(bool(result.is_free))
            answer.distance.append(finite(result.distance))
            answer.pairs.append(None if result.pair is None else list(result.pair))
        return answer

    def forward(self, request: ForwardRequest) -> ForwardAnswer:
        """Where frames are."""
        model = self._robots.robot(request.robot).model
        q = configuration(model, request.q, "q")
        assert q is not None, "q is required"
        frames = [model.end_effector] if request.frames is None else request.frames
        return ForwardAnswer(poses={frame: placed(model.pose(q, frame)) for frame in frames})

    def _batch(self, request: SolveBatchRequest | ArrayRequest, poses: Array) -> BatchSolution:
        model = self._robots.robot(request.robot).model
        return model.solve_batch(
            poses, frame=request.frame, limits=request.limits, **self._options(model, request)
        )

    def _options(self, model: Model, request: Solvable | ArrayRequest) -> dict[str, Any]:
        return {
            "start": configuration(model, request.start, "start"),
            "seed": request.seed,
            "time_limit": request.time_limit,
            **self._in_world(request),
        }

    def _in_world(self, request: InWorld) -> dict[str, Any]:
        if request.world is None:  # a clearance without one is refused
            return {"clearance": request.clearance} if request.clearance else {}
        return {"world": self._worlds.world(request.world), "clearance": request.clearance}


def goal_of(message: AnyGoal) -> Goal:
    """The goal that a message means."""
    if isinstance(message, JointGoal):
        return JointValue(
            joint=message.joint,
            value=message.value,
            weight=message.weight,
            tolerance=message.tolerance,
            priority=message.priority,
        )
    if isinstance(message, PoseGoal):
        return Pose(
            target=pose_from(rotation_of(message.quaternion, "quaternion"), np.array(message.position)),
            frame=message.frame,
            weights=None if message.weights is None else tuple(message.weights),
            tolerance=None if message.tolerance is None else tuple(message.tolerance),
            priority=message.priority,
        )
    weighted: dict[str, Any] = {
        "frame": message.frame,
        "weight": message.weight,
        "tolerance": message.tolerance,
        "priority": message.priority,
    }
    if isinstance(message, OrientationGoal):
        return Orientation(target=rotation_of(message.quaternion, "quaternion"), **weighted)
    if isinstance(message, DirectionGoal):
        return Direction(axis=np.array(message.axis), target=np.array(message.direction), **weighted)
    if isinstance(message, LookAtGoal):
        return LookAt(axis=np.array(message.axis), target=np.array(message.point), **weighted)
    return Position(target=np.array(message.position), **weighted)


def configuration(model: Model, sent: Start | None, name: str) -> Array | None:
    """q [nq] of numbers, or of joints by name on top of the neutral configuration."""
    if sent is None:
        return None
    if isinstance(sent, list):
        if len(sent) != model.nq:
            raise ConfigurationError(f"`{name}` needs {model.nq} numbers, found {len(sent)}")
        return np.array(sent)
    q, names = model.neutral.copy(), coordinate_names(model)
    for joint, value in sent.items():
        if joint not in names:
            hint = did_you_mean(joint, names)
            raise ConfigurationError(f"`{name}`: {model.name!r} has no {joint!r}; {hint}")
        q[names.index(joint)] = value
    return q


def pose_of(message: PoseInWorld, name: str) -> Matrix4:
    """[4, 4]"""
    return pose_from(
        rotation_of(message.quaternion, f"the quaternion of `{name}`"), np.array(message.position)
    )


def poses_of(message: list[PoseInWorld]) -> Array:
    """[N, 4, 4]"""
    return poses_of_rows(np.array([(*each.position, *each.quaternion) for each in message]).reshape(-1, 7))


def rotation_of(quaternion: Quaternion, name: str) -> Matrix3:
    """[3, 3]; raises GoalError for a quaternion of no length."""
    if not math.hypot(*quaternion) > SHORTEST:
        raise GoalError(f"{name} needs a length above {SHORTEST:g}, found {list(quaternion)}")
    return quat_to_matrix(quat_normalise(np.array(quaternion)))


def placed(pose: Matrix4) -> PoseInWorld:
    """A pose as a message."""
    return PoseInWorld(position=pose[:3, 3].tolist(), quaternion=quat_from_matrix(pose[:3, :3]).tolist())


def _described(name: str, robot: ServedRobot) -> RobotAnswer:
    model, srdf = robot
    return RobotAnswer(
        name=name,
        names=coordinate_names(model),
        units=units(model),
        lower=[finite(value) for value in model.lower],
        upper=[finite(value) for value in model.upper],
        neutral=model.neutral.tolist(),
        frames=list(model.frame_names),
        end_effector=model.end_effector,
        groups={} if srdf is None else groups_of(model, srdf),
    )


def _at_tip(goal: Goal, group: JointGroup) -> Goal:
    """The goal, at the tip of a group where it names no frame."""
    if goal.frame is not None or isinstance(goal, JointValue):
        return goal
    if group.tip is None:
        raise GoalError(f"group {group.name!r} branches: each goal needs a frame")
    return replace(goal, frame=group.tip)
