"""Feet of captured clips before and after `plant_feet`: how far they move, and whether they jump.

    python benchmarks/captured_feet.py CLIP.bvh ... [--robots g1,talos]

Where docs/benchmarks.md has figures, the clips are `testBvhFiles/test.bvh` and `test2.bvh` of the source
distribution of bvhtools 1.6.0 on PyPI (LAFAN1's skeleton, 30 frames a second). A jump is a run of frames in
which the second difference of a place, along 1/30 s, is by more than 1 cm longer than in the clip. Robots
follow the clip first (`retarget`): then that is what planting is compared with.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from time import process_time

os.environ.setdefault("LIMBIK_COMPILE", "first")
HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "src")]

import numpy as np  # noqa: E402

import limbik  # noqa: E402
from limbik.motion import plant_feet, planting_report, retarget, soles_of  # noqa: E402
from machine import surroundings  # noqa: E402
from report import table  # noqa: E402

APART = 0.3  # [s] between two jumps


def main() -> None:
    for name, value in {**surroundings(), "limbik": limbik.__version__}.items():
        print(f"- {name}: {value}")
    header = ["clip", "frames", "place", "jump at most cm", "over 1 cm", "over 6 cm", "moved at most cm", "s"]
    parser = ArgumentParser()
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--robots", default="", help="names with commas between them")
    given = parser.parse_args()
    robots = ["", *filter(None, given.robots.split(","))]
    print(table(header, [row for clip in given.clips for robot in robots for row in rows(clip, robot)]))


def rows(file: str, robot: str) -> Iterator[list[str]]:
    motion, name_of_clip = limbik.load_motion(file), Path(file).name
    if robot:
        motion, name_of_clip = retarget(motion, limbik.load(robot)), f"{name_of_clip}, {robot}"
    began = process_time()
    planted = plant_feet(motion)
    seconds = process_time() - began
    names = [link for sole in soles_of(motion) for link in (sole.root, sole.mid, *sole.links)]
    before, after = (each.model.poses(each.q, names)[:, :, :3, 3] for each in (motion, planted))
    excess = 100.0 * (second_differences(after, motion.dt) - second_differences(before, motion.dt))
    moved = 100.0 * np.linalg.norm(after - before, axis=-1).max(axis=0)
    for k, name in enumerate(names):
        counts = [str(jumps(excess[:, k] > most, motion.dt)) for most in (1.0, 6.0)]
        row = [name_of_clip, str(len(motion)), name, f"{excess[:, k].max():.1f}", *counts]
        yield [*row, f"{moved[k]:.1f}", f"{seconds:.1f}"]
    print(f"{name_of_clip}:\n{planting_report(motion, planted)}")


def second_differences(places: np.ndarray, dt: float) -> np.ndarray:
    """Lengths [T, n] along 1/30 s [m]."""
    h = max(1, round(1.0 / 30.0 / dt))
    return np.linalg.norm(places[2 * h :] - 2.0 * places[h:-h] + places[: -2 * h], axis=-1)


def jumps(flags: np.ndarray, dt: float) -> int:
    """Number of runs of frames [T] that are farther apart than APART."""
    frames = np.flatnonzero(flags)
    return 0 if not len(frames) else 1 + int((np.diff(frames) * dt > APART).sum())


if __name__ == "__main__":
    main()
