"""What each choice in the fast core's design brings: the same problems with one choice made otherwise.

    python benchmarks/ablation.py                     print everything, about a quarter of an hour
    python benchmarks/ablation.py --write             and store the tables in docs/performance.md
    python benchmarks/ablation.py --only damping,limits --robots panda --problems 500 --each

Counted are iterations, not times, so the numbers do not depend on the machine's load. Problems are poses of
random configurations within the limits, to 1e-6 m and 1e-6 rad. Every variation is measured twice: one
attempt at a time, as in a batch, with that driver run interpreted; and as a race of eight attempts, as in a
single solve, compiled. A compiled variation takes some seconds for every number of joints, the first time.
Products that the compiler contracts differ between processors, and with them a few iterations of a race.
"""

# ruff: noqa: E402  (the path to limbik comes first)

from __future__ import annotations

import argparse
import datetime
import json
import math
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numba
import numpy as np

import limbik
import report
import tables
from limbik.compiler.symbols import Scalar, sqrt
from limbik.serial import step
from limbik.serial.seed_table import Shape
from limbik.serial.step import MIN_DAMPING, SerialTuning
from limbik.solvers import serial_plan as fast
from machine import processor, progress
from operations import KINDS, operations
from robots import NAMES, MissingRobot, open_robot
from variations import AS_BUILT, BUDGET, Arm, Outcome, Variation, candidates, clamping, rejecting

SCRIPT = "benchmarks/ablation.py"
DOCUMENT = HERE.parent / "docs" / "performance.md"
ROBOTS = ("panda", "ur5e", "iiwa14", "gen3", "z1")  # the last two were not looked at when the core was tuned

ALONE, RACE = "one at a time", "race"


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """One choice, and how else it could have been made."""

    table: str  # its marker
    title: str  # of the table's first column
    others: dict[str, Variation]
    drivers: tuple[str, ...] = (ALONE, RACE)
    as_built: str = "as built"


def proportional(factor: float) -> Variation:
    """Damping that is proportional to the squared error, with another factor."""

    def damping(cost: Scalar) -> Scalar:
        return factor * cost + MIN_DAMPING

    return Variation(tuning=SerialTuning(damping=damping))


def constant(value: float) -> Variation:
    def damping(cost: Scalar) -> Scalar:
        return value

    return Variation(tuning=SerialTuning(damping=damping))


def by_length(factor: float) -> Variation:
    """Damping that is proportional to the error itself."""

    def damping(cost: Scalar) -> Scalar:
        return factor * sqrt(cost) + MIN_DAMPING

    return Variation(tuning=SerialTuning(damping=damping))


def constants(**values: float) -> Variation:
    return Variation(constants=values)


