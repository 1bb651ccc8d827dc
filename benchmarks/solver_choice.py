"""Which solver when: every solver of limbik on small problems of each kind.

    python benchmarks/solver_choice.py               print the tables; some minutes, most of it compiling
    python benchmarks/solver_choice.py --write       and store them in docs/solvers.md

All targets of the first tables are reachable: they are poses of random configurations within the limits. A
solve begins at the neutral configuration (lm where it likes), may restart, and has 10 000 iterations. Every
answer is judged by the model's kinematics and limits, not by what the solver says. Solvers take turns, and
one that has solved for a while stops.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import datetime
import math
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np
from scipy.spatial.transform import Rotation

import limbik
import report
from limbik import Model, Pose, Position
from limbik.compiler import native
from limbik.errors import SolverError
from limbik.solvers.plans import plan_for
from limbik.solvers.serial_plan import SerialPlan
from limbik.tree.programs import general
from machine import processor, progress
from tables import number

SCRIPT = "benchmarks/solver_choice.py"
DOCUMENT = HERE.parent / "docs" / "solvers.md"
SOLVERS = ("auto", *limbik.solvers.names(compiled=True))
CLOSE = 1e-6 * (1.0 + 1e-3)  # [m], [rad]: the default tolerance, and rounding
LIMIT_SLACK = 1e-9
NEAR = 0.1  # [rad] length of the step from the start to the target's configuration
BEYOND = 1.2  # of the reach
SIXTY = math.pi / 3.0


@dataclass
class Problem:
    """A target, and where to begin; None: wherever the solver does by itself."""

    model: Model
    target: np.ndarray  # a point [3] or a pose [4, 4]
    start: np.ndarray | None = None
    least: float = math.nan  # [m] as near as any configuration comes, where that is known


@dataclass
class Tally:
    """What one solver did on one list of problems."""

    solved: int = 0
    false_claims: int = 0
    seconds: list[float] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    away: list[float] = field(default_factory=list)  # [m] from the target
    excess: list[float] = field(default_factory=list)  # [m] farther than need be, or than the best solver


def reachable(model: Model, what: str, count: int, rng: np.random.Generator) -> list[Problem]:
    poses = model.pose(model.random(rng, count))
    return [Problem(model, pose if what == "pose" else pose[:3, 3].copy()) for pose in poses]


def near(model: Model, count: int, rng: np.random.Generator) -> list[Problem]:
    """Poses of configurations 0.1 rad from the start."""
    found = []
    for q in model.random(rng, count):
        step = rng.normal(size=model.nv)
        start = model.clip(model.integrate(q, NEAR * step / np.linalg.norm(step)))
        found.append(Problem(model, model.pose(q), start))
    return found


def straight(model: Model, what: str, count: int, rng: np.random.Generator) -> list[Problem]:
    """Targets that are only met with the arm straight, or its elbow or wrist: singular configurations."""
    found = []
    for q in model.random(rng, count):
        q[SINGULAR[model.name]] = 0.0
        pose = model.pose(q)
        found.append(Problem(model, pose if what == "pose" else pose[:3, 3].copy()))
    return found


SINGULAR: dict[str, Any] = {
    "planar-10": slice(1, None),  # the whole arm straight
    "ur5e": 2,  # the elbow straight
    "panda": slice(2, None, 2),  # joints 3, 5 and 7, as in the arm's upright posture
}


def beyond(model: Model, count: int, rng: np.random.Generator) -> list[Problem]:
    """Points at 1.2 times the reach from the first joint, in all directions in which the arm moves."""
    first = model.pose(model.neutral, model.path()[0].child)[:3, 3]
    away = model.pose(model.random(rng, count))[:, :3, 3] - first
    away *= BEYOND * model.reach() / np.linalg.norm(away, axis=1, keepdims=True)
    least = math.nan if model.has_limits else (BEYOND - 1.0) * model.reach()
    return [Problem(model, first + way, least=least) for way in away]


# --- solving ------------------------------------------------------------------------------------------------


def measure(problems: Sequence[Problem], seconds: float, **options: Any) -> dict[str, Tally]:
    """Every solver that can on the same problems; each for so many seconds, or all of them."""
    tallies = {name: Tally() for name in SOLVERS if is_able(name, problems[0], options)}
    for problem in problems:
        for name, tally in tallies.items():
            if sum(tally.seconds) < seconds:
                solve_one(problem, name, tally, options)
    for k, problem in enumerate(problems):
        solved = [tally for tally in tallies.values() if k < len(tally.away)]
        best = min(tally.away[k] for tally in solved) if math.isnan(problem.least) else problem.least
        for tally in solved:
            tally.excess.append(tally.away[k] - best)
    return tallies


def is_able(name: str, problem: Problem, options: dict[str, Any]) -> bool:
    """Whether the solver takes this problem; its kernels are compiled then."""
    try:
        plan = plan_for(problem.model, None, Pose if problem.target.ndim == 2 else Position, {"solver": name})
        if isinstance(plan, SerialPlan):
            native.compile_now(plan.program)
            native.compile_now(general())  # which settles answers to targets out of reach
        problem.model.solve(problem.target, solver=name, start=problem.start, iterations=20, **options)
    except SolverError:
        return False
    return True


def solve_one(problem: Problem, name: str, tally: Tally, options: dict[str, Any]) -> None:
    given = options if name == "auto" else {**options, "solver": name}
    began = time.perf_counter()
    solution = problem.model.solve(problem.target, start=problem.start, **given)
    tally.seconds.append(time.perf_counter() - began)
    tally.iterations.append(solution.iterations)
    away, turn = miss(problem, solution.q)
    keeps_limits = not options.get("limits", True) or problem.model.is_within_limits(solution.q, -LIMIT_SLACK)
    is_solved = away <= CLOSE and turn <= CLOSE and keeps_limits
    tally.solved += is_solved
    tally.false_claims += solution.success and not is_solved
    tally.away.append(away)


def miss(problem: Problem, q: np.ndarray) -> tuple[float, float]:
    """How far off a configuration is [m], [rad]."""
    pose, target = problem.model.pose(q), problem.target
    if target.ndim == 1:
        return float(np.linalg.norm(pose[:3, 3] - target)), 0.0
    turn = Rotation.from_matrix(target[:3, :3].T @ pose[:3, :3]).magnitude()
    return float(np.linalg.norm(pose[:3, 3] - target[:3, 3])), float(turn)


# --- tables -------------------------------------------------------------------------------------------------

Cells = Callable[[Tally], Sequence[str]]


def success_and_time(tally: Tally) -> Sequence[str]:
    return percent(tally), number(1e6 * float(np.median(tally.seconds)))


def success_and_iterations(tally: Tally) -> Sequence[str]:
    return percent(tally), number(float(np.median(tally.iterations)))


def excess_and_time(tally: Tally) -> Sequence[str]:
    return f"{max(tally.excess):.0e}", number(1e6 * float(np.median(tally.seconds)))


def percent(tally: Tally) -> str:
    return number(100.0 * tally.solved / len(tally.seconds))


def table(columns: dict[str, dict[str, Tally]], cells: Cells, units: Sequence[str]) -> str:
    """One row for each solver that took part in any column."""
    header = ["solver", *(f"{name} {unit}" for name in columns for unit in units)]
    rows = []
    for solver in SOLVERS:
        if any(solver in tallies for tallies in columns.values()):
            row = [f"`{solver}`"]
            for tallies in columns.values():
                row.extend(cells(tallies[solver]) if solver in tallies else ["-"] * len(units))
            rows.append(row)
    return report.table(header, rows)


def run(count: int, seconds: float, seed: int) -> dict[str, str]:
    """All tables by their names."""
    rng = np.random.default_rng(seed)
    planar = {n: limbik.planar_arm(n, 1.0 / n) for n in (3, 10, 50)}
    bounded = limbik.planar_arm(10, 0.1, limits=SIXTY)
    balls = limbik.ball_arm([0.1] * 10)
    panda, ur5e = limbik.load("panda"), limbik.load("ur5e")

    def all_of(lists: dict[str, list[Problem]]) -> dict[str, dict[str, Tally]]:
        found = {}
        for name, problems in lists.items():
            progress(name)
            options = {"limits": False} if name.endswith("limits off") else {}
            found[name] = measure(problems, seconds, **options)
        return found

    points = all_of(
        {
            **{f"{n} hinges": reachable(arm, "point", count, rng) for n, arm in planar.items()},
            "10 within 60 deg": reachable(bounded, "point", count, rng),
            "10 balls": reachable(balls, "point", count, rng),
            "panda point": reachable(panda, "point", count, rng),
        }
    )
    poses = all_of(
        {
            "ur5e": reachable(ur5e, "pose", count, rng),
            "panda": (from_anywhere := reachable(panda, "pose", count, rng)),
            "panda limits off": from_anywhere,
            "panda, 0.1 rad away": near(panda, count, rng),
        }
    )
    singular = all_of(
        {
            "10 hinges straight": straight(planar[10], "point", count, rng),
            "ur5e elbow straight": straight(ur5e, "pose", count, rng),
            "panda in a plane": straight(panda, "pose", count, rng),
        }
    )
    out = all_of(
        {
            "10 hinges": beyond(planar[10], count, rng),
            "10 balls": beyond(balls, count, rng),
            "panda": beyond(panda, count, rng),
        }
    )
    report_claims([points, poses, singular, out])
    return {
        "machine": machine(count, seconds, seed),
        "points": table(points, success_and_time, ("%", "us")),
        "poses": table(poses, success_and_time, ("%", "us")),
        "singular": table(singular, success_and_iterations, ("%", "iterations")),
        "out-of-reach": table(out, excess_and_time, ("m too far", "us")),
    }


def report_claims(lists: Iterable[dict[str, dict[str, Tally]]]) -> None:
    for columns in lists:
        for name, tallies in columns.items():
            for solver, tally in tallies.items():
                if tally.false_claims:
                    progress(f"{solver} on {name}: {tally.false_claims} FALSE CLAIMS OF SUCCESS")


def machine(count: int, seconds: float, seed: int) -> str:
    return (
        f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, {platform.system()}, Python "
        f"{platform.python_version()}, limbik {limbik.__version__}; up to {count} problems in each column, "
        f"seed {seed}; a solver that has solved for {seconds:g} s stops."
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    parser.add_argument("--problems", type=int, default=200, help="in each column (default 200)")
    parser.add_argument("--seconds", type=float, default=1.0, help="for a solver and column (default 1)")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args(argv)
    began = time.perf_counter()
    tables = run(options.problems, options.seconds, options.seed)
    report.publish(DOCUMENT, SCRIPT, tables, options.write)
    progress(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
