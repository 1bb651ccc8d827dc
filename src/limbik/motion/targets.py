"""Reads the targets that a caller passes to a tracker's step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from limbik.errors import GoalError, members_of, shortened
from limbik.goals import CenterOfMass, Goal, Pose, Position
from limbik.model.model import Model
from limbik.motion.state import AS_BEFORE, AS_POSE, AS_TARGET
from limbik.solvers.task_set import fill_targets, refuse_too_far
from limbik.spatial import Array
from limbik.tree.residuals import TARGET_SIZE

FLOAT64 = np.dtype(np.float64)
TARGET_FIELDS = ("target", "value", "q", "point")  # one of them is what a goal is brought to


class Targets:
    """The numbers that a step reads [tasks, 16], and the goals that they belong to.

    goals: in the order of the goals. order: their indices, the first level first.
    """

    def __init__(self, model: Model, goals: Sequence[Goal], order: Sequence[int], tasks: int) -> None:
        self.inputs = np.zeros((tasks, 16))
        self.forms = np.zeros(tasks)
        self._slots: list[_Slot] = [_Slot(model, goal) for goal in goals]
        row = 0
        for index in order:
            row = self._slots[index].begin_at(row, self.inputs, self.forms)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals with their targets of now."""
        return tuple(slot.goal for slot in self._slots)

    @property
    def writer(self) -> Callable[[Any], None]:
        """Takes the targets of a step: that of the only goal, or one for each goal in the order in which they
        were given, where None leaves one as it is.
        """
        return self._slots[0].write_only if len(self._slots) == 1 else self._write

    def _write(self, targets: Any) -> None:
        count = len(self._slots)
        if type(targets) is not list:
            targets = members_of(targets, "`targets`", GoalError, f"{count} of them, one for each goal")
        if len(targets) != count:
            raise GoalError(f"`targets` needs {count}, one for each goal, found {len(targets)}")
        for slot, target in zip(self._slots, targets, strict=True):
            if target is not None:
                slot.write(target)

    def repair(self, row: int) -> None:
        """Make a pose of numbers that are one up to rounding, where the task of that row reads them.

        Raises GoalError for numbers that mean nothing, or are beyond all measure.
        """
        next(slot for slot in self._slots if row in slot.rows).repair()

    def restore(self, read: Array) -> None:
        """Take back what has been written since targets [tasks, 12] were read."""
        for slot in self._slots:
            slot.restore(read[slot.rows.start : slot.rows.stop])


class _Slot:
    """One goal, and the rows that its target fills."""

    def __init__(self, model: Model, goal: Goal) -> None:
        self.model = model
        self.made = goal
        self._field = next(name for name in TARGET_FIELDS if name in {field.name for field in fields(goal)})
        self.is_pose = isinstance(goal, Pose) and all(goal.weights or (1.0,))
        is_point = isinstance(goal, Position | CenterOfMass) and goal.target.size == 3
        self._shape = (4, 4) if self.is_pose else (3,) if is_point else None

    def begin_at(self, row: int, rows: Array, forms: Array) -> int:
        """Take rows from this one on; returns the first that is left."""
        count = sum(1 for _ in self.made.targets(self.model))
        self.rows = range(row, row + count)
        if self.is_pose:
            forms[row], forms[row + 1] = AS_POSE, AS_BEFORE
            self.numbers = rows[row].reshape(4, 4)
        else:
            forms[row : row + count] = AS_TARGET
            self.numbers = rows[row, :3]
        self._whole = rows[row : row + count, :TARGET_SIZE]
        self._write_goal(self.made)
        return row + count

    @property
    def goal(self) -> Goal:
        """With its target of now."""
        if self._shape is None or np.array_equal(self.numbers, getattr(self.made, self._field)):
            return self.made
        self.made = self._with(self.numbers.copy())
        return self.made

    def write_only(self, value: Any) -> None:
        """Take the target of the only goal, which may be the only one in a list."""
        if type(value) is np.ndarray and value.shape == self._shape and value.dtype is FLOAT64:
            self.numbers[...] = value
        else:
            self.write(value[0] if type(value) in (list, tuple) and len(value) == 1 else value)

    def write(self, value: Any) -> None:
        """Take a target: a goal like this one, or what it is to be brought to."""
        if type(value) is np.ndarray and value.shape == self._shape and value.dtype is FLOAT64:
            self.numbers[...] = value
        else:
            goal = value if isinstance(value, Goal) else self._with(value)
            if goal.structure != self.made.structure:
                list(goal.tasks(self.model))  # which says what is wrong with numbers that are too many or few
                raise GoalError(
                    f"a tracker changes the targets of its goals and nothing else: it needs {self._named}, "
                    f"found {shortened(value)}"
                )
            self._write_goal(goal)

    def repair(self) -> None:
        """Write what the goal makes of its numbers."""
        if self._shape is not None:
            self._write_goal(self._with(self.numbers.copy()))
        refuse_too_far(self._whole)

    def restore(self, read: Array) -> None:
        """Write the numbers of its targets [tasks, 12]."""
        if self.is_pose:
            self.numbers[:3, 3], self.numbers[:3, :3] = read[0, :3], read[0, 3:].reshape(3, 3)
            self.numbers[3] = 0.0, 0.0, 0.0, 1.0
        else:
            self._whole[...] = read

    def _with(self, value: Any) -> Goal:
        changed: Goal = replace(self.made, **{self._field: value})
        return changed

    def _write_goal(self, goal: Goal) -> None:
        self.made = goal
        if self.is_pose:
            self.numbers[...] = getattr(goal, self._field)
        else:
            fill_targets(self.model, [goal], self._whole)

    @property
    def _named(self) -> str:
        return f"a {type(self.made).__name__} like the one that it was made with"
