"""Pink: differential steps on pinocchio, a QP (DAQP) within the limits, in the loop of `differential.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from robots import TOOL, Robot, urdf

from .common import Peer, require, version_of
from .differential import DAMPING, Loop


class Pink(Peer):
    name = "pink"
    note = "FrameTask, ConfigurationLimit, daqp, dt 1, gain 1; own loop with restarts"
    is_slow = True

    def __init__(self, pink: Any, pinocchio: Any) -> None:
        self.pink, self.pinocchio = pink, pinocchio
        self.version = version_of("pin-pink")

    def open(self, robot: Robot, is_tracking: bool) -> Any:
        model = self.pinocchio.buildModelFromXML(urdf(robot))
        return Loop(_Steps(self.pink, self.pinocchio, model), robot)


class _Steps:
    def __init__(self, pink: Any, pinocchio: Any, model: Any) -> None:
        self.pink, self.se3 = pink, pinocchio.SE3
        self.at = pink.Configuration(model, model.createData(), pinocchio.neutral(model))
        self.task = pink.tasks.FrameTask(
            TOOL, position_cost=1.0, orientation_cost=1.0, gain=1.0, lm_damping=DAMPING
        )
        self.limits = [pink.limits.ConfigurationLimit(model, config_limit_gain=0.95)]  # as mink's default

    def pose(self, pose: np.ndarray) -> Any:
        return self.se3(pose[:3, :3], pose[:3, 3])

    def aim(self, target: Any) -> None:
        self.task.set_target(target)

    def place(self, q: np.ndarray) -> None:
        self.at.update(q)

    def error(self) -> np.ndarray:
        return self.task.compute_error(self.at)

    def step(self) -> None:
        velocity = self.pink.solve_ik(
            self.at,
            [self.task],
            1.0,
            "daqp",
            damping=1e-8,
            limits=self.limits,
            safety_break=False,
        )
        self.at.integrate_inplace(velocity, 1.0)

    def configuration(self) -> np.ndarray:
        return np.array(self.at.q)


def load() -> list[Peer]:
    command = "pip install pin-pink 'qpsolvers[daqp]'"
    pink, pinocchio = require("pink", command), require("pinocchio", command)
    require("daqp", command)
    return [Pink(pink, pinocchio)]
