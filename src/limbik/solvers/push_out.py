"""Out of collision, with the goals kept: `collision.push`, for the goals of a request."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from limbik.collision import push_entries
from limbik.collision.checker import Checker
from limbik.collision.nearest import ALL
from limbik.collision.programs import pushes
from limbik.collision.push import CLEARANCE, HORIZON, OUT, USE_LIMITS, Push, push_out
from limbik.compiler import native
from limbik.compiler.callables import Arguments
from limbik.model.derived import Slot
from limbik.numerics.least_change import Multipliers
from limbik.solvers.checked_options import hashable, read_options
from limbik.solvers.request import Request
from limbik.solvers.tasks import fill_targets, structure
from limbik.solvers.tree_plan import TreePlan
from limbik.spatial import Array
from limbik.tree.entries import WORKSPACE
from limbik.tree.residuals import TARGET_SIZE
from limbik.tree.settings import SETTINGS_SIZE
from limbik.tree.workspace import Objectives, Tree, Workspace

_PLANS: Slot[dict[Any, _Plan]] = Slot()  # by goals and options
MOST_PLANS = 64
MOST_PAIRS = 64  # until more are near
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
        self._make_room(MOST_PAIRS)

    def push(self, q: Array) -> Array | None:
        """A configuration [nq] near one that meets the goals, where nothing is in collision and the goals are
        nearly met; None where the way there is barred.
        """
        while True:
            with self._search.lock:
                self._push.q[:] = q
                self._search.settings[:] = ALL, self._clearance + HORIZON, False, True
                end = self._run()
            if end <= OUT:
                return self._push.q.copy() if end == OUT else None
            self._make_room(2 * end)

    def _make_room(self, pairs: int) -> None:
        """Arrays for so many near pairs."""
        sizes = {**self._plan.named_sizes, **self._search.sizes, "n_results": pairs}
        sizes["n_inequalities"] = pairs + 2 * sizes["nv"]
        arrays, addresses = _zeros(tuple(sizes.items()))
        count, last = len(Workspace._fields), len(Multipliers._fields)
        self._workspace, self._answers = Workspace(*arrays[:count]), arrays[count : count + 2]
        self._push, self._multipliers = Push(*arrays[count + 2 : -last]), Multipliers(*arrays[-last:])
        self._push.settings[[CLEARANCE, USE_LIMITS]] = self._clearance, self._is_limited
        tree, objectives = self._goals
        given = [array.ctypes.data for array in (*tree, *objectives[:-1])]
        found = *given, *addresses[:count], *self._search.addresses, *addresses[count:]
        self._arguments = Arguments(*found, *(sizes[name] for name in push_entries.SIZES))

    def _run(self) -> int:
        """The push: once there is machine code, by that; until then run by Python itself."""
        function = native.compiled(pushes())
        if function is not None:
            return int(function(self._arguments.address, _go_on))
        tree, objectives = self._goals
        shapes, poses, pairs, settings, near, scratch = self._search.arrays
        return push_out.interpreted(
            Tree(tree.links.view(np.recarray), tree.movers.view(np.recarray), *tree[2:]),
            objectives._replace(tasks=objectives.tasks.view(np.recarray)),
            self._workspace,
            shapes._replace(bodies=shapes.bodies.view(np.recarray), pieces=shapes.pieces.view(np.recarray)),
            poses.reshape(-1, 16),
            pairs,
            settings,
            near,
            scratch,
            self._answers[0],
            self._answers[1],
            self._push,
            self._multipliers,
        )


def _plan_of(request: Request) -> _Plan:
    """Made once for goals of this structure, and kept with the model."""
    given = hashable({name: value for name, value in request.options.items() if name in OF_GOALS})
    plans = _PLANS.get(request.model)
    plans = _PLANS.put(request.model, {}) if plans is None else plans
    key = tuple(map(structure, request.goals)), tuple(given.items())
    if key not in plans:
        if len(plans) >= MOST_PLANS:
            plans.clear()
        plans[key] = _Plan(request.model, request.goals, read_options(given), "lm", SETTINGS_SIZE)
    return plans[key]


class _Plan(TreePlan):
    """The tasks of the goals, and the arrays that a push works on."""

    @property
    def named_sizes(self) -> dict[str, int]:
        """As the program names them."""
        names = "n_links", "nq", "nv", "n_rows", "n_tasks", "n_levels", "n_movers"
        return dict(zip(names, self._sizes, strict=False))

    def tree_of(self, moving: Array) -> Tree:
        """The tree, in which only what may move [nv] does."""
        return self._tree._replace(units=moving * self._all_units)

    def objectives_of(self, request: Request) -> Objectives:
        """The goals of a request of the plan's structure."""
        targets = np.zeros((len(self.tasks), TARGET_SIZE))
        fill_targets(self.model, self._sorted(request.goals), targets)
        return Objectives(self.tasks, targets, *self._levels, _go_on)

    @functools.cached_property
    def _all_units(self) -> Array:
        units = np.ones(self.model.nv)
        for each in self.model.coordinates:
            units[each.v] = self.length if each.is_length else 1.0
        return units


def _zeros(sizes: tuple[tuple[str, int], ...]) -> tuple[list[Array], list[int]]:
    """What a push works on, and where it is, in one piece of memory: many addresses take long to ask for."""
    shapes = _shapes(sizes)
    ends = np.cumsum([math.prod(shape) for shape in shapes]).tolist()
    numbers = np.zeros(ends[-1])
    begins = [0, *ends[:-1]]
    arrays = [numbers[a:b].reshape(shape) for a, b, shape in zip(begins, ends, shapes, strict=True)]
    first = numbers.ctypes.data
    return arrays, [first + 8 * begin for begin in begins]


@functools.lru_cache(MOST_PLANS)
def _shapes(sizes: tuple[tuple[str, int], ...]) -> list[tuple[int, ...]]:
    words = [*WORKSPACE.values(), *push_entries.ANSWERED.values(), *push_entries.PUSH.values()]
    return [eval(shape, push_entries.NUMBERS, dict(sizes)) for shape in words]


def _go_on() -> bool:
    """A push is not stopped."""
    return False
