"""Solving on one chain by a kernel of its own: points for arms in a plane and of ball joints, and classical
methods on any arm (`chain.descent`).
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from limbik.chain.descent import SETTINGS
from limbik.chain.joints import JOINT
from limbik.chain.pack import pack_plane, pack_space
from limbik.chain.planar import LINK
from limbik.chain.programs import on_chain
from limbik.chain.solve import ANSWER_SIZE
from limbik.compiler.call import Call
from limbik.compiler.kernel import Watch
from limbik.compiler.program import Program
from limbik.errors import ConfigurationError, GoalError
from limbik.goals import Goal, Orientation, Pose, Position
from limbik.model.chain import Chain
from limbik.model.joints import JointKind
from limbik.model.model import Model
from limbik.numerics.end_codes import BAD_GOAL, BAD_START, SOLVED, SPENT, UNREACHABLE
from limbik.numerics.start_check import ROUNDING
from limbik.solution import Facts, Solution
from limbik.solvers.checked_options import Options
from limbik.solvers.plan import Descents, Observer, Plan, Problem
from limbik.solvers.request import Request
from limbik.solvers.solver import BALLS, PLANAR, SPACE, Solver
from limbik.solvers.tree_plan import NO_TRACE, Trace, refuse_too_far, traced
from limbik.solvers.watch import run_call, time_watch
from limbik.spatial import Array

PATIENCE = 0.01  # fraction of the error: a window that gains less is a stall, where a restart may do better
PATIENCE_AT_LAST = 1e-6  # and where none follows

# What `chain.solve.answer` returns.
Result: TypeAlias = tuple[int, int, float, float, float, bool]

CLOSE_TO_BOUND = 1e-4  # of the reach: near enough to the least error that a goal out of reach allows
STACK_OF_JOINT = 2048  # bytes that a program needs of the stack, at most
ENGINES = {
    PLANAR: "by a kernel for points and arms in a plane",
    BALLS: "by a kernel for points and arms of ball joints",
    SPACE: "by a kernel for chains",
}


class Work:
    """What one descent works on. Any number may be in use, one to a thread."""

    def __init__(self, plan: ChainPlan, goal_size: int) -> None:
        nq = plan.chain.nq
        self.goal, self.rest, self.q, self.facts = map(np.empty, (goal_size, nq, nq, ANSWER_SIZE))
        self.settings = plan.settings.copy()
        self.budget = self.settings["budget"]  # [1]
        self.call = Call(
            plan.program, plan.packed.joints, plan.packed.place, self.goal, self.settings, self.rest, self.q,
            self.facts, *NO_TRACE,
        )  # fmt: skip


class ChainPlan(Plan):
    """Solves for one plain goal of a frame on the chain to it.

    kind: of the chain, as `kind_of_chain` has it.
    """

    def __init__(
        self,
        model: Model,
        chain: Chain,
        frame: str | None,
        goal: type[Goal],
        kind: str,
        solver: Solver,
        options: Options,
    ) -> None:
        self.model = model
        self.options = options
        self.chain = chain
        self.frame = model.end_effector if frame is None else frame
        self.kind = kind
        self.engine = ENGINES[kind]
        self.goal = goal
        self.solver = solver
        plane = pack_plane(chain) if kind == PLANAR else None
        self.packed = pack_space(chain, options.limits) if plane is None else plane
        self.settings = _settings(solver, options, chain)
        self.joint_count = len(self.packed.joints)
        self.restarts = options.restarts_over(chain.joints)
        self.settings["patience"] = PATIENCE if self.restarts else PATIENCE_AT_LAST
        self.program = chain_program(type(solver), kind, goal)
        self._is_whole = chain.nq == model.nq and bool((chain.q_places == np.arange(model.nq)).all())
        self._use_limits = bool(options.limits) and model.has_limits
        self._rest = model.neutral[chain.q_places]
        self._stack = STACK_OF_JOINT * self.joint_count
        self._free: dict[int, list[Work]] = {}  # by the numbers of a goal

    def request(self, goals: tuple[Goal, ...], /) -> Request:
        """What was asked."""
        return Request(model=self.model, goals=goals, solver=self.solver.name, options=self.options.given)

    def solve(self, problem: Problem, observer: Observer | None = None) -> Solution:
        """As `Plan.solve`: one descent after the other, from the start and then from random configurations,
        until one solves, or the budget, the restarts or the time is spent.
        """
        began = perf_counter()
        goals, start, seed, rest = problem
        numbers = self._numbers(goals[0])
        refuse_too_far(numbers)
        q_start = self.model.neutral.copy() if start is None else start
        inside = q_start if self._is_whole else self.model.clip(q_start)
        toward = self._rest if rest is None else self._part(rest)
        rows: Descents | None = None if observer is None else observer.descents
        watch = time_watch(self.options.time_limit)
        q = self._part(inside)
        first = self._descend(numbers, q, toward, self.options.budget, watch, rows)
        best, iterations, restarts = first, first[1], 0
        if self.restarts and not self._is_done(first):
            rng = np.random.default_rng(seed)
            best, q, iterations, restarts = self._restart(numbers, first, q, toward, rng, watch, rows)
        elsewhere = inside if self._use_limits else q_start
        if rows:
            last = next(descent for descent in reversed(rows) if len(descent[1]))
            last[0][-1], last[1][-1] = q, self._distance(best)
            rows[:] = [(self._whole(elsewhere, kept), errors) for kept, errors in rows]
        has_moved = inside is not q_start and bool((np.abs(inside - q_start) > ROUNDING).any())
        facts = Facts(
            _ended(SPENT if best[0] != SOLVED and watch() else best[0], best[4] > 0.0),
            best[2],
            2.0 * math.sin(0.5 * best[3]),
            iterations,
            restarts,
            first[5] or (self._use_limits and has_moved),
        )
        whole = self._whole(elsewhere, q)
        return Solution(whole, facts, perf_counter() - began, self, q_start, goals)

    def _restart(
        self,
        goal: Array,
        first: Result,
        q: Array,
        rest: Array,
        rng: np.random.Generator,
        watch: Watch,
        rows: Descents | None,
    ) -> tuple[Result, Array, int, int]:
        """The best result, its q, and the iterations and restarts in all."""
        best, iterations, restarts, budget = first, first[1], 0, self.options.budget
        while not self._is_done(best) and restarts < self.restarts and iterations < budget and not watch():
            trial = self._part(self.model.random(rng))
            result = self._descend(goal, trial, rest, budget - iterations, watch, rows)
            iterations += result[1]
            restarts += 1
            if result[0] == SOLVED or self._distance(result) < self._distance(best):
                best, q = result, trial
        return best, q, iterations, restarts

    def _descend(
        self, goal: Array, q: Array, rest: Array, budget: int, watch: Watch, rows: Descents | None
    ) -> Result:
        """One descent from q, which is changed in place: what `chain.solve.answer` returns."""
        if rows is None:
            return self._run(goal, q, rest, budget, NO_TRACE, watch)
        kept = np.empty((budget + 1, q.size)), np.empty(budget + 1)
        result = self._run(goal, q, rest, budget, kept, watch)
        # The start of a restart is no iteration: its row is left out.
        kept_rows = slice(1 if rows else 0, result[1] + 1)
        rows.append((kept[0][kept_rows], kept[1][kept_rows]))
        return result

    def _run(self, goal: Array, q: Array, rest: Array, budget: int, trace: Trace, watch: Watch) -> Result:
        """One descent of a number of iterations at most, compiled, or interpreted while it is compiled."""
        work = self._any_work(goal.size)
        work.goal[:], work.budget[0], work.rest[:], work.q[:] = goal, budget, rest, q
        run_call(traced(work.call, trace), watch, (work.q,), self._stack)
        end, iterations, error, turn, min_error, was_moved = work.facts.tolist()
        q[:] = work.q
        self._free.setdefault(goal.size, []).append(work)
        if end < 0:
            _refuse(int(end), goal, q)
        return int(end), int(iterations), error, turn, min_error, bool(was_moved)

    def _any_work(self, goal_size: int) -> Work:
        try:
            return self._free[goal_size].pop()
        except (KeyError, IndexError):
            return Work(self, goal_size)

    def _numbers(self, goal: Goal) -> Array:
        """The goal as `chain.solve.answer` takes it: a point, or pose and weights in 14 numbers."""
        if isinstance(goal, Position):
            if goal.target.size == 2:
                check_level(self.model, self.chain)
            return goal.target.copy()
        numbers = np.zeros(14)
        numbers[12] = self.settings["metres_per_radian"][0]
        if isinstance(goal, Pose):
            numbers[:3] = goal.target[:3, 3]
            numbers[3:12] = goal.target[:3, :3].ravel()
            numbers[13] = 1.0
        elif isinstance(goal, Orientation):
            numbers[3:12] = goal.target.ravel()
        return numbers

    def _part(self, q: Array) -> Array:
        """The chain's part of the model's q, as a copy."""
        return q.copy() if self._is_whole else q[self.chain.q_places]

    def _whole(self, q: Array, part: Array) -> Array:
        """The model's q [nq] with the chain's part [..., nq of the chain] in its place."""
        if self._is_whole:
            return part
        q = np.broadcast_to(q, (*part.shape[:-1], self.model.nq)).copy()
        q[..., self.chain.q_places] = part
        return q

    def _is_done(self, result: Result) -> bool:
        """Whether no restart could do better: solved, or out of reach and as near as the bound allows."""
        end, _, error, _, min_error, _ = result
        return end == SOLVED or 0.0 < error <= min_error + CLOSE_TO_BOUND * self.chain.reach

    def _distance(self, result: Result) -> float:
        """How far an answer is from the goal [m], radians counted as in the descent."""
        return math.hypot(result[2], self.settings["metres_per_radian"][0] * result[3])


def kind_of_chain(chain: Chain, goal: type[Goal]) -> str:
    """The kind of a chain for a kind of goal. The special kinds are for points."""
    if goal is not Position:
        return SPACE
    if pack_plane(chain) is not None:
        return PLANAR
    return BALLS if all(joint.kind is JointKind.BALL for joint in chain.joints) else SPACE


def check_level(model: Model, chain: Chain) -> None:
    """Raise GoalError where an arm does not move in a horizontal plane, as points of two numbers need it."""
    plane = pack_plane(chain)
    if plane is None or abs(plane.place["z"][0, 2]) <= 1.0 - 1e-12:
        raise GoalError(
            f"a point of 2 numbers needs an arm in a horizontal plane, which {model.name!r} is not: give 3 "
            "numbers"
        )


def chain_program(solver: type[Solver], kind: str, goal: type[Goal]) -> Program:
    """The solver's program for a kind of chain and of goal; the same one for every model."""
    name = f"{solver.name}-{kind}" if goal is Position else f"{solver.name}-{kind}-pose"
    if name not in _chain_programs:
        records = LINK if kind == PLANAR else JOINT
        _chain_programs[name] = on_chain(name, solver.kernel(kind, goal), records)
    return _chain_programs[name]


_chain_programs: dict[str, Program] = {}


def _settings(solver: Solver, options: Options, chain: Chain) -> Any:
    reach = chain.reach if 0.0 < chain.reach < math.inf else 1.0
    tuning = solver.tuning(reach)
    settings = np.zeros(1, SETTINGS)
    settings["tolerance"] = options.tolerance
    settings["tolerance_rotation"] = options.tolerance_rotation
    settings["metres_per_radian"] = 0.5 * reach
    settings["budget"] = options.budget
    settings["use_limits"] = options.limits and chain.has_limits
    settings["rest_bias"] = options.rest_bias
    settings["damping"] = tuning.damping
    settings["gain"] = tuning.gain
    settings["longest_error"] = tuning.longest_error
    return settings


def _ended(end: int, is_proved: bool) -> int:
    return UNREACHABLE if is_proved and end != SOLVED else end


def _refuse(code: int, goal: Array, q: Array) -> None:
    if code == BAD_GOAL:
        raise GoalError(f"the goal needs finite numbers, found {goal.tolist()}")
    if code == BAD_START:
        raise ConfigurationError(
            f"`start` needs finite numbers, and quaternions that have a direction; found {q.tolist()}"
        )
