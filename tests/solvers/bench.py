"""Single iterations of a method on trees, run by Python itself."""

import numpy as np

from limbik import Model
from limbik.goals import Goal
from limbik.solvers.checked_options import Options
from limbik.solvers.classical_plan import ClassicalPlan
from limbik.solvers.solver import Solver
from limbik.solvers.task_set import fill_targets
from limbik.tree import classical_loop as branched
from limbik.tree import levenberg_marquardt
from limbik.tree.workspace import Tree, Workspace


class Bench:
    """What a method gets from the loop for a model and goals, without the loop."""

    def __init__(self, model: Model, goals: list[Goal], solver: Solver, **options):
        plan = ClassicalPlan(model, goals, Options(solver=solver, **options), solver)
        links, movers, *others = plan.tree
        work = plan._any_work()
        fill_targets(model, goals, work.targets)
        self.tree = Tree(links.view(np.recarray), movers.view(np.recarray), *others)
        self.objectives = plan.set.objectives(work.targets)._replace(tasks=plan.tasks.view(np.recarray))
        self.workspace: Workspace = work.workspace
        self.roles, self.settings = plan.joint_roles, plan.settings.copy()
        self.model, self.goals, self.length = model, goals, plan.length
        kernels = {"merit": branched.merit, **solver.kernels()}
        self._improve, self._worth = kernels["improve"].interpreted, kernels["merit"].interpreted

    def merit(self, q: np.ndarray) -> float:
        """What the loop compares. The desk is that of q afterwards."""
        levenberg_marquardt.evaluate.interpreted(self.tree, self.objectives, self.workspace, q, 0)
        return self._worth(self.objectives, self.workspace, 0)

    def improve(self, q: np.ndarray) -> np.ndarray:
        """The configuration after one iteration from q; the first one begins a descent."""
        q = q.copy()
        self.merit(q)
        self.workspace.nearest[:] = q
        self._improve(self.tree, self.objectives, self.workspace, self.roles, self.settings, q)
        return q
