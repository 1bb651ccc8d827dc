"""One small adapter per peer. `available()` imports what is installed and says what is missing."""

from __future__ import annotations

import importlib

from .common import Missing, Peer

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
    peers: list[Peer] = []
    missing: list[Missing] = []
    for name in MODULES:
        module = importlib.import_module(f"{__name__}.{name}")
        try:
            peers.extend(module.load())
        except Missing as reason:
            missing.append(reason)
    return peers, missing
