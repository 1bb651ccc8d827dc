"""All configurations of arms of six revolute joints in general: time, and how many are missed.

    python benchmarks/general_6r.py [--poses 2000] [--peer]

Poses are those of random configurations; a pose is missed where the configuration that made it is not among
the answers. --peer adds ssik's prebuilt arms of its class "non-Pieper 6R", solved by it (without windings and
limits, a tenth of the poses) and by limbik, where `pip install ssik sympy mpmath` is there. Times are of
calls from Python: for limbik the least of several for each pose, then their mean; for ssik the median.
"""

from __future__ import annotations

import argparse
import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from limbik.analytic.axes import Axes, axes_of
from limbik.analytic.general_solve import all_configurations, general_configurations
from limbik.compiler import native
from limbik.model.chain import chain_to
from limbik.model.denavit_hartenberg import Convention, Row, chain_of_rows
from limbik.model.joints import JointKind
from machine import surroundings

QUARTER = math.pi / 2
FOUND = 1e-5  # [rad]
REPEATS = 5


@dataclass(frozen=True)
class Arm:
    """Denavit-Hartenberg rows [m, rad]."""

    a: tuple[float, ...]
    alpha: tuple[float, ...]
    d: tuple[float, ...]
    convention: Convention = "standard"

    @property
    def axes(self) -> Axes:
        rows = [
            Row(name=f"joint{k}", kind=JointKind.CONTINUOUS, a=a, alpha=alpha, d=d)
            for k, (a, alpha, d) in enumerate(zip(self.a, self.alpha, self.d, strict=True))
        ]
        model = chain_of_rows("arm", rows, self.convention)
        axes = axes_of(chain_to(model, model.end_effector))
        assert axes is not None
        return axes


def crx(upper: float) -> Arm:
    alpha = 0.0, -QUARTER, math.pi, -QUARTER, QUARTER, -QUARTER
    return Arm((0.0, 0.0, upper, 0.0, 0.0, 0.0), alpha, (0.0, 0.0, 0.0, -0.54, 0.15, -0.16), "modified")


def jaco(d1: float, d2: float, d3: float, d4: float, d5: float, d6: float, e2: float) -> Arm:
    part = math.sin(math.radians(30.0)) / math.sin(math.radians(60.0))
    bend = math.radians(60.0)
    return Arm(
        (0.0, d2, 0.0, 0.0, 0.0, 0.0),
        (QUARTER, math.pi, QUARTER, bend, bend, math.pi),
        (d1, 0.0, -e2, -(d3 + part * d4), -part * (d4 + d5), -(part * d5 + d6)),
    )


def invented(seed: int, right_angles: bool) -> Arm:
    rng = np.random.default_rng(seed)
    a, alpha, d = rng.uniform(-1.0, 1.0, (3, 6)) * [[1.0], [3.0], [1.0]]
    if right_angles:
        a, d = a * (rng.random(6) < 0.6), d * (rng.random(6) < 0.7)
        alpha = rng.choice([QUARTER, -QUARTER], 6)
    return Arm(tuple(a), tuple(alpha), tuple(d))


