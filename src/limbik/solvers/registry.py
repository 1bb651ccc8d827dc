"""The solvers by name and by what they can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
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
from limbik.solvers.solver import BALLS, CHAINS, PLANAR, SPACE, TREE, Parameter, Solver

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
_CHAIN_WORDS = {
    PLANAR: "revolute joints in a plane",
    BALLS: "ball joints",
    SPACE: "any mix of revolute, prismatic and ball joints",
    TREE: "any tree",
}
_CHAIN_IS = {
    PLANAR: "a chain of revolute joints in a plane",
    BALLS: "a chain of ball joints",
    SPACE: "a chain that is neither all revolute joints in one plane nor all ball joints",
    TREE: "several goals, nor a goal with weights or joints that follow others",
}


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
    return tuple(name for name, solver in _SOLVERS.items() if solver.is_compiled or not compiled)


def get(name: str, **parameters: Any) -> Solver:
    """A solver by its name, with its parameters.

    Raises SolverError for an unknown name or parameter, or a value out of range.
    """
    given: Any = name
    if isinstance(given, type) and issubclass(given, Solver):
        raise SolverError(f"a solver is an object: {given.__name__}(), not {given.__name__}")
    if not isinstance(name, str) or name not in _SOLVERS:
        raise SolverError(f"there is no solver {shortened(name)}; {did_you_mean(name, _SOLVERS)}")
    solver = _SOLVERS[name]
    known = [field.name for field in dataclasses.fields(solver)]
    for given in parameters:
        if given not in known:
            raise SolverError(f"{name} has no parameter {given!r}; {did_you_mean(given, known)}")
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
            goals=tuple(dict.fromkeys(goal.__name__ for goal in (*solver.goals, *solver.tree_goals))),
            chains=_chains(solver),
        )
        for solver in map(_SOLVERS.__getitem__, names(compiled=compiled))
    )


def choose(solver: str | Solver, chain: str, goals: Sequence[type[Goal]]) -> Solver:
    """The solver asked for, if it can do this; for "auto" Levenberg-Marquardt, which can do all of it.

    chain: a kind of chain, or TREE for several goals and for what only trees have. Raises SolverError, naming
    the solvers that can, where it cannot.
    """
    if isinstance(solver, Solver):
        chosen = solver
    else:
        chosen = LM() if isinstance(solver, str) and solver == "auto" else get(solver)
    if all(can_solve(chosen, chain, goal) for goal in goals):
        return chosen
    able = [
        name
        for name, each in _SOLVERS.items()
        if not each.only_known_arms and all(can_solve(name, chain, goal) for goal in goals)
    ]
    known = (*chosen.goals, *chosen.tree_goals)
    refused = next((goal for goal in goals if goal not in known), None)
    if refused is not None:
        problem = f"{'an' if refused is Orientation else 'a'} {refused.__name__} goal"
    else:
        problem = f"{_CHAIN_IS[chain]} (it works on {_or(_chains(type(chosen)))})"
    raise SolverError(f"{chosen.name} cannot solve {problem}; use {', '.join(able)}")


def can_solve(solver: str | Solver, chain: str, goal: type[Goal]) -> bool:
    """Whether a solver can meet a kind of goal with a kind of chain, or on any tree."""
    kind = solver if isinstance(solver, Solver) else _SOLVERS[solver]
    return has_kernel(kind, chain, goal) or goal in kind.tree_goals


def has_kernel(solver: Solver | type[Solver], chain: str, goal: type[Goal]) -> bool:
    """Whether a solver has a kernel of its own for a kind of goal with a kind of chain."""
    return goal in solver.goals and chain in solver.chains


def _chains(solver: type[Solver]) -> tuple[str, ...]:
    """What a solver moves, in words."""
    if solver.only_known_arms:
        return ("arms of up to three, of six or of seven revolute joints",)
    chains = (*CHAINS, TREE) if solver.tree_goals else solver.chains
    return tuple(_CHAIN_WORDS[chain] for chain in chains)


def _or(words: Iterable[str]) -> str:
    return " or ".join(words)
