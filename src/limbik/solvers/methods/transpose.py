"""Jacobian transpose (Wolovich & Elliott 1984; step length after Buss 2004, section 5).

Move the joints along the gradient, as far as the linear model says is best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.solvers.solver import BY_TRANSPOSE, MethodTuning, StepSolver, parameter


@compiled
def best_length(J: Floats, r: Floats, gradient: Floats) -> float:
    """<r, v> / <v, v> of v = J J^T r: how far along the gradient J^T r the linear model is best (Buss)."""
    along = squared = 0.0
    for i in range(r.size):
        v = 0.0
        for j in range(gradient.size):
            v += J[i, j] * gradient[j]
        along += r[i] * v
        squared += v * v
    return along / squared if squared > 0.0 else 0.0


@compiled
def step(J: Floats, r: Floats, gradient: Floats, settings: Records, dq: Floats, work: Floats) -> None:
    """u = J^T r; v = J u; dq = damping clamp(r.v / v.v, 0, gamma) u."""
    alpha = min(max(best_length(J, r, gradient), 0.0), settings.gain)
    for j in range(dq.size):
        dq[j] = settings.damping * alpha * gradient[j]


@dataclass(frozen=True, kw_only=True)
class Transpose(StepSolver):
    """Jacobian transpose."""

    name: ClassVar[str] = "jt"
    title: ClassVar[str] = "Jacobian transpose"
    summary: ClassVar[str] = "Down the gradient of the error, as far as the linear model says is best."
    source: ClassVar[str] = "Wolovich & Elliott 1984; Buss 2004"

    damping: float = parameter(1.0, 0.01, 1.0, "", "factor on every step")
    gamma: float | None = parameter(
        None, 1e-9, 1e9, "1/m^2", "longest step along the gradient; none by default"
    )

    def tuning(self, length: float) -> MethodTuning:
        gain = math.inf if self.gamma is None else self.gamma * length**2
        return MethodTuning(method=BY_TRANSPOSE, damping=self.damping, gain=gain)
