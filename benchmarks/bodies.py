"""The classical methods on robots with branches: several points or poses at once, within limits.

    python benchmarks/bodies.py                   print everything, some ten minutes
    python benchmarks/bodies.py --write           and store the table in docs/benchmarks.md

Targets are those of a random configuration within the limits, starts are random configurations too. All
methods get the same problems, with their defaults: 10 000 iterations, and new starts after stalls. Answers
are judged by the model's forward kinematics, which `forward_kinematics.py` holds against pinocchio's.
"""

# ruff: noqa: E402  (what limbik reads of the environment is set before it is imported)

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
import report
import tables
from limbik import Goal, Model, Pose, Position
from limbik.spatial import rotation_log
from machine import progress, surroundings
from peers.common import version_of

SCRIPT = "benchmarks/bodies.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
METHODS = ("fabrik", "ccd", "jt", "dls", "sdls", "lm")
TOLERANCE = 1e-6  # [m], [rad]
ROUNDING = 1.001


@dataclass(frozen=True)
class Case:
    """What is asked of a robot."""

    title: str
    robot: str
    frames: tuple[str, ...]  # (): the end effector
    goal: type[Position] | type[Pose]
    base: str | None = None

    def model(self) -> Model:
        return limbik.load(self.robot, base=self.base) if self.base else limbik.load(self.robot)

    def goals(self, model: Model, q: np.ndarray) -> list[Goal]:
        """Those that are met at q [nq]."""
        poses = {frame: model.pose(q, frame) for frame in self.frames or (model.end_effector,)}
        if self.goal is Pose:
            return [Pose(frame=frame, target=pose) for frame, pose in poses.items()]
        return [Position(frame=frame, target=pose[:3, 3]) for frame, pose in poses.items()]


HANDS = ("left_rubber_hand", "right_rubber_hand")
FEET = ("left_ankle_roll_link", "right_ankle_roll_link")
CASES = (
    Case("Panda: pose", "panda", (), Pose),
    Case("UR5e: pose", "ur5e", (), Pose),
    Case("Baxter: poses of both grippers", "baxter", ("left_gripper", "right_gripper"), Pose),
    Case("Allegro hand: points of four fingertips", "allegro",
         ("link_3.0_tip", "link_7.0_tip", "link_11.0_tip", "link_15.0_tip"), Position),
    Case("ANYmal, floating: points of four feet", "anymal",
         ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"), Position, "floating"),
    Case("G1: points of both hands", "g1", HANDS, Position),
    Case("G1: poses of hands and feet", "g1", HANDS + FEET, Pose),
    Case("G1, floating: poses of hands and feet", "g1", HANDS + FEET, Pose, "floating"),
)  # fmt: skip


def is_met(model: Model, goals: Sequence[Goal], q: np.ndarray) -> bool:
    """Whether q keeps the limits and meets the goals, by forward kinematics."""
    return model.is_within_limits(q) and all(_is_met(model, goal, q) for goal in goals)


def _is_met(model: Model, goal: Any, q: np.ndarray) -> bool:
    pose = model.pose(q, goal.frame)
    if isinstance(goal, Position):
        return bool(np.linalg.norm(pose[:3, 3] - goal.target) <= ROUNDING * TOLERANCE)
    distance = np.linalg.norm(pose[:3, 3] - goal.target[:3, 3])
    angle = np.linalg.norm(rotation_log(pose[:3, :3].T @ goal.target[:3, :3]))
    return bool(max(distance, angle) <= ROUNDING * TOLERANCE)


def line(case: Case, model: Model, method: str, options: argparse.Namespace) -> list[str]:
    """What one method does."""
    solved, iterations, seconds, false_claims = [], [], [], 0
    for k in range(-1, options.problems):  # the first is not counted: it may have to wait for the compiler
        rng = np.random.default_rng([options.seed, k + 1])
        goals, start = case.goals(model, model.random(rng)), model.random(rng)
        before = time.perf_counter()
        answer = model.solve(goals, solver=method, start=start, tolerance=TOLERANCE, seed=k + 1)
        if k < 0:
            continue
        seconds.append(time.perf_counter() - before)
        solved.append(is_met(model, goals, answer.q))
        false_claims += answer.success and not solved[-1]
        iterations.append(float(answer.iterations))
        if sum(seconds) > options.seconds:
            break
    return [
        case.title,
        method,
        str(len(solved)),
        tables.percent(solved),
        str(false_claims),
        tables.number(statistics.fmean(iterations)),
        tables.median(iterations),
        tables.number(1e3 * statistics.fmean(seconds)),
        tables.median([1e3 * each for each in seconds]),
    ]


def methods_table(options: argparse.Namespace) -> str:
    lines = []
    for case in CASES:
        model = case.model()
        for method in METHODS:
            progress(f"{case.title}, {method}")
            lines.append(line(case, model, method, options))
    header = ["what is asked", "method", "problems", "solved %", "false claims", "iterations mean", "median",
              "ms mean", "median"]  # fmt: skip
    return report.table(header, lines)


def machine(options: argparse.Namespace) -> str:
    return tables.facts({
        **surroundings(),
        "versions": f"limbik {limbik.__version__}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, example-robot-data {version_of('example-robot-data')}",
        "problems": f"{options.problems} of each kind, seed {options.seed}; a method that has solved for "
        f"{options.seconds:g} s stops",
        "solved": f"every goal within {TOLERANCE:g} m and {TOLERANCE:g} rad, limits kept",
        "ms": "whole calls from Python",
    })  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    parser = report.study_parser(__doc__, DOCUMENT)
    parser.add_argument("--problems", type=int, default=200, help="of each kind (default 200)")
    parser.add_argument("--seconds", type=float, default=10.0, help="for a method and kind (default 10)")
    options = parser.parse_args(argv)
    built = {"methods": methods_table(options), "machine": machine(options)}
    report.publish(DOCUMENT, SCRIPT, built, options.write)


if __name__ == "__main__":
    main()
