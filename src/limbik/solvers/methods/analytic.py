"""`Analytic`: name, sources and goals of the solver by closed forms and eliminations, which
`solvers.closed_plan` runs.

The methods are those of `limbik.analytic`, which names their sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from limbik.goals import Goal, Pose, Position
from limbik.solvers.solver import Solver


@dataclass(frozen=True, kw_only=True)
class Analytic(Solver):
    """All solutions by the arm's geometry; the answer is the nearest to the start."""

    name: ClassVar[str] = "analytic"
    title: ClassVar[str] = "Closed forms"
    summary: ClassVar[str] = (
        "All configurations by the arm's geometry, without iterations: the nearest to the start."
    )
    source: ClassVar[str] = (
        "Pieper 1968; Paden 1986; Raghavan & Roth 1993; Shimizu et al. 2008; Elias & Wen 2022"
    )
    goals: ClassVar[tuple[type[Goal], ...]] = (Pose, Position)
    only_known_arms: ClassVar[bool] = True
    is_compiled: ClassVar[bool] = False
