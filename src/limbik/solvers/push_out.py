"""Out of collision, with the goals kept: `collision.push`, for the goals of a request."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbik.collision import push_entries
from limbik.collision.checker import Checker
from limbik.collision.entries import shapes_of
from limbik.collision.nearest import ALL, RESULT_SIZE
from limbik.collision.programs import pushes
from limbik.collision.push import CLEARANCE, CONSTANTS, HORIZON, OUT, USE_LIMITS, Push, push_out
from limbik.compiler import native
from limbik.compiler.callables import Arguments
from limbik.numerics.least_change import Multipliers
from limbik.solvers.checked_options import hashable, read_options
from limbik.solvers.request import Request
from limbik.solvers.tasks import fill_targets
from limbik.solvers.tree_plan import TreePlan
from limbik.spatial import Array
from limbik.tree.residuals import TARGET_SIZE
from limbik.tree.settings import SETTINGS_SIZE
from limbik.tree.workspace import Objectives, Tree, Workspace

MOST_PAIRS = 64  # until more are near
OF_GOALS = ("locked", "tool", "tolerance", "tolerance_rotation", "limits")


class PushOut:
    """Pushes configurations of one request out of collision.

    moving [nv]: what may move.
    """

    def __init__(self, request: Request, checker: Checker, clearance: float, moving: Array) -> None:
        given = {name: value for name, value in request.options.items() if name in OF_GOALS}
        self._plan = _Plan(request.model, request.goals, read_options(hashable(given)), "lm", SETTINGS_SIZE)
        self._goals = self._plan.arrays(request, moving)
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
        tree, objectives, workspace = self._goals
        shapes, *others, near, scratch = self._search.arrays
        sizes = {**self._plan.named_sizes, **self._search.sizes, "n_results": pairs}
        sizes["n_inequalities"] = pairs + 2 * sizes["nv"]
        self._push, self._multipliers = _made(Push, sizes), _made(Multipliers, sizes)
        self._push.settings[[CLEARANCE, USE_LIMITS]] = self._clearance, self._is_limited
        self._answers = np.zeros((pairs, RESULT_SIZE)), np.zeros((pairs, sizes["nv"]))
        arrays = (
            *tree, *objectives[:-1], *workspace, *shapes[:2], *shapes.cores, shapes.frames, *others, *near,
            *scratch, *self._answers, *self._push, *self._multipliers,
        )  # fmt: skip
        addresses = (array.ctypes.data for array in arrays)
        self._arguments = Arguments(*addresses, *(sizes[name] for name in push_entries.SIZES))

    def _run(self) -> int:
        """The push: once there is machine code, by that; until then run by Python itself."""
        function = native.compiled(pushes())
        if function is not None:
            return int(function(self._arguments.address, _go_on))
        tree, objectives, workspace = self._goals
        shapes, poses, pairs, settings, near, scratch = self._search.arrays
        return push_out.interpreted(
            Tree(tree.links.view(np.recarray), tree.movers.view(np.recarray), *tree[2:]),
            objectives._replace(tasks=objectives.tasks.view(np.recarray)),
            workspace,
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


class _Plan(TreePlan):
    """The tasks of the goals, and the arrays that a push works on."""

    @property
    def named_sizes(self) -> dict[str, int]:
        """As the program names them."""
        names = "n_links", "nq", "nv", "n_rows", "n_tasks", "n_levels", "n_movers"
        return dict(zip(names, self._sizes, strict=False))

    def arrays(self, request: Request, moving: Array) -> tuple[Tree, Objectives, Workspace]:
        """The tree, in which only what may move [nv] does, the objectives, and what measures them."""
        objectives = Objectives(self.tasks, np.zeros((len(self.tasks), TARGET_SIZE)), *self._levels, _go_on)
        fill_targets(self.model, self._sorted(request.goals), objectives.targets)
        units = np.ones(self.model.nv)
        for each in self.model.coordinates:
            units[each.v] = self.length if each.is_length else 1.0
        tree = self._tree._replace(units=moving * units)
        return tree, objectives, Workspace(*map(np.zeros, self._shapes))


def _made(arrays: Any, sizes: dict[str, int]) -> Any:
    """The arrays, full of zeros."""
    return arrays(*(np.zeros(eval(shape, CONSTANTS, sizes)) for shape in shapes_of(arrays).values()))


def _go_on() -> bool:
    """A push is not stopped."""
    return False
