"""`Stepper`: solves goals frame after frame, each from the answer before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbik.compiler.call import never
from limbik.errors import ConfigurationError
from limbik.goals import Goal
from limbik.model.model import Model
from limbik.numerics.end_codes import BAD_START
from limbik.solvers.checked_options import Options
from limbik.solvers.task_set import TaskSet
from limbik.solvers.tree_plan import METRE_AS_RADIAN, TreeBuffers
from limbik.spatial import Array
from limbik.tree.joints import SPHERICAL
from limbik.tree.programs import general
from limbik.tree.settings import END, GENERAL_SIZE, IS_COMPROMISE


class Stepper:
    """Follows goals by their smallest weighted errors (`mode="best"`), within limits that change.

    Goals of one priority; their targets are numbers, as `solvers.task_set.fill_targets` writes them.
    iterations: of a step at most. locked: joints that stay as they are.
    """

    def __init__(
        self,
        model: Model,
        goals: Sequence[Goal],
        *,
        iterations: int | None = None,
        locked: tuple[str, ...] = (),
    ) -> None:
        self._arguments = (model, goals, iterations, locked)
        options = Options(mode="best", iterations=iterations, locked=locked)
        own = TaskSet(model, goals, options, METRE_AS_RADIAN)
        self._movers = own.tree.movers.copy()  # whose limits are the stepper's own
        own.tree = own.tree._replace(movers=self._movers)
        self._scalar = np.flatnonzero(self._movers[:-1]["kind"] != SPHERICAL)
        self._scalar_q = self._movers[:-1]["q"][self._scalar]
        self.tasks, self._weights = own.tasks, own.tasks["weights"].copy()
        self._settings = own.settings(GENERAL_SIZE)
        self._settings[IS_COMPROMISE] = 1.0
        self._work = TreeBuffers(general(), own, self._settings, np.zeros(len(own.tree.links)))

    def __getstate__(self) -> tuple[Any, ...]:
        """What a copy is made of: it has the same limits and weights, and steps by itself."""
        return self._arguments, self._movers, self.tasks["weights"]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        (model, goals, iterations, locked), movers, weights = state
        Stepper.__init__(self, model, goals, iterations=iterations, locked=locked)
        self._movers[:] = movers
        self.tasks["weights"] = weights

    @property
    def off(self) -> Array:
        """[tasks, m or rad] how far each task was off after the last step."""
        return self._work.task_errors

    @property
    def cost(self) -> float:
        """The sum of squared errors, each times its weight, after the last step."""
        return float(self._work.workspace.costs[0, 0])

    def weigh(self, factors: Array) -> None:
        """Multiply the weights of tasks by factors [tasks], all above 0, from now on."""
        self.tasks["weights"] = self._weights * factors[:, None]

    def narrow(self, lower: Array, upper: Array) -> None:
        """Keep joints within these limits [nq] from now on; ball joints keep their own."""
        self._movers["lower"][self._scalar] = lower[self._scalar_q]
        self._movers["upper"][self._scalar] = upper[self._scalar_q]

    def step(self, targets: Array, start: Array) -> Array:
        """The answer [nq] from a start [nq]; targets [tasks, 12].

        Raises ConfigurationError for a start that is not finite.
        """
        work = self._work
        work.targets[:], work.q[:], work.settings[:] = targets, start, self._settings
        work.call.run_or_begin_again(never, (work.q, work.settings))
        if work.answer[END] == BAD_START:
            raise ConfigurationError(f"`start` needs finite numbers, not {start.tolist()}")
        return work.q.copy()
