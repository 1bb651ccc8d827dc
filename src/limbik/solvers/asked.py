"""Goals as the tasks of the general kernels (`core.tasks`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from limbik.compiler.kernel import Floats, Records
from limbik.core.pack_tree import WORLD, PackedTree
from limbik.core.spatial_chain import HINGE
from limbik.core.tasks import (
    AIM,
    AXIS,
    MASS,
    NUMBER,
    OF_FRAME,
    OF_REFERENCE,
    OF_TARGET,
    POINT,
    TASK,
    TURN,
)
from limbik.errors import GoalError, did_you_mean
from limbik.goals import (
    ONE6,
    ZERO6,
    CenterOfMass,
    Direction,
    Goal,
    JointValue,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    Relative,
    axes_of,
    cone_of,
    free_axis,
)
from limbik.model.joints import SCALAR, Joint, JointKind
from limbik.model.model import Model
from limbik.spatial import Array, Matrix3, Matrix4, quat_normalise, quat_to_matrix, rotation_between

METRES_PER_RADIAN = 0.5  # of the length: how much a turn counts beside a distance in the descent
STILL = np.eye(3)
HINGES = (JointKind.REVOLUTE, JointKind.CONTINUOUS)
UPRIGHT = 1.0 - 1e-12  # the least cosine of an axis with the vertical
AS_TASK = np.array([3, 7, 11, 0, 1, 2, 4, 5, 6, 8, 9, 10])  # of a pose's 16 numbers: origin, rotation
Target: TypeAlias = tuple[Array, Matrix3]  # of a task: a point or direction [3] or value [1], and a rotation


@dataclass(frozen=True, eq=False)
class Asker:
    """Makes the tasks of goals for one model.

    length [m]: errors of position are counted in it. tool: pose of a tool in the end effector, or in the
    frame of a goal that is the only one.
    """

    model: Model
    tree: PackedTree
    length: float
    tolerance: float  # [m] within which a task is met
    tolerance_rotation: float  # [rad]
    tool: Matrix4

    def tasks(self, goals: Sequence[Goal]) -> tuple[Records, Floats, Floats]:
        """The TASK records of goals in the order of their priorities; where the tasks, and the rows, of each
        level begin [levels + 1].
        """
        records: list[Records] = []
        counts: dict[int, tuple[int, int]] = {}
        row = 0
        for goal in goals:
            for record in self._tasks(goal, is_only=len(goals) == 1):
                record["row"] = row
                row += _rows(record)
                records.append(record)
            counts[goal.priority] = len(records), row
        ends = np.array([(0, 0), *counts.values()], dtype=np.float64)
        return np.concatenate(records), ends[:, 0].copy(), ends[:, 1].copy()

    def _tasks(self, goal: Goal, *, is_only: bool) -> Iterator[Records]:
        kind = type(goal)
        if kind is Posture:
            yield from self._posture(goal)  # type: ignore[arg-type]
        elif kind is JointValue:
            yield self._joint_value(goal)  # type: ignore[arg-type]
        elif kind is CenterOfMass:
            yield self._center_of_mass(goal)  # type: ignore[arg-type]
        else:
            yield from (record for record in self._of_frame(goal, is_only) if record["weights"].any())

    def _of_frame(self, goal: Goal, is_only: bool) -> Iterator[Records]:
        frame = self.model.end_effector if goal.frame is None else goal.frame
        link, pose = self.tree.place(self.model, frame)
        if is_only or frame == self.model.end_effector:
            pose = pose @ self.tool
        if isinstance(goal, Position) and goal.target.size == 2:
            self._check_level(goal, frame)
        reference, seen_from = WORLD, np.eye(4)
        if isinstance(goal, Relative):
            reference, seen_from = self.tree.place(self.model, goal.reference)
        if link == reference:
            beside, where = "", "before it"
            if isinstance(goal, Relative):
                beside, where = f" beside {goal.reference!r}", "between"
            raise GoalError(
                f"frame {frame!r} of model {self.model.name!r} cannot move{beside}: no joint lies {where}"
            )
        for record in _FRAME_TASKS[type(goal)](goal):
            record["link"], record["place"] = link, _numbers(pose)
            record["reference"], record["reference_place"] = reference, _numbers(seen_from)
            is_point = record["kind"][0] == POINT
            record["weights"] *= 1.0 / self.length if is_point else METRES_PER_RADIAN
            record["close"] = self.tolerance if is_point else self.tolerance_rotation
            yield record

    def _check_level(self, goal: Position, frame: str) -> None:
        """A point of two numbers is for frames that only move horizontally."""
        poses = dict(zip(self.model.frame_names, self.model.forward(self.model.neutral), strict=True))
        moving = [joint for joint in self.model.path(frame) if joint.kind is not JointKind.FIXED]
        upright = [abs((poses[joint.child][:3, :3] @ joint.axis)[2]) > UPRIGHT for joint in moving]
        is_level = all(upright) and all(joint.kind in HINGES for joint in moving)
        if not any(axes_of(goal.weight)[:2]):
            raise GoalError("the weight of a point of 2 numbers needs a number other than 0 for x or y")
        if not is_level or goal.axes == "frame":
            raise GoalError(
                "a point of 2 numbers needs an arm in a horizontal plane, and the world's axes; frame "
                f"{frame!r} of {self.model.name!r} moves in space: give 3 numbers"
            )

    def _center_of_mass(self, goal: CenterOfMass) -> Records:
        if not self.model.masses:
            raise GoalError(f"CenterOfMass needs a model with masses, which {self.model.name!r} has not")
        record = _task(MASS, OF_REFERENCE, goal.weight, goal.tolerance)
        record["link"] = record["reference"] = WORLD
        record["reference_place"] = _numbers(np.eye(4))
        record["weights"] /= self.length
        record["close"] = self.tolerance
        return record

    def _joint_value(self, goal: JointValue) -> Records:
        if goal.joint not in self.model.joint_names:
            hint = did_you_mean(goal.joint, self.model.joint_names)
            raise GoalError(f"model {self.model.name!r} has no joint {goal.joint!r}; {hint}")
        joint = self.model.joint(goal.joint)
        if joint.kind not in SCALAR:
            raise GoalError(f"JointValue needs a hinge or a slide; {joint.name!r} is {joint.kind.value}")
        link = self.tree.joint_links[joint.name]
        return self._number(link, goal.weight, goal.tolerance, turns=not joint.has_limits)

    def _number(self, link: int, weight: float, tolerance: float = 0.0, *, turns: bool) -> Records:
        is_hinge = self.tree.links[link]["kind"] == HINGE
        record = _task(NUMBER, OF_REFERENCE, (weight, 0.0, 0.0), (tolerance, 0.0, 0.0))
        record["link"] = link
        record["weights"] *= METRES_PER_RADIAN if is_hinge else 1.0 / self.length
        record["close"] = self.tolerance_rotation if is_hinge else self.tolerance
        record["turns"] = is_hinge and turns
        return record

    def _posture(self, goal: Posture) -> Iterator[Records]:
        if goal.q.size != self.model.nq:
            raise GoalError(f"the q of Posture needs {self.model.nq} numbers (nq), found {goal.q.size}")
        if np.ndim(goal.weight) and np.size(goal.weight) != self.model.nv:
            raise GoalError(
                f"the weight of Posture needs 1 number or {self.model.nv} (nv), found {np.size(goal.weight)}"
            )
        if not self.model.nv:
            raise GoalError(f"Posture needs a model with joints that move, which {self.model.name!r} has not")
        weights = np.broadcast_to(goal.weight, self.model.nv)
        for joint in self.model.joints:
            if joint.nv:
                yield from self._bring_joint(joint, weights[self.model.v_slice(joint.name)])

    def _bring_joint(self, joint: Joint, weights: Array) -> Iterator[Records]:
        """Tasks for all degrees of freedom of a joint, in their order; none where the weight is 0."""
        link = self.tree.joint_links[joint.name]
        slides_or_hinge = weights if joint.kind in SCALAR else weights[:-3]
        first = link - len(slides_or_hinge) + (joint.kind in SCALAR)
        for k, weight in enumerate(slides_or_hinge):
            if weight > 0.0:
                yield self._number(first + k, weight, turns=not joint.has_limits)
        if joint.kind not in SCALAR and weights[-3:].any():
            record = _task(TURN, OF_FRAME, weights[-3:], (0.0,) * 3)
            here = self.tree.links[link]
            record["link"], record["place"] = link, _numbers(np.eye(4))
            record["reference"] = here["parent"]
            record["reference_place"] = np.concatenate([here["translation"], here["rotation"]])
            record["weights"] *= METRES_PER_RADIAN
            record["close"] = self.tolerance_rotation
            yield record


def fill_targets(model: Model, goals: Sequence[Goal], targets: Floats) -> None:
    """Write the numbers of all tasks [tasks, 12], in the order of `Asker.tasks`."""
    row = 0
    for goal in goals:
        if type(goal) is Pose and goal.weights is None:  # the common case, quickly
            goal.target.take(AS_TASK, out=targets[row])
            targets[row + 1] = targets[row]
            row += 2
            continue
        for point, rotation in _TARGETS[type(goal)](model, goal):
            targets[row, :3] = point
            targets[row, 3:] = rotation.reshape(9)
            row += 1


def structure(goal: Goal) -> tuple[Any, ...]:
    """What of a goal decides its tasks, apart from the target's numbers; can be hashed."""
    return (type(goal), goal.frame, goal.priority, *_STRUCTURE[type(goal)](goal))


