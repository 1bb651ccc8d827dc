"""CCD for directions by roles and by all joints alike, and annealing of stuck solves.

    python benchmarks/ccd_study.py                   print everything, some minutes
    python benchmarks/ccd_study.py --write           and store the tables in docs/benchmarks.md

Arms of 5, 6 and 7 revolute joints, as robots are built and as nobody builds them, drawn from a seed on which
nothing was tuned. Goals are met by random configurations within the limits; starts are drawn in the same way.
Every answer is judged by kinematics of our own.
"""

# ruff: noqa: E402  (what limbik reads of the environment is set before it is imported)

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
import report
import tables
from hinge_arms import HingeArm, generator, scrambled, wristed
from limbik import Direction, Pose, Position
from limbik.solvers.methods.ccd import CCD
from machine import progress, surroundings

SCRIPT = "benchmarks/ccd_study.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
BUDGET = 2000  # iterations
TOLERANCE = 1e-6  # [m] and [rad]
WIDE, TIGHT = (1.5, 2.9), (0.4, 0.8)  # [rad] between which half of a joint's range is drawn
SIZES = (5, 6, 7)
Maker: TypeAlias = Callable[[int, tuple[float, float], int], HingeArm]
MAKERS: tuple[Maker, ...] = (wristed, scrambled)
ALIKE: tuple[str, ...] = ()  # no joints for the direction: all serve everything


@dataclass
class Tally:
    """Answers to one list of problems."""

    solved: list[bool] = field(default_factory=list)
    iterations: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    outside: int = 0  # answers beyond limits
    false_claims: int = 0

    def add(self, arm: HingeArm, pose: np.ndarray, is_pose: bool, solution: Any, seconds: float) -> bool:
        found = arm.pose(solution.q)
        off = float(np.linalg.norm(found[:3, 3] - pose[:3, 3]))
        turned = found[:3, :3].T @ pose[:3, :3]
        sine = np.linalg.norm(turned - turned.T) / np.sqrt(8.0) if is_pose else np.hypot(*turned[:2, 2])
        agrees = np.trace(turned) > 0.0 if is_pose else turned[2, 2] > 0.0
        is_met = bool(off <= 1.01 * TOLERANCE and sine <= 1.01 * TOLERANCE and agrees)
        self.outside += arm.beyond(solution.q) > 1e-9
        self.false_claims += solution.success and not is_met
        self.solved.append(is_met)
        self.iterations.append(float(solution.iterations))
        self.seconds.append(seconds)
        return is_met


@dataclass(frozen=True)
class Problem:
    arm: HingeArm
    pose: np.ndarray
    start: np.ndarray


def problems(
    maker: Maker, size: int, limits: tuple[float, float], arms: int, count: int, seed: int
) -> list[Problem]:
    """`count` problems of each of `arms` arms."""
    listed = []
    for k in range(arms):
        arm = maker(size, limits, 1000 * seed + k)
        rng = generator(seed, arm.name, str(limits), str(k))
        listed += [Problem(arm, arm.pose(arm.random(rng)), arm.random(rng)) for _ in range(count)]
    return listed


def goals(pose: np.ndarray, is_pose: bool) -> list[Any]:
    """A pose, or its point and where its z axis shows."""
    if is_pose:
        return [Pose(target=pose)]
    return [Position(target=pose[:3, 3]), Direction(axis=(0.0, 0.0, 1.0), target=pose[:3, 2])]


def solve_all(listed: Sequence[Problem], is_pose: bool, **options: Any) -> Tally:
    """CCD on every problem, in order."""
    tally, models = Tally(), {}
    for k, problem in enumerate(listed):
        model = models.setdefault(id(problem.arm), problem.arm.model())
        asked = goals(problem.pose, is_pose)
        began = time.perf_counter()
        solution = limbik.solve(model, asked, start=problem.start, seed=k, iterations=BUDGET, **options)
        tally.add(problem.arm, problem.pose, is_pose, solution, time.perf_counter() - began)
    return tally


