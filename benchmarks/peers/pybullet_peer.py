"""pybullet: calculateInverseKinematics with IK_DLS. A ball joint is a pair of revolute joints (z, y)."""

from __future__ import annotations

import tempfile
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

ITERATIONS = 500
INERTIAL = (
    '<inertial><mass value="1"/><origin xyz="0 0 0"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


class PybulletSession:
    def __init__(self, client: Any, arm: Arm, tolerance: float) -> None:
        self.client = client
        self.arm = arm
        client.resetSimulation()  # one arm at a time: it holds few bodies and 128 joints each
        with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
            file.write(urdf(arm))
            file.flush()
            self.body = client.loadURDF(file.name, useFixedBase=True)
        self.joints = arm.size * (1 if arm.planar else 2)
        self.options: dict[str, Any] = {
            "solver": client.IK_DLS,
            "maxNumIterations": ITERATIONS,
            "residualThreshold": tolerance,
        }
        if arm.limit is not None:
            self.options |= {
                "lowerLimits": [-arm.limit] * self.joints,
                "upperLimits": [arm.limit] * self.joints,
                "jointRanges": [2.0 * arm.limit] * self.joints,
                "restPoses": [0.0] * self.joints,
            }

    def prepare(self, problem: Problem) -> Any:
        start = (
            angles_from_directions(problem.start)
            if self.arm.planar
            else universal_from_directions(problem.start)
        )
        return problem.target.tolist(), start.tolist()

    def solve(self, prepared: Any) -> Any:
        target, start = prepared
        return self.client.calculateInverseKinematics(
            self.body, self.joints, target, currentPositions=start, **self.options
        )

    def answer(self, prepared: Any, result: Any) -> Answer:
        angles = np.asarray(result, dtype=float)
        if self.arm.planar:
            return Answer(directions=directions_from_angles(angles), angles=angles)
        return Answer(directions=directions_from_universal(angles))


def urdf(arm: Arm) -> str:
    """The arm as URDF: revolute joints, each placed at the end of the link before it, and a fixed tip."""
    axes = ["0 0 1"] if arm.planar else ["0 0 1", "0 1 0"]
    kind = "continuous" if arm.limit is None else "revolute"
    limit = (
        ""
        if arm.limit is None
        else f'<limit lower="{-arm.limit}" upper="{arm.limit}" effort="1" velocity="1"/>'
    )
    parts = [f'<?xml version="1.0"?><robot name="arm"><link name="link0">{INERTIAL}</link>']
    count, offset = 0, 0.0
    for length in (*arm.lengths, 0.0):
        for axis in axes:
            is_tip = count == arm.size * len(axes)
            parts.append(
                f'<link name="link{count + 1}">{INERTIAL}</link>'
                f'<joint name="joint{count}" type="{"fixed" if is_tip else kind}">'
                f'<parent link="link{count}"/><child link="link{count + 1}"/>'
                f'<origin xyz="{offset} 0 0"/><axis xyz="{axis}"/>{"" if is_tip else limit}</joint>'
            )
            count, offset = count + 1, 0.0
            if is_tip:
                break
        offset = length
    return "\n".join(parts) + "</robot>\n"  # its reader cuts long lines


class Pybullet(Peer):
    name = "pybullet IK_DLS"
    method = "dls"

    def __init__(self) -> None:
        self.client = require("pybullet", "pip install pybullet")
        self.version = version_of("pybullet")
        self.note = (
            f"residualThreshold as asked, {ITERATIONS} iterations; limits through its null-space arguments"
        )
        self.client.connect(self.client.DIRECT)

    def open(self, arm: Arm, tolerance: float) -> Session | None:
        if not arm.planar and arm.limit is not None:
            return None
        return PybulletSession(self.client, arm, tolerance)


def load() -> list[Peer]:
    return [Pybullet()]