ABLATIONS = (
    Ablation(
        table="damping",
        title="damping, E: squared error",
        as_built=f"{step.DAMPING:g} E",
        others={
            "0.0005 E": proportional(0.0005),
            "0.005 E": proportional(0.005),
            "0.2 E": proportional(0.2),
            "0.5 E": proportional(0.5),
            "0.001 sqrt(E)": by_length(0.001),
            "0.003 sqrt(E)": by_length(0.003),
            "0.01 sqrt(E)": by_length(0.01),
            "0.03 sqrt(E)": by_length(0.03),
            "constant 1e-6": constant(1e-6),
            "constant 1e-4": constant(1e-4),
            "constant 1e-2": constant(1e-2),
            "none (Gauss-Newton)": constant(MIN_DAMPING),
        },
    ),
    Ablation(
        table="limits",
        title="at a joint limit",
        as_built="left out of the step, and cut",
        others={
            "only cut": Variation(iteration=clamping),
            "ignored, solutions outside rejected": Variation(iteration=rejecting),
        },
    ),
    Ablation(
        table="step",
        title="longest step of a joint",
        as_built=f"{SerialTuning.longest_step:g} rad",
        others={
            "0.5 rad": Variation(tuning=SerialTuning(longest_step=0.5)),
            "1 rad": Variation(tuning=SerialTuning(longest_step=1.0)),
            "any": Variation(tuning=SerialTuning(longest_step=1e9)),
        },
    ),
    Ablation(
        table="stall",
        title="an attempt is given up",
        as_built="after 2 iterations without 0.8 of its cost",
        others={
            "after 1": constants(STALLS=1),
            "after 3": constants(STALLS=3),
            "after 4": constants(STALLS=4),
            "after 2 without 0.5": constants(RATIO=0.5),
            "after 2 without 0.95": constants(RATIO=0.95),
            "after 20 iterations at most": constants(LONGEST=20),
            "after 40 iterations only": constants(STALLS=1000),
        },
    ),
    Ablation(
        table="sure",
        title="no attempt of a race is given up in the first",
        as_built="4 iterations",
        drivers=(RACE,),
        others={"0": constants(SURE=0), "6": constants(SURE=6), "8": constants(SURE=8)},
    ),
    Ablation(
        table="near",
        title="squared error [of tolerance x reach] from which a step ahead is looked at",
        as_built=f"{fast.NEAR:g}",
        drivers=(RACE,),
        others={f"{share:g}": Variation(in_plan={"NEAR": share}) for share in (0.0, 0.002, 0.02, 2.0, 20.0)},
    ),
    Ablation(
        table="weight",
        title="a radian counts as",
        as_built="0.25 of the reach",
        others={
            f"{share:g} of the reach": Variation(in_plan={"METRES_PER_RADIAN": share})
            for share in (0.03, 0.1, 0.5, 1.0, 2.0)
        },
    ),
    Ablation(
        table="seeds",
        title="start",
        as_built="table of 8 x 8 x 8 x 8 cells, 200,000 samples",
        others={
            "random": Variation(settings={"uses_table": 0}),
            "4 x 4 x 4 x 4 cells": Variation(divisions=4),
            "6 x 6 x 6 x 6 cells": Variation(divisions=6),
            "10 x 10 x 10 x 10 cells": Variation(divisions=10),
            "20,000 samples": constants(SAMPLES=20_000),
            "50,000 samples": constants(SAMPLES=50_000),
            "500,000 samples": constants(SAMPLES=500_000),
            "samples near limits as good as others": constants(MARGIN=0.0),
        },
    ),
    Ablation(
        table="candidates",
        title="nearest of how many candidates",
        as_built="8",
        drivers=(ALONE,),
        others={str(count): Variation(constants=candidates(count)) for count in (1, 2, 4, 16)},
    ),
    Ablation(
        table="nearness",
        title="nearness of candidates, a radian counts as",
        as_built="0.2 m",
        drivers=(ALONE,),
        others={
            "0.05 m": constants(METRES_PER_RADIAN=0.05),
            "0.5 m": constants(METRES_PER_RADIAN=0.5),
            "1 m": constants(METRES_PER_RADIAN=1.0),
        },
    ),
    Ablation(
        table="lanes",
        title="attempts in a race",
        as_built="8",
        drivers=(RACE,),
        others={str(count): Variation(constants=candidates(count)) for count in (1, 2, 4, 16)},
    ),
)
TABLES = ("robots", *(ablation.table for ablation in ABLATIONS), "operations", "parts", "machine")


def measured(arms: Sequence[Arm], driver: str, variation: Variation, label: str) -> list[Outcome]:
    began = time.perf_counter()
    outcomes = [arm.race(variation) if driver == RACE else arm.one_at_a_time(variation) for arm in arms]
    progress(f"{label}, {driver}: {time.perf_counter() - began:.0f} s")
    return outcomes


def figures(outcomes: Sequence[Outcome]) -> list[str]:
    """Mean iterations, the 99th percentile, shares solved at once and solved, of several robots together."""
    iterations = np.concatenate([outcome.iterations for outcome in outcomes])
    at_once = np.concatenate([outcome.is_solved_at_once for outcome in outcomes])
    solved = np.concatenate([outcome.is_solved for outcome in outcomes])
    return [
        f"{iterations.mean():.2f}",
        f"{np.quantile(iterations, 0.99):.0f}",
        f"{100.0 * at_once.mean():.1f}",
        share(solved),
    ]


def share(flags: np.ndarray) -> str:
    """In percent; 100 only where none failed."""
    return "100" if flags.all() else f"{math.floor(1e4 * flags.mean()) / 100:.2f}"


def headings(drivers: Sequence[str]) -> list[str]:
    return [
        text
        for driver in drivers
        for text in (f"{driver}: mean iterations", "99th percentile", "solved at once %", "solved %")
    ]


def ablation_table(ablation: Ablation, results: dict[str, dict[str, list[Outcome]]]) -> str:
    lines = [
        [name, *(cell for driver in ablation.drivers for cell in figures(by_driver[driver]))]
        for name, by_driver in results.items()
    ]
    return report.table([ablation.title, *headings(ablation.drivers)], lines)


def robots_table(arms: Sequence[Arm], built: dict[str, list[Outcome]]) -> str:
    lines = [
        [
            arm.name,
            str(arm.model.nq),
            *(cell for outcomes in built.values() for cell in figures([outcomes[i]])),
        ]
        for i, arm in enumerate(arms)
    ]
    return report.table(["robot", "joints", *headings(tuple(built))], lines)


