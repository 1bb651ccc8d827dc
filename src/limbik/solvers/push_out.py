"""Out of collision, with the goals kept: `collision.push`, for the goals of a request."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from limbik.collision.checker import Checker
from limbik.collision.nearest import ALL, RESULT_SIZE
from limbik.collision.programs import pushes
from limbik.collision.push import CLEARANCE, HORIZON, OUT, USE_LIMITS, Push
from limbik.compiler.arrays import zeros
from limbik.compiler.call import Call, never
from limbik.model.slots import Slot
from limbik.numerics.min_norm_step import Multipliers
from limbik.solvers.checked_options import hashable, read_options
from limbik.solvers.request import Request
from limbik.solvers.tasks import fill_targets, structure
from limbik.solvers.tree_plan import TreePlan
from limbik.spatial import Array
from limbik.tree.residuals import TARGET_SIZE
from limbik.tree.settings import SETTINGS_SIZE
from limbik.tree.workspace import Objectives, Tree, Workspace

_PLANS: Slot[dict[Any, _Plan]] = Slot()  # by goals and options
MAX_PLANS = 64
MAX_PAIRS = 64  # until more are near
OF_GOALS = ("locked", "tool", "tolerance", "tolerance_rotation", "limits")


class PushOut:
    """Pushes configurations of one request out of collision.

    moving [nv]: what may move.
    """

    def __init__(self, request: Request, checker: Checker, clearance: float, moving: Array) -> None:
        self._plan = _plan_of(request)
        self._goals = self._plan.tree_of(moving), self._plan.objectives_of(request)
        self._search = checker.search
        self._clearance = clearance
        self._is_limited = bool(request.options.get("limits", True))
        self._make_room(MAX_PAIRS)

    def push(self, q: Array) -> Array | None:
        """A configuration [nq] near one that meets the goals, where nothing is in collision and the goals are
        nearly met; None where the way there is barred.
        """
        while True:
            with self._search.lock:
                self._push.q[:] = q
                self._search.settings[:] = ALL, self._clearance + HORIZON, False, True
                end = self._call.run()
            if end <= OUT:
                return self._push.q.copy() if end == OUT else None
            self._make_room(2 * end)

    def _make_room(self, pairs: int) -> None:
        """Arrays for so many near pairs."""
        sizes = {**self._plan.sizes, "n_inequalities": pairs + 2 * self._plan.model.nv}
        search, results = self._search, np.zeros((pairs, RESULT_SIZE))
        self._push = zeros(Push, sizes)
        self._push.settings[[CLEARANCE, USE_LIMITS]] = self._clearance, self._is_limited
        self._call = Call(
            pushes(), *self._goals, zeros(Workspace, sizes), search.shapes, search.poses, search.pairs,
            search.settings, search.workspace, search.scratch, results, np.zeros((pairs, sizes["nv"])),
            self._push, zeros(Multipliers, sizes),
        )  # fmt: skip


def _plan_of(request: Request) -> _Plan:
    """Made once for goals of this structure, and kept with the model."""
    given = hashable({name: value for name, value in request.options.items() if name in OF_GOALS})
    plans = _PLANS.get(request.model)
    plans = _PLANS.put(request.model, {}) if plans is None else plans
    key = tuple(map(structure, request.goals)), tuple(given.items())
    if key not in plans:
        if len(plans) >= MAX_PLANS:
            plans.clear()
        plans[key] = _Plan(request.model, request.goals, read_options(given), "lm", SETTINGS_SIZE)
    return plans[key]


class _Plan(TreePlan):
    """The tasks of the goals, and the arrays that a push works on."""

    def tree_of(self, moving: Array) -> Tree:
        """The tree, in which only what may move [nv] does."""
        return self.tree._replace(units=moving * self._all_units)

    def objectives_of(self, request: Request) -> Objectives:
        """The goals of a request of the plan's structure."""
        targets = np.zeros((len(self.tasks), TARGET_SIZE))
        fill_targets(self.model, self._sorted(request.goals), targets)
        return Objectives(self.tasks, targets, *self.levels, never)

    @functools.cached_property
    def _all_units(self) -> Array:
        units = np.ones(self.model.nv)
        for each in self.model.coordinates:
            units[each.v] = self.length if each.is_length else 1.0
        return units
