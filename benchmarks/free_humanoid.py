"""A Unitree G1 reaches with both hands and both feet without touching itself.

    python benchmarks/free_humanoid.py                    200 problems of each kind
    python benchmarks/free_humanoid.py --problems 50

The goals are the poses of both hands and both feet in a random configuration that is free of
self-collision: the pelvis within 0.2 m and 0.3 rad of its place when standing, the joints near (0.3 of half
of their ranges to either side of standing), far (0.5) or anywhere within the limits. A solve begins at
standing and may take 2 s. The meshes of the description collide, with the pairs that limbik checks; coal
judges the answers.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("LIMBIK_COMPILE", "first")

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

import numpy as np
from scipy.spatial.transform import Rotation

import limbik
from coal_judge import Judge
from humanoid import BASE_SIZE, BASE_STEP, BASE_TURN, FRAMES, HEIGHT
from limbik.collision import World
from machine import surroundings

KINDS = {"near": 0.3, "far": 0.5, "anywhere": None}
TIME_LIMIT = 2.0  # [s] of a solve


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=200, help="of each kind")
    options = parser.parse_args(argv)
    robot = limbik.load("example-robot-data:g1", base="floating")
    world, start = World(), robot.neutral.copy()
    start[2] = HEIGHT
    judge = Judge(robot, world)
    print(
        "| postures | hit themselves without a world | solved | solved, free for coal | mean us | median "
        "| p99 | median without a world |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    )
    for kind, share in KINDS.items():
        rng = np.random.default_rng(11)
        rows = [
            measured(robot, world, judge, start, goals_of(robot, share, rng)) for _ in range(options.problems)
        ]
        times = 1e6 * np.array([row["seconds"] for row in rows])
        alone = 1e6 * np.array([row["alone"] for row in rows])
        hits, solved, free = (sum(row[name] for row in rows) for name in ("hits", "solved", "free"))
        print(
            f"| {kind} | {hits} of {len(rows)} | {solved} | {free} | {times.mean():,.0f} "
            f"| {np.median(times):,.0f} | {np.percentile(times, 99):,.0f} | {np.median(alone):,.0f} |",
            flush=True,
        )
    print(", ".join(f"{name}: {value}" for name, value in surroundings().items()))


def goals_of(robot: limbik.Model, share: float | None, rng: np.random.Generator) -> list[limbik.Pose]:
    """What a random configuration meets that is free of self-collision."""
    lower, upper = robot.lower[BASE_SIZE:], robot.upper[BASE_SIZE:]
    middle, half = 0.5 * (upper + lower), 0.5 * (upper - lower)
    while True:
        q = robot.neutral.copy()
        q[:3] = rng.uniform(-BASE_STEP, BASE_STEP, 3)
        q[2] += HEIGHT
        q[3:BASE_SIZE] = Rotation.from_rotvec(rng.uniform(-BASE_TURN, BASE_TURN, 3)).as_quat()
        turns = rng.uniform(-1.0, 1.0, len(half)) * half
        q[BASE_SIZE:] = middle + turns if share is None else share * turns
        q = robot.clip(q)
        if robot.check(q).is_free:
            return [limbik.Pose(frame=frame, target=robot.pose(q, frame)) for frame in FRAMES]


def measured(
    robot: limbik.Model, world: World, judge: Judge, start: np.ndarray, goals: Any
) -> dict[str, Any]:
    """One problem."""
    began = perf_counter()
    anyhow = robot.solve(goals, start=start, time_limit=TIME_LIMIT)
    alone = perf_counter() - began
    began = perf_counter()
    solution = robot.solve(goals, start=start, world=world, time_limit=TIME_LIMIT)
    return {
        "seconds": perf_counter() - began,
        "alone": alone,
        "hits": anyhow.success and not robot.check(anyhow.q).is_free,
        "solved": solution.success,
        "free": solution.success and judge.is_free(solution.q),
    }


if __name__ == "__main__":
    main()
