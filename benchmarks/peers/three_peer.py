"""three.js' CCDIKSolver. It has no tolerance: the adapter calls it sweep by sweep until it is there."""

from __future__ import annotations

from typing import Any

from arms import Arm

from .common import Peer
from .node_process import NodePeer


class Three(NodePeer):
    def open(self, arm: Arm, tolerance: float) -> Any:
        # its limits are boxes of Euler angles: those of a revolute joint fit, a cone does not
        return super().open(arm, tolerance) if arm.planar or arm.limit is None else None


def load() -> list[Peer]:
    note = "one update() per sweep until the tolerance asked, 1000 sweeps"
    return [Three("three CCDIKSolver (node)", "ccd", "three.mjs", "three", note)]
