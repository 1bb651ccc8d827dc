"""What the benchmark asks of an adapter."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from peers.common import Missing, require, version_of
from robots import Robot, urdf

__all__ = ["Missing", "Peer", "Refused", "Session", "require", "version_of", "written_urdf"]

GOAL = 1e-6  # [m] and [rad]: the tolerance that every method is asked for, as limbik's own


class Refused(Exception):
    """A peer cannot have this robot; the message says why."""


class Session(Protocol):
    """A peer with a robot built, for one mode. Only `solve` is timed."""

    def prepare(self, pose: np.ndarray) -> Any:
        """The target in the peer's own types."""

    def solve(self, target: Any, start: np.ndarray) -> Any:
        """The peer's own call; nothing else happens here."""

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        """The configuration [n], where there is one, and whether the peer calls it a success."""


class Peer:
    """A method under measurement."""

    name: str  # as tables show it
    version: str
    note: str = ""  # how it is set up, one line
    is_slow: bool = False  # solves the first problems of a list only, once

    def open(self, robot: Robot, is_tracking: bool) -> Session:
        """A session for the robot. Raises Refused where the peer cannot have it."""
        raise NotImplementedError


def written_urdf(robot: Robot, *, continuous: bool = False) -> Path:
    """A file with the robot's URDF."""
    folder = Path(tempfile.mkdtemp(prefix="limbik-robot-"))
    path = folder / f"{robot.name}.urdf"
    path.write_text(urdf(robot, continuous=continuous), encoding="utf-8")
    return path
