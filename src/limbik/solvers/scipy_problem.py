"""A solve as a SciPy problem (bounds, cost, equality constraints, derivatives), minimised by SLSQP, a trust
region or multipliers.

x are the numbers of q that are free. A quaternion in them may have any length: it stands for the rotation of
its direction, so that x has no constraint of its own. Limits of one number are bounds; swings, twists and
Euler angles of ball joints are left to the last step of the solve.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.measure import half_reach, residual
from limbik.request import Request
from limbik.solvers.costs import cost_gradient
from limbik.solvers.methods.optimize import Optimize
from limbik.spatial import Array

MAX_STEPS = 200  # of one run of an optimiser, or of one round of multipliers
TRUST_STEPS = 1000  # the same of a trust region
FINE = 1e-12  # the tolerances of the optimisers
ROUNDING = 1e-15  # of a value: a step that gains less
STEEP = 10.0  # growth of the costs in a radian or metre, beside which the tolerances are small
FLAT = 1e-6  # part of a cost that counts as its growth where it has less
PATIENCE, SLOW = 15, 0.9  # steps, in which constraints that are not met are to fall below this fraction
CLOSE = 1e-6  # [rad, metres in half reaches] constraints that are met but for the last step
MULTIPLIER_ROUNDS, MAX_IN_VAIN = 12, 2  # rounds, and those in a row that hardly bring the goals nearer
HARDLY = 0.7  # the fraction of the constraints that such a round leaves
DEPENDENT = 6, 7  # SLSQP: constraints of less rank than number
FIRST_PENALTIES = (10.0, 1e3, 1e5)  # of the squared constraints, per multiplier
STIFFER = 4.0  # by how much a penalty grows
DEPENDENT_ROWS = 1e-6  # part of the longest one that is rounding
MET = 1e-9  # [rad, metres in half reaches] constraints that no more rounds are for


class _RunIsOver(Exception):
    """The clock or a stall has ended a run; `Constrained.last` is where it came to."""


class At(NamedTuple):
    """What is known at one x."""

    cost: float
    slope: Array  # [n] of the cost
    left: Array  # [m] of the goals, lengths in half reaches
    rows: Array  # [m, n] how it changes


class Constrained:
    """Costs and goals as functions of x [n], from a configuration q [nq] on.

    free: the indices of q in x. deadline: [s of `perf_counter`]. unit: of the costs, by which they are
    divided; see `unit_of_costs`.
    """

    def __init__(
        self,
        solver: Optimize,
        request: Request,
        q: Array,
        free: NDArray[np.intp],
        use_limits: bool,
        deadline: float,
        unit: float = 1.0,
    ) -> None:
        self._unit = unit
        self.method = solver.method
        self._solver, self._request, self._q, self._free, self._deadline = solver, request, q, free, deadline
        self._length = half_reach(request)
        model = request.model
        self._angles = [each.q for each in model.coordinates if each.is_rotation]
        lower, upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
        if use_limits:
            scalar = np.array([not each.is_rotation for each in model.coordinates], dtype=bool)
            indices = np.array([each.q for each in model.coordinates], dtype=np.intp)[scalar]
            lower[indices], upper[indices] = model.lower[indices], model.upper[indices]
        self.bounds = lower[free], upper[free]
        self.start = q[free]
        self.last = self.start
        self._known: tuple[bytes, At] | None = None

    def q(self, x: Array) -> Array:
        """The configuration [nq] that x stands for."""
        moved = self._q.copy()
        moved[self._free] = x
        return self._request.model.integrate(moved, np.zeros(self._request.model.nv))

    def inside(self, x: Array) -> Array:
        """The same, with x between the bounds, which some methods overstep by rounding."""
        return self.q(np.clip(x, *self.bounds))

    def at(self, x: Array) -> At:
        """Everything at x; computed once."""
        key = x.tobytes()
        if self._known is None or self._known[0] != key:
            if perf_counter() >= self._deadline:
                raise _RunIsOver
            self._known = key, self._evaluated(x)
            self.last = x.copy()
        return self._known[1]

    def cost(self, x: Array) -> tuple[float, Array]:
        """The weighted sum of the costs at x, and its slope [n]."""
        return self._cost(self.q(x), self._velocities(x))

    def largest(self, x: Array) -> float:
        """The largest number of the goals that are left at x."""
        return float(np.abs(self.at(x).left).max(initial=0.0))

    def missed(self, x: Array) -> float:
        """How far the goals are from being met, together."""
        return float(np.linalg.norm(residual(self._request, self.q(x), self._length)[0]))

    def _evaluated(self, x: Array) -> At:
        q, velocities = self.q(x), self._velocities(x)
        left, rows = residual(self._request, q, self._length)
        return At(*self._cost(q, velocities), left, -rows @ velocities)

    def _cost(self, q: Array, velocities: Array) -> tuple[float, Array]:
        value, slope = 0.0, np.zeros(self._request.model.nv)
        for weight, cost in zip(self._solver.weights or (), self._solver.costs, strict=True):
            of_one, by_velocity = cost_gradient(self._request.model, cost, q)
            value, slope = value + weight * of_one, slope + weight * by_velocity
        return value / self._unit, slope @ velocities / self._unit

    def unit_of_costs(self) -> float:
        """In which they grow by `STEEP` in a radian or metre at the start, whatever their weights are."""
        value, slope = self.cost(self.start)
        return max(float(np.linalg.norm(slope)), FLAT * abs(value)) / STEEP

    def _velocities(self, x: Array) -> Array:
        """[nv, n] the velocity that a change of x is."""
        model = self._request.model
        moved = self._q.copy()
        moved[self._free] = x
        N = model.velocity_map(moved)
        if model.nq == model.nv:
            return np.asarray(N.T[:, self._free])
        by_q = np.linalg.pinv(N)
        for index in self._angles:
            by_q[:, index : index + 4] /= np.linalg.norm(moved[index : index + 4])
        return np.asarray(by_q[:, self._free])


def minimise(
    problem: Constrained, budget: int, note: Callable[[Array], None], *, by_multipliers: bool = False
) -> bool:
    """Minimise the cost, where the goals are met; `problem.last` is where that led. Whether it came to its
    end: not where the clock or a stall has ended it.

    budget: of iterations; note: told the configuration [nq] after each. by_multipliers: goals as penalties.
    """
    lower, upper = problem.bounds
    if (lower >= upper).all() or budget <= 0:  # nothing can move
        return True
    by = {"SLSQP": _by_slsqp, "trust-constr": _by_trust_region, "L-BFGS-B": _by_multipliers}
    run = _by_multipliers if by_multipliers else by[problem.method]
    try:
        run(problem, budget, lambda x, *_: note(problem.inside(x)))
    except _RunIsOver:
        return False
    return True


class _Stall:
    """A callback that ends a run whose constraints are not met and do not fall."""

    def __init__(self, problem: Constrained, callback: Callable[[Array], None]) -> None:
        self._problem, self._callback = problem, callback
        self._smallest, self._steps = np.inf, 0

    def __call__(self, x: Array, *_: object) -> None:
        self._callback(x)
        left = float(np.linalg.norm(self._problem.at(x).left))
        self._steps += 1
        if left <= max(SLOW * self._smallest, CLOSE):
            self._smallest, self._steps = left, 0
        if self._steps >= PATIENCE and self._smallest > CLOSE:
            raise _RunIsOver


def _by_slsqp(problem: Constrained, steps: int, callback: Callable[..., None]) -> None:
    """Goals as equality constraints, unless they depend on each other: as where an arm in a plane has a pose
    for its goal, or is straight.
    """
    from scipy.optimize import minimize

    rows = problem.at(problem.start).rows
    if rows.shape[0] > rows.shape[1]:  # of which SLSQP writes beyond its memory: scipy/scipy#25665
        _by_multipliers(problem, steps, callback)
        return
    goals = {"type": "eq", "fun": lambda x: problem.at(x).left, "jac": lambda x: problem.at(x).rows}
    result = minimize(
        lambda x: problem.at(x)[:2],
        problem.start,
        method="SLSQP",
        jac=True,
        bounds=list(zip(*problem.bounds, strict=True)),
        constraints=goals,
        options={"maxiter": min(steps, MAX_STEPS), "ftol": FINE},
        callback=_Stall(problem, callback),
    )
    problem.last = result.x
    if result.status in DEPENDENT:
        _by_multipliers(problem, steps - int(result.nit), callback)


def _by_trust_region(problem: Constrained, steps: int, callback: Callable[..., None]) -> None:
    """Goals as equality constraints, curvature by differences of slopes (BFGS)."""
    from scipy.optimize import BFGS, Bounds, NonlinearConstraint, minimize

    goals = NonlinearConstraint(
        lambda x: problem.at(x).left, 0.0, 0.0, jac=lambda x: problem.at(x).rows, hess=BFGS()
    )
    ends = {"maxiter": min(steps, TRUST_STEPS), "gtol": FINE, "xtol": FINE}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "delta_grad == 0.0", UserWarning)  # a cost may well be linear
        result = minimize(
            lambda x: problem.at(x)[:2],
            problem.start,
            method="trust-constr",
            jac=True,
            hess=BFGS(),
            bounds=Bounds(*problem.bounds, keep_feasible=True),
            constraints=[goals],
            options={**ends, "factorization_method": "SVDFactorization"},
            callback=_Stall(problem, callback),
        )
    problem.last = result.x


def _by_multipliers(problem: Constrained, steps: int, callback: Callable[..., None]) -> None:
    """Goals by multipliers and a growing penalty. A start that meets them is left for one that does not
    only where the penalty was too small: then again with a larger one.
    """
    is_met = problem.largest(problem.start) <= CLOSE
    for penalty in FIRST_PENALTIES:
        x, steps = _rounds(problem, penalty, steps, callback)
        if steps <= 0 or not is_met or problem.largest(x) <= CLOSE:
            break
    problem.last = x


def _rounds(
    problem: Constrained, penalty: float, steps: int, callback: Callable[..., None]
) -> tuple[Array, int]:
    """Where rounds that are unconstrained but for the bounds lead, and how many steps they leave."""
    from scipy.optimize import minimize

    x, multipliers, before, in_vain = problem.start, _first_multipliers(problem), np.inf, 0
    penalty *= max(1.0, float(np.abs(multipliers).max(initial=0.0)))
    for _ in range(MULTIPLIER_ROUNDS):

        def augmented(x: Array, along: Array = multipliers, stiff: float = penalty) -> tuple[float, Array]:
            here = problem.at(x)
            value = here.cost + along @ here.left + 0.5 * stiff * here.left @ here.left
            return float(value), here.slope + (along + stiff * here.left) @ here.rows

        result = minimize(
            augmented,
            x,
            method="SLSQP" if problem.method == "SLSQP" else "L-BFGS-B",
            jac=True,
            bounds=list(zip(*problem.bounds, strict=True)),
            options={"maxiter": min(steps, MAX_STEPS), "ftol": ROUNDING},
            callback=callback,
        )
        x, steps = result.x, steps - int(result.nit)
        largest = problem.largest(x)
        in_vain = in_vain + 1 if largest > HARDLY * before else 0
        if steps <= 0 or largest <= MET or in_vain == MAX_IN_VAIN:
            break
        multipliers, before = multipliers + penalty * problem.at(x).left, min(before, largest)
        penalty *= STIFFER
    return x, steps


def _first_multipliers(problem: Constrained) -> Array:
    """Those that leave the smallest slope at the start: where that meets the goals, a descent stays near."""
    here, (lower, upper) = problem.at(problem.start), problem.bounds
    is_inside = (problem.start > lower) & (problem.start < upper)
    rows, slope = here.rows[:, is_inside], here.slope[is_inside]
    return np.asarray(-np.linalg.lstsq(rows.T, slope, rcond=DEPENDENT_ROWS)[0])
