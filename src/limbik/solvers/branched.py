"""The classical methods on any tree, for any number of goals (`core.branched`)."""

from __future__ import annotations

from collections.abc import Sequence

from limbik.compiler.kernel import Floats
from limbik.core import branched
from limbik.core.desk import Asked, Tree
from limbik.core.library import by_method
from limbik.core.methods import Method
from limbik.core.pack_tree import PackedTree
from limbik.goals import Goal
from limbik.model.model import Model
from limbik.solvers.measure import misses
from limbik.solvers.options import Options
from limbik.solvers.solver import Solver
from limbik.solvers.tree_plan import Trace, TreePlan, Work
from limbik.spatial import Array


class BranchedPlan(TreePlan):
    """Everything about a solve that does not depend on targets or start."""

    def __init__(self, model: Model, goals: Sequence[Goal], options: Options, solver: Solver) -> None:
        self.method = solver
        self._kernels = method_of(solver)
        self.program = by_method(self._kernels)
        super().__init__(model, goals, options, solver.name, branched.SETTINGS_SIZE)
        tuning = solver.tree_tuning(self.length)
        self.settings[branched.METHOD] = tuning.method
        self.settings[branched.DAMPING] = tuning.damping
        self.settings[branched.GAIN] = tuning.gain
        self.settings[branched.LONGEST_ERROR] = tuning.longest_error
        self.settings[branched.ANNEAL] = tuning.anneal
        self.settings[branched.AS_IT_IS] = tuning.as_it_is
        self.settings[branched.REST_BIAS] = options.rest_bias
        if tuning.anneal > 0.0:  # the offsets grow smaller over the whole budget
            self.first_look = options.budget

    def roles(self, tree: PackedTree) -> Floats:
        """What each joint serves [links], as the method sees it."""
        return self.method.roles(self.model, tree, self.tasks, self._tree.units)

    def go_on(self, settings: Floats) -> None:
        """The pull toward the rest configuration is over."""
        settings[branched.REST_BIAS] = 0.0

    def is_over(self, goals: Sequence[Goal], lost: set[int], q: Array) -> bool:
        """Whether all goals but the lost ones are met; a method that does not spare them ends anyway."""
        if not self.method.spares_others:
            return True
        left = (miss for place, miss in enumerate(misses(self.request(tuple(goals)), q)) if place not in lost)
        near, turned = self.options.tolerance, self.options.tolerance_rotation
        return all(miss.position <= near and miss.rotation <= turned for miss in left)

    def interpret(self, tree: Tree, asked: Asked, work: Work, trace: Trace) -> None:
        """What the program does, run by Python itself."""
        self._kernels.kernel.interpreted(
            tree, asked, work.desk, self._roles, work.settings, work.q, work.misses, work.answer, *trace
        )


def method_of(solver: Solver) -> Method:
    """The method of a solver, as the program for it is known by."""
    return Method.of(solver.tree_kernels())
