"""Packs an arm into the numbers that the kernels of its closed form read."""

from __future__ import annotations

import numpy as np

from limbik.analytic.axes import Axes
from limbik.analytic.closed_form import ClosedForm
from limbik.analytic.geometry import length
from limbik.analytic.layout import ARM_SIZE, BRANCHES, CHOICES, PLAN, WORK
from limbik.numerics.aligned_arrays import aligned
from limbik.spatial import Array, perpendicular

# Errors, in units of the arm's size and of radians, of answers that are left as they are, and of those that
# are refined: rounding, which the edge of reach makes larger. An arm that is only nearly what its closed form
# is of has larger ones, and none that may be left.
OF_EXACT = 1e-12, 1e-4
OF_NEAR = 0.0, 0.1


def plan_of(form: ClosedForm, lower: Array, upper: Array) -> Array:
    """The plan of an arm, with the limits [n, rad or m] of its joints in the model's order."""
    axes, scale, indices = form.axes, 1.0 / length(form.axes), np.array(form.indices)
    still = np.zeros(indices.size - form.count)
    steps = form.true_axes.steps * scale
    plan = np.concatenate(
        [
            _arm(axes, scale),
            _arm(form.true_axes, scale),
            steps[0],
            steps[6],
            axes.home[:3, :3].ravel(),
            axes.is_prismatic.astype(float),
            indices.astype(float),
            np.append(lower, still)[indices],
            np.append(upper, still)[indices],
            [scale, float(form.is_backwards), *(OF_EXACT if form.is_exact else OF_NEAR)],
        ]
    )
    assert plan.size == PLAN["SIZE"]
    return plan


def new_work() -> Array:
    """What a solve works on, with the choices of all branches filled in."""
    work = aligned(WORK["SIZE"])
    for row in range(CHOICES):
        for branch in range(BRANCHES):
            work[row * BRANCHES + branch] = 1.0 if branch >> (CHOICES - 1 - row) & 1 == 0 else -1.0
    return work


def _arm(axes: Axes, scale: float) -> Array:
    steps = axes.steps[1:6] * scale
    h, across = axes.directions, perpendicular(axes.directions[5])
    numbers = np.concatenate([h.ravel(), steps.ravel(), across])
    assert numbers.size == ARM_SIZE
    return numbers
