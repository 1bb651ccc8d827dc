"""Robotics Toolbox for Python: its C++ Levenberg-Marquardt, `ETS.ik_LM`, 100 searches of 30 iterations.

Its tolerance is half the squared length of the error, so 5e-13 asks for 1e-6. Damping after Chan, its
default, with the gain k at its default and at 0.1 (its documents advise 1.0 to 0.01), which is quicker.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robots import Robot

from .common import Peer, require, version_of

TOLERANCE = 5e-13


class RoboticsToolbox(Peer):
    def __init__(self, rtb: Any, gain: float) -> None:
        self.rtb, self.gain = rtb, gain
        self.name = "rtb ik_LM" if gain == 1.0 else f"rtb ik_LM k={gain:g}"
        self.note = f"C++, method chan, k {gain:g}, tol {TOLERANCE:g}, limits kept"
        self.version = version_of("roboticstoolbox-python")

    def open(self, robot: Robot, is_tracking: bool) -> Any:
        return _Session(chain_of(self.rtb, robot), self.gain)


def chain_of(rtb: Any, robot: Robot) -> Any:
    """The robot as elementary transforms, an `ETS`."""
    parts = []
    for joint, low, high in zip(robot.joints, robot.finite_lower, robot.finite_upper, strict=True):
        moving = rtb.ET.tz if joint.is_prismatic else rtb.ET.Rz
        parts += [rtb.ET.SE3(joint.origin), moving(qlim=[float(low), float(high)])]
    return rtb.ETS([*parts, rtb.ET.SE3(robot.tool)])


class _Session:
    def __init__(self, ets: Any, gain: float) -> None:
        self.ik, self.gain = ets.ik_LM, gain

    def prepare(self, pose: np.ndarray) -> np.ndarray:
        return np.asfortranarray(pose)

    def solve(self, target: np.ndarray, start: np.ndarray) -> Any:
        return self.ik(target, q0=start, tol=TOLERANCE, k=self.gain)

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        return np.array(result.q), bool(result.success)


def load() -> list[Peer]:
    rtb = require("roboticstoolbox", "pip install roboticstoolbox-python")
    return [RoboticsToolbox(rtb, 1.0), RoboticsToolbox(rtb, 0.1)]
