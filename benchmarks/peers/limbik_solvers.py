"""limbik's own solvers, called as a user calls them: `model.solve(target, solver=..., start=...)`."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from typing import Any

import numpy as np

from arms import (
    Answer,
    Arm,
    angles_from_directions,
    directions_from_angles,
    directions_from_quaternions,
    quaternions_from_directions,
)
from problems import Problem

from .common import Peer, require, version_of


def build(arm: Arm) -> Any:
    """The arm as limbik's model."""
    limbik = require("limbik", "pip install limbik")
    if arm.planar:
        return limbik.planar_arm(arm.size, arm.lengths, limits=arm.limit)
    return limbik.ball_arm(arm.lengths, swing=arm.limit)


class LimbikSession:
    def __init__(self, arm: Arm, tolerance: float, solver: str) -> None:
        self.arm = arm
        self.tolerance = tolerance
        self.solver = solver
        self.model = build(arm)

    def configuration(self, problem: Problem) -> np.ndarray:
        """q of the problem's start."""
        if self.arm.planar:
            return angles_from_directions(problem.start)
        return quaternions_from_directions(problem.start).ravel()

    def prepare(self, problem: Problem) -> Any:
        return problem.target, self.configuration(problem)

    def solve(self, prepared: Any) -> Any:
        target, start = prepared
        return self.model.solve(target, solver=self.solver, start=start, tolerance=self.tolerance)

    def solve_for(self, prepared: Any, iterations: int) -> Any:
        """A plain descent of at most so many iterations, to a tolerance that only the budget ends."""
        target, start = prepared
        tolerance = 1e-14 * self.arm.reach
        return self.model.solve(
            target, solver=self.solver, start=start, tolerance=tolerance, iterations=iterations, restarts=0
        )

    def answer(self, prepared: Any, result: Any) -> Answer:
        directions, angles = self.placed(result.q)
        return Answer(
            directions=directions,
            angles=angles,
            iterations=result.iterations,
            restarts=result.restarts,
            claims_success=result.success,
            status=result.ended.name,
        )

    def placed(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        if self.arm.planar:
            return directions_from_angles(q), np.asarray(q)
        return directions_from_quaternions(np.reshape(q, (-1, 4))), None

    def trace(self, problem: Problem, iterations: int) -> np.ndarray:
        """Errors [m] of every iteration of a plain descent, for the study of targets out of reach."""
        target, start = self.prepare(problem)
        trace = self.model.trace(
            target,
            solver=self.solver,
            start=start,
            tolerance=self.tolerance,
            iterations=iterations,
            restarts=0,
        )
        return np.asarray(trace.error)

    def follow(self, problem: Problem, frames: int, iterations: int) -> np.ndarray:
        """Errors [m] at the end of every frame; each starts where the last ended, as in the playground."""
        target, q = self.prepare(problem)
        errors = []
        for _ in range(frames):
            trace = self.model.trace(
                target,
                solver=self.solver,
                start=q,
                tolerance=self.tolerance,
                iterations=iterations,
                restarts=0,
            )
            q = trace.q[-1]
            errors.append(trace.error[-1])
        return np.asarray(errors)


class LimbikSolver(Peer):
    def __init__(self, solver: str, version: str) -> None:
        self.name = f"limbik {solver}"
        self.method = solver
        self.version = version

    def open(self, arm: Arm, tolerance: float) -> LimbikSession | None:
        limbik = require("limbik", "pip install limbik")
        session = LimbikSession(arm, tolerance, self.method)
        try:  # a method may not know such joints; its refusal names one that does
            session.model.solve(
                np.array((0.3 * arm.reach, 0.2 * arm.reach, 0.0)), solver=self.method, iterations=2
            )
        except limbik.errors.SolverError:
            return None
        return session


def load() -> list[Peer]:
    limbik = require("limbik", "pip install limbik")
    try:
        version = version_of("limbik")
    except PackageNotFoundError:  # run from a checkout that is not installed
        version = str(limbik.__version__)
    return [LimbikSolver(name, version) for name in (*limbik.solvers.names(compiled=True), "auto")]
