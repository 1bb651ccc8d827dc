"""Single iterations of a method on trees, run by Python itself."""

import numpy as np

from limbik import Model
from limbik.core import branched, whole_body
from limbik.core.desk import Asked, Desk, Tree
from limbik.goals import Goal
from limbik.solvers.asked import fill_targets
from limbik.solvers.branched import BranchedPlan
from limbik.solvers.options import Options
from limbik.solvers.solver import Solver


class Bench:
    """What a method gets from the loop for a model and goals, without the loop."""

    def __init__(self, model: Model, goals: list[Goal], solver: Solver, **options):
        plan = BranchedPlan(model, goals, Options(solver=solver, **options), solver)
        links, movers, *others = plan._tree
        work = plan._any_work()
        fill_targets(model, goals, work.targets)
        self.tree = Tree(links.view(np.recarray), movers.view(np.recarray), *others)
        self.asked = Asked(plan.tasks.view(np.recarray), work.targets, *plan._levels, watch=None)
        self.desk: Desk = work.desk
        self.roles, self.settings = plan._roles, plan.settings.copy()
        self.model, self.goals, self.length = model, goals, plan.length
        kernels = {"worth": branched.worth, **solver.tree_kernels()}
        self._improve, self._worth = kernels["improve"].interpreted, kernels["worth"].interpreted

    def worth(self, q: np.ndarray) -> float:
        """What the loop compares. The desk is that of q afterwards."""
        whole_body.look.interpreted(self.tree, self.asked, self.desk, q, 0)
        return self._worth(self.asked, self.desk, 0)

    def improve(self, q: np.ndarray) -> np.ndarray:
        """The configuration after one iteration from q; the first one begins a descent."""
        q = q.copy()
        self.worth(q)
        self.desk.kept[:] = q
        self._improve(self.tree, self.asked, self.desk, self.roles, self.settings, q)
        return q
