"""The loop around packages that give one differential step, until every goal is met; stalled, from elsewhere.

They have no loop of their own; this one is what their examples do, with restarts. It takes whole Gauss-Newton
steps (dt 1, gain 1, no limits of speed). How they are set up was tried on G1: Levenberg-Marquardt damping of
1e-2 in every task is what makes them converge (one try from 0.3 of the ranges away: 45 % with none, 97 % with
1e-3, 100 % with 1e-2; with 1, twice the iterations); a posture task only slows them; DAQP and quadprog are
equally quick. A restart is drawn from the same kind of postures as the starts and targets.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from humanoid import Humanoid

from .common import Tolerance

DAMPING = 1e-2  # Levenberg-Marquardt, of each task
REGULAR = 1e-8  # of the whole QP
ITERATIONS, ATTEMPTS = 60, 40
STALL = 8  # iterations without a better error
NOTE = (
    f"FrameTask, ComTask, lm_damping {DAMPING:g}, ConfigurationLimit, daqp, dt 1, gain 1; own loop, restarts"
)


class Steps(Protocol):
    """What an adapter gives the loop."""

    def targets(self, wanted: np.ndarray) -> Any:
        """What is wanted ([5, 4, 4]) in the package's own types."""

    def aim(self, targets: Any) -> None:
        """Take targets."""

    def place(self, q: np.ndarray) -> None:
        """Go to a configuration."""

    def errors(self) -> list[np.ndarray]:
        """[6] metres and radians left of each pose, and [3] metres of the centre of mass."""

    def step(self) -> None:
        """One differential step."""

    def configuration(self) -> np.ndarray:
        """[nq] where it is now."""


class Loop:
    """A session that repeats steps."""

    def __init__(self, steps: Steps, robot: Humanoid, tolerance: Tolerance) -> None:
        self.steps, self.robot = steps, robot
        self.squares = tolerance[0] ** 2, tolerance[1] ** 2
        self.rng = np.random.default_rng(0)

    def prepare(self, wanted: np.ndarray) -> Any:
        return self.steps.targets(wanted)

    def solve(self, targets: Any, start: np.ndarray) -> tuple[np.ndarray, bool]:
        steps, q = self.steps, start
        steps.aim(targets)
        for _ in range(ATTEMPTS):
            steps.place(q)
            if self._descend():
                return self._answer(), True
            q = self.robot.random(self.rng)
        return self._answer(), False

    def answer(self, result: tuple[np.ndarray, bool]) -> tuple[np.ndarray | None, bool]:
        return result

    def _answer(self) -> np.ndarray:
        """Where it is; the QP keeps the limits up to rounding, which is cut off."""
        return np.clip(self.steps.configuration(), self.robot.lower, self.robot.upper)

    def _descend(self) -> bool:
        steps, best, since = self.steps, np.inf, 0
        for _ in range(ITERATIONS):
            errors = steps.errors()
            if self._is_met(errors):
                return True
            stack = np.concatenate(errors)
            square = float(stack @ stack)
            best, since = (square, 0) if square < 0.98 * best else (best, since + 1)
            if since > STALL:
                return False
            steps.step()
        return False

    def _is_met(self, errors: list[np.ndarray]) -> bool:
        metres, radians = self.squares
        return all(e[:3] @ e[:3] <= metres and e[3:] @ e[3:] <= radians for e in errors)
