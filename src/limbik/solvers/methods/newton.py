"""Newton-Raphson (Pieper 1968; Siciliano et al. 2009, section 3.7).

Solve J dq = r exactly, by the shortest dq, as if the arm were linear. Converges quadratically near a
solution; far from one, and near singular postures, its steps are too long and the shared loop shortens them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.linear import copy, damped_solve, scale_by
from limbik.solvers.solver import BY_NEWTON, MethodTuning, StepSolver, parameter

JITTER = 1e-12  # of the trace: only enough to factorise where J J^T is singular


@compiled
def step(J: Floats, r: Floats, gradient: Floats, settings: Records, dq: Floats, work: Floats) -> None:
    """dq = damping J^T (J J^T)^-1 r."""
    rows = r.size
    if damped_solve(J, r, 0.0, JITTER, work[:rows, :rows], work[rows, :rows], dq):
        scale_by(settings.damping, dq)
    else:
        copy(gradient, dq)


@dataclass(frozen=True, kw_only=True)
class Newton(StepSolver):
    """Newton-Raphson."""

    name: ClassVar[str] = "newton"
    title: ClassVar[str] = "Newton-Raphson"
    summary: ClassVar[str] = (
        "The arm solved as if it were linear, again and again; quadratic near a solution."
    )
    source: ClassVar[str] = "Pieper 1968; Siciliano et al. 2009"

    damping: float = parameter(1.0, 0.01, 1.0, "", "factor on every step")

    def tuning(self, length: float) -> MethodTuning:
        return MethodTuning(method=BY_NEWTON, damping=self.damping)
