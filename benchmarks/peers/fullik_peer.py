"""@aminere/fullik: the JavaScript port of Caliko, FABRIK with limits inside the passes."""

from __future__ import annotations

from .common import Peer
from .node_process import NodePeer


def load() -> list[Peer]:
    note = "solveDistanceThreshold as asked, minIterationChange tolerance / 1000, 1000 iterations"
    return [NodePeer("fullik (node)", "fabrik", "fullik.mjs", "@aminere/fullik", note)]
