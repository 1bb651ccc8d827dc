"""Paths with flips planted: `solve_path` beside those that follow pose by pose, in one run.

    python benchmarks/paths.py                          print everything, about three minutes
    python benchmarks/paths.py --write                  and store the tables in docs/paths.md
    python benchmarks/paths.py --peers limbik           without mink and Pink

All go along the same poses. "solve" takes each solution as the next start. The trackers of limbik, mink and
Pink are set up as in `tracking_peers.py`, begin where the course does, and make 20 steps of 10 ms for each
pose, with 2 rad/s at most: a joint can turn by 0.4 rad from pose to pose. `solve_path` looks for its own
start.

A pose is missed where pinocchio finds the tool more than 1 mm or 0.01 rad away. A jump is a step of some
joint beyond half a radian between two poses, which are a hundredth of the path apart. The deviation is how
far the tool gets from the line of the path, joints moving straight from one configuration to the next.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # small matrices: threads only cost time
os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work

import argparse
import logging
import platform
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

import limbik
import report
import tables
from machine import progress, surroundings
from peers.common import version_of
from tracking import errors
from tracking_peers import available
from tracking_scenes import Body, arm

SCRIPT = "benchmarks/paths.py"
DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "paths.md"
TRACKERS = ("limbik", "mink", "pink")
COUNT = 100  # poses
STEPS = 20  # of a tracker, for each pose
JUMP = 0.5  # [rad]
MISSED = (1e-3, 1e-2)  # [m], [rad]
PARTS = np.linspace(0.0, 1.0, 6)  # of a step, where the tool is looked at
FINE = 4000  # points of the path that it is held against
READY = {
    "ur5e": (0.3, -1.2, 1.5, -1.8, -1.5, 0.2),
    "puma560": (0.3, 0.6, -0.6, 0.4, 0.9, 0.5),
    "panda": (0.3, -0.2, 0.1, -1.9, 0.1, 1.9, 0.2),
    "iiwa14": (0.3, 0.5, 0.2, -1.4, 0.3, 0.9, 0.4),
}


class Course(NamedTuple):
    """What is to be followed, and from where."""

    name: str
    body: Body
    poses: Any  # [N, 4, 4]
    start: Any  # [nq]


class Followed(NamedTuple):
    """What a method has done of a course."""

    q: Any  # [M, nq] all its configurations
    at_poses: Any  # [N, nq] those for the poses, NaN where it has none
    breaks: int  # that it tells of; between them it does not follow


class Result(NamedTuple):
    """A method on a course, judged."""

    method: str
    course: Course
    missed: int
    jumps: int  # between poses
    breaks: int
    deviation: float  # [m]
    seconds: float  # of CPU time

    @property
    def is_complete(self) -> bool:
        return not (self.missed or self.jumps or self.breaks)


Method = Callable[[Course], Followed]


# --- courses ------------------------------------------------------------------------------------------------


def courses() -> Iterator[Course]:
    for robot, q in READY.items():
        body, start = arm(robot, q), np.array(q)
        model = body.model
        tool = model.pose(start)
        end = tool.copy()
        end[:3, 3] += (0.05, 0.15, -0.05)
        yield Course("line", body, limbik.straight_line(tool, end, COUNT), start)
        center = tool[:3, 3] + (0.0, 0.06, 0.0)
        yield Course("circle", body, limbik.circle(tool, center, (1.0, 0.0, 0.0), COUNT), start)
        yield Course("whole turn", body, limbik.arc(tool, tool[:3, 3], tool[:3, 2], 4.5, COUNT), start)
        yield Course("wrist singularity", body, *through_the_wrist(model, start))
        far = tool.copy()
        far[:3, 3] *= 1.0 + 1.2 * model.reach() / np.linalg.norm(tool[:3, 3])
        yield Course("out of reach", body, limbik.straight_line(tool, far, COUNT), start)


def through_the_wrist(model: limbik.Model, start: Any) -> tuple[Any, Any]:
    """A line past the configuration in which the last but one joint is 0, 2 mm beside it."""
    a, b = start.copy(), start.copy()
    place = model.nq - 2
    middle = 0.0 if model.lower[place] < 0.0 else model.lower[place]
    a[place], b[place] = middle + 0.25, max(middle - 0.25, model.lower[place])
    end = model.pose(b)
    end[:3, 3] += (0.002, 0.002, 0.0)
    return limbik.straight_line(model.pose(a), end, COUNT), a


# --- methods ------------------------------------------------------------------------------------------------


def solve(course: Course) -> Followed:
    """Each solution is the next start."""
    q, found = course.start, []
    for pose in course.poses:
        solution = course.body.model.solve(pose, start=q)
        q = solution.q if solution.success else q
        found.append(q)
    return Followed(np.array(found), np.array(found), 0)


def solve_path(course: Course) -> Followed:
    path = course.body.model.solve_path(course.poses)
    at_poses = np.full((len(course.poses), course.body.model.nq), np.nan)
    at_poses[path.knots >= 0] = path.q[path.knots[path.knots >= 0]]
    return Followed(path.q, at_poses, len(path.breaks))


def track(peer: Any) -> Method:
    def follow(course: Course) -> Followed:
        session = peer.open(course.body)
        session.place(course.start)
        configurations, arrived = [course.start], []
        for pose in course.poses:
            wanted = session.prepare(pose[None])
            for _ in range(STEPS):
                session.step(wanted)
                configurations.append(np.array(session.configuration()))
            arrived.append(configurations[-1])
        return Followed(np.array(configurations), np.array(arrived), 0)

    return follow


def result_of(name: str, method: Method, course: Course) -> Result:
    began = process_time()
    followed = method(course)
    seconds = process_time() - began
    body, reached = course.body, ~np.isnan(followed.at_poses).any(axis=1)
    apart = [
        errors(body.poses(q), pose[None])
        for q, pose in zip(followed.at_poses[reached], course.poses[reached], strict=True)
    ]
    missed = int((~reached).sum()) + sum(m > MISSED[0] or r > MISSED[1] for m, r in apart)
    steps = np.abs(np.diff(followed.at_poses[reached], axis=0)).max(axis=1, initial=0.0)
    jumps = max(0, int((steps > JUMP).sum()) - followed.breaks)  # of which it has told
    return Result(name, course, missed, jumps, followed.breaks, deviation(course, followed), seconds)


def deviation(course: Course, followed: Followed) -> float:
    """[m] the tool's greatest distance from the line of the path."""
    places = course.poses[:, :3, 3]
    fine = np.linspace(0, len(places) - 1, FINE)
    line = np.column_stack([np.interp(fine, np.arange(len(places)), x) for x in places.T])
    between = followed.q[:-1, None] + PARTS[:, None] * np.diff(followed.q, axis=0)[:, None]
    tool = [course.body.poses(q)[0, :3, 3] for q in between.reshape(-1, course.body.model.nq)]
    return float(cKDTree(line).query(tool)[0].max())


