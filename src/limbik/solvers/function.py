"""Solves for a user's function of forward kinematics, without a model.

The search is a damped least squares between bounds (`solvers.nonlinear_least_squares`), and the Jacobian one
by differences (`limbik.derivatives`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbik.derivatives.differences import (
    LARGEST,
    Bounds,
    Method,
    as_bounds,
    as_configuration,
    check_function,
    numeric_jacobian,
    value_of,
)
from limbik.errors import ConfigurationError, FunctionError, SolverError, shortened
from limbik.solvers.nonlinear_least_squares import descend
from limbik.spatial import Array, as_numbers, as_real, as_whole, check_largest
from limbik.status import Status

SINGULAR = 1e-9  # of the largest singular value, below it one counts as 0
NEAR = 1e-9  # [rad or m] of a bound: on it


@dataclass(frozen=True, eq=False)
class FunctionSolution:
    """The numbers that `solve_function` found, and how good they are."""

    q: Array  # [n]
    status: Status  # SOLVED, BUDGET_SPENT, or LIKELY_UNREACHABLE where every descent settled
    error: float  # the largest of the residual's numbers, in their units
    residual: Array  # [...] the function at q minus the target
    jacobian: Array  # [..., n] at q
    at_bounds: Array  # [n] -1 on the lower bound, 1 on the upper, 0 between
    iterations: int  # steps that were tried, over all restarts
    evaluations: int  # calls of the function, those for Jacobians included
    restarts: int

    @property
    def success(self) -> bool:
        """Whether no number of the residual is larger than the tolerance, and q is within the bounds."""
        return self.status is Status.SOLVED

    @property
    def rank(self) -> int:
        """In how many directions the residual moves when q does."""
        J = self.jacobian.reshape(-1, self.q.size)
        values = np.linalg.svd(J, compute_uv=False)
        return int((values > SINGULAR * values.max(initial=0.0)).sum())

    def explain(self) -> str:
        """How it ended, where the worst number of the residual is, and what keeps q from going on."""
        worst = np.unravel_index(int(np.abs(self.residual).argmax()), self.residual.shape)
        index = f"[{', '.join(map(str, worst))}]" if self.residual.ndim else ""
        lines = [
            f"{self.status.value}: {_MEANINGS[self.status]}",
            f"largest residual{index}: {float(self.residual[worst]):.3g}",
            f"{self.iterations} iterations, {self.restarts} restarts, {self.evaluations} function calls",
            f"rank of the Jacobian: {self.rank} of {min(self.residual.size, self.q.size)}",
        ]
        lines += [f"q[{i}] is on its {_side(side)} bound" for i, side in enumerate(self.at_bounds) if side]
        return "\n".join(lines)

    def __bool__(self) -> bool:
        return self.success


_MEANINGS = {
    Status.SOLVED: "the residual is within the tolerance",
    Status.BUDGET_SPENT: "the search was cut short: more iterations may find a solution",
    Status.LIKELY_UNREACHABLE: "every descent settled away from the target; it is likely out of reach",
}


def solve_function(
    function: Callable[[Array], ArrayLike],
    start: ArrayLike,
    *,
    target: ArrayLike | None = None,
    bounds: Bounds | None = None,
    method: Method = "forward",
    step: float | None = None,
    tolerance: float = 1e-6,
    iterations: int = 500,
    restarts: int = 10,
    seed: int = 0,
) -> FunctionSolution:
    """Numbers q [n] at which a function meets its target, from a start [n].

    function:
        Forward kinematics of any kind: takes q [n], returns numbers of any shape, such as a pose 4x4. Those
        of larger units weigh more: where metres and radians stand beside each other, scale them.
    target:
        What the function is to return, of the shape of that; by default zeros: then it returns residuals.
    bounds:
        (lower, upper), numbers or arrays [n]; the function is called only between them. A start beyond them
        is moved inside.
    method, step:
        How it is differentiated; see `limbik.numeric_jacobian`.
    tolerance:
        Solved where no number of the residual is larger, in their units.
    iterations, restarts, seed:
        Budget over all restarts; and how often to begin again after a stall, from random numbers between the
        bounds (half a turn about the start where there is none).

    Raises FunctionError where the function returns what is not finite or changes its shape;
    ConfigurationError and SolverError for arguments that have no meaning.
    """
    check_function(function, method)
    for name, value, minimum in (("iterations", iterations, 1), ("restarts", restarts, 0), ("seed", seed, 0)):
        as_whole(value, f"`{name}`", minimum, SolverError)
    if not 0.0 < as_real(tolerance) < np.inf:
        raise SolverError(f"`tolerance` needs a positive number, found {shortened(tolerance)}")
    begin = as_configuration(start, "`start`")
    if begin.size == 0:
        raise ConfigurationError("`start` needs at least one number")
    check_largest(begin, LARGEST, "`start`", "", ConfigurationError)
    lower, upper = as_bounds(bounds, begin)
    search = _FunctionSearch(function, target, np.clip(begin, lower, upper), (lower, upper), method, step)
    rng = np.random.default_rng(seed)
    around = (
        np.where(np.isfinite(lower), lower, begin - np.pi),
        np.where(np.isfinite(upper), upper, begin + np.pi),
    )
    search.descend(search.q, tolerance, iterations)
    restarted = 0
    while search.error > tolerance and restarted < restarts and search.iterations < iterations:
        search.descend(rng.uniform(*around), tolerance, iterations - search.iterations)
        restarted += 1
    return search.solution(tolerance, iterations, restarted)


class _FunctionSearch:
    """The best q so far, and what it took."""

    def __init__(
        self,
        function: Callable[[Array], ArrayLike],
        target: ArrayLike | None,
        q: Array,
        bounds: tuple[Array, Array],
        method: Method,
        step: float | None,
    ) -> None:
        self._function, self._bounds = function, bounds
        self._how: dict[str, Any] = {"method": method, "step": step, "bounds": bounds}
        self.evaluations = self.iterations = 0
        self.q = q
        value = value_of(self._counted, q)
        if value.size == 0:
            raise FunctionError(f"the function has to return at least one number, found shape {value.shape}")
        self._target = np.zeros(value.shape) if target is None else _as_target(target, value.shape)
        self._free = bounds[0] < bounds[1]
        self.error = self._miss(q)

    def descend(self, q: Array, tolerance: float, budget: int) -> None:
        """Go down from q; keep where that has led if it is better."""
        if not self._free.any() or self._miss(q) <= tolerance:
            self._keep(q)
            return

        def whole(part: Array) -> Array:
            moved = q.copy()
            moved[self._free] = part
            return moved

        result = descend(
            lambda part: self.residual(whole(part)).ravel(),
            lambda part: self.jacobian(whole(part)).reshape(-1, q.size)[:, self._free],
            q[self._free],
            (self._bounds[0][self._free], self._bounds[1][self._free]),
            tolerance,
            budget,
        )
        self.iterations += result.steps
        self._keep(whole(result.x))

    def residual(self, q: Array) -> Array:
        """The function minus its target."""
        return value_of(self._counted, q, self._target.shape) - self._target

    def jacobian(self, q: Array) -> Array:
        """[..., n]; zero for what is fixed by its bounds."""
        free = self._free

        def of_free(part: Array) -> ArrayLike:
            moved = q.astype(part.dtype)
            moved[free] = part
            return self._counted(moved)

        within = tuple(bound[free] for bound in self._bounds)
        J = np.zeros((*self._target.shape, q.size))
        J[..., free] = numeric_jacobian(of_free, q[free], **{**self._how, "bounds": within})
        return J

    def solution(self, tolerance: float, budget: int, restarts: int) -> FunctionSolution:
        """What has been found."""
        lower, upper = self._bounds
        sides = (self.q >= upper - NEAR).astype(float) - (self.q <= lower + NEAR)
        left = Status.BUDGET_SPENT if self.iterations >= budget else Status.LIKELY_UNREACHABLE
        residual, J = self.residual(self.q), self.jacobian(self.q)
        return FunctionSolution(
            q=self.q,
            status=Status.SOLVED if self.error <= tolerance else left,
            error=self.error,
            residual=residual,
            jacobian=J,
            at_bounds=sides,
            iterations=self.iterations,
            evaluations=self.evaluations,
            restarts=restarts,
        )

    def _counted(self, q: Array) -> ArrayLike:
        self.evaluations += 1
        return self._function(q)

    def _keep(self, q: Array) -> None:
        error = self._miss(q)
        if error < self.error:
            self.q, self.error = q, error

    def _miss(self, q: Array) -> float:
        return self._miss_of(self.residual(q))

    @staticmethod
    def _miss_of(residual: Array) -> float:
        return float(np.abs(residual).max(initial=0.0))


def _as_target(target: ArrayLike, shape: tuple[int, ...]) -> Array:
    numbers = as_numbers(target, "`target`", "an array of numbers", SolverError)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise SolverError(
            f"`target` needs finite numbers of the shape {shape} that the function returns, found "
            f"{shortened(target)}"
        )
    check_largest(numbers, LARGEST, "`target`", "", SolverError)
    return numbers


def _side(side: float) -> str:
    return "upper" if side > 0.0 else "lower"
