"""tinyik: the squared distance handed to a SciPy optimiser. A ball joint is two revolute ones (z, y)."""

from __future__ import annotations

from typing import Any

import numpy as np

from arms import (
    Answer,
    Arm,
    angles_from_directions,
    directions_from_angles,
    directions_from_universal,
    universal_from_directions,
)
from problems import Problem

from .common import Peer, Session, require, version_of

ITERATIONS = 200


class TinyikSession:
    def __init__(self, arm: Arm, tolerance: float) -> None:
        package = require("tinyik", "pip install tinyik")
        self.arm = arm
        tokens: list[Any] = []
        for length in arm.lengths:
            tokens += ["z"] if arm.planar else ["z", "y"]
            tokens.append([float(length), 0.0, 0.0])
        options: dict[str, Any] = {"tol": 0.2 * tolerance * arm.reach, "options": {"maxiter": ITERATIONS}}
        if arm.limit is not None:
            options = {
                "method": "L-BFGS-B",
                "bounds": [(-arm.limit, arm.limit)] * arm.size,
                "options": {"maxiter": ITERATIONS, "ftol": 1e-3 * tolerance**2, "gtol": options["tol"]},
            }
        self.actuator = package.Actuator(tokens, optimizer=package.ScipyOptimizer(**options))

    def prepare(self, problem: Problem) -> Any:
        start = (
            angles_from_directions(problem.start)
            if self.arm.planar
            else universal_from_directions(problem.start)
        )
        return start, problem.target

    def solve(self, prepared: Any) -> Any:
        self.actuator.angles, self.actuator.ee = prepared
        return self.actuator.angles

    def answer(self, prepared: Any, result: Any) -> Answer:
        angles = np.asarray(result, dtype=float)
        if self.arm.planar:
            return Answer(directions=directions_from_angles(angles), angles=angles)
        return Answer(directions=directions_from_universal(angles))


class Tinyik(Peer):
    name = "tinyik"
    method = "dls"
    may_hang = True

    def __init__(self) -> None:
        require("tinyik", "pip install tinyik")
        self.version = version_of("tinyik")
        self.note = (
            "ScipyOptimizer: BFGS, with limits L-BFGS-B and bounds; "
            f"the gradient's tolerance follows the one asked; {ITERATIONS} iterations"
        )

    def open(self, arm: Arm, tolerance: float) -> Session | None:
        return TinyikSession(arm, tolerance) if arm.planar or arm.limit is None else None


def load() -> list[Peer]:
    return [Tinyik()]
