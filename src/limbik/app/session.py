"""`Session`: one page of the 2-D playground: where its planar arms stand, their solves, what is measured.

A session knows nothing of sockets. It works in link lengths, y up, and speaks pixels, y down, to the page.
"""

from __future__ import annotations

import functools
import math
import time

import numpy as np
from numpy.typing import NDArray

from limbik import planar_arm, solvers
from limbik.app.goal_io import distance_out_of_reach
from limbik.app.parameters import parameters
from limbik.app.protocol import (
    BOUNDS,
    PlaneArmReply,
    PlaneSettings,
    PlaneSolutionsRequest,
    PlaneSolveReply,
    PlaneSolveRequest,
)
from limbik.app.protocol.plane import read_solve
from limbik.app.protocol.reading import Reader
from limbik.app.protocol.solutions import SolutionsReply
from limbik.app.solution_choice import shown, solutions_of
from limbik.app.solver_time import ITERATIONS, TOLERANCE, iteration_microseconds, timed
from limbik.errors import SolverError
from limbik.goals import Position
from limbik.model import Model
from limbik.options import StartOptions
from limbik.solution import Trace
from limbik.solvers.solver import Solver

SOLVERS = solvers.names(compiled=True)
LIMIT_SLACK = 1e-9  # [rad], rounding that does not count as a violation


class Session:
    """The arms of one page.

    An arm is known by its solver's name. It stays where the last solve left it until a request gives it
    another start or `reset` forgets it.
    """

    def __init__(self) -> None:
        self._q: dict[str, NDArray[np.float64]] = {}

    def reset(self) -> None:
        """Send every arm back to the neutral bend."""
        self._q.clear()

    def solve(self, request: PlaneSolveRequest, time_limit: float | None = None) -> PlaneSolveReply:
        """Move all arms of the request toward its target, each for at most so long [s], and measure them.

        Raises:
            LimbikError: a solver refused the request; arms solved before it keep their new configuration.
        """
        began = time.perf_counter()
        self._q.update(request.start)
        arms = tuple(self._move(name, request, time_limit) for name in request.solvers)
        return PlaneSolveReply(id=request.id, arms=arms, server_ms=1e3 * (time.perf_counter() - began))

    def solve_all(self, request: PlaneSolutionsRequest) -> SolutionsReply:
        """All configurations that reach the target. It touches nothing that moves."""
        model = arm(request.links, math.radians(request.limit_degrees) if request.limits else None)
        target = (request.target - request.base) / request.length * (1.0, -1.0)
        start = model.clip(wrap(request.q))
        solutions = solutions_of(model, [Position(target=target)], start, request.limits)
        return shown(model, solutions, id=request.id)

    def _move(self, name: str, request: PlaneSolveRequest, time_limit: float | None) -> PlaneArmReply:
        settings = request.settings
        model = arm(request.links, math.radians(settings.limit_degrees) if settings.limits else None)
        tolerance = settings.tolerance / request.length
        target = (request.target - request.base) / request.length * (1.0, -1.0)
        start = model.clip(wrap(self._stance(name, request.links)))
        rest = neutral_bend(request.links) if settings.rest is None else wrap(settings.rest)
        solver = _solver(name, settings)

        options: StartOptions = {
            "solver": solver,
            "start": start,
            "iterations": settings.iterations,
            "restarts": 0,
            "tolerance": tolerance,
            "limits": settings.limits,
            "rest": model.clip(rest),
            "rest_bias": settings.rest_bias,
            "time_limit": time_limit,
        }

        def solve() -> Trace:
            return model.trace(target, **options)

        # While solvers are interpreted, their time says nothing about them.
        trace, microseconds = (
            timed(model, (name, settings.limits), solve) if time_limit is None else (solve(), math.nan)
        )

        q = trace.solution.q
        if not (np.isfinite(q).all() and np.isfinite(trace.q).all()):
            raise SolverError(f"{name} left the numbers: it answered with an angle that is not finite")
        self._q[name] = q
        return PlaneArmReply(
            solver=name,
            q=q,
            errors=trace.error * request.length,
            iterations=trace.iterations,
            iterations_to_tolerance=first_within(trace.error, tolerance),
            status=trace.solution.ended.name.lower(),
            microseconds=microseconds,
            violations=count_violations(trace.q, model) if settings.limits else 0,
            out_of_reach=request.length
            * distance_out_of_reach(model, [Position(target=target)], tolerance, settings.limits),
            trace=trace.q if request.trace else None,
            iteration_microseconds=_iteration_microseconds(model, options)
            if request.timing and time_limit is None
            else None,
        )

    def _stance(self, name: str, links: int) -> NDArray[np.float64]:
        """Where an arm stands, [links] [rad]. Fewer links keep the leading angles, more go on straight."""
        q = self._q.get(name)
        if q is None:
            return neutral_bend(links)
        return np.concatenate((q[:links], np.zeros(max(0, links - q.size))))


def _iteration_microseconds(model: Model, options: StartOptions) -> float | None:
    def solve(start: NDArray[np.float64], end: NDArray[np.float64]) -> int:
        settings: StartOptions = {**options, "start": start, "iterations": ITERATIONS, "tolerance": TOLERANCE}
        return model.solve(model.pose(end)[:2, 3], **settings).iterations

    return iteration_microseconds(model, solve)


def neutral_bend(links: int) -> NDArray[np.float64]:
    """A quarter turn spread evenly over all joints, [links] [rad]: no method is stuck there."""
    return np.full(links, math.pi / 2 / links)


def wrap(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same pose with every angle in [-pi, pi]: an arm that turned many times still fits its limits."""
    return q - 2 * math.pi * np.round(q / (2 * math.pi))


def first_within(error: NDArray[np.float64], tolerance: float) -> int:
    """The first iteration whose error is within the tolerance, -1 where there is none."""
    within = np.flatnonzero(error <= tolerance)
    return int(within[0]) if within.size else -1


def count_violations(q: NDArray[np.float64], model: Model) -> int:
    """How many joints were outside their limits in any of the configurations q [k+1, nq]."""
    outside = (q < model.lower - LIMIT_SLACK) | (q > model.upper + LIMIT_SLACK)
    return int(outside.any(axis=0).sum())


@functools.lru_cache(maxsize=256)
def arm(links: int, limit: float | None) -> Model:
    """A planar arm with links of length 1 whose joints turn by at most `limit` [rad] in either direction."""
    return planar_arm(links, 1.0, limits=limit)


def warm_up(name: str) -> None:
    """Compile one solver for the playground's arms, by moving one; `limbik.warmup` compiles for more."""
    some = {"id": 0, "links": 3, "length": 100, "base": [0, 0], "target": [150, 150], "solvers": [name]}
    for limits in (False, True):
        message = {**some, "settings": {"iterations": 1, "limits": limits}}
        Session().solve(read_solve(Reader(message, BOUNDS), SOLVERS))


def _solver(name: str, settings: PlaneSettings) -> Solver:
    offered = {"damping": settings.damping, "gamma": settings.gamma, "lambda_": settings.lambda_}
    return solvers.get(name, **{key: offered[key] for key in parameters()[name] if key in offered})
