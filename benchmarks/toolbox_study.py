"""A study of the Robotics Toolbox remade: how often do numerical methods fail on random poses, limits kept?

    python benchmarks/toolbox_study.py                    print the tables, about five minutes
    python benchmarks/toolbox_study.py --write            and store them in docs/benchmarks.md
    python benchmarks/toolbox_study.py --targets 1000

After Haviland and Corke, "Manipulator Differential Kinematics, Part II" (2024), Tables 2 and 3: poses of
random configurations within the limits, no start given, at most 100 searches of 30 iterations, an error of
1e-6 by their measure: half the sum of the squared distance [m] and angle [rad]. Their methods run with their
gains: NR, GN and LM in the toolbox's C++, those that use the null space to stay from the limits (and the QP
to stay dexterous) in its Python. LM after Chan with gain 1 is the toolbox's default. limbik is asked for its
own tolerance, 1e-6 m and 1e-6 rad, which is a thousand times closer.

The robots are the Panda (7 joints) and the back and left arm of a model of the human body (13 joints, as the
study's humanoid has from waist to finger, whose files no package holds). A failure is an answer that misses
the error, or the limits, by pinocchio's kinematics.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import datetime
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
import report
from global_peers.common import Missing, require, version_of
from global_peers.limbik_model import warm_up
from global_peers.rtb_peer import chain_of
from global_race import LIMIT_SLACK, pose_error
from machine import processor, progress
from robots import MissingRobot, Robot, Source, open_robot, open_source
from tables import number

SCRIPT = "benchmarks/toolbox_study.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
HUMAN = Source(
    distribution="example-robot-data",
    path="share/example-robot-data/robots/human_description/robots/human.urdf",
    frame="left_hand",
)
ERROR = 1e-6  # of the study: half the squared length of (metres, radians)
ROUNDING = 1e-9  # [m, rad] between two implementations of the same kinematics
LM_GAINS = (("wampler", 1e-4), ("chan", 1.0), ("chan", 0.1), ("sugihara", 1e-4))
CHUNK = 250  # targets that a method solves before the next one has its turn

Answer = tuple[np.ndarray, bool]  # configuration [n], and whether its method calls it a success


@dataclass
class Tally:
    """What one method did on one robot."""

    name: str
    solve: Callable[[np.ndarray], Answer]
    failures: int = 0
    false_claims: int = 0
    seconds: list[float] = field(default_factory=list)

    def turn(self, robot: Robot, poses: Sequence[np.ndarray]) -> None:
        """Solve and judge the poses."""
        for pose in poses:
            began = time.perf_counter()
            q, claims = self.solve(pose)
            self.seconds.append(time.perf_counter() - began)
            is_met = meets(robot, pose, q)
            self.failures += not is_met
            self.false_claims += claims and not is_met


def meets(robot: Robot, pose: np.ndarray, q: np.ndarray) -> bool:
    """Whether the answer is within the limits and the study's error."""
    inside = (q >= robot.lower - LIMIT_SLACK) & (q <= robot.upper + LIMIT_SLACK)
    metres, radians = pose_error(robot.pose(q), pose)
    return bool(inside.all()) and np.hypot(metres, radians) <= np.sqrt(2.0 * ERROR) + ROUNDING


def methods(rtb: Any, robot: Robot) -> list[Tally]:
    """limbik and the methods of the study."""
    chain = chain_of(rtb, robot)

    def toolbox(name: str, **options: Any) -> Callable[[np.ndarray], Answer]:
        solve = getattr(chain, name)

        def call(pose: np.ndarray) -> Answer:
            found = solve(np.asfortranarray(pose), ilimit=30, slimit=100, tol=ERROR, **options)
            return np.array(found.q), bool(found.success)

        return call

    def own(pose: np.ndarray) -> Answer:
        found = robot.model.solve(pose)
        return found.q, bool(found.success)

    def lm(kind: str, gain: float) -> Tally:
        return Tally(f"LM {kind}, {gain:g}", toolbox("ik_LM", method=kind, k=gain))

    warm_up(robot.model)
    own(robot.pose(robot.random(np.random.default_rng(0))))
    half = 0.5 * (chain.qlim[1] - chain.qlim[0])
    from_limits = {"kq": 2.0, "ps": 0.001, "pi": half}
    dexterity = 100.0 if robot.size < 13 else 1000.0
    return [
        Tally("limbik", own),
        Tally("NR, pseudoinverse", toolbox("ik_NR", pinv=True)),
        Tally("GN, pseudoinverse", toolbox("ik_GN", pinv=True)),
        *(lm(kind, gain) for kind, gain in LM_GAINS),
        Tally("LM sugihara, null space", toolbox("ikine_LM", method="sugihara", k=1e-4, **from_limits)),
        Tally("QP, null space", toolbox("ikine_QP", kj=0.01, ks=1.0, km=dexterity, **from_limits)),
    ]


def study(rtb: Any, robot: Robot, options: argparse.Namespace) -> list[Tally]:
    """All methods on the same targets, in turns; one that takes long stops early."""
    rng = np.random.default_rng(options.seed)
    poses = [robot.pose(robot.random(rng)) for _ in range(options.targets)]
    found = methods(rtb, robot)
    for first in range(0, len(poses), CHUNK):
        for tally in found:
            if sum(tally.seconds) < options.seconds:
                tally.turn(robot, poses[first : first + CHUNK])
    return found


def table(found: Sequence[Tally]) -> str:
    header = ["method", "targets", "failures", "%", "false claims", "us per call mean", "median"]
    return report.table(
        header,
        [
            [
                tally.name,
                f"{len(tally.seconds):,}",
                f"{tally.failures:,}",
                number(100.0 * tally.failures / len(tally.seconds)),
                str(tally.false_claims),
                number(1e6 * float(np.mean(tally.seconds))),
                number(1e6 * float(np.median(tally.seconds))),
            ]
            for tally in found
        ],
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--targets", type=int, default=10_000, help="per robot (default 10,000)")
    parser.add_argument("--seconds", type=float, default=10.0, help="per method, then it stops (default 10)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    options = parser.parse_args(argv)
    try:
        rtb = require("roboticstoolbox", "pip install roboticstoolbox-python")
        require("pinocchio", "pip install pin")
        robots = {"panda": open_robot("panda"), "human": open_source("human", HUMAN)}
    except (Missing, MissingRobot) as reason:
        raise SystemExit(str(reason)) from None
    built = {}
    for name, robot in robots.items():
        progress(name)
        built[name] = table(study(rtb, robot, options))
        print(f"\n## {name}\n\n{built[name]}", flush=True)
    built["machine"] = (
        f"{datetime.date.today()}, {processor()}, {platform.system()}, Python {platform.python_version()}, "
        f"limbik {limbik.__version__}, roboticstoolbox-python {version_of('roboticstoolbox-python')}, "
        f"judged by pinocchio {version_of('pin')}; seed {options.seed}; a method that has solved for "
        f"{options.seconds:g} s stops."
    )
    print(f"\n{built['machine']}")
    if options.write:
        report.write(DOCUMENT, SCRIPT, built)


if __name__ == "__main__":
    main()