# ------------------------------------------------------------------------------ goals for one frame, as tasks


def _position_tasks(goal: Position) -> Iterator[Records]:
    weights = axes_of(goal.weight) if goal.target.size == 3 else (*axes_of(goal.weight)[:2], 0.0)
    yield _task(POINT, OF_FRAME if goal.axes == "frame" else OF_REFERENCE, weights, goal.tolerance)


def _orientation_tasks(goal: Orientation) -> Iterator[Records]:
    free = free_axis(axes_of(goal.weight))
    if free is None:
        yield _task(TURN, OF_FRAME if goal.axes == "frame" else OF_REFERENCE, goal.weight, goal.tolerance)
    else:
        axis = STILL[free] if goal.axes == "frame" else goal.target.T[:, free]
        yield _axis_task(AXIS, axis, max(axes_of(goal.weight)), cone_of(axes_of(goal.tolerance), free))


def _pose_tasks(goal: Pose) -> Iterator[Records]:
    weights, tolerance = goal.weights or ONE6, goal.tolerance or ZERO6
    yield _task(POINT, OF_TARGET, weights[:3], tolerance[:3])
    free = free_axis(weights[3:])
    if free is None:
        yield _task(TURN, OF_TARGET, weights[3:], tolerance[3:])
    else:
        yield _axis_task(AXIS, STILL[free], max(weights[3:]), cone_of(tolerance[3:], free))


