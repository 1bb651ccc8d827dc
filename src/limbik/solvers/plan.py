"""What stays the same from one solve to the next of the same kind: packed chain, compiled kernel, settings.

A plan is kept with its model, so that a solve costs little more than its kernel.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from limbik.chain.descent import SETTINGS
from limbik.chain.joints import JOINT
from limbik.chain.pack import PackedChain, pack_plane, pack_space
from limbik.chain.planar import LINK
from limbik.chain.programs import on_chain
from limbik.chain.solve import ANSWER_SIZE
from limbik.compiler.kernel import Watch
from limbik.compiler.program import Program
from limbik.compiler.stack import with_stack
from limbik.errors import ConfigurationError, GoalError, SolverError, is_one_of
from limbik.goals import Goal, Pose, Position, as_goal, example, is_plain
from limbik.model.chain import Chain, chain_to
from limbik.model.derived import Slot
from limbik.model.joints import JointKind
from limbik.model.model import Model
from limbik.numerics.ended import BAD_GOAL, BAD_START, SOLVED
from limbik.serial.prepare import FAST_CHAIN
from limbik.solvers.best_plan import BestPlan
from limbik.solvers.checked_options import Options, hashable, read_options
from limbik.solvers.classical_plan import ClassicalPlan
from limbik.solvers.closed_plan import ClosedPlan
from limbik.solvers.general_plan import GeneralPlan
from limbik.solvers.goals_plan import GoalsPlan
from limbik.solvers.methods.analytic import Analytic
from limbik.solvers.methods.lm import LM
from limbik.solvers.methods.optimize import Optimize
from limbik.solvers.optimize_plan import OptimizePlan
from limbik.solvers.question import Question
from limbik.solvers.registry import choose, has_kernel
from limbik.solvers.request import Request
from limbik.solvers.serial_plan import SerialPlan, is_fast_for
from limbik.solvers.solver import BALLS, PLANAR, SPACE, TREE, Solver
from limbik.solvers.tasks import structure
from limbik.solvers.tree_plan import Call, Trace
from limbik.solvers.watch import run_either_way
from limbik.spatial import Array

PATIENCE = (
    0.01  # a window gaining less than this fraction of the error is a stall, where a restart may do better
)
PATIENCE_AT_LAST = 1e-6  # and where none follows

# What `chain.solve.answer` returns.
Result: TypeAlias = tuple[int, int, float, float, float, bool]

CLOSE_TO_BOUND = 1e-4  # of the reach: near enough to the least error that a goal out of reach allows
STACK_OF_JOINT = 2048  # bytes that a program needs of the stack, at most
BY_DEFAULT: Slot[SerialPlan] = Slot()  # the plan for a pose of the end effector, without options
PLANS: Slot[dict[Any, Plan | GoalsPlan]] = Slot()  # by goals and options
MOST_PLANS = 256  # kept with one model: sliders can ask for any number of different ones


class Work:
    """What one descent works on. Any number may be in use, one to a thread."""

    def __init__(self, plan: Plan, goal_size: int) -> None:
        nq = plan.chain.nq
        self.goal, self.rest, self.q, self.facts = map(np.empty, (goal_size, nq, nq, ANSWER_SIZE))
        self.settings = plan.settings.copy()
        self.budget = self.settings["budget"]  # [1]
        self._patience = np.array([plan.patience])
        arrays = (
            plan.packed.joints, plan.packed.place, self.goal, self.settings, self._patience, self.rest,
            self.q, self.facts,
        )  # fmt: skip
        self.call = Call(arrays, (plan.joint_count, goal_size, nq))


class Plan(Question):
    """Everything about a solve for one frame that does not depend on the target or the start."""

    def __init__(
        self,
        model: Model,
        chain: Chain,
        frame: str | None,
        goal: type[Goal],
        weights: tuple[float, ...] | None,
        options: Options,
    ) -> None:
        self.model = model
        self.chain = chain
        self.frame = model.end_effector if frame is None else frame
        self.kind, packed = _packed(self.chain, goal, options.limits)
        only_fast = _only_fast(options, weights)
        # Points for revolute joints in a plane have a kernel of their own, the same for any number of joints.
        suits = self.kind == SPACE or bool(only_fast)
        suits = suits and options.rest_bias == 0.0 and is_fast_for(self.chain, goal, weights)
        self.solver = choose(options.solver, self.kind, (goal,))
        self.fast = None
        if suits and self.solver.name == "lm":
            self.fast = SerialPlan(model, self.chain, goal, weights, options, frame)
        elif only_fast:
            raise SolverError(f"`{only_fast[0]}` needs solver 'lm' on {FAST_CHAIN}, without `rest_bias`")
        self.packed = packed
        self.is_level = packed.is_planar and abs(packed.place["z"][0, 2]) > 1.0 - 1e-12
        self.is_whole = self.chain.nq == model.nq and bool((self.chain.q_places == np.arange(model.nq)).all())
        self.settings = _settings(self.solver, options, self.chain)
        self.use_limits = bool(options.limits) and model.has_limits
        self.budget = int(self.settings["budget"][0])
        self.restarts = options.restarts_over(chain.joints)
        self.patience = PATIENCE if self.restarts else PATIENCE_AT_LAST
        self.rest = model.neutral[self.chain.q_places]
        self.goal = goal
        self.options = options
        self.only_fast = only_fast
        self.joint_count = len(packed.joints)
        self.stack = STACK_OF_JOINT * self.joint_count
        self._free: dict[int, list[Work]] = {}  # by the numbers of a goal

    @functools.cached_property
    def height(self) -> float:
        """[m] at which an arm in a horizontal plane moves."""
        return float((self.model.pose(self.model.neutral, self.frame) @ self.options.tool_pose)[2, 3])

    @functools.cached_property
    def program(self) -> Program:
        """What solves on the chain."""
        return chain_program(type(self.solver), self.kind, self.goal)

    def request(self, goal: Goal | Array, /) -> Request:
        """What was asked, for a goal of this plan's kind or a point for the end effector."""
        return Request(
            model=self.model, goals=(as_goal(goal),), solver=self.solver.name, options=self.options.given
        )

    def run(self, goal: Array, q: Array, rest: Array, budget: int, trace: Trace, watch: Watch) -> Result:
        """One descent of a number of iterations at most, from q [nq of the chain], which is changed in place;
        see `chain.solve.answer`.
        """
        work = self._any_work(goal.size)
        work.goal[:], work.budget[0], work.rest[:], work.q[:] = goal, budget, rest, q
        arguments = work.call.arguments(trace)

        def run(function: Any) -> None:
            with_stack(self.stack, lambda: function(arguments.address, watch))

        def interpret(watch: Watch) -> None:
            records = self.packed.joints, self.packed.place, work.settings
            joints, place, settled = (each.view(np.recarray) for each in records)
            solve = self.program.kernel.bindings["solve_chain"].interpreted
            solve(joints, place, goal, settled, self.patience, work.rest, work.q, work.facts, *trace, watch)

        run_either_way(self.program, watch, run, interpret, (work.q,))
        end, iterations, error, turn, least_error, was_moved = work.facts.tolist()
        q[:] = work.q
        self._free.setdefault(goal.size, []).append(work)
        if end < 0:
            _refuse(int(end), goal, q)
        return int(end), int(iterations), error, turn, least_error, bool(was_moved)

    def _any_work(self, goal_size: int) -> Work:
        try:
            return self._free[goal_size].pop()
        except (KeyError, IndexError):
            return Work(self, goal_size)

    def part(self, q: Array) -> Array:
        """The chain's part of the model's q, as a copy."""
        return q.copy() if self.is_whole else q[self.chain.q_places]

    def whole(self, q: Array, part: Array) -> Array:
        """The model's q [nq] with the chain's part [..., nq of the chain] in its place."""
        if self.is_whole:
            return part
        q = np.broadcast_to(q, (*part.shape[:-1], self.model.nq)).copy()
        q[..., self.chain.q_places] = part
        return q

    def is_done(self, result: Result) -> bool:
        """Whether no restart could do better: solved, or out of reach and as near as the bound allows."""
        end, _, error, _, least_error, _ = result
        return end == SOLVED or 0.0 < error <= least_error + CLOSE_TO_BOUND * self.chain.reach

    def distance(self, result: Result) -> float:
        """How far an answer is from the goal [m], radians counted as in the descent."""
        return math.hypot(result[2], self.settings["metres_per_radian"][0] * result[3])