def operation_tables() -> tuple[str, str]:
    """Operations of one iteration by kind and by part of the step, for revolute joints only."""
    kinds, parts = [], []
    for n in (3, 5, 6, 7, 8):
        by_kind, by_part = operations(Shape("R" * n, 0))
        kinds.append([str(n), *(str(by_kind[kind]) for kind in KINDS), str(by_kind.total())])
        parts.append([str(n), *map(str, by_part.values())])
        names = list(by_part)
    return report.table(["joints", *KINDS, "all"], kinds), report.table(["joints", *names], parts)


def machine(options: argparse.Namespace) -> str:
    return tables.facts(
        {
            "date": datetime.date.today().isoformat(),
            "machine": f"{processor()}, {platform.system()}",
            "Python": f"{platform.python_version()}, limbik {limbik.__version__}, numpy {np.__version__}, "
            f"numba {numba.__version__}",
            "problems": f"{options.problems} for each of {', '.join(options.robots)}; seed {options.seed}; "
            f"{BUDGET} iterations at most",
        }
    )


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--robots", default=",".join(ROBOTS), help=f"comma-separated, of: {', '.join(NAMES)}")
    parser.add_argument("--only", default=",".join(TABLES), help=f"comma-separated, of: {', '.join(TABLES)}")
    parser.add_argument("--problems", type=int, default=2000, help="per robot (default 2000)")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--each", action="store_true", help="print the tables for each robot too")
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    parser.add_argument("--json", type=Path, help="store mean and shares for each robot in this file")
    options = parser.parse_args(argv)
    for name, known in (("robots", NAMES), ("only", TABLES)):
        given = words(getattr(options, name))
        unknown = [word for word in given if word not in known]
        if unknown:
            parser.error(f"--{name}: {', '.join(unknown)}; there are: {', '.join(known)}")
        setattr(options, name, given)
    if options.write and set(options.only) != set(TABLES):
        parser.error("--write needs the whole run: leave out --only")
    return options


def opened(options: argparse.Namespace) -> list[Arm]:
    arms = []
    for name in options.robots:
        try:
            model = limbik.load(name) if name in limbik.presets() else open_robot(name).model
        except (MissingRobot, ImportError) as reason:
            raise SystemExit(f"{name}: {reason}") from None
        arms.append(Arm(name, model, options.problems, options.seed))
    return arms


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(argv)
    began = time.perf_counter()
    arms = opened(options)
    texts: dict[str, str] = {}
    numbers: list[dict[str, object]] = []

    def show(name: str, text: str) -> None:
        texts[name] = text
        print(f"\n## {name}\n\n{text}", flush=True)

    built = {driver: measured(arms, driver, AS_BUILT, "as built") for driver in (ALONE, RACE)}
    show("robots", robots_table(arms, built))
    for ablation in ABLATIONS:
        if ablation.table not in options.only:
            continue
        results = {ablation.as_built: built}
        for name, variation in ablation.others.items():
            results[name] = {
                driver: measured(arms, driver, variation, f"{ablation.table}, {name}")
                for driver in ablation.drivers
            }
        show(ablation.table, ablation_table(ablation, results))
        for i, arm in enumerate(arms if options.each else ()):
            of_one = {
                name: {driver: [outcomes[i]] for driver, outcomes in by_driver.items()}
                for name, by_driver in results.items()
            }
            print(f"\n{arm.name}\n\n{ablation_table(ablation, of_one)}", flush=True)
        numbers += as_json(ablation, arms, results)
    if options.json:
        options.json.write_text(json.dumps(numbers, indent=1), encoding="utf-8")
    for name, text in zip(("operations", "parts"), operation_tables(), strict=True):
        if name in options.only:
            show(name, text)
    show("machine", machine(options))
    if options.write:
        report.write(DOCUMENT, SCRIPT, texts)
    progress(f"done in {time.perf_counter() - began:.0f} s")


def as_json(
    ablation: Ablation, arms: Sequence[Arm], results: dict[str, dict[str, list[Outcome]]]
) -> list[dict[str, object]]:
    return [
        {
            "ablation": ablation.table,
            "variation": name,
            "driver": driver,
            "robot": arm.name,
            "mean_iterations": float(outcome.iterations.mean()),
            "p99_iterations": float(np.quantile(outcome.iterations, 0.99)),
            "solved_at_once": float(outcome.is_solved_at_once.mean()),
            "solved": float(outcome.is_solved.mean()),
        }
        for name, by_driver in results.items()
        for driver in ablation.drivers
        for arm, outcome in zip(arms, by_driver[driver], strict=True)
    ]


if __name__ == "__main__":
    main()
