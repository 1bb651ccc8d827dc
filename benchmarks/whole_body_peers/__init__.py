"""One small adapter per package for goals of the whole body. `available()` imports what is installed."""

from __future__ import annotations

from peers.common import Missing, load_all

from .common import Peer

MODULES = ("limbik_goals", "mink_tasks", "pink_tasks")


def available() -> tuple[list[Peer], list[Missing]]:
    """Methods that can run here, limbik's first, and what is missing with the command that installs it."""
    return load_all(__name__, MODULES)
