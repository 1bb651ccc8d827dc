"""OptIK (Rust): SLSQP descents with restarts, at most 0.1 s (its default).

Its objective is half the squared length of the pose error's logarithm or near it, so 1e-12 asks for errors
below 1.5e-6. One thread: with more, small problems take longer. Poses are given as lists, which it reads
quicker than arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robots import BASE, TOOL, Robot

from .common import Peer, Refused, require, version_of, written_urdf

TOLERANCE = 1e-12  # of the objective


class Optik(Peer):
    name = "optik"
    note = f"solution_mode speed, tol_f {TOLERANCE:g}, max_time 0.1 s, 1 thread"

    def __init__(self, optik: Any) -> None:
        self.optik = optik
        self.version = version_of("optik-py")

    def open(self, robot: Robot, is_tracking: bool) -> Any:
        if any(joint.is_prismatic for joint in robot.joints):
            raise Refused("no prismatic joints (it ends the process)")
        arm = self.optik.Robot.from_urdf_file(str(written_urdf(robot)), BASE, TOOL)
        arm.set_parallelism(1)
        config = self.optik.SolverConfig(solution_mode="speed", tol_f=TOLERANCE, max_time=0.1)
        return _Session(arm, config)


class _Session:
    def __init__(self, arm: Any, config: Any) -> None:
        self.ik, self.config = arm.ik, config

    def prepare(self, pose: np.ndarray) -> list[list[float]]:
        return [[float(x) for x in row] for row in pose]

    def solve(self, target: list[list[float]], start: np.ndarray) -> Any:
        return self.ik(self.config, target, start.tolist())

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        return (None, False) if result is None else (np.array(result[0]), True)


def load() -> list[Peer]:
    return [Optik(require("optik", "pip install optik-py"))]
