"""cartan (C++): product of exponentials, projected Levenberg-Marquardt and L-BFGS-B with Halton restarts.

Its default races both policies; `solve_ik_speed` is the first alone. The default budget of 500 iterations
gives up now and then, so the speed mode also runs with 20,000.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robots import Robot

from .common import GOAL, Peer, require, version_of, written_urdf

BUDGET = 20_000


class Cartan(Peer):
    def __init__(self, cartan: Any, name: str, function: str, budget: int | None, note: str) -> None:
        self.cartan, self.name, self.note = cartan, name, note
        self.version = version_of("cartan-bindings")
        self.function = getattr(cartan, function)
        options = {} if budget is None else {"max_total_work_units": budget, "max_total_iterations": budget}
        self.config = cartan.IkConfig(position_tol=GOAL, orientation_tol=GOAL, **options)

    def open(self, robot: Robot, is_tracking: bool) -> Any:
        chain = self.cartan.load_urdf(written_urdf(robot)).chain
        return _Session(self.function, self.cartan.SE3.from_matrix, chain, self.config)


class _Session:
    def __init__(
        self, function: Callable[..., Any], pose: Callable[..., Any], chain: Any, config: Any
    ) -> None:
        self.function, self.pose, self.chain, self.config = function, pose, chain, config

    def prepare(self, pose: np.ndarray) -> Any:
        return self.pose(pose)

    def solve(self, target: Any, start: np.ndarray) -> Any:
        return self.function(self.chain, target, start, self.config)

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        return np.array(result.q), bool(result.converged)


def load() -> list[Peer]:
    cartan = require("cartan", "pip install cartan-bindings")
    return [
        Cartan(cartan, "cartan", "solve_ik", None, "solve_ik, default budget, tolerance 1e-6"),
        Cartan(cartan, "cartan speed", "solve_ik_speed", None, "solve_ik_speed, default budget"),
        Cartan(cartan, "cartan speed+", "solve_ik_speed", BUDGET, f"solve_ik_speed, {BUDGET:,} iterations"),
    ]
