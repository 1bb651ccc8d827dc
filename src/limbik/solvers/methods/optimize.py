"""`Optimize`: SciPy's general-purpose optimisers as a solver, for goals and costs of one's own.

Costs are minimised over the joints within their limits, with the goals as equality constraints: by sequential
least squares (Kraft 1988), by a trust region (Conn, Gould & Toint 2000), or by L-BFGS-B (Byrd, Lu, Nocedal &
Zhu 1995), which knows no constraints and takes them by the method of multipliers (Hestenes 1969; Powell
1969). `solvers.optimize_plan` says how these are run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from limbik.errors import SolverError, is_one_of, members_of, shortened
from limbik.goals import EVERY, Goal
from limbik.solvers.costs import Cost, check_cost
from limbik.solvers.solver import Solver
from limbik.spatial import as_real

METHODS = ("SLSQP", "trust-constr", "L-BFGS-B")
LARGEST_WEIGHT = 1e9


@dataclass(frozen=True, kw_only=True)
class Optimize(Solver):
    """SciPy's optimisers.

    method: "SLSQP", "trust-constr" or "L-BFGS-B". costs: functions of (q, frames) that are to be small where
    the goals are met; see `limbik.cost_gradient`. weights: one number of at least 0 for each; by default 1.
    """

    name: ClassVar[str] = "optimize"
    title: ClassVar[str] = "SciPy's optimisers"
    summary: ClassVar[str] = (
        "The goals as equality constraints of SLSQP, trust-constr or L-BFGS-B, and costs of one's own to "
        "minimise."
    )
    source: ClassVar[str] = "Kraft 1988; Byrd, Lu, Nocedal & Zhu 1995; Conn, Gould & Toint 2000"
    goals: ClassVar[tuple[type[Goal], ...]] = EVERY
    is_compiled: ClassVar[bool] = False

    method: Literal["SLSQP", "trust-constr", "L-BFGS-B"] = "SLSQP"
    costs: Sequence[Cost] = ()
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_one_of(self.method, METHODS):
            known = ", ".join(map(repr, METHODS))
            raise SolverError(f"optimize: `method` needs one of {known}, found {shortened(self.method)}")
        costs = (self.costs,) if callable(self.costs) else self.costs
        costs = members_of(costs, "optimize: `costs`", SolverError, "functions of (q, frames)")
        for cost in costs:
            check_cost(cost)
        object.__setattr__(self, "costs", costs)
        object.__setattr__(self, "weights", self._as_weights(len(costs)))

    def _as_weights(self, count: int) -> tuple[float, ...]:
        needed = f"a number from 0 to {LARGEST_WEIGHT:g} for each cost"
        if self.weights is None:
            return (1.0,) * count
        weights = members_of(self.weights, "optimize: `weights`", SolverError, needed)
        if len(weights) != count or not all(0.0 <= as_real(each) <= LARGEST_WEIGHT for each in weights):
            raise SolverError(f"optimize: `weights` needs {needed}, found {shortened(self.weights)}")
        return tuple(map(float, weights))
