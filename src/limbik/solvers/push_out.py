"""Pushes configurations out of collision for the goals of a request (`collision.push`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbik.collision.checker import Checker
from limbik.collision.nearest import ALL, RESULT_SIZE
from limbik.collision.programs import pushes
from limbik.collision.push import CLEARANCE, HORIZON, OUT, USE_LIMITS, Push
from limbik.compiler.arrays import zeros
from limbik.compiler.call import Call, never
from limbik.compiler.kernel import Watch
from limbik.model.slots import Slot
from limbik.numerics.min_norm_step import Multipliers
from limbik.request import Request
from limbik.solvers.checked_options import hashable, read_options
from limbik.solvers.task_set import TaskSet
from limbik.spatial import Array
from limbik.tree.workspace import Workspace

_TASKS: Slot[dict[Any, TaskSet]] = Slot()  # by goals and options
MAX_SETS = 64
FIRST_PAIRS = 64  # that there are rows for, until more are near
MAX_PAIRS = 1024  # a step takes as the square of their count: 20 ms for these
OF_GOALS = ("locked", "tool", "tolerance", "tolerance_rotation", "limits")


class PushOut:
    """Pushes configurations of one request out of collision.

    moving [nv]: what may move.
    """

    def __init__(self, request: Request, checker: Checker, clearance: float, moving: Array) -> None:
        self._tasks = _tasks_of(request)
        tree = self._tasks.tree._replace(units=moving * _all_units(self._tasks))  # in which only that moves
        targets = self._tasks.targets()
        self._tasks.fill(request.goals, targets)
        self._goals = tree, self._tasks.objectives(targets)
        self._search = checker.search
        self._clearance = clearance
        self._is_limited = bool(request.options.get("limits", True))
        self._grow(FIRST_PAIRS)

    def push(self, q: Array, watch: Watch = never) -> Array | None:
        """A configuration [nq] near one that meets the goals, where nothing is in collision and the goals are
        nearly met; None where the path there is barred, or so much is near that steps take too long.
        """
        while True:
            with self._search.lock:
                self._push.q[:] = q
                self._search.settings[:] = ALL, self._clearance + HORIZON, False, True
                end = self._call.run(watch)
            if end <= OUT:
                return self._push.q.copy() if end == OUT else None
            if end > MAX_PAIRS:
                return None
            self._grow(min(2 * end, MAX_PAIRS))

    def _grow(self, pairs: int) -> None:
        """Arrays for so many near pairs."""
        sizes = {**self._tasks.sizes, "n_inequalities": pairs + 2 * self._tasks.model.nv}
        search, results = self._search, np.zeros((pairs, RESULT_SIZE))
        self._push = zeros(Push, sizes)
        self._push.settings[[CLEARANCE, USE_LIMITS]] = self._clearance, self._is_limited
        self._call = Call(
            pushes(), *self._goals, zeros(Workspace, sizes), search.shapes, search.poses, search.pairs,
            search.settings, search.workspace, search.scratch, results, np.zeros((pairs, sizes["nv"])),
            self._push, zeros(Multipliers, sizes),
        )  # fmt: skip


def _tasks_of(request: Request) -> TaskSet:
    """Made once for goals of this structure, and cached with the model."""
    options = hashable({name: value for name, value in request.options.items() if name in OF_GOALS})
    sets = _TASKS.of(request.model, dict)
    key = tuple(goal.structure for goal in request.goals), tuple(options.items())
    if key not in sets:
        if len(sets) >= MAX_SETS:
            sets.clear()
        sets[key] = TaskSet(request.model, request.goals, read_options(options))
    return sets[key]


def _all_units(tasks: TaskSet) -> Array:
    """In which every velocity is counted [nv], also of joints that move no goal's frame."""
    units = np.ones(tasks.model.nv)
    for each in tasks.model.coordinates:
        units[each.v] = tasks.length if each.is_length else 1.0
    return units