def chain_program(solver: type[Solver], kind: str, goal: type[Goal]) -> Program:
    """The solver's program for a kind of chain and of goal; the same one for every model."""
    name = f"{solver.name}-{kind}" if goal is Position else f"{solver.name}-{kind}-pose"
    if name not in _chain_programs:
        records = LINK if kind == PLANAR else JOINT
        _chain_programs[name] = on_chain(name, solver.kernel(kind, goal), records)
    return _chain_programs[name]


_chain_programs: dict[str, Program] = {}


def _with_tool(chain: Chain, options: Options) -> Chain:
    """The chain to a tool that is held in its frame."""
    if options.tool is None:
        return chain
    return replace(chain, tool=chain.tool @ options.tool_pose)


def _only_fast(options: Options, weights: tuple[float, ...] | None) -> list[str]:
    """What is asked for that only the fast core can do."""
    asked = {
        "prefer": options.prefer is not None,
        "locked": bool(options.locked),
        "weights": weights is not None,
    }
    return [name for name, is_asked in asked.items() if is_asked]


def _packed(chain: Chain, goal: type[Goal], use_limits: bool) -> tuple[str, PackedChain]:
    """The kind of a chain for a kind of goal, and the chain packed. The special kinds are for points."""
    planar = pack_plane(chain) if goal is Position else None
    if planar is not None:
        return PLANAR, planar
    is_balls = goal is Position and all(joint.kind is JointKind.BALL for joint in chain.joints)
    return BALLS if is_balls else SPACE, pack_space(chain, use_limits)


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


