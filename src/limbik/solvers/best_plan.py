"""The least weighted errors of goals that cannot all be met, on any tree (`tree.compromise`)."""

from __future__ import annotations

import math

from limbik.solvers.general_plan import GeneralPlan
from limbik.solvers.tasks import METRES_PER_RADIAN
from limbik.solvers.tree_plan import Trace, Work
from limbik.tree import compromise
from limbik.tree.programs import best
from limbik.tree.workspace import Objectives, Tree


class BestPlan(GeneralPlan):
    """Everything about a solve that does not depend on targets or start.

    Goals of several priorities are taken as by `GeneralPlan`; the status is that of the first one.
    """

    program = best()
    metres = 1.0 / METRES_PER_RADIAN  # so that a metre counts as a radian, for models of any size
    first_look = math.inf  # goals that are out of reach are no reason to end

    def interpret(self, tree: Tree, objectives: Objectives, work: Work, trace: Trace) -> None:
        """What the program does, run by Python itself."""
        compromise.solve.interpreted(
            tree, objectives, work.workspace, self._roles, work.settings, work.q, work.task_errors,
            work.answer, *trace
        )  # fmt: skip
