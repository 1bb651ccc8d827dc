"""Draw the pictures of docs/all-solutions.md from what limbik finds.

    python tools/solution_pictures.py [NAME ...]

Without names, all of them, into docs/images/.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

import limbik
from limbik.spatial import pose_from, rotation_exp
from method_pictures import IMAGES, WIDTH, joints_of, seen
from svg import Picture, View

SCRIPT = "tools/solution_pictures.py"
COLUMNS = 4
PANEL = 200.0  # [px] wide
TALL = 132.0
SWIVEL_ROW = 16.0  # [px]


def branches() -> Picture:
    """The eight configurations of a UR5e for one pose."""
    arm = limbik.load("ur5e")
    pose = pose_from(rotation_exp(np.array([0.0, math.pi, 0.0])), [0.45, 0.15, 0.35])
    found = arm.solve_all(pose)
    height = 2 * (TALL + 44) + 16
    drawn = Picture(WIDTH, height, "The eight configurations of a UR5e for one pose of its flange", SCRIPT)
    for k, (q, name) in enumerate(zip(found.q, found.branches, strict=True)):
        row, column = divmod(k, COLUMNS)
        box = (12 + column * (PANEL + 4), 44 + row * (TALL + 48), PANEL, TALL)
        view = View(drawn, box, left=-0.6, low=-0.22, scale=158.0)
        first, last = name.rsplit(", ", 1)
        view.caption(first, last)
        points = seen(joints_of(arm, q))
        view.base(points[0])
        view.arm(points, width=4.0)
        view.target(seen(pose[:3, 3]))
    return drawn


def swivel() -> Picture:
    """The legal swivel angles of a KUKA iiwa for one pose, one line for each branch."""
    arm = limbik.load("iiwa14")
    q = np.array([0.4, 0.7, -0.3, -1.4, 0.5, 0.9, 0.2])
    found = arm.solve_all(arm.pose(q), start=q)
    rows: dict[str, list[tuple[float, float, str, str]]] = {}
    for motion, name in zip(found.free, names_of(found), strict=True):
        rows.setdefault(name, []).append((motion.along[0], motion.along[-1], *motion.ends))
    left, wide = 372.0, WIDTH - 400.0
    drawn = Picture(
        WIDTH, 70 + SWIVEL_ROW * 2 * len(rows), "The legal swivel angles of an arm of seven joints", SCRIPT
    )
    drawn.words(12, 26, "Swivel angle of the elbow within all limits, by branch", size=14)
    for degrees in range(-180, 181, 90):
        x = left + wide * (degrees + 180.0) / 360.0
        drawn.line([(x, 40), (x, 46 + SWIVEL_ROW * 2 * len(rows))], "faint", 1.0)
        drawn.words(x, 60 + SWIVEL_ROW * 2 * len(rows), f"{degrees}°", "quiet", 12, "middle")
    for k, (name, intervals) in enumerate(rows.items()):
        y = 58 + k * 2 * SWIVEL_ROW
        drawn.words(12, y + 4, name, size=12)
        for begin, end, *_ in intervals:
            for shift in (-2.0 * math.pi, 0.0, 2.0 * math.pi):
                low, high = max(begin + shift, -math.pi), min(end + shift, math.pi)
                if low < high:
                    places = [left + wide * (value + math.pi) / (2.0 * math.pi) for value in (low, high)]
                    drawn.line([(places[0], y), (places[1], y)], "arm", 7.0)
    return drawn


def names_of(found: limbik.AllSolutions) -> list[str]:
    """The branch of each curve: that of a configuration on it."""
    return [found.branches[motion.solution] for motion in found.free]


PICTURES: dict[str, Callable[[], Picture]] = {"solutions-branches": branches, "solutions-swivel": swivel}


def main(chosen: list[str]) -> None:
    for name in chosen or PICTURES:
        (IMAGES / f"{name}.svg").write_text(PICTURES[name]().text(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
