"""`TaskSet`: goals packed for the kernels of trees: tasks, levels, units, sizes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from limbik.compiler.call import never
from limbik.compiler.kernel import Floats, Records
from limbik.errors import GoalError
from limbik.goals import Goal, Pose, Position, frames_of
from limbik.goals.task import IDENTITY, LENGTHS, MASS, NUMBER
from limbik.model.joints import Joint
from limbik.model.model import Model
from limbik.request import FARTHEST_TARGET, Request
from limbik.solvers.bounds import bounds_of_point
from limbik.solvers.checked_options import Options, check_locked
from limbik.solvers.tasks import TaskMaker
from limbik.spatial import Array, Matrix4
from limbik.tree.joints import PRISMATIC, REVOLUTE, SPHERICAL
from limbik.tree.pack import WORLD, PackedTree, tree_of
from limbik.tree.residuals import TARGET_SIZE
from limbik.tree.settings import BUDGET, LENGTH, RESTARTS, USE_LIMITS
from limbik.tree.workspace import Objectives, Tree

UnitsOf: TypeAlias = Callable[[Model, Array], Array]  # `Solver.units`

SHORTEST_LENGTH = 1e-9  # [m]
AS_TARGET = np.array([3, 7, 11, 0, 1, 2, 4, 5, 6, 8, 9, 10])  # of a pose's 16 numbers: origin, rotation
NO_ROTATION = IDENTITY.reshape(9)
NO_MASS = np.array([0.0, 0.0, 0.0, -1.0])  # nobody asks where the centre of mass is


class TaskSet:
    """The tasks of goals, the highest priority first, and the tree in the units of a method.

    length [m]: in which errors of position are counted; by default that of the model. units: what a method
    makes of the units of velocities.
    """

    def __init__(
        self,
        model: Model,
        goals: Sequence[Goal],
        options: Options,
        length: float | None = None,
        units: UnitsOf | None = None,
    ) -> None:
        self.model, self.options = model, options
        self.order = sorted(range(len(goals)), key=lambda k: goals[k].priority)
        ordered = [goals[k] for k in self.order]
        self.packed = tree_of(model)
        of_model = _length(self.packed, model, ordered, options.tool_pose) if length is None else length
        self.length = of_model  # [m]
        request = self.request(tuple(ordered))
        maker = TaskMaker(
            model, self.packed, self.length, options.tolerance, options.tolerance_rotation, options.tool_pose,
            functools.partial(bounds_of_point, request),
        )  # fmt: skip
        self.tasks, level_tasks, level_rows = maker.tasks(ordered)
        self.levels = level_tasks, level_rows
        self.in_metres = _in_metres(self.tasks, self.packed)[: int(level_tasks[1])].tolist()  # first level
        own = self._units()
        asks_mass = (self.tasks["kind"] == MASS).any()
        self.tree = Tree(
            self.packed.links,
            self.packed.movers,
            own if units is None else units(model, own),
            self.packed.fixed_mass if asks_mass else NO_MASS,
        )
        self.sizes = {
            "n_links": len(self.packed.links), "nq": model.nq, "nv": model.nv, "n_rows": int(level_rows[-1]),
            "n_tasks": len(self.tasks), "n_levels": len(level_rows) - 1,
        }  # fmt: skip

    def fill(self, goals: Sequence[Goal], targets: Floats) -> None:
        """Write the numbers of goals of this structure. Raises GoalError for one beyond all measure."""
        fill_targets(self.model, [goals[k] for k in self.order], targets)
        if not np.vdot(targets, targets) <= FARTHEST_TARGET**2:  # the common case, quickly
            refuse_too_far(targets)

    def request(self, goals: tuple[Goal, ...]) -> Request:
        """Goals of this structure with the options."""
        return Request(model=self.model, goals=goals, solver="lm", options=self.options.explicit)

    def targets(self) -> Array:
        """Zeros for the targets of all tasks [tasks, 12]."""
        return np.zeros((len(self.tasks), TARGET_SIZE))

    def objectives(self, targets: Array) -> Objectives:
        """The tasks with targets, as kernels take them."""
        return Objectives(self.tasks, targets, *self.levels, never)

    def settings(self, size: int) -> Array:
        """So many settings; those that are common to all methods are set."""
        settings = np.zeros(size)
        settings[BUDGET] = self.options.budget
        settings[RESTARTS] = self.options.restarts_over(self.free_joints())
        settings[USE_LIMITS] = self.options.limits
        settings[LENGTH] = self.length
        return settings

    def free_joints(self) -> list[Joint]:
        """The joints that may serve the goals."""
        joints = [joint for joint in self.model.joints if joint.nv]
        return [joint for joint in joints if self.tree.units[self.model.v_slice(joint.name).start] > 0.0]

    def _units(self) -> Array:
        tree = self.packed
        units = np.zeros(self.model.nv)  # what moves no goal's frame keeps still
        for index in _moving(self.tasks, tree):
            link = tree.links[index]
            size = 3 if link["kind"] == SPHERICAL else 1
            units[link["v"] : link["v"] + size] = self.length if link["kind"] == PRISMATIC else 1.0
        check_locked(self.model, self.options.locked)
        for name in self.options.locked:
            units[self.model.v_slice(name)] = 0.0
        return units


def _length(tree: PackedTree, model: Model, goals: Sequence[Goal], tool: Matrix4) -> float:
    """[m] The longest reach of the model's links and the goals' frames, from the first joint; 1 where nothing
    has a length.
    """
    lengths = np.zeros(len(tree.links) + 1)  # the world's last
    for k, link in enumerate(tree.links):
        if link["parent"] != WORLD:
            lengths[k] = lengths[link["parent"]] + np.linalg.norm(link["translation"])
    frames = (model.end_effector if frame is None else frame for frame in frames_of(goals))
    ends = [*tree.link_poses.values(), *(tree.attachment(model, frame) for frame in frames)]
    held = float(np.linalg.norm(tool[:3, 3]))
    reaches = [lengths[link] + float(np.linalg.norm(pose[:3, 3])) for link, pose in ends if link != WORLD]
    longest = max(reaches, default=0.0)
    return longest + held if longest + held > SHORTEST_LENGTH else 1.0


def _moving(tasks: Records, tree: PackedTree) -> set[int]:
    """Indices of the links whose joints move the frames of the tasks."""
    indices: set[int] = set()
    for task in tasks:
        if task["kind"] == MASS:
            return set(range(len(tree.links)))
        if task["kind"] == NUMBER:
            indices.add(int(task["link"]))
            continue
        for link in (int(task["link"]), int(task["reference"])):
            while link != WORLD:
                indices.add(link)
                link = int(tree.links[link]["parent"])
    return indices


def _in_metres(tasks: Records, tree: PackedTree) -> NDArray[np.bool_]:
    """Which tasks are off by metres, not by radians."""
    kinds = tasks["kind"]
    is_prismatic = np.array(
        [
            kind == NUMBER and tree.links[task["link"]]["kind"] != REVOLUTE
            for kind, task in zip(kinds, tasks, strict=True)
        ]
    )
    return np.isin(kinds, LENGTHS) | is_prismatic


def fill_targets(model: Model, goals: Iterable[Goal], targets: Floats) -> None:
    """Write the numbers of all tasks [tasks, 12], in the order of `TaskMaker.tasks`."""
    row = 0
    for goal in goals:
        if type(goal) is Position and goal.target.size == 3:  # the common cases, quickly
            targets[row, :3], targets[row, 3:] = goal.target, NO_ROTATION
            row += 1
            continue
        if type(goal) is Pose and goal.weights is None:
            goal.target.take(AS_TARGET, out=targets[row])
            targets[row + 1] = targets[row]
            row += 2
            continue
        for point, rotation in goal.targets(model):
            targets[row, : point.size] = point
            targets[row, point.size : 3] = 0.0
            targets[row, 3:] = rotation.reshape(9)
            row += 1


def refuse_too_far(targets: Array) -> None:
    """Raise GoalError for a target beyond all measure; one that is not finite is told elsewhere."""
    for value in targets.ravel().tolist():
        if FARTHEST_TARGET < abs(value) < math.inf:
            raise GoalError(f"a target needs numbers up to {FARTHEST_TARGET:g} [m or rad], found {value:g}")
