"""The solvers by name and by what they can do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from limbik.errors import SolverError, did_you_mean
from limbik.goals import Goal, Orientation
from limbik.solvers.ccd import CCD
from limbik.solvers.dls import DLS
from limbik.solvers.fabrik import FABRIK
from limbik.solvers.lm import LM
from limbik.solvers.newton import Newton
from limbik.solvers.pinv import PseudoInverse
from limbik.solvers.sdls import SDLS
from limbik.solvers.solver import BALLS, PLANAR, SPACE, Parameter, Solver
from limbik.solvers.transpose import Transpose

_SOLVERS: dict[str, type[Solver]] = {
    solver.name: solver for solver in (CCD, FABRIK, Transpose, PseudoInverse, DLS, SDLS, Newton, LM)
}
_CHAIN_WORDS = {
    PLANAR: "hinges in a plane",
    BALLS: "ball joints",
    SPACE: "any mix of hinges, slides and ball joints",
}
_CHAIN_IS = {
    PLANAR: "a chain of hinges in a plane",
    BALLS: "a chain of ball joints",
    SPACE: "a chain that is neither all hinges in one plane nor all ball joints",
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


def names() -> tuple[str, ...]:
    """The names of all solvers."""
    return tuple(_SOLVERS)


def get(name: str, **parameters: Any) -> Solver:
    """A solver by its name, with its parameters.

    Raises SolverError for an unknown name or parameter, or a value out of range.
    """
    if not isinstance(name, str) or name not in _SOLVERS:
        raise SolverError(f"there is no solver {name!r}; {did_you_mean(name, _SOLVERS)}")
    solver = _SOLVERS[name]
    known = [parameter.name for parameter in solver.parameters()]
    for given in parameters:
        if given not in known:
            raise SolverError(f"{name} has no parameter {given!r}; {did_you_mean(given, known)}")
    return solver(**parameters)


def describe() -> tuple[SolverInfo, ...]:
    """Every solver: what it is, its parameters with their ranges, and what it can do."""
    return tuple(
        SolverInfo(
            name=solver.name,
            title=solver.title,
            summary=solver.summary,
            source=solver.source,
            parameters=solver.parameters(),
            goals=tuple(goal.__name__ for goal in solver.goals),
            chains=tuple(_CHAIN_WORDS[chain] for chain in solver.chains),
        )
        for solver in _SOLVERS.values()
    )


def choose(solver: str | Solver, chain: str, goal: type[Goal]) -> Solver:
    """The solver asked for, if it can do this; for "auto" Levenberg-Marquardt, which can do all of it.

    Raises SolverError, naming the solvers that can, where it cannot.
    """
    if isinstance(solver, Solver):
        chosen = solver
    else:
        chosen = LM() if isinstance(solver, str) and solver == "auto" else get(solver)
    if can_solve(chosen, chain, goal):
        return chosen
    able = [name for name in _SOLVERS if can_solve(name, chain, goal)]
    problem = (
        f"{'an' if goal is Orientation else 'a'} {goal.__name__} goal"
        if goal not in chosen.goals
        else f"{_CHAIN_IS[chain]} (it works on {_or(_CHAIN_WORDS[c] for c in chosen.chains)})"
    )
    raise SolverError(f"{chosen.name} cannot solve {problem}; use {', '.join(able)}")


def can_solve(solver: str | Solver, chain: str, goal: type[Goal]) -> bool:
    """Whether a solver can meet a kind of goal with a kind of chain."""
    kind = solver if isinstance(solver, Solver) else _SOLVERS[solver]
    return goal in kind.goals and chain in kind.chains


def _or(words: Iterable[str]) -> str:
    return " or ".join(words)
