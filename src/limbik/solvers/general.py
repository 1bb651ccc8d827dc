"""Levenberg-Marquardt on any tree, for any number of goals of any priorities (`core.whole_body`)."""

from __future__ import annotations

from collections.abc import Sequence

from limbik.core import whole_body
from limbik.core.desk import Asked, Tree
from limbik.core.library import general
from limbik.goals import Goal
from limbik.model.model import Model
from limbik.solvers.options import Options
from limbik.solvers.tree_plan import Trace, TreePlan, Work


class GeneralPlan(TreePlan):
    """Everything about a solve that does not depend on targets or start."""

    program = general()

    def __init__(self, model: Model, goals: Sequence[Goal], options: Options, solver: str = "lm") -> None:
        super().__init__(model, goals, options, solver, whole_body.SETTINGS_SIZE)

    def interpret(self, tree: Tree, asked: Asked, work: Work, trace: Trace) -> None:
        """What the program does, run by Python itself."""
        whole_body.solve.interpreted(
            tree, asked, work.desk, work.settings, work.q, work.misses, work.answer, *trace
        )
