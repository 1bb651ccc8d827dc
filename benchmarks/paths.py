"""Paths with flips planted: `solve_path` beside following with the previous solution as the next start.

    python benchmarks/paths.py

Both go along the same poses. A jump is a step of some joint beyond half a radian between two poses that are a
fiftieth of the path apart or less; a pose is missed where no configuration was found for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import limbik
from machine import progress, surroundings

COUNT = 100  # poses
JUMP = 0.5  # [rad]
READY = {
    "ur5e": (0.3, -1.2, 1.5, -1.8, -1.5, 0.2),
    "puma560": (0.3, 0.6, -0.6, 0.4, 0.9, 0.5),
    "panda": (0.3, -0.2, 0.1, -1.9, 0.1, 1.9, 0.2),
    "iiwa14": (0.3, 0.5, 0.2, -1.4, 0.3, 0.9, 0.4),
}


class Course(NamedTuple):
    """What is to be followed, and from where."""

    robot: str
    name: str
    poses: Any  # [N, 4, 4]
    start: Any  # [nq]


def courses() -> Iterator[Course]:
    for robot, q in READY.items():
        arm, start = limbik.load(robot), np.array(q)
        tool = arm.pose(start)
        end = tool.copy()
        end[:3, 3] += (0.05, 0.15, -0.05)
        yield Course(robot, "line", limbik.straight_line(tool, end, COUNT), start)
        center = tool[:3, 3] + (0.0, 0.06, 0.0)
        yield Course(robot, "circle", limbik.circle(tool, center, (1.0, 0.0, 0.0), COUNT), start)
        yield Course(robot, "whole turn", limbik.arc(tool, center_of(tool), tool[:3, 2], 4.5, COUNT), start)
        yield Course(robot, "wrist singularity", *through_the_wrist(arm, start))
        far = tool.copy()
        far[:3, 3] *= 1.0 + 1.2 * arm.reach() / np.linalg.norm(tool[:3, 3])
        yield Course(robot, "out of reach", limbik.straight_line(tool, far, COUNT), start)


def center_of(pose: Any) -> Any:
    return pose[:3, 3]


def through_the_wrist(arm: limbik.Model, start: Any) -> tuple[Any, Any]:
    """A line past the configuration in which the last but one joint is 0, 2 mm beside it."""
    a, b = start.copy(), start.copy()
    place = arm.nq - 2
    middle = 0.0 if arm.lower[place] < 0.0 else arm.lower[place]
    a[place], b[place] = middle + 0.25, max(middle - 0.25, arm.lower[place])
    end = arm.pose(b)
    end[:3, 3] += (0.002, 0.002, 0.0)
    return limbik.straight_line(arm.pose(a), end, COUNT), a


def follow(arm: limbik.Model, course: Course) -> tuple[int, int]:
    """(poses missed, jumps) of solving from the solution before."""
    q, missed, jumps = course.start, 0, 0
    for pose in course.poses:
        solution = arm.solve(pose, start=q)
        if not solution.success:
            missed += 1
            continue
        jumps += bool(np.abs(solution.q - q).max() > JUMP)
        q = solution.q
    return missed, jumps


def main() -> None:
    for name, value in surroundings().items():
        print(f"{name}: {value}")
    print(f"limbik {limbik.__version__}, numpy {np.__version__}\n")
    print("| robot | path | following: missed | jumps | solve_path: missed | breaks | deviation [mm] |")
    print("|---|---|---|---|---|---|---|")
    totals = np.zeros(4, dtype=int)
    for course in courses():
        progress(f"{course.robot}, {course.name}")
        arm = limbik.load(course.robot)
        missed, jumps = follow(arm, course)
        path = arm.solve_path(course.poses)
        lost = int((path.knots < 0).sum())
        totals += (missed, jumps, lost, len(path.breaks))
        millimetres = math.ceil(1e5 * path.deviation[0]) / 100
        print(
            f"| {course.robot} | {course.name} | {missed} | {jumps} | {lost} | {len(path.breaks)} "
            f"| {millimetres} |"
        )
    print(f"| all | | {totals[0]} | {totals[1]} | {totals[2]} | {totals[3]} | |")


if __name__ == "__main__":
    main()
