"""The plan of the classical methods on any tree, for any number of goals (`tree.classical_loop`)."""

from __future__ import annotations

from collections.abc import Sequence

from limbik.compiler.kernel import Floats
from limbik.goals import Goal
from limbik.measure import goal_errors
from limbik.model.model import Model
from limbik.solvers.checked_options import Options
from limbik.solvers.methods.jacobian_iteration import improve
from limbik.solvers.solver import Solver, StepSolver
from limbik.solvers.tree_plan import TreePlan
from limbik.spatial import Array
from limbik.tree import classical_loop as branched
from limbik.tree.method import MethodFunctions
from limbik.tree.pack import PackedTree
from limbik.tree.programs import by_method


class ClassicalPlan(TreePlan):
    """Everything about a solve that does not depend on targets or start."""

    def __init__(self, model: Model, goals: Sequence[Goal], options: Options, solver: Solver) -> None:
        self.method = solver
        self.program = by_method(method_of(solver))
        super().__init__(model, goals, options, solver.name, branched.SETTINGS_SIZE, units=solver.units)
        tuning = solver.tuning(self.length)
        self.settings[branched.METHOD] = tuning.method
        self.settings[branched.DAMPING] = tuning.damping
        self.settings[branched.GAIN] = tuning.gain
        self.settings[branched.LONGEST_ERROR] = tuning.longest_error
        self.settings[branched.MANIPULABILITY] = tuning.manipulability
        self.settings[branched.ANNEAL] = tuning.anneal
        self.settings[branched.AS_IT_IS] = tuning.as_it_is
        self.settings[branched.REST_BIAS] = options.rest_bias
        if tuning.anneal > 0.0:  # the offsets grow smaller over the whole budget
            self.first_look = options.budget

    def roles(self, tree: PackedTree) -> Floats:
        """What each joint serves [links], as the method sees it."""
        return self.method.roles(self.model, tree, self.tasks, self.tree.units)

    def go_on(self, settings: Floats) -> None:
        """The pull toward the rest configuration is over."""
        settings[branched.REST_BIAS] = 0.0

    def is_over(self, goals: Sequence[Goal], lost: set[int], q: Array) -> bool:
        """Whether all goals but the lost ones are met; a method that does not spare them ends anyway."""
        if not self.method.spares_others or len(lost) == len(goals):
            return True
        left = (
            error
            for index, error in enumerate(goal_errors(self.request(tuple(goals)), q))
            if index not in lost
        )
        near, turned = self.options.tolerance, self.options.tolerance_rotation
        return all(error.position <= near and error.rotation <= turned for error in left)


def method_of(solver: Solver) -> MethodFunctions:
    """The method of a solver, as the program for it is known by."""
    return MethodFunctions.of({"improve": improve} if isinstance(solver, StepSolver) else solver.kernels())
