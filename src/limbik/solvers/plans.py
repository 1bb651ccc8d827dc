"""Chooses and caches the plan of a solve.

A plan is cached with its model, so that a solve costs little more than its kernel.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from limbik.errors import GoalError, SolverError
from limbik.goals import Goal, Pose, Position, evenly, example, is_plain
from limbik.model.chain import Chain, chain_to
from limbik.model.model import Model
from limbik.model.slots import Slot
from limbik.serial.prepare import FAST_CHAIN
from limbik.solvers.checked_options import Options, hashable, read_options
from limbik.solvers.classical_plan import ClassicalPlan
from limbik.solvers.closed_plan import ClosedPlan
from limbik.solvers.even_plan import EvenPlan
from limbik.solvers.methods.analytic import Analytic
from limbik.solvers.methods.lm import LM
from limbik.solvers.methods.optimize import Optimize
from limbik.solvers.optimize_plan import OptimizePlan
from limbik.solvers.plan import Plan
from limbik.solvers.registry import choose
from limbik.solvers.serial_plan import SerialPlan, is_fast_for
from limbik.solvers.solver import Solver
from limbik.solvers.tree_plan import GeneralPlan

BY_DEFAULT: Slot[SerialPlan] = Slot()  # the plan for a pose of the end effector, without options
PLANS: Slot[dict[Any, Plan]] = Slot()  # by goals and options
STRUCTURE = operator.attrgetter("structure")  # of a goal
MAX_PLANS = 256  # cached with one model: sliders can ask for any number of different ones


def plan_of(model: Model, goals: Sequence[Goal], options: dict[str, Any]) -> Plan:
    """The plan by which goals are solved for, made once and cached with the model."""
    first = goals[0]
    if len(goals) > 1 or not is_plain(first):
        return general_plan_for(model, goals, options)
    weights = first.weights if isinstance(first, Pose) else None
    plan = plan_for(model, first.frame, type(first), options, weights)
    if isinstance(first, Position) and first.target.size == 2:
        return plan if isinstance(plan, SerialPlan) else general_plan_for(model, goals, options)
    return plan


def plan_for(
    model: Model,
    frame: str | None,
    goal: type[Goal],
    options: dict[str, Any],
    weights: tuple[float, ...] | None = None,
) -> Plan:
    """The plan for one plain goal of one frame, made once and cached with the model."""
    key = (frame, goal, weights)
    return _cached(
        model, key, options, lambda read: _evened(model, (example(goal, frame, weights),), _one_goal, read)
    )


def general_plan_for(model: Model, goals: Sequence[Goal], options: dict[str, Any]) -> Plan:
    """The plan for any goals of this structure, made once and cached with the model."""
    return _cached(model, map(STRUCTURE, goals), options, lambda read: _evened(model, goals, _general, read))


def _cached(
    model: Model, key: Iterable[Any], options: dict[str, Any], make: Callable[[Options], Plan]
) -> Plan:
    """What `make` makes of the options, or has made of the same ones before."""
    if "tool" in options or "locked" in options:
        options = hashable(options)
    # 1 == True, but is another option
    key = (*key, *options.items(), *map(type, options.values()))
    plans = model.derived.get(PLANS)  # as `Slot.of`, quicker
    if plans is None:
        plans = PLANS.put(model, {})
    try:
        plan = plans.get(key)
    except TypeError:  # an option that cannot be hashed is not one that `read_options` takes
        plan = None
    if plan is None:
        plan = make(read_options(options))
        if len(plans) >= MAX_PLANS:
            plans.clear()
        plans[key] = plan
    return plan


def _evened(
    model: Model,
    goals: Sequence[Goal],
    make: Callable[[Model, Sequence[Goal], Options], Plan],
    options: Options,
) -> Plan:
    """The plan that `make` makes, with another one for even weights behind it where these are uneven."""
    even = tuple(map(evenly, goals))
    is_even = all(new is old for new, old in zip(even, goals, strict=True))
    if is_even or options.restarts is not None or options.mode == "best":
        return make(model, goals, options)
    return EvenPlan(make(model, goals, options), lambda: plan_of(model, even, options.explicit))


def _one_goal(model: Model, goals: Sequence[Goal], options: Options) -> Plan:
    goal = goals[0]
    frame, weights = goal.frame, goal.weights if isinstance(goal, Pose) else None
    chain = _with_tool(chain_to(model, frame), options)
    if not chain.joints:
        name = model.end_effector if frame is None else frame
        raise GoalError(f"frame {name!r} of model {model.name!r} cannot move: no joint lies before it")
    solver = choose(options.solver, (type(goal),))
    is_lm = isinstance(solver, LM) and options.rest_bias == 0.0 and options.mode != "best"
    if is_lm and not chain.has_mimic and is_fast_for(chain, type(goal), weights):
        plan = SerialPlan(model, chain, type(goal), weights, options, frame)
        if type(goal) is Pose and frame is None and weights is None and options == Options():
            BY_DEFAULT.put(model, plan)
        return plan
    return _general(model, goals, options)


def _with_tool(chain: Chain, options: Options) -> Chain:
    """The chain to a tool that is held in its frame."""
    if options.tool is None:
        return chain
    return replace(chain, tool=chain.tool @ options.tool_pose)


def _general(model: Model, goals: Sequence[Goal], options: Options) -> Plan:
    solver = choose(options.solver, [type(goal) for goal in goals])
    if options.prefer is not None:
        raise SolverError(
            f"`prefer` is for one plain goal, with solver 'lm' on {FAST_CHAIN}, without `rest_bias`"
        )
    if options.mode == "best":
        return _best(model, goals, options, solver)
    if isinstance(solver, LM) and options.rest_bias == 0.0:
        return GeneralPlan(model, goals, options, plan_of=plan_of)
    if len({goal.priority for goal in goals}) > 1:
        name = f"`rest_bias` with {solver.name}" if isinstance(solver, LM) else solver.name
        instead = "ask for a Posture" if isinstance(solver, LM) else "use 'lm'"
        raise SolverError(
            f"{name} weighs goals against each other and knows no priorities: give all goals the same one, "
            f"or {instead}"
        )
    if isinstance(solver, Analytic):
        return ClosedPlan(model, goals, options)
    if isinstance(solver, Optimize):
        return OptimizePlan(model, goals, options, solver)
    return ClassicalPlan(model, goals, options, solver)


def _best(model: Model, goals: Sequence[Goal], options: Options, solver: Solver) -> Plan:
    if not isinstance(solver, LM):
        raise SolverError(f"`mode='best'` is of solver 'lm', not of {solver.name!r}")
    if options.rest_bias != 0.0:
        raise SolverError("`mode='best'` knows no `rest_bias`; ask for a Posture")
    return GeneralPlan(model, goals, options)
