"""Single solves from a start: "auto" beside the closed form, in one run.

    python benchmarks/auto_or_closed_form.py [NAME ...]

Starts are near (0.1 rad in each joint) or anywhere. The least of many times for each pose, then their mean;
and how far the answers are from the starts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter, sleep
from typing import Any

import numpy as np

import limbik
import report
import tables

ROBOTS = ("ur5e", "puma560", "so100")
POSES, ROUNDS = 200, 40
NEAR = 0.1  # [rad], standard deviation

Way = Callable[[limbik.Model, np.ndarray, np.ndarray], Any]
WAYS: dict[str, Way] = {
    "auto": lambda model, pose, q: model.solve(pose, start=q),
    'auto, prefer="nearest"': lambda model, pose, q: model.solve(pose, start=q, prefer="nearest"),
    'solver="analytic"': lambda model, pose, q: model.solve(pose, start=q, solver="analytic"),
    "solve_all, the first": lambda model, pose, q: model.solve_all(pose, start=q),
}


def main() -> None:
    rows = []
    for name in sys.argv[1:] or ROBOTS:
        model, rng = limbik.load(name), np.random.default_rng(0)
        for is_near in (True, False):
            q = model.random(rng, POSES)
            poses = list(model.pose(q))
            near = model.clip(q + rng.normal(scale=NEAR, size=q.shape))
            starts = list(near if is_near else model.random(rng, POSES))
            rows += measured(model, poses, starts, "near" if is_near else "anywhere")
    print(report.table(["robot", "start", "way", "us", "from the start [rad]"], rows))


def measured(
    model: limbik.Model, poses: list[np.ndarray], starts: list[np.ndarray], where: str
) -> list[list[str]]:
    """A row for each way; they take turns, so that all have the same machine."""
    for way in WAYS.values():
        for _ in range(3):
            way(model, poses[0], starts[0])
    sleep(3.0)  # until there is machine code
    best = {name: np.full(len(poses), np.inf) for name in WAYS}
    far = {name: np.zeros(len(poses)) for name in WAYS}
    for _ in range(ROUNDS):
        for name, way in WAYS.items():
            for k, (pose, start) in enumerate(zip(poses, starts, strict=True)):
                began = perf_counter()
                answer = way(model, pose, start)
                best[name][k] = min(best[name][k], perf_counter() - began)
                far[name][k] = np.linalg.norm((answer.q if answer.q.ndim == 1 else answer.q[0]) - start)
    times = {name: tables.number(1e6 * each.mean()) for name, each in best.items()}
    return [[model.name, where, name, times[name], f"{far[name].mean():.3f}"] for name in WAYS]


if __name__ == "__main__":
    main()
