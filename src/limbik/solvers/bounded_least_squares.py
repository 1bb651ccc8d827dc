"""Levenberg-Marquardt between bounds, with an active set, for any function and its Jacobian.

The damping is Nielsen's (1999): it follows how well the linear model has foretold the gain. What pushes
against a bound is left out of a step, and a step is cut off at the bounds, so that a solution on one is come
to as quickly as any other; a method that stays strictly inside creeps there (SciPy's "trf").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import Array

FIRST_DAMPING = 1e-3  # of the largest diagonal element of J^T J
MOST_DAMPING = 1e15  # of the same: beyond it no step moves
STALLED = 1e-10  # of the squared residual: a step that gains less has come to a minimum


class Descent(NamedTuple):
    """Where a descent has led."""

    x: Array  # [n]
    residual: Array  # [m] there
    steps: int  # evaluations of the residual, the first one included


def descend(
    residual: Callable[[Array], Array],
    jacobian: Callable[[Array], Array],
    x: Array,
    bounds: tuple[Array, Array],
    tolerance: float,
    budget: int,
) -> Descent:
    """Go down from x [n] until no number of the residual [m] is larger than the tolerance, no step gains, or
    the budget of evaluations is spent. jacobian: [m, n].
    """
    r = residual(x)
    steps, damping, growth = 1, 0.0, 2.0
    while steps < budget and float(np.abs(r).max(initial=0.0)) > tolerance:
        J = jacobian(x)
        H, gradient = J.T @ J, J.T @ r
        free = ~(((x <= bounds[0]) & (gradient > 0.0)) | ((x >= bounds[1]) & (gradient < 0.0)))
        largest = float(H.diagonal().max(initial=0.0))
        if not free.any() or largest == 0.0:
            break
        damping = damping or FIRST_DAMPING * largest
        gained = 0.0
        while steps < budget and damping <= MOST_DAMPING * largest:
            moved = np.clip(x + _step(H, gradient, free, damping), *bounds)
            there = residual(moved)
            steps += 1
            way = moved - x
            foretold, gained = -float(2.0 * gradient @ way + way @ H @ way), float(r @ r - there @ there)
            if gained > 0.0 and foretold > 0.0:
                damping *= max(1.0 / 3.0, 1.0 - (2.0 * min(gained / foretold, 1.0) - 1.0) ** 3)
                growth = 2.0
                break
            damping, growth, gained = damping * growth, 2.0 * growth, 0.0
        is_stalled = gained <= STALLED * float(r @ r)
        if gained > 0.0:
            x, r = moved, there
        if is_stalled:
            break
    return Descent(x, r, steps)


def _step(H: Array, gradient: Array, free: NDArray[np.bool_], damping: float) -> Array:
    """[n] that minimises |J step + r|^2 + damping |step|^2, zero where it is not free."""
    step = np.zeros(gradient.size)
    damped = H[np.ix_(free, free)] + damping * np.eye(int(free.sum()))
    step[free] = -np.linalg.solve(damped, gradient[free])
    return step
