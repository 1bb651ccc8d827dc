"""The well-known comparison of families of inverse kinematics, each cell measured or counted.

    python benchmarks/solver_properties.py           print the table; about two minutes
    python benchmarks/solver_properties.py --write   and store it in docs/solvers.md

Every solver solves the same problems, poses of random configurations from the neutral one. Everything is
counted in one run:

- lines of the method's own file, without those of the loop that all iterative methods share;
- median time of a solve for a pose of a UR5e, and how many are solved;
- how many answers are beyond a limit, and how many poses of a UR5e with a tenth of its limits are solved;
- how many poses of a straight elbow, a singular one, are solved;
- iterations of the median solve, and by how many digits the error shrinks in the last one, from a start
  0.05 rad away: one or less is linear convergence, more than one gets faster towards the end;
- time of a solve for a point with 100 joints over that with 10.
"""

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")

import argparse
import dataclasses
import inspect
import math
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import limbik
import report
import tables
from limbik import Model
from limbik.errors import SolverError
from machine import progress, surroundings

SCRIPT = "benchmarks/solver_properties.py"
DOCUMENT = Path(__file__).parents[1] / "docs" / "solvers.md"
SECONDS = 6.0  # that a solver is given for each kind of problem
NONE = "-"


class Outcome:
    """What a solver made of some problems."""

    def __init__(self) -> None:
        self.times: list[float] = []  # [s]
        self.iterations: list[int] = []
        self.solved = self.count = self.beyond = 0

    def add(self, model: Model, solution: limbik.Solution, seconds: float) -> None:
        self.times.append(seconds)
        self.iterations.append(solution.iterations)
        self.count += 1
        self.solved += solution.success
        self.beyond += not model.is_within_limits(solution.q)

    @property
    def share(self) -> str:
        return NONE if not self.count else f"{100.0 * self.solved / self.count:.0f}"

    @property
    def microseconds(self) -> str:
        return NONE if not self.times else tables.number(1e6 * statistics.median(self.times))


def run(model: Model, name: str, goals: Sequence[Any], starts: Sequence[np.ndarray] | None = None) -> Outcome:
    """Solve for the goals until the time is up; nothing where the solver does not take them."""
    outcome, ends = Outcome(), perf_counter() + SECONDS
    try:
        model.solve(goals[0], solver=name)  # waits for machine code
    except SolverError:
        return outcome
    for k, goal in enumerate(goals):
        start = model.neutral if starts is None else starts[k]
        began = perf_counter()
        solution = model.solve(goal, start=start, solver=name)
        outcome.add(model, solution, perf_counter() - began)
        if perf_counter() > ends:
            break
    return outcome


def narrowed(model: Model, share: float) -> Model:
    """The same arm with a share of its limits, around their middle."""
    joints = []
    for joint in model.joints:
        if math.isfinite(joint.upper - joint.lower):
            middle, half = 0.5 * (joint.lower + joint.upper), 0.5 * share * (joint.upper - joint.lower)
            joint = dataclasses.replace(joint, lower=middle - half, upper=middle + half)
        joints.append(joint)
    return Model(model.name, joints, model.frames[len(joints) + 1 :], end_effector=model.end_effector)


def digits(model: Model, name: str, rng: np.random.Generator) -> str:
    """By how many digits the error shrinks in the last iteration that is not rounding, the median."""
    found = []
    for q in model.random(rng, 15):
        start = model.clip(q + 0.05 * rng.choice([-1.0, 1.0], model.nq))
        try:
            errors = model.trace(model.pose(q), start=start, solver=name, tolerance=1e-12).error
        except SolverError:
            return NONE
        errors = errors[errors > 1e-13]
        if len(errors) > 2:
            found.append(math.log10(errors[-2] / errors[-1]))
    return f"{statistics.median(found):.1f}" if found else NONE


def growth(name: str) -> str:
    """How many times as long a point takes with 100 joints as with 10."""
    times = []
    for links in (10, 100):
        arm = limbik.planar_arm(links, 1.0 / links)
        goals = [arm.pose(q)[:3, 3] for q in arm.random(1, 40)]
        outcome = run(arm, name, goals)
        if not outcome.times:
            return NONE
        times.append(statistics.median(outcome.times))
    return f"{times[1] / times[0]:.1f}x"


def lines(name: str) -> str:
    """Of the file of a method."""
    if name == "analytic":
        folder = Path(inspect.getfile(limbik)).parent / "analytic"
        return f"{sum(len(file.read_text().splitlines()) for file in folder.glob('*.py')):,}"
    file = Path(inspect.getfile(type(limbik.solvers.get(name))))
    return f"{len(file.read_text().splitlines()):,}"


def column(name: str, seed: int) -> dict[str, str]:
    """Every property of a solver."""
    progress(name)
    rng = np.random.default_rng(seed)
    arm = limbik.load("ur5e")
    plain = run(arm, name, list(arm.pose(arm.random(rng, 300))))
    narrow = narrowed(arm, 0.1)
    within = run(narrow, name, list(narrow.pose(narrow.random(rng, 100))))
    straight = arm.random(rng, 100)
    straight[:, 2] = 0.0
    singular = run(arm, name, list(arm.pose(straight)))
    answered = plain.count + within.count + singular.count
    beyond = plain.beyond + within.beyond + singular.beyond
    return {
        "lines of its own": lines(name),
        "us per pose": plain.microseconds,
        "poses solved %": plain.share,
        "answers beyond limits": f"{beyond}" if answered else NONE,
        "with a tenth of the limits, solved %": within.share,
        "singular poses solved %": singular.share,
        "iterations": f"{statistics.median(plain.iterations):.0f}" if plain.count else NONE,
        "digits in the last one": digits(arm, name, rng) if name != "analytic" else NONE,
        "100 joints over 10": growth(name),
        "all solutions": "yes" if name == "analytic" else "no",
        "costs of one's own": "yes" if name == "optimize" else "no",
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table; with --write store it."""
    parser = report.study_parser(__doc__, DOCUMENT)
    options: argparse.Namespace = parser.parse_args(argv)
    names = limbik.solvers.names()
    columns: dict[str, dict[str, str]] = {name: column(name, options.seed) for name in names}
    header = ["", *names]
    rows = [[row, *(columns[name][row] for name in names)] for row in columns[names[0]]]
    versions = f"limbik {limbik.__version__}, Python {platform.python_version()}, numpy {np.__version__}"
    machine = tables.facts({**surroundings(), "versions": versions})
    found = {"properties": report.table(header, rows), "machine": machine}
    report.publish(DOCUMENT, SCRIPT, found, options.write)


if __name__ == "__main__":
    main()
