"""One small adapter per peer. `available()` imports what is installed and says what is missing."""

from __future__ import annotations

from .common import Missing, Peer, load_all

MODULES = (
    "limbik_solvers",
    "numpy_methods",
    "pyfabrik_peer",
    "tinyik_peer",
    "ikpy_peer",
    "pybullet_peer",
    "fullik_peer",
    "three_peer",
)


def available() -> tuple[list[Peer], list[Missing]]:
    """Methods that can run here, limbik's first, and what is missing with the command that installs it."""
    return load_all(__name__, MODULES)
