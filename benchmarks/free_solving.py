"""Solving free of collision: MotionBenchMaker's problems for the Panda, each by itself and in batches.

    python benchmarks/free_solving.py motion_bench_maker_panda.json.gz
    python benchmarks/free_solving.py motion_bench_maker_panda.json.gz --problems 70

The data: as `benchmarks/collision.py` has it. A problem asks for the pose that the hand has at its goal; the
solve begins at its start, with the fingers open. What is answered is checked by coal with the robot's meshes,
and so is what is said to be impossible: the pairs that are named collide there. Seconds are those of the
clock, the best of three solves, after the checker of the scene is made.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("LIMBIK_COMPILE", "first")

import argparse
import collections
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import limbik
from collision import FINGERS, Coal, pose_of, shape_of
from limbik.collision import World
from limbik.collision.geometry import geometry_of
from limbik.collision.pairs import pairs_of
from limbik.formats.registry import find
from machine import surroundings

FRAME = "panda_hand"
ROUNDS = 3
BATCH = 300  # poses near a goal
SPREAD = 0.1  # [rad] of the joints about the goal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--problems", dest="count", type=int, default=700)
    options = parser.parse_args()
    problems = json.loads(gzip.decompress(options.problems.read_bytes()))
    problems = problems[:: max(1, len(problems) // options.count)]
    print(", ".join(f"{name}: {value}" for name, value in surroundings().items()))
    robot = limbik.load("example-robot-data:panda")
    judge = coal_of(robot)
    report(singles(robot, judge, problems))
    batches(robot, judge, problems[:: max(1, len(problems) // 7)])


def coal_of(robot: limbik.Model) -> Coal:
    """The same robot in coal."""
    found = find("example-robot-data:panda")
    assert found is not None and found.description is not None, "it is in the extra `dev`"
    names = [body.name for body in geometry_of(robot).bodies]
    checked = {frozenset((names[i], names[j])) for i, j in pairs_of(robot).checked}
    path = found.description.path
    return Coal(path, path.parents[4], checked, as_hulls=False)


def world_of(problem: dict[str, Any]) -> World:
    """The objects of a problem."""
    world = World()
    for k, each in enumerate(problem["objects"]):
        world.add(f"object {k}", shape_of(each), pose_of(each))
    return world


def configuration(robot: limbik.Model, arm: Sequence[float]) -> np.ndarray:
    """Of the arm [7], with open fingers [nq]."""
    return np.concatenate([arm, np.full(robot.nq - 7, FINGERS)])


def for_coal(q: np.ndarray) -> np.ndarray:
    """[9] of what limbik answers [nq]: it has no number for the finger that follows the other."""
    return np.concatenate([q[:7], np.full(2, q[7])])


def singles(robot: limbik.Model, judge: Coal, problems: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every problem by itself."""
    found = []
    for problem in problems:
        world, start = world_of(problem), configuration(robot, problem["start"])
        pose = robot.pose(configuration(robot, problem["goal"]), FRAME)
        goal = limbik.Pose(frame=FRAME, target=pose)
        robot.check(start, world)
        anyhow = robot.solve(goal, start=start)
        seconds = []
        for _ in range(ROUNDS):
            began = perf_counter()
            solution = robot.solve(goal, start=start, world=world)
            seconds.append(perf_counter() - began)
        judge.enter(problem["objects"])
        found.append(
            {
                "family": problem["family"],
                "status": solution.status.value,
                "microseconds": 1e6 * min(seconds),
                "hits without a world": not robot.check(anyhow.q, world).is_free,
                "free for coal": judge.is_free(for_coal(solution.q)),
            }
        )
    return found


def report(rows: Sequence[dict[str, Any]]) -> None:
    """How many were solved, how fast, and what coal says."""
    solved = [row for row in rows if row["status"] == "solved"]
    times = np.array([row["microseconds"] for row in solved])
    hits = sum(row["hits without a world"] for row in rows)
    print(f"{len(rows)} problems; the answer without a world collides in {hits}")
    for (family, status), count in sorted(
        collections.Counter((row["family"], row["status"]) for row in rows).items()
    ):
        print(f"  {family:18} {status:20} {count}")
    print(
        f"solved {len(solved)}: mean {times.mean():.0f} us, median {np.median(times):.0f}, "
        f"p99 {np.percentile(times, 99):.0f}; "
        f"free for coal with the meshes: {sum(row['free for coal'] for row in solved)}"
    )
    proved = [row for row in rows if row["status"] == "goal in collision"]
    agreed = sum(not row["free for coal"] for row in proved)
    print(f"proved impossible {len(proved)}: in collision for coal {agreed}")
    first = np.array([row["microseconds"] for row in solved if not row["hits without a world"]])
    print(f"of {len(first)} whose first answer is free: mean {first.mean():.0f} us")


def batches(robot: limbik.Model, judge: Coal, problems: Sequence[dict[str, Any]]) -> None:
    """Many poses near the goals of some problems, in the scenes of these."""
    rng, solved, free, seconds, false_free = np.random.default_rng(0), 0, 0, 0.0, 0
    for problem in problems:
        world, goal = world_of(problem), configuration(robot, problem["goal"])
        q = np.tile(goal, (BATCH, 1))
        q[:, :7] += SPREAD * rng.standard_normal((BATCH, 7))
        poses = robot.pose(robot.clip(q), FRAME)
        start = configuration(robot, problem["start"])
        robot.solve_batch(poses[:8], frame=FRAME, start=start, world=world, threads=1)
        began = perf_counter()
        found = robot.solve_batch(poses, frame=FRAME, start=start, world=world, threads=1)
        seconds += perf_counter() - began
        solved += len(poses)
        free += int(found.success.sum())
        judge.enter(problem["objects"])
        some = np.flatnonzero(found.success)[:200]
        false_free += sum(not judge.is_free(for_coal(found.q[k])) for k in some)
    print(
        f"batches of {BATCH:,} poses: {solved:,} in {seconds:.2f} s, {solved / seconds:,.0f} a second on one "
        f"core, {free:,} free; of up to 200 a batch not free for coal: {false_free}"
    )


if __name__ == "__main__":
    main()