def _direction_tasks(goal: Direction | LookAt) -> Iterator[Records]:
    kind = AXIS if isinstance(goal, Direction) else AIM
    yield _axis_task(kind, goal.axis, goal.weight, goal.tolerance)


def _line_tasks(goal: PointOnLine) -> Iterator[Records]:
    yield _task(POINT, OF_TARGET, (goal.weight, goal.weight, 0.0), (goal.tolerance,) * 3)


def _plane_tasks(goal: PointOnPlane) -> Iterator[Records]:
    yield _task(POINT, OF_TARGET, (0.0, 0.0, goal.weight), (goal.tolerance,) * 3)


def _task(kind: int, axes: int, weights: Any, tolerance: Any) -> Records:
    record = np.zeros(1, TASK)
    record["kind"], record["axes"], record["weights"], record["tolerance"] = kind, axes, weights, tolerance
    return record


def _axis_task(kind: int, axis: Array, weight: float, cone: float) -> Records:
    record = _task(kind, OF_REFERENCE, (weight, 0.0, 0.0), (cone, 0.0, 0.0))
    record["axis"] = axis
    return record


def _rows(record: Records) -> int:
    """As `core.tasks.rows_of`."""
    kind = record["kind"][0]
    return 1 if kind == NUMBER else 2 if kind in (AXIS, AIM) else int(np.count_nonzero(record["weights"]))


# -------------------------------------------------------------------------------------- numbers of the
# targets


