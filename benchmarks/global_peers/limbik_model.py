"""limbik's own: `model.solve(pose)`, from no start in global mode and from the start in tracking mode."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbik
from robots import Robot

from .common import Peer


class Limbik(Peer):
    name = "limbik"
    version = limbik.__version__
    note = "model.solve(pose), tracking: model.solve(pose, start=q); tolerance 1e-6 m, 1e-6 rad"

    def open(self, robot: Robot, is_tracking: bool) -> Any:
        warm_up(robot.model)
        return _Tracking(robot.model) if is_tracking else _Global(robot.model)


def warm_up(model: Any) -> None:
    """Compile ahead, so that no solve waits for it."""
    limbik.warmup(model)


class _Global:
    def __init__(self, model: Any) -> None:
        self.model = model

    def prepare(self, pose: np.ndarray) -> np.ndarray:
        return pose

    def solve(self, target: np.ndarray, start: np.ndarray) -> Any:
        return self.model.solve(target)

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        return result.q, bool(result.success)


class _Tracking(_Global):
    def solve(self, target: np.ndarray, start: np.ndarray) -> Any:
        return self.model.solve(target, start=start)


def load() -> list[Peer]:
    return [Limbik()]
