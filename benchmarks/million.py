"""A million solves of the fast core, every answer judged by pinocchio's kinematics and the limits.

    python benchmarks/million.py                     print the table
    python benchmarks/million.py --write             and store it in docs/benchmarks.md
    python benchmarks/million.py --solves 20000 --robots panda

Half of the solves are calls of `model.solve(pose)`, half are poses of one `model.solve_batch`; the poses
are those of random configurations within the limits. A false claim is a success whose error is above the
tolerance of 1e-6 m or 1e-6 rad by more than the rounding between two implementations of the same kinematics
(1e-9); a joint counts as outside at any distance beyond its limit.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np
import pinocchio

import limbik
import report
from global_peers.limbik_model import warm_up
from global_race import pose_error
from machine import processor, progress
from robots import NAMES, Robot, open_robot
from tables import number

SCRIPT = "benchmarks/million.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
TOLERANCE = 1e-6  # [m] and [rad], limbik's default
ROUNDING = 1e-9
CHUNK = 10_000


@dataclass
class Tally:
    """What the judge found on one robot."""

    solves: int = 0
    solved: int = 0
    false_claims: int = 0
    outside: int = 0
    worst: tuple[float, float] = (0.0, 0.0)  # [m, rad] of the successes
    iterations: int = 0
    most_iterations: int = 0

    def judge(self, robot: Robot, wanted: np.ndarray, q: np.ndarray, claims: bool, iterations: int) -> None:
        """Count one answer."""
        self.solves += 1
        self.iterations += iterations
        self.most_iterations = max(self.most_iterations, iterations)
        self.outside += bool((q < robot.lower).any() or (q > robot.upper).any())
        if claims:
            errors = pose_error(robot.pose(q), wanted)
            self.worst = max(self.worst[0], errors[0]), max(self.worst[1], errors[1])
            is_met = max(errors) <= TOLERANCE + ROUNDING
            self.solved += is_met
            self.false_claims += not is_met


def tally(robot: Robot, solves: int, seed: int) -> Tally:
    """Solve and judge: in turns of one call per pose and of one batch."""
    found, rng = Tally(), np.random.default_rng(seed)
    warm_up(robot.model)
    while found.solves < solves:
        count = min(CHUNK, (solves - found.solves + 1) // 2)
        poses = np.array([robot.pose(robot.random(rng)) for _ in range(count)])
        for pose in poses:
            solution = robot.model.solve(pose)
            found.judge(robot, pose, solution.q, solution.success, solution.iterations)
        batch = robot.model.solve_batch(poses)
        for pose, q, claims, iterations in zip(poses, batch.q, batch.success, batch.iterations, strict=True):
            found.judge(robot, pose, q, bool(claims), int(iterations))
    return found


def table(found: dict[str, Tally]) -> str:
    """One line per robot, and one for all."""
    header = [
        "robot",
        "solves",
        "solved %",
        "false claims",
        "outside limits",
        "worst error of a success, m",
        "rad",
        "iterations mean",
        "most",
    ]
    everything = Tally(
        solves=sum(each.solves for each in found.values()),
        solved=sum(each.solved for each in found.values()),
        false_claims=sum(each.false_claims for each in found.values()),
        outside=sum(each.outside for each in found.values()),
        worst=tuple(max(each.worst[k] for each in found.values()) for k in (0, 1)),  # type: ignore[arg-type]
        iterations=sum(each.iterations for each in found.values()),
        most_iterations=max(each.most_iterations for each in found.values()),
    )
    return report.table(
        header,
        [
            [
                name,
                f"{each.solves:,}",
                f"{100.0 * each.solved / each.solves:.4f}",
                str(each.false_claims),
                str(each.outside),
                *(f"{error:.1e}" for error in each.worst),
                number(each.iterations / each.solves),
                f"{each.most_iterations:,}",
            ]
            for name, each in {**found, "all": everything}.items()
        ],
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--robots", default=",".join(NAMES), help=f"comma-separated, of: {', '.join(NAMES)}")
    parser.add_argument("--solves", type=int, default=1_000_000, help="over all robots")
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--write", action="store_true", help=f"store the table in {DOCUMENT.name}")
    options = parser.parse_args(argv)
    names = options.robots.split(",")
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        parser.error(f"--robots: {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    found = {}
    for name in names:
        progress(name)
        found[name] = tally(open_robot(name), -(-options.solves // len(names)), options.seed)
    text = table(found) + "\n\n" + (
        f"{datetime.date.today()}, {processor()}, {platform.system()}, Python {platform.python_version()}, "
        f"limbik {limbik.__version__}, judged by pinocchio {pinocchio.__version__}; seed {options.seed}."
    )  # fmt: skip
    print(text)
    if options.write:
        report.write(DOCUMENT, SCRIPT, {"truth": text})


if __name__ == "__main__":
    main()
