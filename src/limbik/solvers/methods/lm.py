"""The Levenberg-Marquardt step with Sugihara's damping (2011), for models that are pulled toward a rest
configuration.

Damped least squares whose damping is proportional to the squared error: bold near the goal, calm far from it
and where no solution exists. Chains of up to 12 revolute and prismatic joints run in the fast core
(`solvers.serial_plan`), with several attempts side by side, and trees in the general core
(`solvers.tree_plan`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.linear import damped_solve, squared_length
from limbik.serial import step as fast_step
from limbik.solvers.solver import BY_LM, MethodTuning, StepSolver

damping = compiled(fast_step.damping)


@compiled
def step(J: Floats, r: Floats, gradient: Floats, settings: Records, dq: Floats, work: Floats) -> None:
    """dq = J^T (J J^T + damping I)^-1 r."""
    rows, unit = r.size, settings.damping
    sugihara = unit * damping(squared_length(r) / unit)
    damped_solve(J, r, sugihara, 0.0, work[:rows, :rows], work[rows, :rows], dq)


@dataclass(frozen=True, kw_only=True)
class LM(StepSolver):
    """Levenberg-Marquardt."""

    name: ClassVar[str] = "lm"
    title: ClassVar[str] = "Levenberg-Marquardt"
    summary: ClassVar[str] = (
        "Damped least squares whose damping shrinks with the squared error; on arms of revolute and "
        "prismatic joints it runs in the fast core, several attempts side by side."
    )
    source: ClassVar[str] = "Levenberg 1944; Marquardt 1963; Sugihara 2011"

    def tuning(self, length: float) -> MethodTuning:
        return MethodTuning(method=BY_LM)
