"""pyfabrik: FABRIK in plain Python on vectormath vectors. No limits, no iteration budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from arms import Answer, Arm, directions_from_positions, positions_from_directions
from problems import Problem

from .common import Peer, Session, require, version_of


def work_with_numpy_2(vectors: Any) -> None:
    """vectormath 0.2.2 relies on NumPy 1 to keep its class in `a - b`; without this pyfabrik cannot start."""

    def wrap(self: Any, values: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if values.shape == self.shape:
            return values.view(type(self))
        return values[()] if return_scalar else values

    for kind in (vectors.Vector2, vectors.Vector3):
        kind.__array_wrap__ = wrap


class PyfabrikSession:
    def __init__(self, arm: Arm, tolerance: float) -> None:
        self.arm = arm
        self.tolerance = tolerance
        vectors = require("vectormath", "pip install pyfabrik")
        package = require("pyfabrik", "pip install pyfabrik")
        self.vector = vectors.Vector2 if arm.planar else vectors.Vector3
        self.fabrik = package.Fabrik2D if arm.planar else package.Fabrik3D
        self.dimension = 2 if arm.planar else 3

    def prepare(self, problem: Problem) -> Any:
        positions = positions_from_directions(self.arm, problem.start)[:, : self.dimension]
        solver = self.fabrik([self.vector(*map(float, p)) for p in positions], self.tolerance)
        return solver, self.vector(*map(float, problem.target[: self.dimension]))

    def solve(self, prepared: Any) -> Any:
        solver, target = prepared
        return solver.move_to(target)

    def answer(self, prepared: Any, result: Any) -> Answer:
        positions = np.zeros((self.arm.size + 1, 3))
        positions[:, : self.dimension] = [tuple(p) for p in prepared[0].joints]
        return Answer(directions=directions_from_positions(positions), iterations=result)


class Pyfabrik(Peer):
    name = "pyfabrik"
    method = "fabrik"
    may_hang = True

    def __init__(self) -> None:
        require("pyfabrik", "pip install pyfabrik")
        self.version = version_of("pyfabrik")
        if int(np.__version__.split(".")[0]) >= 2:
            work_with_numpy_2(require("vectormath", "pip install pyfabrik"))
        self.note = "tolerance as asked; it has no iteration budget"

    def open(self, arm: Arm, tolerance: float) -> Session | None:
        return PyfabrikSession(arm, tolerance) if arm.limit is None else None


def load() -> list[Peer]:
    return [Pyfabrik()]
