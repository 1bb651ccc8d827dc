"""One small adapter per package. `available()` imports what is installed and says what is missing."""

from __future__ import annotations

from peers.common import Missing, load_all

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
    return load_all(__name__, MODULES)
