"""Nonlinear least squares between bounds, for any function and its Jacobian.

First by SciPy's trust-region reflective method (Branch, Coleman & Li 1999), which keeps strictly inside the
bounds and so does not get stuck on them early; where it creeps toward a solution on a bound,
Levenberg-Marquardt with an active set finishes: what pushes against a bound is left out of a step, and a step
is cut off at the bounds. Its damping is Nielsen's (1999): it follows how well the linear model has foretold
the gain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from limbik.spatial import Array

Function: TypeAlias = Callable[[Array], Array]
Bounds: TypeAlias = tuple[Array, Array]

FIRST_DAMPING = 1e-3  # of the largest diagonal element of J^T J
MAX_DAMPING = 1e15  # of the same: beyond it no step moves
FIRST = 50  # evaluations of the first method at most
NO_END = 1e-15  # for its tests that would end it before its tolerance
STALLED = 1e-10  # of the squared residual: a step that gains less has come to a minimum


class Descent(NamedTuple):
    """Where a descent has led."""

    x: Array  # [n]
    residual: Array  # [m] there
    steps: int  # evaluations of the residual, the first one included

    @property
    def largest(self) -> float:
        """Of the residual's numbers, without its sign."""
        return float(np.abs(self.residual).max(initial=0.0))


def descend(
    residual: Function, jacobian: Function, x: Array, bounds: Bounds, tolerance: float, budget: int
) -> Descent:
    """Go down from x [n] until no number of the residual [m] is larger than the tolerance, no step gains, or
    the budget of evaluations is spent. jacobian: [m, n]; bounds: lower below upper, each [n].
    """
    first = reflective(residual, jacobian, x, bounds, tolerance, min(FIRST, budget))
    if first.largest <= tolerance or first.steps >= budget:
        return first
    last = active_set(residual, jacobian, first.x, bounds, tolerance, budget - first.steps)
    return last._replace(steps=first.steps + last.steps)


def reflective(
    residual: Function, jacobian: Function, x: Array, bounds: Bounds, tolerance: float, budget: int
) -> Descent:
    """As `descend`, by SciPy's method alone."""
    from scipy.optimize import least_squares

    def stop_when_met(intermediate_result: Any) -> None:  # SciPy has no types
        if np.abs(intermediate_result.fun).max(initial=0.0) <= tolerance:
            raise StopIteration

    result = least_squares(
        residual,
        x,
        jacobian,
        bounds,
        ftol=STALLED,
        xtol=NO_END,
        gtol=NO_END,
        max_nfev=budget,
        callback=stop_when_met,
    )
    return Descent(result.x, result.fun, int(result.nfev))


def active_set(
    residual: Function, jacobian: Function, x: Array, bounds: Bounds, tolerance: float, budget: int
) -> Descent:
    """As `descend`, by Levenberg-Marquardt alone."""
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
        while steps < budget and damping <= MAX_DAMPING * largest:
            moved = np.clip(x + _step(H, gradient, free, damping), *bounds)
            there = residual(moved)
            steps += 1
            direction = moved - x
            foretold, gained = (
                -float(2.0 * gradient @ direction + direction @ H @ direction),
                float(r @ r - there @ there),
            )
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
