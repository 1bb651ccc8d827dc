"""Compiling ahead of the first solve, for control loops and container images."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from limbik.core import native
from limbik.goals import Goal, Pose, Position
from limbik.model.model import Model
from limbik.solvers.general import GeneralPlan
from limbik.solvers.plan import NO_TRACE, Plan, plan_for
from limbik.solvers.registry import can_solve, get
from limbik.solvers.solver import SPACE, Solver

PROGRAMS = {"one": "single solves", "many": "batches", "many_single": "batches in single precision"}


@dataclass(frozen=True)
class Task:
    """One thing to compile."""

    text: str
    run: Callable[[], None]


GENERAL = Task("several goals, any tree", functools.partial(native.compile_now, "tree", None))


def warmup(model: Model, solvers: str | Solver | Iterable[str | Solver] | None = None) -> None:
    """Compile ahead of the first solve; default: what solve() and solve_batch() use for the model's end
    effector, and for several goals.

    Takes up to half a minute where nothing is in the compile cache yet, and returns when everything is ready.

    Raises SolverError for an unknown solver or one that cannot solve for the model, LimbikError where the
    compiler fails.
    """
    for task in tasks(model, solvers):
        task.run()


def tasks(model: Model, solvers: str | Solver | Iterable[str | Solver] | None = None) -> list[Task]:
    """What `warmup` does, one after the other."""
    found: dict[str, Task] = {}
    if solvers is None:
        found[GENERAL.text] = GENERAL
        solvers = ["auto"]
    elif isinstance(solvers, str | Solver):
        solvers = [solvers]
    for solver in solvers:
        for plan in _plans(model, solver):
            for task in _tasks(plan):
                found[task.text] = task
    return list(found.values())


def _plans(model: Model, solver: str | Solver) -> list[Plan | GeneralPlan]:
    """The plans for the goals that a solver is asked for by default."""
    chosen = get(solver) if isinstance(solver, str) and solver != "auto" else solver
    goals: list[type[Goal]] = [Position]
    if chosen == "auto" or can_solve(chosen, SPACE, Pose):
        goals.append(Pose)
    return [plan_for(model, None, goal, {"solver": solver}) for goal in goals]


def _tasks(plan: Plan | GeneralPlan) -> list[Task]:
    if isinstance(plan, GeneralPlan):
        return [GENERAL]
    if plan.fast is not None:
        shape = plan.fast.shape
        return [
            Task(f"{text} of {shape.kinds}", functools.partial(native.compile_now, name, shape))
            for name, text in PROGRAMS.items()
        ]
    if plan.goal is not Position:
        return []
    return [Task(f"{plan.solver.name} for points, {plan.kind}", functools.partial(_descend_once, plan))]


def _descend_once(plan: Plan) -> None:
    settings = plan.settings.copy()
    settings["budget"] = 1
    plan.run(np.zeros(3), plan.part(plan.model.neutral), plan.rest, settings, NO_TRACE)
