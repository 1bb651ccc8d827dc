"""How many poses per second limbik solves when it gets them all at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from global_peers.limbik_model import warm_up
from global_race import Row, problems
from machine import progress
from report import table
from robots import Robot
from tables import number, percent

PASSES = 5
FEWEST = 20_000  # poses in a batch


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A way to call `solve_batch`."""

    precision: str
    tolerance: float  # [m]
    tolerance_rotation: float  # [rad]


KINDS = (
    Kind(precision="double", tolerance=1e-6, tolerance_rotation=1e-6),
    Kind(precision="double", tolerance=1e-4, tolerance_rotation=1e-3),
    Kind(precision="single", tolerance=1e-4, tolerance_rotation=1e-3),
)
THREADS = (1, 2)


def batch_table(robots: Sequence[Robot], count: int, seed: int) -> str:
    """One line per robot and kind: success, and poses per second of the fastest of several passes."""
    header = [
        "robot",
        "precision",
        "tolerance",
        "success % 1e-4 m, 1e-3 rad",
        "1e-6 m, 1e-5 rad",
        "false claims",
        "us per pose, 1 thread",
        "2 threads",
        "poses per second, 1 thread",
        "2 threads",
    ]
    lines = []
    for robot in robots:
        if not hasattr(robot.model, "solve_batch"):
            continue
        progress(f"{robot.name}, batches")
        warm_up(robot.model)
        listed = problems(robot, "global", max(count, FEWEST), seed)
        poses = np.array([problem.pose for problem in listed])
        for kind in KINDS:
            try:
                row, costs = _measured(robot, listed, poses, kind)
            except Exception as error:  # one kind may fail, the others are still worth knowing
                progress(f"  {robot.name}, {kind}: {type(error).__name__}: {error}")
                continue
            tolerance = f"{kind.tolerance:g} m, {kind.tolerance_rotation:g} rad"
            successes = [percent(row.coarse), percent(row.fine), str(row.false_claims)]
            speeds = [f"{1e6 / cost:,.0f}" for cost in costs]
            lines.append([robot.name, kind.precision, tolerance, *successes, *map(number, costs), *speeds])
    return table(header, lines or [["-"] * len(header)])


def _measured(robot: Robot, listed: Sequence[Any], poses: np.ndarray, kind: Kind) -> tuple[Row, list[float]]:
    """How the answers are, and the time per pose [us] on each number of threads."""
    options = dict(vars(kind))
    costs = [np.inf for _ in THREADS]
    answers: Any = None
    for _ in range(PASSES):
        for k, threads in enumerate(THREADS):
            began = time.perf_counter()
            answers = robot.model.solve_batch(poses, threads=threads, **options)
            costs[k] = min(costs[k], 1e6 * (time.perf_counter() - began) / len(poses))
    row = Row(peer=None)  # type: ignore[arg-type]
    for problem, q, claims in zip(listed, answers.q, answers.success, strict=True):
        row.judge(robot, problem, np.asarray(q, dtype=np.float64), bool(claims))
    return row, costs
