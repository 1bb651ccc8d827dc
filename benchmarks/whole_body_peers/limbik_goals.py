"""limbik's own: `model.solve(goals, start=q)` with four poses and the centre of mass."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbik
from humanoid import FRAMES, Humanoid
from limbik.goals import CenterOfMass, Goal, Pose

from .common import Peer, Tolerance


class Limbik(Peer):
    name = "limbik"
    version = limbik.__version__
    note = "model.solve([Pose, Pose, Pose, Pose, CenterOfMass], start=q)"

    def open(self, robot: Humanoid, is_tracking: bool) -> Any:
        return _Session(robot.model, self.tolerance)


class _Session:
    def __init__(self, model: Any, tolerance: Tolerance) -> None:
        self.model = model
        self.options = {"tolerance": tolerance[0], "tolerance_rotation": tolerance[1]}

    def prepare(self, wanted: np.ndarray) -> list[Goal]:
        poses = [Pose(frame=frame, target=pose) for frame, pose in zip(FRAMES, wanted, strict=False)]
        return [*poses, CenterOfMass(target=wanted[-1, :3, 3])]

    def solve(self, goals: list[Goal], start: np.ndarray) -> Any:
        return self.model.solve(goals, start=start, **self.options)

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        return result.q, bool(result.success)


def load() -> list[Peer]:
    return [Limbik()]
