"""limbik's CCD beside three.js' CCDIKSolver and closed-chain-ik, both in node, in one run.

    python benchmarks/ccd_peers.py                   print everything, about a minute
    python benchmarks/ccd_peers.py --write           and store the tables in docs/benchmarks.md

Chains of revolute joints in space about z, y, z, y, ... of 1 m, without limits and with tight ones. All get
the same points, which random configurations within the limits reach, and the same random starts. Every answer
is judged by kinematics of our own. closed-chain-ik is no CCD but damped least squares, in single precision.
"""

# ruff: noqa: E402  (what limbik reads of the environment is set before it is imported)

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
import report
import tables
from hinge_arms import HingeArm, generator, plain
from machine import progress, surroundings
from peers.common import Missing
from peers.node_process import NodeProcess

SCRIPT = "benchmarks/ccd_peers.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
SIZES = (5, 6, 7, 10)
LIMITS = (np.inf, np.radians(60.0))
TOLERANCE = 1e-3  # of the reach: in reach of single precision
BUDGET = 1000  # iterations
OUTSIDE = 1e-4  # [rad] beyond a limit that is no rounding of single precision
FEW = 5  # iterations under which a solve says little of the time of one
WARMING = 100  # problems before the measured ones


@dataclass
class Race:
    """What one method did with one list."""

    name: str
    seconds: list[float] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)  # [m]
    beyond: list[float] = field(default_factory=list)  # [rad]

    def add(
        self, arm: HingeArm, target: np.ndarray, seconds: float, iterations: int, q: Sequence[float]
    ) -> None:
        self.seconds.append(seconds)
        self.iterations.append(iterations)
        angles = np.array(q, dtype=float)
        is_finite = bool(np.isfinite(angles).all())
        self.errors.append(float(np.linalg.norm(arm.pose(angles)[:3, 3] - target)) if is_finite else np.inf)
        self.beyond.append(arm.beyond(angles) if is_finite else np.inf)

    def solved(self, tolerance: float) -> list[bool]:
        """Which answers are at the target and within the limits."""
        return [
            error <= 1.001 * tolerance and beyond <= OUTSIDE
            for error, beyond in zip(self.errors, self.beyond, strict=True)
        ]

    @property
    def us_per_iteration(self) -> float:
        """The median over problems that took some iterations, the call included."""
        each = [t / n for t, n in zip(self.seconds, self.iterations, strict=True) if n >= FEW]
        return 1e6 * statistics.median(each) if each else float("nan")


Problems = list[tuple[np.ndarray, np.ndarray]]  # points and starts


def problems(arm: HingeArm, count: int, seed: int) -> Problems:
    rng = generator(seed, arm.name, f"{arm.upper[0]:.3f}")
    return [(arm.pose(arm.random(rng))[:3, 3], arm.random(rng)) for _ in range(count)]


def by_limbik(arm: HingeArm, listed: Problems, name: str, **options: Any) -> Race:
    """One call of `solve` for each problem."""
    race = Race(name)
    model, tolerance = arm.model(), TOLERANCE * arm.reach
    options = {"tolerance": tolerance, "iterations": BUDGET, **options}
    for target, start in listed[:WARMING]:
        limbik.solve(model, target, start=start, **options)
    for target, start in listed:
        began = time.perf_counter()
        solution = limbik.solve(model, target, start=start, **options)
        race.add(arm, target, time.perf_counter() - began, solution.iterations, solution.q)
    return race


def by_node(process: NodeProcess, arm: HingeArm, listed: Problems, name: str) -> Race:
    """All problems in one request; timed inside node."""
    answers = process.ask(
        {
            "axes": arm.axes.tolist(),
            "offsets": arm.offsets.tolist(),
            "limit": arm.upper[0] if np.isfinite(arm.upper[0]) else None,
            "tolerance": TOLERANCE * arm.reach,
            "budget": BUDGET,
            "seconds": 600.0,
            "problems": [{"target": target.tolist(), "start": start.tolist()} for target, start in listed],
        }
    )
    race = Race(name)
    for (target, _), answer in zip(listed, answers, strict=True):
        race.add(
            arm,
            target,
            answer["seconds"],
            answer["iterations"],
            [np.nan if x is None else x for x in answer["positions"]],
        )
    return race


