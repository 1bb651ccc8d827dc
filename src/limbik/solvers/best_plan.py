"""The least weighted errors of goals that cannot all be met, on any tree (`tree.compromise`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from limbik.goals import Goal
from limbik.model.model import Model
from limbik.solvers.checked_options import Options
from limbik.solvers.general_plan import GeneralPlan
from limbik.solvers.tasks import METRES_PER_RADIAN
from limbik.solvers.tree_plan import NO_TRACE
from limbik.solvers.watch import time_watch
from limbik.spatial import Array
from limbik.tree.joints import SPHERICAL


class BestPlan(GeneralPlan):
    """Everything about a solve that does not depend on targets or start.

    Goals of several priorities are taken as by `GeneralPlan`; the status is that of the first one.
    """

    is_compromise = True
    metres = 1.0 / METRES_PER_RADIAN  # so that a metre counts as a radian, for models of any size
    first_look = math.inf  # goals that are out of reach are no reason to end


class SteppedPlan(BestPlan):
    """For one answer after the other, each within a step of the one before: limits of its own, which change.

    Goals of one priority; their targets are given in numbers, as `solvers.tasks.fill_targets` writes them.
    """

    def __init__(
        self,
        model: Model,
        goals: Sequence[Goal],
        *,
        iterations: int | None = None,
        locked: tuple[str, ...] = (),
    ) -> None:
        """iterations: of a step at most. locked: joints that stay as they are."""
        super().__init__(model, goals, Options(mode="best", iterations=iterations, locked=locked))
        self.tree = self.tree._replace(movers=self.tree.movers.copy())
        movers = self.tree.movers[:-1]
        self._scalar = np.flatnonzero(movers["kind"] != SPHERICAL)
        self._scalar_q = movers["q"][self._scalar]
        self._weights = self.tasks["weights"].copy()
        self.off = np.zeros(len(self.tasks))  # [m or rad] how far each task was off after the last step

    def weigh(self, factors: Array) -> None:
        """Multiply the weights of tasks by factors [tasks], all above 0, from now on."""
        self.tasks["weights"] = self._weights * factors[:, None]

    def narrow(self, lower: Array, upper: Array) -> None:
        """Keep joints within these limits [nq] from now on; ball joints keep their own."""
        self.tree.movers["lower"][self._scalar] = lower[self._scalar_q]
        self.tree.movers["upper"][self._scalar] = upper[self._scalar_q]

    def step(self, targets: Array, start: Array) -> Array:
        """The answer [nq] from a start [nq]; targets [tasks, 12]."""
        work = self._any_work()
        work.targets[:], work.q[:], work.settings[:] = targets, start, self.settings
        self._attempt(work, self.options.budget, NO_TRACE, time_watch(None))
        q = work.q.copy()
        self.off[:] = work.task_errors
        self._free.append(work)
        return q
