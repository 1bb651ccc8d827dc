"""Motions of people on robots: time for a frame, sliding and sinking feet, and how near the robot follows.

    python benchmarks/retargeting.py walk.bvh run.bvh --robots g1,talos
    python benchmarks/retargeting.py cmu.bvh --unit 0.05644 --first 2    # without the T-pose in front

Files are given by their paths. A file is retargeted twice, and the faster time counts, of the processor, with
all that comes before the frames. "frame" is the solve of one frame. Slide is the speed along the ground while
the source's feet stand, for the source in its own size made as large as the robot. A bone is off by the angle
between the source's and the robot's.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
from limbik.motion import measure, retarget, retargeting
from limbik.motion.body.anatomy import Anatomy, anatomy
from limbik.motion.body.roles import ARM, LEG, SIDES
from limbik.motion.feet.sole_points import sole_of
from limbik.solvers.stepper import Stepper
from limbik.spatial import unit
from machine import surroundings

HEAD = (
    "| file | robot | frames | ms a frame, all | frame: median | p99 | slide of the source cm/s "
    "| of the robot | at most below the ground mm | legs off deg | arms off deg | jerk beside the source's |"
)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--robots", default="g1")
    parser.add_argument("--unit", default="cm")
    parser.add_argument("--up", default=None)
    parser.add_argument("--first", type=int, default=0, help="frame to begin with")
    options = parser.parse_args(argv)
    size = float(options.unit) if options.unit[0].isdigit() else options.unit
    print(HEAD)
    print("|---|---|" + "---:|" * 10)
    for file in options.files:
        whole = limbik.load_motion(file, unit=size, up=options.up)
        motion = replace(whole, q=whole.q[options.first :])
        for name in options.robots.split(","):
            print(row(Path(file).stem, motion, name, limbik.load(name)), flush=True)
    print(", ".join(f"{name}: {value}" for name, value in surroundings().items()))


def row(file: str, motion: limbik.Motion, name: str, robot: limbik.Model) -> str:
    steps: list[float] = []
    plain = Stepper.step

    def timed(plan: Stepper, targets: np.ndarray, start: np.ndarray) -> np.ndarray:
        began = time.process_time()
        q = plain(plan, targets, start)
        steps.append(time.process_time() - began)
        return q

    retarget(motion, robot)
    Stepper.step = timed  # type: ignore[method-assign]
    began = time.process_time()
    moved = retarget(motion, robot)
    seconds = time.process_time() - began
    Stepper.step = plain  # type: ignore[method-assign]
    steps = steps[-len(motion) + 1 :]  # those before settle the first frame
    body, other = bodies(motion, moved)
    stands = retargeting.stands_of(motion, body)
    scale = other.length(LEG) / body.length(LEG)
    source = measure(motion, feet=[body.frames[side + "Foot"] for side in SIDES], contacts=stands)
    found = measure(moved, feet=[other.frames[side + "Foot"] for side in SIDES], contacts=stands)
    off = {limb: bones_off(body, motion.q, other, moved.q, limb) for limb in (LEG, ARM)}
    deep = 1e3 * sunk(other, moved)
    median, most = 1e3 * np.percentile(steps, (50, 99))
    return (
        f"| {file} | {name} | {len(motion)} | {1e3 * seconds / len(motion):.2f} | {median:.2f} | {most:.2f} "
        f"| {scale * source.foot_slide_cm_s:.2f} | {found.foot_slide_cm_s:.2f} | {deep:.1f} "
        f"| {off[LEG]:.1f} | {off[ARM]:.1f} | {found.jerk / (scale * source.jerk):.2f} |"
    )


def bodies(motion: limbik.Motion, moved: limbik.Motion) -> tuple[Anatomy, Anatomy]:
    body = anatomy(motion.model, limbik.humanoid(motion).frames, motion.up, retargeting.postures_of(motion))
    rest = moved.model.neutral[None]
    return body, anatomy(moved.model, limbik.humanoid(moved.model).frames, moved.up, rest)


def bones_off(
    body: Anatomy, q: np.ndarray, other: Anatomy, q_other: np.ndarray, limb: tuple[str, str, str]
) -> float:
    """[degrees] the mean angle between the bones of both."""
    cosines = [
        np.sum(unit(body.directions(q, side + part)) * unit(other.directions(q_other, side + part)), axis=1)
        for side in SIDES
        for part in limb[:2]
        if body.has(side + part) and other.has(side + part)
    ]
    return float(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).mean())


def sunk(other: Anatomy, moved: limbik.Motion) -> float:
    """[m] how far below the ground a point of a sole gets."""
    lowest = 0.0
    for side in SIDES:
        role = side + "Foot"
        sole = sole_of(other.model, other.frames[role], other.upright, other.axes[role][:, 2])
        poses = moved.model.pose(moved.q, other.frames[role])
        points = np.einsum("tij,kj->tki", poses[:, :3, :3], sole) + poses[:, None, :3, 3]
        lowest = min(lowest, float((points @ other.upward.T)[..., 2].min()))
    return abs(lowest)


if __name__ == "__main__":
    main()
