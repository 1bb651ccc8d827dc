"""Converts goals to the task records that the kernels of the general core read (`tree.residuals`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from limbik.compiler.kernel import Floats, Records
from limbik.errors import GoalError, did_you_mean
from limbik.goals import Goal, Position, axes_of
from limbik.goals.task import AIM, AXIS, DISTANCE, LENGTHS, MASS, NUMBER, POINT, Task
from limbik.model.chain import chain_to
from limbik.model.joints import SCALAR
from limbik.model.model import Model
from limbik.model.reach_bounds import ReachBounds, normal_of_plane
from limbik.spatial import Matrix4
from limbik.tree.joints import REVOLUTE
from limbik.tree.pack import WORLD, PackedTree
from limbik.tree.residuals import NO_BOUND, TASK

METRES_PER_RADIAN = 0.5  # of the length: how much a turn counts beside a distance in the descent
UP = np.array([0.0, 0.0, 1.0])
UPRIGHT = 1.0 - 1e-12  # the smallest cosine of an axis with the vertical


@dataclass(frozen=True, eq=False)
class TaskMaker:
    """Makes the records of the tasks of goals for one model.

    length [m]: errors of position are counted in it. tool: pose of a tool in the end effector, or in the
    frame of a goal that is the only one.
    """

    model: Model
    tree: PackedTree
    length: float
    tolerance: float  # [m] within which a task is met
    tolerance_rotation: float  # [rad]
    tool: Matrix4
    # Of the frame of a goal that asks for one point: where it can be; by default that is not known.
    bounds_of: Callable[[Goal], ReachBounds | None] = lambda _: None

    def tasks(self, goals: Sequence[Goal]) -> tuple[Records, Floats, Floats]:
        """The TASK records of goals in the order of their priorities; where the tasks, and the rows, of each
        level begin [levels + 1].
        """
        records: list[Records] = []
        counts: dict[int, tuple[int, int]] = {}
        row = 0
        for goal in goals:
            for record in self._records(goal, is_only=len(goals) == 1):
                record["row"] = row
                row += _rows(record)
                records.append(record)
            counts[goal.priority] = len(records), row
        ends = np.array([(0, 0), *counts.values()], dtype=np.float64)
        return np.concatenate(records), ends[:, 0].copy(), ends[:, 1].copy()

    def _records(self, goal: Goal, *, is_only: bool) -> Iterator[Records]:
        if isinstance(goal, Position) and goal.target.size == 2:
            if not any(axes_of(goal.weight)[:2]):
                raise GoalError("the weight of a point of 2 numbers needs a number other than 0 for x or y")
            check_level(self.model, goal)
        for task in goal.tasks(self.model):
            if not any(task.weights):
                continue
            if task.kind == MASS:
                yield self._of_mass(goal, task)
            elif task.coordinate is not None:
                yield self._of_coordinate(task)
            elif task.joint is not None:
                yield self._of_joint(goal, task)
            else:
                yield self._of_frame(goal, task, is_only)

    def _of_frame(self, goal: Goal, task: Task, is_only: bool) -> Records:
        frame = self.model.end_effector if goal.frame is None else goal.frame
        link, pose = self.tree.attachment(self.model, frame)
        if is_only or frame == self.model.end_effector:
            pose = pose @ self.tool
        reference, seen_from = WORLD, np.eye(4)
        if goal.reference_frame is not None:
            reference, seen_from = self.tree.attachment(self.model, goal.reference_frame)
        if link == reference:
            beside, where = "", "before it"
            if goal.reference_frame is not None:
                beside, where = f" beside {goal.reference_frame!r}", "between"
            raise GoalError(
                f"frame {frame!r} of model {self.model.name!r} cannot move{beside}: no joint lies {where}"
            )
        record = _record(task)
        record["link"], record["pose"] = link, _numbers(pose)
        record["reference"], record["reference_pose"] = reference, _numbers(seen_from)
        self._count(record, is_length=task.kind in LENGTHS)
        bounds = self.bounds_of(goal) if task.kind == POINT and all(task.weights) else None
        if bounds is not None:
            record["center"], record["min_reach"] = bounds.origin, bounds.min_reach
            record["max_reach"] = min(bounds.max_reach, NO_BOUND)
            record["normal"] = 0.0 if bounds.normal is None else bounds.normal
        return record

    def _of_mass(self, goal: Goal, task: Task) -> Records:
        if not self.model.masses:
            raise GoalError(
                f"{type(goal).__name__} needs a model with masses, which {self.model.name!r} has not"
            )
        record = _record(task)
        record["link"] = record["reference"] = WORLD
        record["reference_pose"] = _numbers(np.eye(4))
        self._count(record, is_length=True)
        return record

    def _of_joint(self, goal: Goal, task: Task) -> Records:
        """The value of a revolute or prismatic joint, which may follow another."""
        name = task.joint
        if name not in self.model.joint_names:
            hint = did_you_mean(name, self.model.joint_names)
            raise GoalError(f"model {self.model.name!r} has no joint {name!r}; {hint}")
        joint = self.model.joint(name)
        if joint.kind not in SCALAR:
            kind = type(goal).__name__
            raise GoalError(f"{kind} needs a revolute or prismatic joint; {name!r} is {joint.kind.value}")
        return self._of_link(task, self.tree.joint_links[name], is_periodic=self.model.is_periodic(joint))

    def _of_coordinate(self, task: Task) -> Records:
        """A number of a joint, or its rotation."""
        assert task.coordinate is not None
        name, number = task.coordinate.joint, task.coordinate.number
        last = self.tree.joint_links[name]
        joint = self.model.joint(name)
        if task.kind == NUMBER:
            first = last if joint.kind in SCALAR else last - (joint.nv - 3)
            return self._of_link(task, first + number, is_periodic=task.coordinate.is_periodic)
        record, here = _record(task), self.tree.links[last]
        record["link"], record["pose"] = last, _numbers(np.eye(4))
        record["reference"] = here["parent"]
        record["reference_pose"] = np.concatenate([here["translation"], here["rotation"]])
        self._count(record, is_length=False)
        return record

    def _of_link(self, task: Task, link: int, *, is_periodic: bool) -> Records:
        record, is_revolute = _record(task), self.tree.links[link]["kind"] == REVOLUTE
        record["link"] = link
        record["periodic"] = is_revolute and is_periodic
        self._count(record, is_length=not is_revolute)
        return record

    def _count(self, record: Records, *, is_length: bool) -> None:
        """Count a task's errors in lengths or radians."""
        record["weights"] *= 1.0 / self.length if is_length else METRES_PER_RADIAN
        record["met_within"] = self.tolerance if is_length else self.tolerance_rotation