def _refuse(code: int, goal: Array, q: Array) -> None:
    if code == BAD_GOAL:
        raise GoalError(f"the goal needs finite numbers, found {goal.tolist()}")
    if code == BAD_START:
        raise ConfigurationError(
            f"`start` needs finite numbers, and quaternions that have a direction; found {q.tolist()}"
        )


def plan_for(
    model: Model,
    frame: str | None,
    goal: type[Goal],
    options: dict[str, Any],
    weights: tuple[float, ...] | None = None,
) -> Plan | GoalsPlan:
    """The plan for one plain goal of one frame, made once and kept with the model."""
    key = (frame, goal, weights)
    plan: Plan | GoalsPlan = _kept(
        model, key, options, lambda read: _one_goal(model, frame, goal, weights, read)
    )
    if key == (None, Pose, None) and not options and isinstance(plan, Plan) and plan.fast is not None:
        BY_DEFAULT.put(model, plan.fast)
    return plan


def plan_of(model: Model, goals: Sequence[Goal], options: dict[str, Any]) -> Plan | GoalsPlan:
    """The plan by which goals are solved for, made once and kept with the model."""
    first = goals[0]
    if len(goals) > 1 or not is_plain(first):
        return general_plan_for(model, goals, options)
    weights = first.weights if isinstance(first, Pose) else None
    plan = plan_for(model, first.frame, type(first), options, weights)
    if isinstance(plan, GoalsPlan) and isinstance(first, Position) and first.target.size == 2:
        return general_plan_for(model, goals, options)
    return plan


