"""One answer after the other, each a step from the one before: what follows goals over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbik.compiler.arrays import zeros
from limbik.compiler.call import Call
from limbik.errors import ConfigurationError
from limbik.goals import Goal
from limbik.model.model import Model
from limbik.numerics.end_codes import BAD_START
from limbik.solvers.checked_options import Options
from limbik.solvers.general_plan import METRE_AS_RADIAN
from limbik.solvers.task_set import TaskSet
from limbik.solvers.watch import run_call, time_watch
from limbik.spatial import Array
from limbik.tree.joints import SPHERICAL
from limbik.tree.programs import general
from limbik.tree.settings import ANSWER_SIZE, END, GENERAL_SIZE, IS_COMPROMISE
from limbik.tree.workspace import Workspace

NO_TRACE = np.empty((0, 0)), np.empty(0)


class Stepper:
    """Follows goals by their smallest weighted errors (`mode="best"`), within limits that change.

    Goals of one priority; their targets are numbers, as `solvers.tasks.fill_targets` writes them.
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
        options = Options(mode="best", iterations=iterations, locked=locked)
        own = TaskSet(model, goals, options, METRE_AS_RADIAN)
        self.tasks = own.tasks
        movers = own.tree.movers.copy()
        self._scalar = np.flatnonzero(movers[:-1]["kind"] != SPHERICAL)
        self._scalar_q = movers[:-1]["q"][self._scalar]
        self._movers, self._weights = movers, self.tasks["weights"].copy()
        self._first_settings = own.settings(GENERAL_SIZE)
        self._first_settings[IS_COMPROMISE] = 1.0
        self._settings = self._first_settings.copy()  # of which a step changes some
        self._targets, self._q, self._answer = own.targets(), np.zeros(model.nq), np.zeros(ANSWER_SIZE)
        self.off = np.zeros(len(self.tasks))  # [m or rad] how far each task was off after the last step
        self._call = Call(
            general(), own.tree._replace(movers=movers), own.objectives(self._targets),
            zeros(Workspace, own.sizes), np.zeros(len(own.packed.links)), self._settings, self._q, self.off,
            self._answer, *NO_TRACE,
        )  # fmt: skip

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
        self._targets[:], self._q[:], self._settings[:] = targets, start, self._first_settings
        run_call(self._call, time_watch(None), (self._q, self._settings))
        if self._answer[END] == BAD_START:
            raise ConfigurationError(f"`start` needs finite numbers, not {start.tolist()}")
        return self._q.copy()
