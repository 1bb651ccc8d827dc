"""Damped least squares (Wampler 1986; Nakamura & Hanafusa 1986), with the error clamped (Buss 2004, section
7).

The step minimises |J dq - r|^2 + lambda^2 |dq|^2. It is found in the small dual form, one row per number of
the goal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.goals import Goal
from limbik.numerics.linear import clamp_factor, damped_solve, scale_by
from limbik.solvers.solver import BY_DLS, AnswerKernel, StepSolver, Tuning, parameter, step_kernel

LAMBDA = 0.03  # of the reach
LONGEST_ERROR = 0.3  # of the reach


@compiled
def step(J: Floats, r: Floats, gradient: Floats, settings: Records, dq: Floats, work: Floats) -> None:
    """dq = damping J^T (J J^T + lambda^2 I)^-1 clamp(r)."""
    rows = r.size
    damped_solve(J, r, settings.gain * settings.gain, 0.0, work[:rows, :rows], work[rows, :rows], dq)
    scale_by(settings.damping * clamp_factor(r, settings.longest_error), dq)


@dataclass(frozen=True, kw_only=True)
class DLS(StepSolver):
    """Damped least squares."""

    name: ClassVar[str] = "dls"
    title: ClassVar[str] = "Damped least squares"
    summary: ClassVar[str] = (
        "A compromise between removing the error and moving little, which stays calm near singular postures."
    )
    source: ClassVar[str] = "Wampler 1986; Nakamura & Hanafusa 1986; Buss 2004"
    number: ClassVar[int] = BY_DLS

    damping: float = parameter(1.0, 0.01, 1.0, "", "factor on every step")
    lambda_: float | None = parameter(
        None, 0.0, 1e6, "m", "damping of the joints; by default 0.03 of the reach"
    )

    def tuning(self, reach: float) -> Tuning:
        gain = LAMBDA * reach if self.lambda_ is None else self.lambda_
        return Tuning(damping=self.damping, gain=gain, longest_error=LONGEST_ERROR * reach)

    def tree_tuning(self, length: float) -> Tuning:
        tuning = super().tree_tuning(length)
        return tuning if self.lambda_ is None else replace(tuning, gain=self.lambda_ / length)

    @classmethod
    def kernel(cls, chain: str, goal: type[Goal]) -> AnswerKernel:
        return step_kernel(step, chain, goal)