def general_plan_for(model: Model, goals: Sequence[Goal], options: dict[str, Any]) -> GoalsPlan:
    """The plan for any goals of this structure, made once and kept with the model."""
    key = tuple(map(structure, goals))
    plan: GoalsPlan = _kept(model, key, options, lambda read: _general(model, goals, read))
    return plan


def _kept(model: Model, key: tuple[Any, ...], options: dict[str, Any], make: Callable[[Options], Any]) -> Any:
    """What `make` makes of the options, or has made of the same ones before."""
    if "tool" in options or "locked" in options:
        options = hashable(options)
    # 1 == True, but is another option
    key = (*key, *options.items(), *map(type, options.values()))
    plans = PLANS.get(model)
    if plans is None:
        plans = PLANS.put(model, {})
    try:
        plan = plans.get(key)
    except TypeError:  # an option that cannot be hashed is not one that `read_options` takes
        plan = None
    if plan is None:
        plan = make(read_options(options))
        if len(plans) >= MOST_PLANS:
            plans.clear()
        plans[key] = plan
    return plan


def _one_goal(
    model: Model, frame: str | None, goal: type[Goal], weights: tuple[float, ...] | None, options: Options
) -> Plan | GoalsPlan:
    chain = _with_tool(chain_to(model, frame), options)
    if not chain.joints:
        name = model.end_effector if frame is None else frame
        raise GoalError(f"frame {name!r} of model {model.name!r} cannot move: no joint lies before it")
    by_lm = is_one_of(options.solver, ("auto", "lm")) or isinstance(options.solver, LM)
    is_general = _is_general if by_lm else _is_branched
    if options.mode == "best" or chain.has_mimic or is_general(chain, goal, weights, options):
        return _general(model, (example(goal, frame, weights),), options)
    return Plan(model, chain, frame, goal, weights, options)


def _is_general(chain: Chain, goal: type[Goal], weights: tuple[float, ...] | None, options: Options) -> bool:
    """Whether a chain is for the general core: no arm of the fast core, nor one with a kernel of its own."""
    if options.rest_bias != 0.0 or is_fast_for(chain, goal, weights):
        return False
    return bool(options.locked) or weights is not None or _packed(chain, goal, options.limits)[0] == SPACE


def _is_branched(chain: Chain, goal: type[Goal], weights: tuple[float, ...] | None, options: Options) -> bool:
    """Whether a classical method solves for a chain as for a tree: it has no kernel for what is asked."""
    kind = _packed(chain, goal, options.limits)[0]
    solver = choose(options.solver, kind, (goal,))
    if goal not in solver.tree_goals:
        return False
    needs_tree = solver.needs_tree or bool(options.locked) or weights is not None
    return needs_tree or not has_kernel(solver, kind, goal)


def _general(model: Model, goals: Sequence[Goal], options: Options) -> GoalsPlan:
    solver = choose(options.solver, TREE, [type(goal) for goal in goals])
    is_lm = isinstance(solver, LM)
    for name in ("prefer", "rest_bias"):
        if getattr(options, name) == getattr(Options, name) or (name == "rest_bias" and not is_lm):
            continue
        instead = "; ask for a Posture" if name == "rest_bias" else "" if is_lm else ", with solver 'lm'"
        raise SolverError(
            f"`{name}` is for one plain goal on a chain without joints that follow others{instead}"
        )
    if options.mode == "best":
        if not is_lm:
            raise SolverError(f"`mode='best'` is of solver 'lm', not of {solver.name!r}")
        return BestPlan(model, goals, options)
    if is_lm:
        return GeneralPlan(model, goals, options)
    if len({goal.priority for goal in goals}) > 1:
        raise SolverError(
            f"{solver.name} weighs goals against each other and knows no priorities: give all goals the same "
            "one, or use 'lm'"
        )
    if isinstance(solver, Analytic):
        return ClosedPlan(model, goals, options)
    if isinstance(solver, Optimize):
        return OptimizePlan(model, goals, options, solver)
    return ClassicalPlan(model, goals, options, solver)