def races(arm: HingeArm, listed: Problems, three: NodeProcess, closed: NodeProcess) -> list[Race]:
    return [
        by_limbik(arm, listed, "limbik ccd", solver="ccd"),
        by_limbik(arm, listed, "limbik ccd, one descent", solver="ccd", restarts=0),
        by_node(three, arm, listed, "three CCDIKSolver"),
        by_limbik(arm, listed, "limbik dls, one descent", solver="dls", restarts=0),
        by_node(closed, arm, listed, "closed-chain-ik"),
    ]


def table_of(arms: Sequence[HingeArm], found: Sequence[list[Race]]) -> str:
    header = ["arm", "method", "success %", "outside limits %", "worst [deg]", "iterations median",
              "us per iteration", "us per solve median", "over limbik: iteration", "solve"]  # fmt: skip
    lines = []
    for arm, rows in zip(arms, found, strict=True):
        tolerance = TOLERANCE * arm.reach
        for row in rows:
            own = rows[1] if "three" in row.name or "ccd" in row.name else rows[3]
            lines.append([
                label(arm),
                row.name,
                tables.percent(row.solved(tolerance)),
                tables.number(100.0 * sum(x > OUTSIDE for x in row.beyond) / len(row.beyond), 2),
                tables.number(float(np.degrees(max(row.beyond))), 2),
                tables.median([float(x) for x in row.iterations]),
                tables.number(row.us_per_iteration),
                tables.number(1e6 * statistics.median(row.seconds)),
                *(tables.times(ratio) if row is not own else tables.NOTHING for ratio in (
                    row.us_per_iteration / own.us_per_iteration,
                    statistics.median(row.seconds) / statistics.median(own.seconds),
                )),
            ])  # fmt: skip
    return report.table(header, lines)


def label(arm: HingeArm) -> str:
    """The arm and its limits, in words."""
    limit = arm.upper[0]
    return f"{arm.name}, +-{np.degrees(limit):.0f} deg" if np.isfinite(limit) else f"{arm.name}, no limits"


def machine(options: argparse.Namespace, three: NodeProcess, closed: NodeProcess) -> str:
    return tables.facts({
        **surroundings(),
        "methods": f"limbik {limbik.__version__}, three {three.version}, closed-chain-ik {closed.version}",
        "problems": f"{options.problems} points of each arm, seed {options.seed}; tolerance {TOLERANCE:g} of "
        f"the reach, at most {BUDGET} iterations",
        "three": "one update() per sweep until the tolerance; each link with `limitation` and its range as "
        "Euler limits; timed inside node",
        "closed-chain-ik": "one solve(), defaults but for tolerance and iterations; timed inside node",
        "limbik": "timed from Python, one call for each problem; without \"one descent\" it begins again "
        "elsewhere after a stall",
    })  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    parser = report.study_parser(__doc__, DOCUMENT)
    parser.add_argument("--problems", type=int, default=500, help="per arm (default 500)")
    options = parser.parse_args(argv)
    try:
        three, closed = (
            NodeProcess("hinges_three.mjs", "three"),
            NodeProcess("hinges_closed_chain.mjs", "closed-chain-ik"),
        )
    except Missing as reason:
        raise SystemExit(f"{reason.name} is missing: {reason.command}") from None
    arms = [plain(size, limit) for limit in LIMITS for size in SIZES]
    found = []
    for arm in arms:
        progress(label(arm))
        found.append(races(arm, problems(arm, options.problems, options.seed), three, closed))
    built = {"machine": machine(options, three, closed), "races": table_of(arms, found)}
    report.publish(DOCUMENT, SCRIPT, built, options.write)


if __name__ == "__main__":
    main()