def _frame_targets(model: Model, goal: Any) -> Iterator[Target]:
    """One row for each of the goal's tasks."""
    kind = type(goal)
    if kind is Position:
        yield _target(goal.target if goal.target.size == 3 else np.append(goal.target, 0.0))
    elif kind is Orientation:
        free = free_axis(axes_of(goal.weight))
        if free is None:
            yield _target(np.zeros(3), goal.target)
        else:
            yield _target(goal.target[:, free] if goal.axes == "frame" else STILL[free])
    elif kind in (Direction, LookAt, CenterOfMass):
        yield _target(goal.target)
    elif kind is PointOnLine:
        yield _target(goal.point, _rotation_to(goal.direction))
    elif kind is PointOnPlane:
        yield _target(goal.point, _rotation_to(goal.normal))
    elif kind is JointValue:
        yield _target(np.array([goal.value]))


def _pose_targets(model: Model, goal: Pose) -> Iterator[Target]:
    weights = goal.weights or ONE6
    row = _target(goal.target[:3, 3], goal.target[:3, :3])
    if any(weights[:3]):
        yield row
    free = free_axis(weights[3:])
    if free is not None:
        yield _target(goal.target[:3, free])
    elif any(weights[3:]):
        yield row


def _posture_targets(model: Model, goal: Posture) -> Iterator[Target]:
    weights = np.broadcast_to(goal.weight, model.nv)
    for joint in model.joints:
        if not joint.nv:
            continue
        values, weight = goal.q[model.q_slice(joint.name)], weights[model.v_slice(joint.name)]
        numbers = values if joint.kind in SCALAR else values[:-4]
        for value, each in zip(numbers, weight, strict=False):
            if each > 0.0:
                yield _target(np.array([value]))
        if joint.kind not in SCALAR and weight[-3:].any():
            yield _target(np.zeros(3), quat_to_matrix(quat_normalise(values[-4:])))


def _target(point: Array, rotation: Matrix3 = STILL) -> Target:
    return point, rotation


def _numbers(pose: Matrix4) -> Floats:
    """A pose as frames are kept in kernels: origin, then the rotation row by row."""
    return np.concatenate([pose[:3, 3], pose[:3, :3].ravel()])


def _rotation_to(direction: Array) -> Matrix3:
    """A rotation whose z axis is the direction."""
    return rotation_between(np.array([0.0, 0.0, 1.0]), direction)


_FRAME_TASKS: dict[type[Goal], Callable[[Any], Iterator[Records]]] = {
    Position: _position_tasks,
    Orientation: _orientation_tasks,
    Pose: _pose_tasks,
    Relative: _pose_tasks,
    Direction: _direction_tasks,
    LookAt: _direction_tasks,
    PointOnLine: _line_tasks,
    PointOnPlane: _plane_tasks,
}
_TARGETS: dict[type[Goal], Callable[[Model, Any], Iterator[Target]]] = {
    **dict.fromkeys(
        (Position, Orientation, Direction, LookAt, PointOnLine, PointOnPlane, CenterOfMass, JointValue),
        _frame_targets,
    ),
    Pose: _pose_targets,
    Relative: _pose_targets,
    Posture: _posture_targets,
}
_STRUCTURE: dict[type[Goal], Callable[[Any], tuple[Any, ...]]] = {
    Position: lambda goal: (goal.weight, goal.tolerance, goal.axes, goal.target.size),
    # World axes seen from the target: what is free then belongs to the target's numbers.
    Orientation: lambda goal: (goal.weight, goal.tolerance, goal.axes, _seen_axis(goal)),
    Pose: lambda goal: (goal.weights, goal.tolerance),
    Relative: lambda goal: (goal.weights, goal.tolerance, goal.reference),
    Direction: lambda goal: (goal.weight, goal.tolerance, goal.axis.tobytes()),
    LookAt: lambda goal: (goal.weight, goal.tolerance, goal.axis.tobytes()),
    PointOnLine: lambda goal: (goal.weight, goal.tolerance),
    PointOnPlane: lambda goal: (goal.weight, goal.tolerance),
    CenterOfMass: lambda goal: (goal.weight, goal.tolerance),
    JointValue: lambda goal: (goal.weight, goal.tolerance, goal.joint),
    Posture: lambda goal: (goal.weight, goal.q.size),
}


def _seen_axis(goal: Orientation) -> bytes | None:
    free = free_axis(axes_of(goal.weight))
    return None if free is None or goal.axes == "frame" else goal.target.T[:, free].tobytes()