ARMS = {
    "FANUC CRX-10iA": crx(0.54),
    "FANUC CRX-10iA/L": crx(0.71),
    "Kinova j2n6s200": jaco(0.2755, 0.29, 0.1233, 0.0741, 0.0741, 0.16, 0.007),
    "Kinova j2n6s300": jaco(0.2755, 0.41, 0.2073, 0.0741, 0.0741, 0.16, 0.0098),
    "Kinova Gen3 lite": Arm(
        (0.0, 0.28, 0.0, 0.0, 0.0, 0.0),
        (QUARTER, math.pi, QUARTER, QUARTER, QUARTER, 0.0),
        (0.2433, 0.03, 0.02, 0.245, 0.057, 0.235),
    ),
    "UFactory xArm6": Arm(
        (0.0, 0.0, math.hypot(0.2845, 0.0535), 0.0775, 0.0, 0.076),
        (0.0, -QUARTER, 0.0, -QUARTER, QUARTER, -QUARTER),
        (0.267, 0.0, 0.0, 0.3425, 0.0, 0.097),
        "modified",
    ),
    "UR5": Arm(
        (0.0, -0.425, -0.39225, 0.0, 0.0, 0.0),
        (QUARTER, 0.0, 0.0, QUARTER, -QUARTER, 0.0),
        (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823),
    ),
    "Agilex Piper": Arm(
        (0.0, 0.0, 0.28503, -0.02198, 0.0, 0.0),
        (0.0, -QUARTER, 0.0, QUARTER, -QUARTER, QUARTER),
        (0.123, 0.0, 0.0, 0.25075, 0.0, 0.091),
        "modified",
    ),
    "sixteen real solutions": Arm(
        (0.3, 1.0, 0.0, 1.5, 0.0, 0.0),
        (QUARTER, math.radians(1.0)) * 3,
        (0.0, 0.0, 0.2, 0.0, 0.0, 0.0),
    ),
    **{f"any angles {seed}": invented(seed, right_angles=False) for seed in range(3)},
    **{f"right angles {seed}": invented(seed, right_angles=True) for seed in (0, 1, 3)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--peer", action="store_true", help="with ssik's prebuilt arms")
    options = parser.parse_args()
    native.compile_now(all_configurations())
    print("| arm | missed | configurations: mean | most | us per pose | us at the 99th percentile |")
    print("|---|---|---|---|---|---|")
    for name, arm in ARMS.items():
        print_row(name, arm.axes, options.poses)
    if options.peer:
        beside_ssik(options.poses)
    for what, value in surroundings().items():
        print(f"{what}: {value}")


def print_row(name: str, axes: Axes, count: int, more: str = "") -> None:
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (count, axes.size))
    poses = np.array([axes.pose(each) for each in q])
    try:
        counts, missed = judged(lambda pose: general_configurations(axes, pose), q, poses)
    except Exception as error:
        print(f"| {name} | {error} |")
        return
    times = np.full(count, np.inf)
    for _ in range(REPEATS):
        for k, pose in enumerate(poses):
            began = perf_counter()
            general_configurations(axes, pose)
            times[k] = min(times[k], perf_counter() - began)
    figures = f"{counts.mean():.2f} | {counts.max()} | {1e6 * times.mean():.0f}"
    print(
        f"| {name} | {missed} of {count} | {figures} | {1e6 * np.percentile(times, 99):.0f} |{more}",
        flush=True,
    )


def judged(solve: Callable[[np.ndarray], Any], q: np.ndarray, poses: np.ndarray) -> tuple[np.ndarray, int]:
    """(how many answers each pose has; how many poses miss the configuration that made them)."""
    counts, missed = [], 0
    for each, pose in zip(q, poses, strict=True):
        found = solve(pose)
        turns = np.abs((found - each + np.pi) % (2.0 * np.pi) - np.pi).max(axis=1)
        counts.append(len(found))
        missed += not turns.min(initial=np.inf) < FOUND
    return np.array(counts), missed


def beside_ssik(count: int) -> None:
    """ssik's prebuilt arms; its figures stand behind each row."""
    try:
        import ssik
    except ImportError:
        print("\nssik is not installed: pip install ssik sympy mpmath")
        return
    print("\n| arm | missed | mean | most | us | us at 99 % | ssik: missed | mean | median us |")
    print("|---|---|---|---|---|---|---|---|---|")
    for arm in ssik.list_arms():
        if arm.kinematic_class == "non-Pieper 6R":
            module = importlib.import_module(arm.import_path)
            axes = axes_from(module.fk)
            print_row(arm.display_name, axes, count, ssik_figures(module, axes, count // 10))


def ssik_figures(module: Any, axes: Axes, count: int) -> str:
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (count, 6))
    poses = np.array([axes.pose(each) for each in q])
    times = []

    def solve(pose: np.ndarray) -> np.ndarray:
        began = perf_counter()
        answers = module.solve(pose, enumerate_windings=False, respect_limits=False)
        times.append(perf_counter() - began)
        return np.array([answer.q for answer in answers]).reshape(-1, 6)

    counts, missed = judged(solve, q, poses)
    return f" {missed} of {count} | {counts.mean():.2f} | {1e6 * np.median(times):.0f} |"


def axes_from(kinematics: Callable[[np.ndarray], np.ndarray]) -> Axes:
    """The axes of an arm of six revolute joints, from a quarter turn of each."""
    home = np.asarray(kinematics(np.zeros(6)))
    directions, points = [], []
    for joint in range(6):
        motion = np.asarray(kinematics(QUARTER * np.eye(6)[joint])) @ np.linalg.inv(home)
        turn = motion[:3, :3]
        directions.append(0.5 * (turn - turn.T)[[2, 0, 1], [1, 2, 0]])
        points.append(np.linalg.lstsq(np.eye(3) - turn, motion[:3, 3], rcond=None)[0])
    return Axes(np.array(directions), np.array(points), np.zeros(6, bool), home)


if __name__ == "__main__":
    main()
