"""Checks of a Panda in MotionBenchMaker's scenes, beside coal through pinocchio, in one run.

    python benchmarks/collision.py motion_bench_maker_panda.json.gz
    python benchmarks/collision.py motion_bench_maker_panda.json.gz --scenes 5 --configurations 50

The data: a list of {start [7], goal [7], objects: [{type, dimensions, position, quaternion_xyzw}]}. The goals
of the problems and random configurations are checked, with the pairs of the robot's SRDF. Seconds are those
of the processor. coal gets the meshes themselves, which decide what is a false "free", and their hulls.
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

import numpy as np
from scipy.spatial.transform import Rotation

import limbik
from limbik.collision import Box, Cylinder, Sphere, World
from limbik.collision.check import checker_of
from limbik.collision.pairs import pairs_of
from limbik.formats.registry import find
from limbik.spatial import pose_from

FINGERS = 0.04  # [m] open
ASKED = (
    "limbik is_free", "limbik distance, normal, gradient", "limbik distance, in a batch", "limbik move",
    "coal free, meshes", "coal free, hulls", "coal distance, hulls",
)  # fmt: skip


@dataclass
class Tally:
    """What was measured."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(ASKED, 0.0))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ASKED, 0))
    checked: int = 0
    free: int = 0  # by limbik
    free_by_coal: int = 0  # with the meshes themselves
    false_free: int = 0  # by limbik, not by coal

    def time(self, name: str, count: int, work: Callable[[], Any]) -> Any:
        """Run it, and note the time."""
        began = process_time()
        result = work()
        self.seconds[name] += process_time() - began
        self.counts[name] += count
        return result


