"""Solving on any tree for any number of goals: what all methods share that do so.

What of a request does not depend on its targets is a plan, kept with the model.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from limbik.compiler.arrays import zeros
from limbik.compiler.call import Call, never
from limbik.compiler.kernel import Floats, Watch
from limbik.compiler.program import Program
from limbik.errors import ConfigurationError, GoalError, SolverError, did_you_mean
from limbik.goals import Goal, frames_of
from limbik.goals.task import LENGTHS, MASS, NUMBER
from limbik.model.joints import Joint
from limbik.model.model import Model
from limbik.model.slots import Slot
from limbik.numerics.end_codes import BAD_START, CONVERGED, SETTLED, SOLVED, SPENT, UNREACHABLE
from limbik.serial.seeding import LARGEST_SEED
from limbik.solution import Facts, Solution
from limbik.solvers.bounds import bounds_of_point, refuted
from limbik.solvers.checked_options import FARTHEST, Options
from limbik.solvers.plan import Observer, Plan, Problem
from limbik.solvers.request import Request
from limbik.solvers.tasks import TaskMaker, fill_targets
from limbik.solvers.watch import run_call, time_watch
from limbik.spatial import Array, Matrix4
from limbik.tree.joints import PRISMATIC, REVOLUTE, SPHERICAL
from limbik.tree.pack import WORLD, PackedTree, pack_tree
from limbik.tree.residuals import TARGET_SIZE
from limbik.tree.settings import (
    ANSWER_SIZE,
    BUDGET,
    DESCENTS,
    END,
    ITERATIONS,
    LENGTH,
    MOVED,
    RANDOM,
    RESTARTS,
    USE_LIMITS,
)
from limbik.tree.workspace import Objectives, Tree, Workspace

Trace: TypeAlias = tuple[Array, Array]

NO_TRACE = (np.empty((0, 0)), np.empty(0))
PACKED: Slot[PackedTree] = Slot()
SHORTEST_LENGTH = 1e-9  # [m]
NO_MASS = np.array([0.0, 0.0, 0.0, -1.0])  # nobody asks where the centre of mass is
FIRST_LOOK = 500  # iterations before it is asked whether the goals are proved out of reach


def traced(call: Call, trace: Trace) -> Call:
    """A call with a trace of configurations [rows, nq] and errors [rows]."""
    return call.changed(trace_q=trace[0], trace_error=trace[1]) if len(trace[1]) else call


class Work:
    """What one solve works on. Any number may be in use, one to a thread."""

    def __init__(self, plan: TreePlan) -> None:
        tasks = len(plan.tasks)
        self.targets = np.zeros((tasks, TARGET_SIZE))
        self.workspace = zeros(Workspace, plan.sizes)
        self.settings, self.q = plan.settings.copy(), np.zeros(plan.model.nq)
        self.task_errors, self.answer = np.zeros(tasks), np.zeros(ANSWER_SIZE)
        objectives = Objectives(plan.tasks, self.targets, *plan.levels, never)
        self.call = Call(
            plan.program, plan.tree, objectives, self.workspace, plan.joint_roles, self.settings, self.q,
            self.task_errors, self.answer, *NO_TRACE,
        )  # fmt: skip


class TreePlan(Plan):
    """Everything about a solve that does not depend on targets or start.

    goals: any of the same structure as those to be solved for. solver: its name. settings_size: how many
    numbers the method takes, of which those of `tree.settings` come first. length [m]: in which
    errors of position are counted; by default that of the model.
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
    ) -> None:
        self.model = model
        self.options = options
        self.solver = solver
        self._order = sorted(range(len(goals)), key=lambda k: goals[k].priority)
        ordered = self._sorted(goals)
        tree = _packed(model)
        self.length = _length(tree, model, ordered, options.tool_pose) if length is None else length  # [m]
        request = self.request(tuple(ordered))
        maker = TaskMaker(
            model, tree, self.length, options.tolerance, options.tolerance_rotation, options.tool_pose,
            functools.partial(bounds_of_point, request),
        )  # fmt: skip
        self.tasks, level_tasks, level_rows = maker.tasks(ordered)
        asks_mass = (self.tasks["kind"] == MASS).any()
        self.tree = Tree(
            tree.links, tree.movers, self._units(tree), tree.fixed_mass if asks_mass else NO_MASS
        )
        self.joint_roles = self.roles(tree)
        self.levels = level_tasks, level_rows
        self._in_metres = _in_metres(self.tasks, tree)[: int(level_tasks[1])].tolist()  # of the first level
        self.settings = np.zeros(settings_size)
        self.settings[BUDGET] = options.budget
        self.settings[RESTARTS] = options.restarts_over(self.free_joints())
        self.settings[USE_LIMITS] = options.limits
        self.settings[LENGTH] = self.length
        rows, levels = int(level_rows[-1]), len(level_rows) - 1
        self.sizes = {
            "n_links": len(tree.links), "nq": model.nq, "nv": model.nv, "n_rows": rows,
            "n_tasks": len(self.tasks), "n_levels": levels,
        }  # fmt: skip
        self._free: list[Work] = []

    def roles(self, tree: PackedTree) -> Floats:
        """What each joint serves [links], for methods that care; see `Solver.roles`."""
        return np.zeros(len(tree.links))

    def go_on(self, settings: Floats) -> None:
        """Change what is different for the second part of a solve, after the first look."""

    def is_over(self, goals: Sequence[Goal], lost: set[int], q: Array) -> bool:
        """Whether a solve ends at q, the best so far, where the goals at these places are out of reach."""
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
        goals, start, seed, rest = problem
        work = self._work_for(goals, self.model.neutral if start is None else start)
        work.workspace.rest_q[:] = self.model.neutral if rest is None else rest
        work.settings[RANDOM] = 1 + (seed * 7919) % LARGEST_SEED
        budget = self.settings[BUDGET]
        first = min(budget, self.first_look)
        watch = time_watch(self.options.time_limit)
        end = self._attempt(work, first, trace, watch)
        counts = work.answer.copy()
        lost = set() if end in (SOLVED, CONVERGED) else refuted(self.request(goals))
        goes_on = end == SPENT or (end == SETTLED and self.options.restarts != 0)
        converges = end == SPENT and counts[DESCENTS] == 1.0  # the first descent has not settled
        if first < budget and goes_on and (not lost or converges or not self.is_over(goals, lost, work.q)):
            left = 0.0 if lost and converges else work.settings[RESTARTS] - counts[DESCENTS]
            work.settings[RESTARTS] = max(left, 0.0)
            self.go_on(work.settings)
            end = self._go_on(work, budget, int(counts[ITERATIONS]), trace, watch)
            counts[:MOVED] += work.answer[:MOVED]
            counts[DESCENTS] -= 1.0  # it goes on where the first one came to
        if end == SETTLED and watch():  # what the clock has stopped has not settled
            end = SPENT
        if len(trace[1]):
            last = int(counts[ITERATIONS])
            cost = math.sqrt(work.workspace.costs[0, 0])
            trace[0][last], trace[1][last] = work.q, math.copysign(cost, trace[1][last])
        facts = Facts(
            UNREACHABLE if lost else end,
            *self._errors(work.task_errors),
            counts[ITERATIONS],
            counts[DESCENTS] - 1.0,
            counts[MOVED],
        )
        return self._solution(work, facts, problem, began)

    def check(self, goals: Sequence[Goal]) -> None:
        """Raise GoalError for a target beyond all measure."""
        targets = np.zeros((len(self.tasks), TARGET_SIZE))
        fill_targets(self.model, self._sorted(goals), targets)
        refuse_too_far(targets)

    def _work_for(self, goals: Sequence[Goal], q: Array) -> Work:
        """What a solve from q works on."""
        work = self._any_work()
        fill_targets(self.model, self._sorted(goals), work.targets)
        refuse_too_far(work.targets)
        work.q[:] = q
        work.settings[:] = self.settings
        return work

    def _solution(self, work: Work, facts: Facts, problem: Problem, began: float) -> Solution:
        """What the work has come to; it is free then."""
        q = work.q.copy()
        self._free.append(work)
        return Solution(q, facts, perf_counter() - began, self, problem.start, problem.goals)

    def _any_work(self) -> Work:
        try:
            return self._free.pop()
        except IndexError:
            return Work(self)

    def _attempt(self, work: Work, budget: float, trace: Trace, watch: Watch) -> int:
        """Solve from where the work stands, which then holds the answer; why it ended."""
        work.settings[BUDGET] = budget
        self._run(work, trace, watch)
        end = int(work.answer[END])
        if end == BAD_START:
            raise ConfigurationError(
                "`start` needs finite numbers, and quaternions that have a direction; found "
                f"{work.q.tolist()}"
            )
        return end

    def _go_on(self, work: Work, budget: float, done: int, trace: Trace, watch: Watch) -> int:
        """Solve on from where so many iterations have led; why it ended."""
        last = [part[done : done + 1].copy() for part in trace]
        end = self._attempt(work, budget - done, (trace[0][done:], trace[1][done:]), watch)
        for part, row in zip(trace, last, strict=True):
            part[done : done + 1] = row  # it is seen once, with its mark
        return end

    def _run(self, work: Work, trace: Trace, watch: Watch) -> None:
        """Compiled, or interpreted while it is being compiled."""
        run_call(traced(work.call, trace), watch, (work.q, work.settings))

    def request(self, goals: tuple[Goal, ...], /) -> Request:
        """The goals and the options of a solve."""
        return Request(model=self.model, goals=goals, solver=self.solver, options=self.options.given)

    def _sorted(self, goals: Sequence[Goal]) -> list[Goal]:
        return [goals[k] for k in self._order]

    def _errors(self, task_errors: Array) -> tuple[float, float]:
        """The largest error of position [m] and of rotation, as the chord of `Facts`, in the first level."""
        metres = radians = 0.0
        for error, is_metres in zip(task_errors.tolist(), self._in_metres, strict=False):
            if is_metres:
                metres = max(metres, error)
            else:
                radians = max(radians, error)
        return metres, 2.0 * math.sin(0.5 * min(radians, math.pi))

    def _units(self, tree: PackedTree) -> Array:
        units = np.zeros(self.model.nv)  # what moves no goal's frame keeps still
        for place in _moving(self.tasks, tree):
            link = tree.links[place]
            size = 3 if link["kind"] == SPHERICAL else 1
            units[link["v"] : link["v"] + size] = self.length if link["kind"] == PRISMATIC else 1.0
        for name in self.options.locked:
            if name not in self.model.joint_names:
                hint = did_you_mean(name, self.model.joint_names)
                raise SolverError(
                    f"`locked` names {name!r}, which is no joint of {self.model.name!r}; {hint}"
                )
            units[self.model.v_slice(name)] = 0.0
        return units

    def free_joints(self) -> list[Joint]:
        """The joints that may serve the goals."""
        joints = [joint for joint in self.model.joints if joint.nv]
        return [joint for joint in joints if self.tree.units[self.model.v_slice(joint.name).start] > 0.0]


