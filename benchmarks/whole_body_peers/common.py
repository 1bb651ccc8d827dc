"""What the benchmark asks of an adapter."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from humanoid import Humanoid
from peers.common import Missing, require, version_of

__all__ = ["Missing", "Peer", "Session", "Tolerance", "require", "version_of"]

Tolerance = tuple[float, float]  # [m], [rad] that every goal is to be met to


class Session(Protocol):
    """A peer with the robot built. Only `solve` is timed."""

    def prepare(self, wanted: np.ndarray) -> Any:
        """What is wanted ([5, 4, 4], see `Humanoid.pose`) in the peer's own types."""

    def solve(self, target: Any, start: np.ndarray) -> Any:
        """The peer's own call, or the loop around its steps; nothing else happens here."""

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        """The configuration [nq] as `Humanoid` has it, and whether the peer calls it a success."""


class Peer:
    """A method under measurement, with the tolerance that it is asked for."""

    name: str  # as tables show it
    version: str
    note: str = ""  # how it is set up, one line
    is_slow: bool = False  # two passes for all, as long as there is time
    tolerance: Tolerance

    def open(self, robot: Humanoid, is_tracking: bool) -> Session:
        """A session for the robot."""
        raise NotImplementedError