class Coal:
    """The robot with the objects of a scene, in pinocchio."""

    def __init__(self, urdf: Path, packages: Path, checked: set[frozenset[str]], as_hulls: bool) -> None:
        import pinocchio as pin

        self.pin = pin
        self.model = pin.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()
        kind = pin.GeometryType.COLLISION
        self.robot = pin.buildGeomFromUrdf(self.model, str(urdf), kind, package_dirs=[str(packages)])
        if as_hulls:
            for each in self.robot.geometryObjects:
                if hasattr(each.geometry, "buildConvexHull"):
                    each.geometry.buildConvexHull(True, "Qt")
                    each.geometry = each.geometry.convex
        self.links = [self.model.frames[each.parentFrame].name for each in self.robot.geometryObjects]
        self.checked = checked

    def enter(self, objects: Sequence[dict[str, Any]]) -> None:
        """Put the objects of a scene around the robot."""
        import coal

        self.geometry = self.pin.GeometryModel(self.robot)
        count = len(self.links)
        for k, each in enumerate(objects):
            size = each["dimensions"]
            shape = {
                "box": lambda size=size: coal.Box(*size),
                "cylinder": lambda size=size: coal.Cylinder(size[1], size[0]),
                "sphere": lambda size=size: coal.Sphere(size[0]),
            }[each["type"]]()
            place = self.pin.SE3(pose_of(each))
            self.geometry.addGeometryObject(self.pin.GeometryObject(f"object {k}", 0, place, shape))
        for i in range(count):
            for j in range(i):
                if frozenset((self.links[i], self.links[j])) in self.checked:
                    self.geometry.addCollisionPair(self.pin.CollisionPair(j, i))
            for k in range(len(objects)):
                self.geometry.addCollisionPair(self.pin.CollisionPair(i, count + k))
        self.answers = self.pin.GeometryData(self.geometry)

    def is_free(self, q: np.ndarray) -> bool:
        """Whether no pair touches."""
        arguments = self.model, self.data, self.geometry, self.answers, q, True
        return not self.pin.computeCollisions(*arguments)

    def distance(self, q: np.ndarray) -> float:
        """Of the nearest pair [m]."""
        nearest = self.pin.computeDistances(self.model, self.data, self.geometry, self.answers, q)
        return self.answers.distanceResults[nearest].min_distance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--scenes", type=int, default=35)
    parser.add_argument("--configurations", type=int, default=100, help="random ones for each scene")
    options = parser.parse_args()
    problems = json.loads(gzip.decompress(options.problems.read_bytes()))
    report(measured(problems[:: max(1, len(problems) // options.scenes)], options.configurations))


def measured(problems: Sequence[dict[str, Any]], count: int) -> Tally:
    """Everything, for these problems and so many random configurations for each."""
    found = find("example-robot-data:panda")
    assert found is not None and found.description is not None, "it is in the extra `dev`"
    description = found.description
    robot = limbik.load("example-robot-data:panda")
    names = [body.name for body in limbik.collision.geometry.geometry_of(robot).bodies]
    checked = {frozenset((names[i], names[j])) for i, j in pairs_of(robot).checked}
    packages = description.path.parents[4]
    peers = [Coal(description.path, packages, checked, as_hulls) for as_hulls in (False, True)]
    rng, tally = np.random.default_rng(0), Tally()
    for problem in problems:
        world = World()
        for k, each in enumerate(problem["objects"]):
            world.add(f"object {k}", shape_of(each), pose_of(each))
        arms = np.array([problem["goal"], problem["start"], *robot.random(rng, count)[:, :7]], float)
        measure(robot, world, peers, problem["objects"], arms, tally)
    return tally


def measure(
    robot: limbik.Model,
    world: World,
    peers: Sequence[Coal],
    objects: Sequence[dict[str, Any]],
    arms: np.ndarray,
    tally: Tally,
) -> None:
    """One scene, with configurations [n, 7] of the arm."""
    count = len(arms)
    q = np.column_stack([arms, np.full((count, robot.nq - 7), FINGERS)])
    of_coal = np.column_stack([arms, np.full((count, 2), FINGERS)])
    checker = checker_of(robot, world)
    checker.nearest(q[0])
    free = tally.time("limbik is_free", count, lambda: [checker.is_free(each) for each in q])
    tally.time("limbik distance, normal, gradient", count, lambda: [checker.nearest(each) for each in q])
    tally.time("limbik distance, in a batch", count, lambda: checker.distances(q))
    name, pose = world.names[0], world.poses[0].copy()
    tally.time("limbik move", count, lambda: [world.move(name, pose) for _ in range(count)])
    meshes, hulls = peers
    for peer in peers:
        peer.enter(objects)
    truth = tally.time("coal free, meshes", count, lambda: [meshes.is_free(each) for each in of_coal])
    tally.time("coal free, hulls", count, lambda: [hulls.is_free(each) for each in of_coal])
    tally.time("coal distance, hulls", count, lambda: [hulls.distance(each) for each in of_coal])
    tally.checked += count
    tally.free += sum(free)
    tally.free_by_coal += sum(truth)
    tally.false_free += sum(ours and not theirs for ours, theirs in zip(free, truth, strict=True))


def shape_of(given: dict[str, Any]) -> limbik.collision.Shape:
    """The shape of an object."""
    size = given["dimensions"]
    if given["type"] == "box":
        return Box(tuple(size))
    return Cylinder(size[1], size[0]) if given["type"] == "cylinder" else Sphere(size[0])


def pose_of(given: dict[str, Any]) -> np.ndarray:
    """Where an object stands."""
    return pose_from(Rotation.from_quat(given["quaternion_xyzw"]).as_matrix(), given["position"])


def rows(tally: Tally) -> Iterator[tuple[str, float]]:
    """What was asked, and microseconds for each."""
    for name in ASKED:
        yield name, 1e6 * tally.seconds[name] / tally.counts[name]


def report(tally: Tally) -> None:
    """Print everything."""
    fastest = dict(rows(tally))["coal free, hulls"]
    for name, microseconds in rows(tally):
        print(f"{name:36} {microseconds:9.2f} us {fastest / microseconds:9.2f} x coal free, hulls")
    print(
        f"{tally.checked:,} configurations: limbik says free of {tally.free:,}, coal with the meshes of "
        f"{tally.free_by_coal:,}; free for limbik alone: {tally.false_free}"
    )


if __name__ == "__main__":
    main()