def refuse_too_far(targets: Array) -> None:
    """Raise GoalError for a target beyond all measure; one that is not finite is told elsewhere."""
    for value in targets.ravel().tolist():
        if FARTHEST < abs(value) < math.inf:
            raise GoalError(f"a target needs numbers up to {FARTHEST:g} [m or rad], found {value:g}")


def _packed(model: Model) -> PackedTree:
    tree = PACKED.get(model)
    return PACKED.put(model, pack_tree(model)) if tree is None else tree


def _length(tree: PackedTree, model: Model, goals: Sequence[Goal], tool: Matrix4) -> float:
    """[m] how far the model's links, and the frames that are asked for, reach at most from where the first of
    them moves; 1 where nothing has a length.
    """
    lengths = np.zeros(len(tree.links) + 1)  # the world's last
    for k, link in enumerate(tree.links):
        if link["parent"] != WORLD:
            lengths[k] = lengths[link["parent"]] + np.linalg.norm(link["translation"])
    frames = (model.end_effector if frame is None else frame for frame in frames_of(goals))
    ends = [*tree.link_places.values(), *(tree.place(model, frame) for frame in frames)]
    held = float(np.linalg.norm(tool[:3, 3]))
    reaches = [lengths[link] + float(np.linalg.norm(pose[:3, 3])) for link, pose in ends if link != WORLD]
    longest = max(reaches, default=0.0)
    return longest + held if longest + held > SHORTEST_LENGTH else 1.0


def _moving(tasks: Any, tree: PackedTree) -> set[int]:
    """The links whose joints move what the tasks ask for."""
    found: set[int] = set()
    for task in tasks:
        if task["kind"] == MASS:
            return set(range(len(tree.links)))
        if task["kind"] == NUMBER:
            found.add(int(task["link"]))
            continue
        for place in (int(task["link"]), int(task["reference"])):
            while place != WORLD:
                found.add(place)
                place = int(tree.links[place]["parent"])
    return found


def _in_metres(tasks: Any, tree: PackedTree) -> Any:
    """Which tasks are off by metres, not by radians."""
    kinds = tasks["kind"]
    is_prismatic = np.array(
        [
            kind == NUMBER and tree.links[task["link"]]["kind"] != REVOLUTE
            for kind, task in zip(kinds, tasks, strict=True)
        ]
    )
    return np.isin(kinds, LENGTHS) | is_prismatic
