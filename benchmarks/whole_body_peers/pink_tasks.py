"""Pink: differential steps on pinocchio, a QP (DAQP) within the limits, in the loop of `loop.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from humanoid import FRAMES, Humanoid

from .common import Peer, require, version_of
from .loop import DAMPING, NOTE, REGULAR, Loop


class Pink(Peer):
    name = "pink"
    note = NOTE

    def __init__(self, pink: Any, pinocchio: Any) -> None:
        self.pink, self.pinocchio = pink, pinocchio
        self.version = version_of("pin-pink")

    def open(self, robot: Humanoid, is_tracking: bool) -> Any:
        return Loop(_Steps(self.pink, self.pinocchio, robot.kinematics[0]), robot, self.tolerance)


class _Steps:
    def __init__(self, pink: Any, pinocchio: Any, model: Any) -> None:
        self.pink, self.se3 = pink, pinocchio.SE3
        self.at = pink.Configuration(model, model.createData(), pinocchio.neutral(model))
        self.poses = [
            pink.tasks.FrameTask(frame, position_cost=1.0, orientation_cost=1.0, lm_damping=DAMPING)
            for frame in FRAMES
        ]
        self.mass = pink.tasks.ComTask(cost=1.0, lm_damping=DAMPING)
        self.tasks = [*self.poses, self.mass]
        self.limits = [pink.limits.ConfigurationLimit(model, config_limit_gain=0.95)]  # as mink's default

    def targets(self, wanted: np.ndarray) -> tuple[list[Any], np.ndarray]:
        return [self.se3(pose[:3, :3], pose[:3, 3]) for pose in wanted[:-1]], wanted[-1, :3, 3]

    def aim(self, targets: tuple[list[Any], np.ndarray]) -> None:
        for task, pose in zip(self.poses, targets[0], strict=True):
            task.set_target(pose)
        self.mass.set_target(targets[1])

    def place(self, q: np.ndarray) -> None:
        self.at.update(q)

    def errors(self) -> list[np.ndarray]:
        return [task.compute_error(self.at) for task in self.tasks]

    def step(self) -> None:
        velocity = self.pink.solve_ik(
            self.at, self.tasks, 1.0, "daqp", damping=REGULAR, limits=self.limits, safety_break=False
        )
        self.at.integrate_inplace(velocity, 1.0)

    def configuration(self) -> np.ndarray:
        return np.array(self.at.q)


def load() -> list[Peer]:
    command = "pip install pin-pink 'qpsolvers[daqp]'"
    pink, pinocchio = require("pink", command), require("pinocchio", command)
    require("daqp", command)
    return [Pink(pink, pinocchio)]
