"""The solvers by name and by what they can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from limbik.errors import SolverError, did_you_mean, shortened
from limbik.goals import Goal, Orientation
from limbik.solvers.methods.analytic import Analytic
from limbik.solvers.methods.ccd import CCD
from limbik.solvers.methods.dls import DLS
from limbik.solvers.methods.fabrik import FABRIK
from limbik.solvers.methods.lm import LM
from limbik.solvers.methods.newton import Newton
from limbik.solvers.methods.optimize import Optimize
from limbik.solvers.methods.pinv import PseudoInverse
from limbik.solvers.methods.sdls import SDLS
from limbik.solvers.methods.transpose import Transpose
from limbik.solvers.methods.transpose_classic import TransposeClassic
from limbik.solvers.solver import Parameter, Solver
from limbik.spatial import check_flag

_SOLVERS: dict[str, type[Solver]] = {
    solver.name: solver
    for solver in (
        CCD,
        FABRIK,
        Transpose,
        TransposeClassic,
        PseudoInverse,
        DLS,
        SDLS,
        Newton,
        LM,
        Optimize,
        Analytic,
    )
}
ANY_TREE = "any tree"
KNOWN_ARMS = "arms of up to three, of six or of seven revolute joints"


@dataclass(frozen=True)
class SolverInfo:
    """What a solver is and can do, for tables and menus."""

    name: str
    title: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]
    goals: tuple[str, ...]
    chains: tuple[str, ...]


def names(*, compiled: bool = False) -> tuple[str, ...]:
    """The names of all solvers.

    compiled: only of those that run as machine code, quick enough for targets that are dragged.
    """
    check_flag(compiled, "`compiled`", SolverError)
    return tuple(name for name, solver in _SOLVERS.items() if solver.is_compiled or not compiled)


def get(name: str, **parameters: Any) -> Solver:  # fields of its class
    """A solver by its name, with its parameters.

    Raises SolverError for an unknown name or parameter, or a value out of range.
    """
    method: object = name
    if isinstance(method, type) and issubclass(method, Solver):
        raise SolverError(f"a solver is an object: {method.__name__}(), not {method.__name__}")
    if not isinstance(name, str) or name not in _SOLVERS:
        raise SolverError(f"there is no solver {shortened(name)}; {did_you_mean(name, _SOLVERS)}")
    solver = _SOLVERS[name]
    known = [field.name for field in dataclasses.fields(solver)]
    for method in parameters:
        if method not in known:
            raise SolverError(f"{name} has no parameter {method!r}; {did_you_mean(method, known)}")
    return solver(**parameters)


def with_parameter(name: str) -> tuple[str, ...]:
    """The classes of solvers that take a parameter of that name, by their names."""
    return tuple(
        solver.__name__
        for solver in _SOLVERS.values()
        if name in (field.name for field in dataclasses.fields(solver))
    )


def describe(*, compiled: bool = False) -> tuple[SolverInfo, ...]:
    """Every solver, or those that `names` lists: what it is, its parameters with their ranges, and what it
    can do.
    """
    return tuple(
        SolverInfo(
            name=solver.name,
            title=solver.title,
            summary=solver.summary,
            source=solver.source,
            parameters=solver.parameters(),
            goals=tuple(goal.__name__ for goal in solver.goals),
            chains=(KNOWN_ARMS if solver.only_known_arms else ANY_TREE,),
        )
        for solver in map(_SOLVERS.__getitem__, names(compiled=compiled))
    )


def choose(solver: str | Solver, goals: Sequence[type[Goal]]) -> Solver:
    """The solver of this name, if it meets these kinds of goal; "auto" is Levenberg-Marquardt, for all kinds.

    Raises SolverError, naming the solvers that can, where it cannot.
    """
    if isinstance(solver, Solver):
        chosen = solver
    else:
        chosen = LM() if isinstance(solver, str) and solver == "auto" else get(solver)
    refused = next((goal for goal in goals if goal not in chosen.goals), None)
    if refused is None:
        return chosen
    able = [
        name
        for name, each in _SOLVERS.items()
        if not each.only_known_arms and all(goal in each.goals for goal in goals)
    ]
    article = "an" if refused is Orientation else "a"
    raise SolverError(f"{chosen.name} cannot solve {article} {refused.__name__} goal; use {', '.join(able)}")
