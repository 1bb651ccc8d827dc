"""ikpy: SciPy's bounded least squares with finite differences. A ball joint is a pair of revolute joints (z,
y).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arms import (
    Answer,
    Arm,
    angles_from_directions,
    directions_from_angles,
    directions_from_universal,
    universal_from_directions,
)
from problems import Problem

from .common import Peer, Session, require, version_of


class IkpySession:
    def __init__(self, arm: Arm, tolerance: float) -> None:
        self.arm = arm
        self.tolerance = max(1e-8, 0.1 * tolerance / arm.reach)
        self.chain = build(arm)

    def prepare(self, problem: Problem) -> Any:
        start = (
            angles_from_directions(problem.start)
            if self.arm.planar
            else universal_from_directions(problem.start)
        )
        frame = np.eye(4)
        frame[:3, 3] = problem.target
        return frame, np.append(start, 0.0)

    def solve(self, prepared: Any) -> Any:
        frame, start = prepared
        return self.chain.inverse_kinematics_frame(frame, initial_position=start, tol=self.tolerance)

    def answer(self, prepared: Any, result: Any) -> Answer:
        angles = np.asarray(result, dtype=float)[:-1]
        if self.arm.planar:
            return Answer(directions=directions_from_angles(angles), angles=angles)
        return Answer(directions=directions_from_universal(angles))


def build(arm: Arm) -> Any:
    """The arm as ikpy's chain: revolute joints, each placed at the end of the link before it, and a fixed
    tip.
    """
    chain = require("ikpy.chain", "pip install ikpy")
    link = require("ikpy.link", "pip install ikpy")
    axes = [(0, 0, 1)] if arm.planar else [(0, 0, 1), (0, 1, 0)]
    bounds = (-arm.limit, arm.limit) if arm.limit is not None else (-np.inf, np.inf)
    links = []
    offset = 0.0
    for i, length in enumerate(arm.lengths):
        for axis in axes:
            links.append(
                link.URDFLink(
                    name=f"joint{i}{axis}",
                    origin_translation=np.array((offset, 0.0, 0.0)),
                    origin_orientation=np.zeros(3),
                    rotation=np.array(axis),
                    bounds=bounds,
                )
            )
            offset = 0.0
        offset = length
    links.append(
        link.URDFLink(
            name="tip",
            origin_translation=np.array((offset, 0.0, 0.0)),
            origin_orientation=np.zeros(3),
            joint_type="fixed",
        )
    )
    return chain.Chain(links, active_links_mask=[True] * (len(links) - 1) + [False])


class Ikpy(Peer):
    name = "ikpy"
    method = "dls"
    may_hang = True

    def __init__(self) -> None:
        require("ikpy", "pip install ikpy")
        self.version = version_of("ikpy")
        self.note = "inverse_kinematics_frame, least squares, tolerance a tenth of the one asked"

    def open(self, arm: Arm, tolerance: float) -> Session | None:
        return IkpySession(arm, tolerance) if arm.planar or arm.limit is None else None


def load() -> list[Peer]:
    return [Ikpy()]
