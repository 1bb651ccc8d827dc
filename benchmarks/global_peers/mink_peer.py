"""mink: differential steps on MuJoCo, a QP (DAQP) within the limits, in the loop of `differential.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from robots import TOOL, Robot, mjcf

from .common import Peer, require, version_of
from .differential import DAMPING, Loop


class Mink(Peer):
    name = "mink"
    note = "FrameTask, ConfigurationLimit, daqp, dt 1, gain 1; own loop with restarts"
    is_slow = True

    def __init__(self, mink: Any, mujoco: Any) -> None:
        self.mink, self.mujoco = mink, mujoco
        self.version = version_of("mink")

    def open(self, robot: Robot, is_tracking: bool) -> Any:
        model = self.mujoco.MjModel.from_xml_string(mjcf(robot))
        return Loop(_Steps(self.mink, model), robot)


class _Steps:
    def __init__(self, mink: Any, model: Any) -> None:
        self.mink = mink
        self.at = mink.Configuration(model)
        self.task = mink.FrameTask(
            TOOL, "site", position_cost=1.0, orientation_cost=1.0, gain=1.0, lm_damping=DAMPING
        )
        self.limits = [mink.ConfigurationLimit(model)]

    def pose(self, pose: np.ndarray) -> Any:
        return self.mink.SE3.from_matrix(pose)

    def aim(self, target: Any) -> None:
        self.task.set_target(target)

    def place(self, q: np.ndarray) -> None:
        self.at.update(q)

    def error(self) -> np.ndarray:
        return self.task.compute_error(self.at)

    def step(self) -> None:
        velocity = self.mink.solve_ik(self.at, [self.task], 1.0, "daqp", 1e-8, limits=self.limits)
        self.at.integrate_inplace(velocity, 1.0)

    def configuration(self) -> np.ndarray:
        return self.at.q.copy()


def load() -> list[Peer]:
    command = "pip install mink 'qpsolvers[daqp]'"
    mink, mujoco = require("mink", command), require("mujoco", command)
    require("daqp", command)
    return [Mink(mink, mujoco)]
