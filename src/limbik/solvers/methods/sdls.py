"""Selectively damped least squares (Buss & Kim 2005).

Each singular direction is damped on its own, by how far the joints would have to turn to move the end
effector along it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from limbik.compiler.kernel import Floats, Records, compiled
from limbik.numerics.linear import copy, fill, orthogonalise_rows, squared_length
from limbik.solvers.solver import BY_SDLS, MethodTuning, StepSolver

LARGEST_TURN = math.pi / 4.0  # gamma_max [rad]
SMALLEST_RATIO = 1e-10  # of a singular value to the largest


@compiled
def step(J: Floats, r: Floats, gradient: Floats, settings: Records, dq: Floats, work: Floats) -> None:
    """dq = ClampMaxAbs(sum_i ClampMaxAbs(v_i (u_i . r) / sigma_i, gamma_i), gamma_max) (eq. 9-12)."""
    rows = r.size
    W, U = work[:rows, : dq.size], work[rows : 2 * rows, :rows]
    part = work[2 * rows, : dq.size]
    orthogonalise_rows(J, W, U)
    largest = 0.0
    for i in range(rows):
        largest = max(largest, squared_length(W[i]))
    fill(0.0, dq)
    for i in range(rows):
        squared = squared_length(W[i])
        if not squared > SMALLEST_RATIO * SMALLEST_RATIO * largest:
            continue
        along = 0.0  # alpha_i = u_i . r
        reach = 0.0  # N_i = |u_i|, its position part
        for k in range(rows):
            along += U[k, i] * r[k]
            reach += U[k, i] * U[k, i]
        # M_i: how far the single joints would move the end effector, their movements cancelling or not.
        moved = 0.0
        for j in range(dq.size):
            column = 0.0
            for k in range(rows):
                column += J[k, j] * J[k, j]
            moved += abs(W[i, j]) * math.sqrt(column)
        moved /= squared
        bound = LARGEST_TURN * min(1.0, math.sqrt(reach) / moved)
        for j in range(dq.size):
            part[j] = along / squared * W[i, j]
        add_clamped(part, bound, dq)
    copy(dq, part)
    fill(0.0, dq)
    add_clamped(part, LARGEST_TURN, dq)


@compiled
def add_clamped(part: Floats, bound: float, total: Floats) -> None:
    """total += part, scaled down until no entry is larger than the bound [rad] (ClampMaxAbs)."""
    longest = 0.0
    for j in range(part.size):
        longest = max(longest, abs(part[j]))
    scale = bound / longest if longest > bound else 1.0
    for j in range(part.size):
        total[j] += scale * part[j]


@dataclass(frozen=True, kw_only=True)
class SDLS(StepSolver):
    """Selectively damped least squares."""

    name: ClassVar[str] = "sdls"
    title: ClassVar[str] = "Selectively damped least squares"
    summary: ClassVar[str] = "Damped least squares with a damping of its own for each direction of movement."
    source: ClassVar[str] = "Buss & Kim 2005"

    def tuning(self, length: float) -> MethodTuning:
        return MethodTuning(method=BY_SDLS)