def directions_table(options: argparse.Namespace) -> str:
    """By roles and alike, from one start and with new ones."""
    header = ["arms", "goal", "joints serve", "problems", "one descent: success %", "iterations median",
              "new starts: success %", "iterations mean", "us mean", "false claims", "outside"]  # fmt: skip
    lines = []
    for is_pose in (False, True):
        for maker in MAKERS:
            for size in SIZES[is_pose:]:
                listed = problems(maker, size, WIDE, options.arms, options.problems, options.seed)
                progress(f"{listed[0].arm.name}, {'pose' if is_pose else 'point and direction'}")
                for name, chosen in (("by roles", None), ("alike", ALIKE)):
                    solver = CCD(direction_joints=chosen)
                    solve_all(listed[:20], is_pose, solver=solver)  # not counted
                    once = solve_all(listed, is_pose, solver=solver, restarts=0)
                    more = solve_all(listed, is_pose, solver=solver)
                    lines.append([
                        listed[0].arm.name,
                        "pose" if is_pose else "point, direction",
                        name,
                        str(len(listed)),
                        tables.percent(once.solved),
                        tables.median(once.iterations),
                        tables.percent(more.solved),
                        tables.number(statistics.fmean(more.iterations)),
                        tables.number(1e6 * statistics.fmean(more.seconds)),
                        str(once.false_claims + more.false_claims),
                        str(once.outside + more.outside),
                    ])  # fmt: skip
    return report.table(header, lines)


def annealing_table(options: argparse.Namespace) -> str:
    """Of the solves that stall in one descent, how many annealing and new starts turn into solved ones."""
    settings = {
        "new starts": {"solver": CCD()},
        **{f"anneal={size:g}": {"solver": CCD(anneal=size)} for size in (0.3, 0.6, 1.0)},
    }
    header = ["arms, tight limits", "goal", "problems", "stuck", *(f"{name}: solved %" for name in settings),
              *(f"{name}: iterations mean" for name in settings)]  # fmt: skip
    lines = []
    for maker in MAKERS:
        for size in SIZES:
            is_pose = size > 5
            listed = problems(maker, size, TIGHT, options.arms, options.problems, options.seed)
            progress(f"{listed[0].arm.name}, tight limits")
            once = solve_all(listed, is_pose, solver="ccd", restarts=0)
            stuck = [problem for problem, is_solved in zip(listed, once.solved, strict=True) if not is_solved]
            tallies = [solve_all(stuck, is_pose, **chosen) for chosen in settings.values()]
            lines.append([
                listed[0].arm.name,
                "pose" if is_pose else "point, direction",
                str(len(listed)),
                str(len(stuck)),
                *(tables.percent(tally.solved) for tally in tallies),
                *(tables.number(statistics.fmean(tally.iterations)) for tally in tallies),
            ])  # fmt: skip
    return report.table(header, lines)


def machine(options: argparse.Namespace) -> str:
    return tables.facts({
        **surroundings(),
        "limbik": limbik.__version__,
        "problems": f"{options.problems} of each of {options.arms} arms, seed {options.seed}; tolerance "
        f"{TOLERANCE:g} m and {TOLERANCE:g} rad, at most {BUDGET} iterations; half of a joint's range is "
        f"{WIDE[0]:g} to {WIDE[1]:g} rad, where limits are tight {TIGHT[0]:g} to {TIGHT[1]:g} rad",
        "times": "of whole calls from Python",
    })  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    parser = report.study_parser(__doc__, DOCUMENT)
    parser.add_argument("--arms", type=int, default=10, help="of each kind and size (default 10)")
    parser.add_argument("--problems", type=int, default=40, help="of each arm (default 40)")
    options = parser.parse_args(argv)
    built = {
        "directions": directions_table(options),
        "annealing": annealing_table(options),
        "machine": machine(options),
    }
    report.publish(DOCUMENT, SCRIPT, built, options.write)


if __name__ == "__main__":
    main()