def check_level(model: Model, goal: Position) -> None:
    """Raise GoalError for a point of two numbers where its frame does not move in a horizontal plane."""
    chain = chain_to(model, goal.frame)
    normal = normal_of_plane(chain) if chain.joints else UP
    if goal.axes == "frame" or normal is None or abs(normal[2]) <= UPRIGHT:
        frame = model.end_effector if goal.frame is None else goal.frame
        raise GoalError(
            "a point of 2 numbers needs an arm in a horizontal plane, and the world's axes; frame "
            f"{frame!r} of {model.name!r} moves in space: give 3 numbers"
        )


def _record(task: Task) -> Records:
    record = np.zeros(1, TASK)
    record["kind"], record["axes"] = task.kind, task.axes
    record["weights"], record["tolerance"] = task.weights, task.tolerance
    record["max_reach"] = NO_BOUND
    if task.axis is not None:
        record["axis"] = task.axis
    return record


def _rows(record: Records) -> int:
    """As `tree.residuals.rows_of`."""
    kind = record["kind"][0]
    if kind in (NUMBER, DISTANCE):
        return 1
    return 2 if kind in (AXIS, AIM) else int(np.count_nonzero(record["weights"]))


def _numbers(pose: Matrix4) -> Floats:
    """A pose as kernels have frames: origin, then the rotation row by row."""
    return np.concatenate([pose[:3, 3], pose[:3, :3].ravel()])
