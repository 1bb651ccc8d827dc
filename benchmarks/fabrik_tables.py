"""The FABRIK paper's tables (Aristidou & Lasenby 2011) remade with limbik's methods, in one run.

    python benchmarks/fabrik_tables.py                   print everything, some minutes
    python benchmarks/fabrik_tables.py --write           and store the tables in docs/benchmarks.md

Ball joints in space: a chain of ten, without limits and with cones, and bodies with several tips. Targets are
the tips of a random configuration within the limits; out of reach, one of them is where its tip cannot come.
Starts are random configurations too. All methods get the same problems and make one descent. Every answer is
judged by kinematics of the benchmark's own.

`sdls` stands for SVD-DLS: both step along the singular directions and damp each. With one damping for all of
them the step is that of `dls` again; `pinv` has the singular values but no damping.
"""

# ruff: noqa: E402  (what limbik reads of the environment is set before it is imported)

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work

import argparse
import math
import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
import report
import tables
from arms import Answer, Arm, ball, check, directions_from_quaternions, quaternions_from_directions, tip
from limbik import Model, ModelBuilder, Position
from machine import progress, surroundings
from measure import CHUNK, Row, timed
from peers.common import version_of
from peers.limbik_solvers import LimbikSolver
from problems import direction_near, generator

SCRIPT = "benchmarks/fabrik_tables.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
METHODS = {"fabrik": "fabrik", "ccd": "ccd", "jt": "jt", "dls": "dls", "sdls": "sdls, for SVD-DLS"}
TOLERANCES = (1e-3, 1e-6)  # [m]
BUDGET = 10_000  # iterations
CONE = math.radians(60.0)  # half of its angle
OUT_OF_REACH = (1.05, 2.0)  # of the reach: between these
HEADER = ["target", "tolerance", "method", "solved %", "iterations mean", "median", "us per solve mean",
          "median", "us per iteration"]  # fmt: skip


@dataclass(frozen=True)
class Body:
    """Ball joints, with a tip at the end of every path through them; each path is an arm of its own."""

    arm: Arm
    paths: tuple[list[int], ...]  # joints from the base to each tip

    @property
    def limit(self) -> float:
        """[rad] half of the cones' angle."""
        return math.pi if self.arm.limit is None else self.arm.limit

    def model(self) -> Model:
        """The body as limbik has it, with the frames "tip0", "tip1", ..."""
        builder = ModelBuilder(self.arm.name)
        length = (self.arm.lengths[0], 0.0, 0.0)
        joints = {
            joint: before for path in self.paths for before, joint in zip((-1, *path), path, strict=False)
        }
        for joint, before in joints.items():
            builder = builder.ball(
                f"joint{joint}",
                axis="x",
                swing=self.limit,
                parent="base" if before < 0 else f"joint{before}",
                origin=None if before < 0 else length,
            )
        for k, path in enumerate(self.paths):
            builder = builder.frame(f"tip{k}", link=f"joint{path[-1]}", pose=length)
        return builder.build(end_effector="tip0")

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Directions [joints, 3] of the links, each uniform within its cone."""
        directions: dict[int, np.ndarray] = {}
        for path in self.paths:
            before = np.array((1.0, 0.0, 0.0))
            for joint in path:
                if joint not in directions:
                    directions[joint] = direction_near(before, self.limit, rng)
                before = directions[joint]
        return np.array([directions[joint] for joint in range(len(directions))])


@dataclass(frozen=True)
class Problem:
    start: np.ndarray  # directions [joints, 3]
    targets: np.ndarray  # [tips, 3]
    is_far: bool  # whether the first target is out of reach


def problems(body: Body, is_far: bool, count: int, seed: int) -> list[Problem]:
    rng = generator(seed, body.arm, "out of reach" if is_far else "reachable")
    listed = []
    for _ in range(count):
        directions = body.random(rng)
        targets = np.array([tip(body.arm, directions[path]) for path in body.paths])
        if is_far:
            distance = body.arm.reach * rng.uniform(*OUT_OF_REACH)
            targets[0] = distance * direction_near(np.array((1.0, 0.0, 0.0)), body.limit, rng)
        listed.append(Problem(body.random(rng), targets, is_far))
    return listed


class Session:
    """One method with a body and a tolerance, as `measure.timed` calls it."""

    def __init__(self, body: Body, method: str, tolerance: float) -> None:
        self.body, self.model = body, body.model()
        self.options = {"solver": method, "tolerance": tolerance, "iterations": BUDGET, "restarts": 0}

    def prepare(self, problem: Problem) -> Any:
        """Goals and the start's q."""
        goals = [Position(frame=f"tip{k}", target=target) for k, target in enumerate(problem.targets)]
        q = np.empty((len(problem.start), 4))
        for path in self.body.paths:
            q[path] = quaternions_from_directions(problem.start[path])
        return goals, q.ravel()

    def solve(self, prepared: Any) -> Any:
        goals, start = prepared
        return self.model.solve(goals, start=start, **self.options)

    def answer(self, prepared: Any, result: Any) -> Answer:
        """Directions [joints, 3]."""
        quaternions = np.reshape(result.q, (-1, 4))
        directions = np.empty((len(quaternions), 3))
        for path in self.body.paths:
            directions[path] = directions_from_quaternions(quaternions[path])
        return Answer(directions=directions, iterations=result.iterations)


