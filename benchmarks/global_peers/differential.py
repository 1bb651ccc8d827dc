"""The loop around packages that give one differential step, until the goal is met; stalled, from elsewhere.

They have no loop of their own; this one is what their examples do, with restarts. It takes whole Gauss-Newton
steps (dt 1, gain 1) with a little Levenberg-Marquardt damping, which converge in the fewest iterations. Their
QP keeps the limits up to rounding; the answer is clipped to them.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from robots import Robot

from .common import GOAL

DAMPING = 1e-2  # Levenberg-Marquardt, of the task
ITERATIONS, ATTEMPTS = 50, 20
STALL = 6  # iterations without a better error


class Steps(Protocol):
    """What an adapter gives the loop."""

    def pose(self, pose: np.ndarray) -> Any:
        """A target in the package's own type."""

    def aim(self, target: Any) -> None:
        """Take a target."""

    def place(self, q: np.ndarray) -> None:
        """Go to a configuration."""

    def error(self) -> np.ndarray:
        """[6] metres and radians left."""

    def step(self) -> None:
        """One differential step."""

    def configuration(self) -> np.ndarray:
        """Where it is now."""


class Loop:
    """A session that repeats steps."""

    def __init__(self, steps: Steps, robot: Robot) -> None:
        self.steps, self.robot = steps, robot
        self.rng = np.random.default_rng(0)

    def prepare(self, pose: np.ndarray) -> Any:
        return self.steps.pose(pose)

    def solve(self, target: Any, start: np.ndarray) -> tuple[np.ndarray, bool]:
        steps, q = self.steps, start
        steps.aim(target)
        for _ in range(ATTEMPTS):
            steps.place(q)
            if self._descend():
                return self._answer(), True
            q = self.robot.random(self.rng)
        return self._answer(), False

    def _answer(self) -> np.ndarray:
        return np.clip(self.steps.configuration(), self.robot.lower, self.robot.upper)

    def _descend(self) -> bool:
        steps, best, since = self.steps, np.inf, 0
        for _ in range(ITERATIONS):
            e = steps.error()
            square = float(e @ e)
            if square < GOAL * GOAL:
                return True
            best, since = (square, 0) if square < 0.98 * best else (best, since + 1)
            if since > STALL:
                return False
            steps.step()
        return False

    def answer(self, result: tuple[np.ndarray, bool]) -> tuple[np.ndarray | None, bool]:
        return result
