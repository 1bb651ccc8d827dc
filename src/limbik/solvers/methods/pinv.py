"""Pseudo-inverse by singular value decomposition (Whitney 1969; Klein & Huang 1983).

The shortest step that removes as much of the error as a step can. Directions in which the arm can hardly move
are left out instead of being divided by almost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.linear import clamp_factor, fill, orthogonalise_rows, squared_length
from limbik.solvers.solver import BY_PINV, MethodTuning, StepSolver, parameter

SMALLEST_RATIO = 1e-3  # of a singular value to the largest
LONGEST_ERROR = 0.3  # of the model's length


@compiled
def step(J: Floats, r: Floats, gradient: Floats, settings: Records, dq: Floats, work: Floats) -> None:
    """dq = damping J^+ clamp(r) = damping sum_i v_i (u_i . r) / sigma_i."""
    rows = r.size
    W, U = work[:rows, : dq.size], work[rows : 2 * rows, :rows]
    orthogonalise_rows(J, W, U)
    largest = 0.0
    for i in range(rows):
        largest = max(largest, squared_length(W[i]))
    scale = settings.damping * clamp_factor(r, settings.longest_error)
    fill(0.0, dq)
    for i in range(rows):
        squared = squared_length(W[i])
        if squared > SMALLEST_RATIO * SMALLEST_RATIO * largest:
            along = 0.0
            for k in range(rows):
                along += U[k, i] * r[k]
            for j in range(dq.size):
                dq[j] += scale * along / squared * W[i, j]


@dataclass(frozen=True, kw_only=True)
class PseudoInverse(StepSolver):
    """Pseudo-inverse (SVD)."""

    name: ClassVar[str] = "pinv"
    title: ClassVar[str] = "Pseudo-inverse (SVD)"
    summary: ClassVar[str] = (
        "The shortest step that removes the error as if the arm were linear, without its weakest directions."
    )
    source: ClassVar[str] = "Whitney 1969; Klein & Huang 1983"

    damping: float = parameter(1.0, 0.01, 1.0, "", "factor on every step")

    def tuning(self, length: float) -> MethodTuning:
        return MethodTuning(method=BY_PINV, damping=self.damping, longest_error=LONGEST_ERROR)