# --- tables -------------------------------------------------------------------------------------------------


def in_words(result: Result) -> str:
    counts = {"missed": result.missed, "jumps": result.jumps, "breaks": result.breaks}
    said = [
        f"{count} {what if count > 1 else what.removesuffix('s')}" for what, count in counts.items() if count
    ]
    return ", ".join(said) or "all"


def by_course(results: Sequence[Result], methods: Sequence[str]) -> str:
    rows = []
    for start in range(0, len(results), len(methods)):
        some = results[start : start + len(methods)]
        course = some[0].course
        rows.append([f"{course.body.name}, {course.name}", *(in_words(each) for each in some)])
    return report.table(["robot, path", *methods], rows)


def by_method(results: Sequence[Result], methods: Sequence[str]) -> str:
    rows = []
    for method in methods:
        own = [each for each in results if each.method == method]
        whole = [each for each in own if each.is_complete]
        rows.append(
            [
                method,
                f"{len(whole)} of {len(own)}",
                str(sum(each.missed for each in own)),
                str(sum(each.jumps for each in own)),
                str(sum(each.breaks for each in own)),
                f"{1e3 * max((each.deviation for each in whole), default=np.nan):.2g}",
                f"{sum(each.seconds for each in own):.1f}",
            ]
        )
    heads = ["method", "completed", "poses missed", "jumps", "breaks told", "deviation [mm]", "CPU time [s]"]
    return report.table(heads, rows)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", default=",".join(TRACKERS), help=f"of: {', '.join(TRACKERS)}")
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    options = parser.parse_args(argv)
    logging.disable(logging.WARNING)
    trackers, missing = available(options.peers.split(","))
    for package in missing:
        progress(f"{package.name} is missing: {package.command}")
    methods: dict[str, Method] = {"solve": solve}
    methods |= {
        f"{each.name} {'Tracker' if each.name == 'limbik' else ''}".strip(): track(each) for each in trackers
    }
    methods["solve_path"] = solve_path
    results = []
    for course in courses():
        progress(f"{course.body.name}, {course.name}")
        results += [result_of(name, method, course) for name, method in methods.items()]
    built = {
        "courses": by_course(results, list(methods)),
        "methods": by_method(results, list(methods)),
        "machine": tables.facts(
            {
                **surroundings(),
                "Python": f"{platform.python_version()}, numpy {np.__version__}, "
                f"pinocchio {version_of('pin')}",
                "methods": ", ".join(f"{each.name} {each.version}" for each in trackers),
            }
        ),
    }
    if options.write and (missing or options.peers != ",".join(TRACKERS)):
        raise SystemExit("nothing stored: --write needs all methods")
    report.publish(DOCUMENT, SCRIPT, built, options.write)


if __name__ == "__main__":
    main()
