"""What a world adds to the step of a tracker: a Panda in a scene of MotionBenchMaker, and a G1 by itself.

    python benchmarks/free_tracking.py motion_bench_maker_panda.json.gz

The Panda's hand goes round a circle of 4 cm about each of some goals' poses, the G1's hands round circles of
5 cm while its feet stay. Trackers with and without a world take turns over the same path; seconds are those
of the processor, of a step the mean over a path, the least of several passes. So is the time of one search
for the near pairs, which each step needs at least.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("LIMBIK_COMPILE", "first")

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

import numpy as np

import limbik
from free_solving import FRAME, configuration, world_of
from humanoid import FRAMES, HEIGHT
from limbik.collision import World
from limbik.collision.check import checker_of
from machine import surroundings

DT = 0.01  # [s]
STEPS, PASSES = 300, 7
TURNS = 2.0  # of the circle
PANDA_RADIUS, HAND_RADIUS = 0.04, 0.05  # [m]
KNEES = {"hip_pitch": -0.4, "knee": 0.8, "ankle_pitch": -0.4, "shoulder_pitch": 0.3, "elbow": 0.6}  # [rad]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problems", type=Path)
    parser.add_argument("--scenes", type=int, default=7)
    options = parser.parse_args(argv)
    problems = json.loads(gzip.decompress(options.problems.read_bytes()))
    robot = limbik.load("example-robot-data:panda")
    rows = [panda_row(robot, problem) for problem in problems[3 :: max(1, len(problems) // options.scenes)]]
    print("us of a step: without a world, with one, what it adds, of that the search for near pairs")
    for row in rows:
        print("  panda in a scene: ", "  ".join(f"{1e6 * each:7.2f}" for each in row))
    print("panda, mean:       ", "  ".join(f"{1e6 * each:7.2f}" for each in np.mean(rows, axis=0)))
    print("g1, self-collision:", "  ".join(f"{1e6 * each:7.2f}" for each in g1_row()))
    print(", ".join(f"{name}: {value}" for name, value in surroundings().items()))


def circle(radius: float, axes: np.ndarray) -> np.ndarray:
    """[steps, 3] offsets, the first near zero."""
    angles = np.linspace(0.0, 2.0 * np.pi * TURNS, STEPS)
    return radius * (np.outer(np.cos(angles) - 1.0, axes[0]) + np.outer(np.sin(angles), axes[1]))


def panda_row(robot: limbik.Model, problem: dict[str, Any]) -> list[float]:
    """Times [s] in one scene."""
    world, start = world_of(problem), configuration(robot, problem["start"])
    pose = robot.pose(start, FRAME)
    path = np.tile(pose, (STEPS, 1, 1))
    path[:, :3, 3] += circle(PANDA_RADIUS, pose[:3, :2].T)
    return row(robot, world, start, [limbik.Pose(frame=FRAME, target=pose)], list(path))


def g1_row() -> list[float]:
    """Times [s] of the humanoid by itself."""
    robot = limbik.load("example-robot-data:g1", base="floating")
    start = robot.neutral.copy()
    start[2] = HEIGHT - 0.06
    for joint in robot.joint_names:
        for part, angle in KNEES.items():
            if joint.endswith(f"{part}_joint"):
                start[robot.q_slice(joint)] = angle
    poses = np.array([robot.pose(start, frame) for frame in FRAMES])
    goals = [limbik.Pose(frame=frame, target=pose) for frame, pose in zip(FRAMES, poses, strict=True)]
    path = np.tile(poses, (STEPS, 1, 1, 1))
    path[:, :2, :3, 3] += circle(HAND_RADIUS, np.eye(3)[:2])[:, None]
    return row(robot, World(), start, goals, [list(each) for each in path])


def row(
    robot: limbik.Model, world: World, start: np.ndarray, goals: list[Any], path: Sequence[Any]
) -> list[float]:
    """Times [s] of a step: without the world, with it, what it adds, and of a search for near pairs."""

    def followed(world: World | None) -> tuple[Callable[..., Any], list[np.ndarray]]:
        tracker = robot.tracker(goals, dt=DT, start=start, velocity_limits=2.0, world=world)
        return tracker.step, [tracker.step(targets) for targets in path]

    times = np.full(3, np.inf)
    _, visited = followed(world)
    checker = checker_of(robot, world)
    for _ in range(PASSES):
        for k, which in enumerate((None, world)):
            step = robot.tracker(goals, dt=DT, start=start, velocity_limits=2.0, world=which).step
            began = process_time()
            for targets in path:
                step(targets)
            times[k] = min(times[k], process_time() - began)
        began = process_time()
        for q in visited:
            checker.near_pairs(q, 0.05)
        times[2] = min(times[2], process_time() - began)
    alone, with_world, search = times / len(path)
    return [alone, with_world, with_world - alone, search]


if __name__ == "__main__":
    main()
