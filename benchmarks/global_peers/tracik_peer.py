"""TRAC-IK (C++) through pytracik: KDL's Newton and NLopt's SQP race in two threads, which cannot be one.

Its epsilon is per component, so 5e-7 keeps the length below 1e-6. Limits are given again as doubles, because
it reads those of the URDF as floats. The call is that of the compiled module with the target as a quaternion;
the Python class around it would convert a matrix on every call and stumbles over NumPy 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robots import BASE, TOOL, Robot, urdf

from .common import Peer, require, version_of

EPSILON, TIMEOUT = 5e-7, 0.05  # [m or rad], [s]


class TracIK(Peer):
    name = "pytracik"
    note = f"Speed, epsilon {EPSILON:g}, timeout {TIMEOUT:g} s, its 2 threads"

    def __init__(self, pytracik: Any) -> None:
        self.pytracik = pytracik
        self.version = version_of("pytracik")

    def open(self, robot: Robot, is_tracking: bool) -> Any:
        kind = self.pytracik.SolveType.Speed
        solver = self.pytracik.TRAC_IK(BASE, TOOL, urdf(robot), TIMEOUT, EPSILON, kind)
        self.pytracik.set_joint_limits(solver, robot.finite_lower.tolist(), robot.finite_upper.tolist())
        return _Session(self.pytracik.ik, solver)


class _Session:
    def __init__(self, ik: Any, solver: Any) -> None:
        self.ik, self.solver = ik, solver

    def prepare(self, pose: np.ndarray) -> list[float]:
        from scipy.spatial.transform import Rotation

        return [float(x) for x in (*pose[:3, 3], *Rotation.from_matrix(pose[:3, :3]).as_quat())]

    def solve(self, target: list[float], start: np.ndarray) -> Any:
        return self.ik(self.solver, start, *target)

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        return (np.array(result[1:]), True) if result[0] >= 0 else (None, False)


def load() -> list[Peer]:
    return [TracIK(require("pytracik", "pip install pytracik"))]
