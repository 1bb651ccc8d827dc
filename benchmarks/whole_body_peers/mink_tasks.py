"""mink: differential steps on MuJoCo, a QP (DAQP) within the limits, in the loop of `loop.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from humanoid import FRAMES, Humanoid, from_mujoco, mujoco_model, to_mujoco

from .common import Peer, require, version_of
from .loop import DAMPING, NOTE, REGULAR, Loop


class Mink(Peer):
    name = "mink"
    note = NOTE

    def __init__(self, mink: Any) -> None:
        self.mink = mink
        self.version = version_of("mink")

    def open(self, robot: Humanoid, is_tracking: bool) -> Any:
        return Loop(_Steps(self.mink, mujoco_model(robot)), robot, self.tolerance)


class _Steps:
    def __init__(self, mink: Any, model: Any) -> None:
        self.mink = mink
        self.at = mink.Configuration(model)
        self.poses = [
            mink.FrameTask(frame, "body", position_cost=1.0, orientation_cost=1.0, lm_damping=DAMPING)
            for frame in FRAMES
        ]
        self.mass = mink.ComTask(cost=1.0, lm_damping=DAMPING)
        self.tasks = [*self.poses, self.mass]
        self.limits = [mink.ConfigurationLimit(model)]

    def targets(self, wanted: np.ndarray) -> tuple[list[Any], np.ndarray]:
        return [self.mink.SE3.from_matrix(pose) for pose in wanted[:-1]], wanted[-1, :3, 3]

    def aim(self, targets: tuple[list[Any], np.ndarray]) -> None:
        for task, pose in zip(self.poses, targets[0], strict=True):
            task.set_target(pose)
        self.mass.set_target(targets[1])

    def place(self, q: np.ndarray) -> None:
        self.at.update(to_mujoco(q))

    def errors(self) -> list[np.ndarray]:
        return [task.compute_error(self.at) for task in self.tasks]

    def step(self) -> None:
        velocity = self.mink.solve_ik(self.at, self.tasks, 1.0, "daqp", REGULAR, limits=self.limits)
        self.at.integrate_inplace(velocity, 1.0)

    def configuration(self) -> np.ndarray:
        return from_mujoco(self.at.q)


def load() -> list[Peer]:
    command = "pip install mink 'qpsolvers[daqp]'"
    mink = require("mink", command)
    require("daqp", command)
    return [Mink(mink)]
