"""`TreePlan`: the base class of plans that solve on any tree for any number of goals, and `GeneralPlan`:
Levenberg-Marquardt for goals of any priorities (`tree.levenberg_marquardt`).

Goals of several priorities are solved for one priority after the other: the lowest one begins where the solve
for the others has ended, in the core that came nearer, and keeps what that has achieved.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from limbik.compiler.arrays import zeros
from limbik.compiler.call import Call
from limbik.compiler.kernel import Floats, Watch
from limbik.compiler.program import Program
from limbik.compiler.watch import watch_until
from limbik.errors import ConfigurationError
from limbik.goals import Goal, Orientation, Pose, Position, is_plain
from limbik.model.chain import chain_to
from limbik.model.model import Model
from limbik.numerics.end_codes import BAD_START, CONVERGED, SETTLED, SOLVED, SPENT, UNREACHABLE
from limbik.request import Request
from limbik.serial.seeding import LARGEST_SEED
from limbik.solution import Outcome, Solution
from limbik.solvers.bounds import refuted
from limbik.solvers.checked_options import Options
from limbik.solvers.plan import Observer, Plan, Problem
from limbik.solvers.task_set import TaskSet, UnitsOf
from limbik.solvers.tasks import METRES_PER_RADIAN
from limbik.spatial import Array
from limbik.tree.pack import PackedTree
from limbik.tree.programs import general
from limbik.tree.settings import (
    ANSWER_SIZE,
    BUDGET,
    DESCENTS,
    END,
    GENERAL_SIZE,
    IS_COMPROMISE,
    ITERATIONS,
    MOVED,
    RANDOM,
    RESTARTS,
)
from limbik.tree.workspace import Workspace

PlanOf: TypeAlias = Callable[[Model, Sequence[Goal], dict[str, Any]], Plan]  # `solvers.plans.plan_of`
Trace: TypeAlias = tuple[Array, Array]

METRE_AS_RADIAN = 1.0 / METRES_PER_RADIAN  # [m] the unit of errors in which a metre counts as a radian
NO_TRACE = (np.empty((0, 0)), np.empty(0))
FIRST_LOOK = 500  # iterations before a check whether the goals are proved out of reach


def traced(call: Call, trace: Trace) -> Call:
    """A call with a trace of configurations [rows, nq] and errors [rows]."""
    return call.changed(trace_q=trace[0], trace_error=trace[1]) if len(trace[1]) else call


class TreeBuffers:
    """What one solve of a task set works on. Any number may be in use, one to a thread.

    program: `tree.levenberg_marquardt.solve`, or one that takes the same. settings: to begin with. roles
    [links]: what each joint serves.
    """

    def __init__(self, program: Program, tasks: TaskSet, settings: Floats, roles: Floats) -> None:
        self.targets = tasks.targets()
        self.workspace = zeros(Workspace, tasks.sizes)
        self.settings, self.q = settings.copy(), np.zeros(tasks.model.nq)
        self.task_errors, self.answer = np.zeros(len(self.targets)), np.zeros(ANSWER_SIZE)
        objectives = tasks.objectives(self.targets)
        self.call = Call(
            program, tasks.tree, objectives, self.workspace, roles, self.settings, self.q,
            self.task_errors, self.answer, *NO_TRACE,
        )  # fmt: skip


class TreePlan(Plan):
    """Everything about a solve that does not depend on targets or start.

    goals: any of the same structure as those to be solved for. solver: its name. settings_size: how many
    numbers the method takes, of which those of `tree.settings` come first. length, units: as for a `TaskSet`.
    """

    program: Program
    first_look: float = FIRST_LOOK

    def __init__(
        self,
        model: Model,
        goals: Sequence[Goal],
        options: Options,
        solver: str,
        settings_size: int,
        length: float | None = None,
        units: UnitsOf | None = None,
    ) -> None:
        self.model = model
        self.options = options
        self.solver = solver
        self.set = TaskSet(model, goals, options, length, units)
        self.length, self.tree, self.tasks = self.set.length, self.set.tree, self.set.tasks
        self.settings = self.set.settings(settings_size)
        self.joint_roles = self.roles(self.set.packed)
        self._free: list[TreeBuffers] = []

    def roles(self, tree: PackedTree) -> Floats:
        """What each joint serves [links], for methods that care; see `Solver.roles`."""
        return np.zeros(len(tree.links))

    def go_on(self, settings: Floats) -> None:
        """Change what is different for the second part of a solve, after the first look."""

    def is_over(self, goals: Sequence[Goal], lost: set[int], q: Array) -> bool:
        """Whether a solve ends at q, the best so far, where the goals with these indices are out of reach."""
        return True

    def solve(self, problem: Problem, observer: Observer | None = None) -> Solution:
        """As `Plan.solve`."""
        if observer is None:
            return self._solve(problem, NO_TRACE)
        scratch = self.options.budget + 1
        q, errors = np.empty((scratch, self.model.nq)), np.empty(scratch)
        solution = self._solve(problem, (q, errors))
        count = solution.iterations + 1
        # Where each descent begins, as `tree.evaluation.record` marks it.
        begins = [0, *np.flatnonzero(np.signbit(errors[:count])), count]
        errors = np.abs(errors[:count]) * self.length
        observer.descents = [(q[a:b].copy(), errors[a:b]) for a, b in itertools.pairwise(begins)]
        return solution

    def _solve(self, problem: Problem, trace: Trace) -> Solution:
        """The same, with arrays for what is to be seen; see `Call`."""
        began = perf_counter()
        goals, start, seed, rest, deadline = problem
        work = self._work_for(goals, self.model.neutral if start is None else start)
        work.workspace.rest_q[:] = self.model.neutral if rest is None else rest
        work.settings[RANDOM] = 1 + (seed * 7919) % LARGEST_SEED
        budget = self.settings[BUDGET]
        first = min(budget, self.first_look)
        watch = watch_until(deadline)
        end = self._attempt(work, first, trace, watch)
        counts = work.answer.tolist()
        lost = set() if end in (SOLVED, CONVERGED) else refuted(self.request(goals))
        goes_on = end == SPENT or (end == SETTLED and self.options.restarts != 0)
        converges = end == SPENT and counts[DESCENTS] == 1.0  # the first descent has not settled
        if first < budget and goes_on and (not lost or converges or not self.is_over(goals, lost, work.q)):
            left = 0.0 if lost and converges else work.settings[RESTARTS] - counts[DESCENTS]
            work.settings[RESTARTS] = max(left, 0.0)
            self.go_on(work.settings)
            end = self._go_on(work, budget, int(counts[ITERATIONS]), trace, watch)
            counts[:MOVED] = map(operator.add, counts[:MOVED], work.answer[:MOVED].tolist())
            counts[DESCENTS] -= 1.0  # it goes on where the first one came to
        if end == SETTLED and watch():  # what the clock has stopped has not settled
            end = SPENT
        if len(trace[1]):
            last = int(counts[ITERATIONS])
            cost = math.sqrt(work.workspace.costs[0, 0])
            trace[0][last], trace[1][last] = work.q, math.copysign(cost, trace[1][last])
        outcome = Outcome(
            UNREACHABLE if lost else end,
            *self._errors(work.task_errors),
            counts[ITERATIONS],
            counts[DESCENTS] - 1.0,
            counts[MOVED],
        )
        return self._solution(work, outcome, problem, began)

    def check(self, goals: Sequence[Goal]) -> None:
        """Raise GoalError for a target beyond all measure."""
        self.set.fill(goals, self.set.targets())

    def _work_for(self, goals: Sequence[Goal], q: Array) -> TreeBuffers:
        """What a solve from q works on."""
        work = self._any_work()
        self.set.fill(goals, work.targets)
        work.q[:] = q
        work.settings[:] = self.settings
        return work

    def _solution(self, work: TreeBuffers, outcome: Outcome, problem: Problem, began: float) -> Solution:
        """What the work has come to; it is free then."""
        q = work.q.copy()
        self._free.append(work)
        return Solution(q, outcome, perf_counter() - began, self, problem.start, problem.goals)

    def _any_work(self) -> TreeBuffers:
        try:
            return self._free.pop()
        except IndexError:
            return TreeBuffers(self.program, self.set, self.settings, self.joint_roles)

    def _attempt(self, work: TreeBuffers, budget: float, trace: Trace, watch: Watch) -> int:
        """Solve from where the work stands, which then holds the answer; why it ended."""
        work.settings[BUDGET] = budget
        traced(work.call, trace).run_or_begin_again(watch, (work.q, work.settings))
        end = int(work.answer[END])
        if end == BAD_START:
            raise ConfigurationError(
                "`start` needs finite numbers, and quaternions that have a direction; found "
                f"{work.q.tolist()}"
            )
        return end

    def _go_on(self, work: TreeBuffers, budget: float, done: int, trace: Trace, watch: Watch) -> int:
        """Solve on from where so many iterations have led; why it ended."""
        last = [part[done : done + 1].copy() for part in trace]
        end = self._attempt(work, budget - done, (trace[0][done:], trace[1][done:]), watch)
        for part, row in zip(trace, last, strict=True):
            part[done : done + 1] = row  # it is seen once, with its mark
        return end

    def request(self, goals: tuple[Goal, ...], /) -> Request:
        """The goals and the options of a solve."""
        return Request(model=self.model, goals=goals, solver=self.solver, options=self.options.explicit)

    def _errors(self, task_errors: Array) -> tuple[float, float]:
        """Largest error of position [m] and of rotation, as the chord of `Outcome`, in the first level."""
        metres = radians = 0.0
        for error, is_metres in zip(task_errors.tolist(), self.set.in_metres, strict=False):
            if is_metres:
                metres = max(metres, error)
            else:
                radians = max(radians, error)
        return metres, chord_of(radians)


class GeneralPlan(TreePlan):
    """Everything about a solve that does not depend on targets or start.

    With `mode="best"` the smallest weighted errors of goals that need not be met (`tree.compromise`): those
    of several priorities are taken as by the others, and the status is that of the first one.

    plan_of: gives the plan of goals that are alone; without it those of upper priorities are solved for here.
    """

    program = general()

    def __init__(
        self,
        model: Model,
        goals: Sequence[Goal],
        options: Options,
        solver: str = "lm",
        plan_of: PlanOf | None = None,
    ) -> None:
        self.engine = f"in the general core, for {_kind(model, goals)}"
        self._lowest = max(goal.priority for goal in goals)
        self._plan_of = plan_of
        above, self.above = self._above(goals), None
        if above:
            self.above = GeneralPlan(model, above, _for_some(model, above, options), solver, plan_of)
        is_compromise = options.mode == "best"
        length = self.above.length if self.above else METRE_AS_RADIAN if is_compromise else None
        super().__init__(model, goals, options, solver, GENERAL_SIZE, length)
        self.settings[IS_COMPROMISE] = is_compromise
        if is_compromise:  # goals that are out of reach are no reason to end
            self.first_look = math.inf

    def _solve(self, problem: Problem, trace: Trace) -> Solution:
        """As `TreePlan._solve`; goals of the lowest priority come after the solve for the others."""
        if self.above is None:
            return super()._solve(problem, trace)
        began = perf_counter()
        above = self._above_alone(problem._replace(goals=self._above(problem.goals)), trace)
        work = self._work_for(problem.goals, above.q)
        spent = above.iterations
        rows = trace if trace is NO_TRACE else (trace[0][spent:], trace[1][spent:])
        self._attempt(work, self.options.budget - spent, rows, watch_until(problem.deadline))
        iterations = spent + work.answer[ITERATIONS]
        outcome = Outcome(above.outcome[0], *self._errors(work.task_errors), iterations, *above.outcome[4:6])
        return self._solution(work, outcome, problem, began)

    def _above_alone(self, above: Problem, trace: Trace) -> Solution:
        """The answer for the goals that are not of the lowest priority: of this core, or of the one that
        takes them where they are alone, if that comes nearer. Of a limited time each has a half.
        """
        assert self.above is not None, "only then is it called"
        is_shared = above.deadline < math.inf and self._other_plan(above.goals) is not None
        solution = self.above._solve(above.in_half_the_time() if is_shared else above, trace)
        plan = None if solution.success else self._other_plan(above.goals)
        if plan is None:
            return solution
        observer = None if trace is NO_TRACE else Observer()
        alone = plan.solve(above, observer)
        if not (alone.success or self._off(alone) < self._off(solution)):
            return solution
        if observer is not None:
            first = 0
            for q, errors in observer.descents:
                rows = slice(first, first + len(errors))
                trace[0][rows], trace[1][rows] = q, errors / self.length
                if 0 < first <= alone.iterations and len(errors):
                    trace[1][first] *= -1.0  # as `tree.evaluation.record` marks where one begins
                first = rows.stop
        return alone

    def _other_plan(self, above: Sequence[Goal]) -> Plan | None:
        """The plan of another core for the upper goals alone; None where that is this core."""
        if self._plan_of is None or self.above is None:
            return None
        plan = self._plan_of(self.model, above, self.above.options.explicit)
        return None if type(plan) is GeneralPlan else plan

    def _off(self, solution: Solution) -> float:
        """How far the first goals are from being met, in sizes of the model and half radians."""
        return math.hypot(solution.error / self.length, 0.5 * solution.error_rotation)

    def _above(self, goals: Sequence[Goal]) -> tuple[Goal, ...]:
        """The goals that are not of the lowest priority."""
        return tuple(goal for goal in goals if goal.priority < self._lowest)


def _kind(model: Model, goals: Sequence[Goal]) -> str:
    """What of the goals asks for the general core."""
    goal = goals[0]
    if len(goals) > 1:
        return "several goals"
    if not is_plain(goal):
        name = type(goal).__name__
        is_common = isinstance(goal, Position | Orientation | Pose)
        return f"a {name} with weights, a tolerance or a priority" if is_common else f"a {name}"
    return "joints that follow others" if chain_to(model, goal.frame).has_mimic else "any tree"


def _for_some(model: Model, goals: Sequence[Goal], options: Options) -> Options:
    """The options for some of the goals: a tool is for those of the end effector, even if there are none."""
    has_tool = any(goal.frame in (None, model.end_effector) for goal in goals)
    return options if has_tool else dataclasses.replace(options, tool=None)


def chord_of(angle: float) -> float:
    """What an `Outcome` has of a rotation error [rad]: twice the sine of half of it; for one beyond pi, of a
    joint whose revolutions count, what it is more on top of 2.
    """
    return 2.0 * math.sin(0.5 * angle) if angle <= math.pi else 2.0 + (angle - math.pi)