@dataclass
class TipsRow(Row):
    """`errors` are those of the worst tip whose target is within reach or, where there is none, `short`."""

    short: list[float] = field(default_factory=list)  # [m] by which a tip misses the nearest it could go

    def add(self, body: Body, problem: Problem, seconds: float, answer: Answer) -> None:
        judged = [
            check(body.arm, target, Answer(directions=answer.directions[path]))
            for path, target in zip(body.paths, problem.targets, strict=True)
        ]
        errors = [error for error, _ in judged]
        if problem.is_far:
            errors[0] -= float(np.linalg.norm(problem.targets[0])) - body.arm.reach
            self.short.append(errors[0])
        self.seconds.append(seconds)
        self.errors.append(max(errors[1:] if problem.is_far and len(errors) > 1 else errors))
        self.legal.append(all(is_legal for _, is_legal in judged))
        self.answers.append(answer)


def race(body: Body, is_far: bool, tolerance: float, options: argparse.Namespace) -> list[TipsRow]:
    """Every method on the same problems, in turns of a chunk."""
    progress(f"{body.arm.name}, {target_of(body, is_far)}, {tolerance:g} m")
    listed = problems(body, is_far, options.problems, options.seed)
    rows = [TipsRow(LimbikSolver(method, limbik.__version__)) for method in METHODS]
    sessions = [Session(body, method, tolerance) for method in METHODS]
    for first in range(0, len(listed), CHUNK):
        chunk = listed[first : first + CHUNK]
        for row, session in zip(rows, sessions, strict=True):
            answers = timed(session, chunk, math.inf, may_hang=False)
            for problem, (seconds, answer) in zip(chunk, answers, strict=True):
                row.add(body, problem, seconds, answer)
    return rows


def target_of(body: Body, is_far: bool) -> str:
    if not is_far:
        return "reachable"
    return "one out of reach" if len(body.paths) > 1 else "out of reach"


def line(row: TipsRow, tolerance: float) -> list[str]:
    """What one method did at one tolerance."""
    counts = [float(count) for count in row.iterations or ()]
    return [
        f"{tolerance:g} m",
        METHODS[row.peer.method],
        tables.percent(row.success(tolerance)),
        tables.number(statistics.fmean(counts)),
        tables.median(counts),
        tables.number(row.mean_us),
        tables.number(row.median_us),
        tables.number(row.us_per_iteration),
    ]


def chain_table(body: Body, options: argparse.Namespace) -> str:
    """One tip."""
    lines = [
        [target_of(body, is_far), *line(row, tolerance)]
        for is_far in (False, True)
        for tolerance in TOLERANCES
        for row in race(body, is_far, tolerance, options)
    ]
    return report.table(HEADER, lines)


def tips_table(bodies: Sequence[Body], options: argparse.Namespace) -> str:
    """Several tips; where one target is out of reach, also how far the tips end from theirs."""
    lines = []
    for body in bodies:
        for is_far in (False, True):
            for tolerance in TOLERANCES:
                lines += [
                    [f"{body.arm.name}, {target_of(body, is_far)}", *line(row, tolerance), *off(row, is_far)]
                    for row in race(body, is_far, tolerance, options)
                ]
    return report.table([*HEADER, "other tips off [mm] median", "far tip short [mm] median"], lines)


def off(row: TipsRow, is_far: bool) -> list[str]:
    """[mm] by which the other tips and the one whose target is out of reach miss the best they could do."""
    return [
        tables.median([1e3 * each for each in errors] if is_far else None)
        for errors in (row.errors, row.short)
    ]


def chain(limit: float | None = None) -> Body:
    """The paper's ten joints."""
    arm = ball(10).limited(limit)
    return Body(arm, (list(range(arm.size)),))


def fork(trunk: int, tips: int, links: int) -> Body:
    """A trunk, at the end of which branches begin."""
    arm = ball(trunk + links)
    stem, firsts = range(trunk), range(trunk, trunk + tips * links, links)
    name = f"{trunk + tips * links} joints, {tips} tips"
    return Body(replace(arm, name=name), tuple([*stem, *range(k, k + links)] for k in firsts))


def machine(options: argparse.Namespace) -> str:
    return tables.facts({
        **surroundings(),
        "versions": f"limbik {limbik.__version__}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, numba {version_of('numba')}",
        "problems": f"{options.problems} of each kind, seed {options.seed}; one descent of at most {BUDGET} "
        "iterations",
        "times": "of whole calls from Python; per iteration: all time over all iterations",
    })  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    parser = report.study_parser(__doc__, DOCUMENT)
    parser.add_argument("--problems", type=int, default=1000, help="of each kind (default 1000)")
    options = parser.parse_args(argv)
    built = {
        "chain": chain_table(chain(), options),
        "limits": chain_table(chain(CONE), options),
        "tips": tips_table((fork(4, 2, 3), fork(2, 5, 4)), options),
        "machine": machine(options),
    }
    report.publish(DOCUMENT, SCRIPT, built, options.write)


if __name__ == "__main__":
    main()
