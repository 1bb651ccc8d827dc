"""One small adapter per package. `available()` imports what is installed and says what is missing."""

from __future__ import annotations

import importlib

from peers.common import Missing

from .common import Peer

MODULES = (
    "limbik_model",
    "ssik_peer",
    "cartan_peer",
    "rtb_peer",
    "optik_peer",
    "tracik_peer",
    "mink_peer",
    "pink_peer",
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
