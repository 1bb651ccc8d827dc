"""Goals that conflict, frame after frame: a G1 with weighted goals for 14 links of a larger body.

    python benchmarks/compromise.py                       about a minute
    python benchmarks/compromise.py --frames 1000 --stretch 1.3

The robot moves smoothly; the places of its links are stretched from the ground, so that they cannot all be
met, and their orientations are those that they have. Each frame starts from the answer before. Beside
mode="best" runs the search for a solution without restarts, which stops where it no longer gains, and SciPy's
least_squares from the same starts (trust region, differences), of fewer frames. Costs are
computed by the model's own kinematics and compared with those of mode="best".
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np
from scipy.optimize import least_squares

import limbik
from limbik import measure
from limbik.request import Request
from machine import surroundings

FIRM = ("pelvis", "left_ankle_roll_link", "right_ankle_roll_link")
LOOSE = (
    "torso_link", "left_hip_roll_link", "left_knee_link", "right_hip_roll_link", "right_knee_link",
    "left_shoulder_yaw_link", "left_elbow_link", "left_wrist_yaw_link", "right_shoulder_yaw_link",
    "right_elbow_link", "right_wrist_yaw_link",
)  # fmt: skip
WEIGHTS = {True: (1.0, 0.3), False: (0.3, 0.3)}  # of position and orientation, firm or not
RATE = 30.0  # [Hz]
SCIPY_FRAMES = 20

Goals = list[limbik.Goal]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--stretch", type=float, default=1.15)
    options = parser.parse_args(argv)
    robot = limbik.load("g1", base="floating")
    frames = list(goals_over_time(robot, options.frames, options.stretch))
    best = run(robot, frames, lambda goals, start: robot.solve(goals, start=start, mode="best").q)
    meet = run(robot, frames, lambda goals, start: robot.solve(goals, start=start, restarts=0).q, best[1])
    some = frames[:SCIPY_FRAMES]
    scipy = run(robot, some, lambda goals, start: by_scipy(robot, goals, start), best[1][: len(some)])
    print("| method | frames | median ms | p99 | most | cost beside mode='best', mean | least |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, (seconds, found) in (("best", best), ("restarts=0", meet), ("scipy", scipy)):
        costs = [cost(robot, goals, q) for goals, q in zip(frames, found, strict=False)]
        ratio = (
            np.array(costs)
            / [cost(robot, goals, q) for goals, q in zip(frames, best[1], strict=True)][: len(costs)]
        )
        low, high, most = 1e3 * np.percentile(seconds, (50, 99, 100))
        times = f"{low:.2f} | {high:.2f} | {most:.2f}"
        print(f"| {name} | {len(seconds)} | {times} | {ratio.mean():.6f} | {ratio.min():.6f} |")
    solved = [
        robot.solve(goals, start=q, mode="best").ended.value for goals, q in zip(frames, best[1], strict=True)
    ]
    print(", ".join(f"{name}: {solved.count(name)}" for name in sorted(set(solved))))
    print(", ".join(f"{name}: {value}" for name, value in surroundings().items()))


def goals_over_time(robot: limbik.Model, count: int, stretch: float):
    """Goals for every frame."""
    rng = np.random.default_rng(0)
    size, phase, speed = (
        rng.uniform(low, high, robot.nq) for low, high in ((-0.3, 0.3), (0.0, math.tau), (2.0, 6.0))
    )
    for k in range(count):
        q = robot.clip(robot.neutral + size * np.sin(speed * k / RATE + phase))
        goals: Goals = []
        for link in (*FIRM, *LOOSE):
            pose = robot.pose(q, link)
            position, rotation = WEIGHTS[link in FIRM]
            goals.append(limbik.Position(frame=link, target=stretch * pose[:3, 3], weight=position))
            goals.append(limbik.Orientation(frame=link, target=pose[:3, :3], weight=rotation))
        yield goals


def run(
    robot: limbik.Model, frames: list[Goals], solve: Callable[[Goals, np.ndarray], np.ndarray],
    found: list[np.ndarray] | None = None,
) -> tuple[list[float], list[np.ndarray]]:  # fmt: skip
    """Seconds of the processor for each frame, and configurations; each starts from the last one found."""
    starts = [robot.neutral, *found[:-1]] if found else None
    q, seconds, answers = solve(frames[0], robot.neutral), [], []
    q = robot.neutral
    for k, goals in enumerate(frames):
        began = time.process_time()
        q = solve(goals, starts[k] if starts else q)
        seconds.append(time.process_time() - began)
        answers.append(q)
    return seconds, answers


def cost(robot: limbik.Model, goals: Goals, q: np.ndarray) -> float:
    """The sum of squared errors times weights [m and rad]."""
    errors = measure.goal_errors(request_of(robot, goals), q)
    return sum(max(goal.weight) ** 2 * (error.position**2 + error.rotation**2)
               for goal, error in zip(goals, errors, strict=True))  # fmt: skip


def request_of(robot: limbik.Model, goals: Goals) -> Request:
    return Request(model=robot, goals=tuple(goals), solver="lm", options={})


def by_scipy(robot: limbik.Model, goals: Goals, start: np.ndarray) -> np.ndarray:
    """By least squares in the velocities [nv] from the start; limits as bounds."""
    weights = np.concatenate([goal.weight for goal in goals])
    request = request_of(robot, goals)
    joints = robot.nq - 7
    margin = 1e-9  # the start has to be inside
    lower = np.r_[np.full(6, -np.inf), robot.lower[-joints:] - start[-joints:] - margin]
    upper = np.r_[np.full(6, np.inf), robot.upper[-joints:] - start[-joints:] + margin]

    def residuals(v: np.ndarray) -> np.ndarray:
        return weights * measure.residual(request, robot.integrate(start, v), 1.0)[0]

    v = least_squares(residuals, np.zeros(robot.nv), bounds=(lower, upper), xtol=1e-10).x
    return robot.clip(robot.integrate(start, v))


if __name__ == "__main__":
    main()
