"""Reach maps and datasets: how long they take, and whether what they say is true.

python benchmarks/reach.py             print the tables, about fifteen minutes
python benchmarks/reach.py --write     and store them in docs/scale.md

Each map is made by a process of its own, whose memory is the most that was resident. Reached voxels and
orientations are solved once more, and the answers judged by pinocchio's kinematics; those that were not
reached are attacked by a thousand restarts each.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import limbik
import report
from limbik.scale import Reach, make_dataset, reach_map
from limbik.spatial import Array, quat_to_matrix
from machine import progress, surroundings
from robots import Robot, Source, open_robot, open_source
from tables import number

SCRIPT = "benchmarks/reach.py"
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "scale.md"
MAPS = (
    ("ur5e", 0.02, 100), ("puma560", 0.02, 100), ("panda", 0.04, 100), ("iiwa14", 0.04, 100),
    ("tiago", 0.04, 100), ("g1", 0.03, 100), ("panda", 0.01, 129),
)  # fmt: skip
G1 = Source(
    distribution="example-robot-data",
    path="share/example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf",
    frame="left_rubber_hand",
)
DATASETS = (("ur5e", "all"), ("ur5e", "nearest"), ("panda", "nearest"), ("panda", 4))
ENGINES, BY_ENGINE_MAP = ("threads", "processes", "ray"), (0.03, 200)
LOOKUPS = ((0.05, 200), (0.05, 1000), (0.03, 1000))
DRAWN = 1_000_000  # poses of a dataset
LOOKED_UP, JUDGED, ATTACKED, RESTARTS = 100_000, 1_000_000, 10_000, 1000
ITERATIONS = 100 * RESTARTS  # more than they take
CHECKED = 200e6  # poses of a map whose answers are looked at one by one
EXACT = 1e-5  # [m and rad] by which a pose is met

MAKE = """
import json, sys, time
from pathlib import Path
sys.path.append(sys.argv[5])
from limbik.scale import reach_map
from reach import robot_of

robot, folder, voxel, count = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
model = robot_of(robot).model
began = time.perf_counter()
reach_map(model, folder, voxel=voxel, orientations=count)
seconds = time.perf_counter() - began
status = Path("/proc/self/status").read_text()
print(json.dumps([seconds, float(status.partition("VmHWM:")[2].split()[0]) / 1e3]))
"""


# A map by one engine with so many workers, which are started before the clock is.
BY_ENGINE = """
import sys, time
from limbik import load
from limbik.scale import reach_map

engine, folder = sys.argv[1], sys.argv[3]
workers, voxel, count = int(sys.argv[2]), float(sys.argv[4]), int(sys.argv[5])
model, options = load("ur5e"), {"threads": workers}
if engine == "ray":
    import ray

    ray.init(num_cpus=workers, log_to_driver=False, include_dashboard=False)
    options = {}
began = time.perf_counter()
reach = reach_map(model, folder, voxel=voxel, orientations=count, engine=engine, **options)
print(reach.grid.size * count / 1e6 / (time.perf_counter() - began))
"""


def robot_of(name: str) -> Robot:
    """The robot of that name, its model, and pinocchio's."""
    return open_source(name, G1) if name == "g1" else open_robot(name)


def made(robot: str, folder: Path, voxel: float, count: int) -> tuple[float, float]:
    """How long a map takes [s], and the memory [MB]."""
    command = [
        sys.executable,
        "-c",
        MAKE,
        robot,
        str(folder),
        str(voxel),
        str(count),
        str(Path(__file__).parent),
    ]
    return tuple(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def poses_of(reach: Reach, voxels: Array, turns: Array) -> Array:
    """[N, 4, 4] of some voxels and orientations."""
    poses = np.tile(np.eye(4), (len(voxels), 1, 1))
    poses[:, :3, 3] = reach.grid.centers(0, reach.grid.size)[voxels]
    poses[:, :3, :3] = quat_to_matrix(reach.quaternions)[turns]
    return poses


def checked(name: str, reach: Reach, rng: np.random.Generator) -> list[str]:
    """False ones among those reached, by pinocchio, and missed ones among those not reached."""
    robot, bits = robot_of(name), reach.reachable()
    model = robot.model
    inside = np.linalg.norm(reach.grid.centers(0, reach.grid.size) - reach.record["center"], axis=1)
    bits_inside = bits & (inside <= reach.record["radius"])[:, None]
    voxels, turns = (each[: 20 * JUDGED] for each in np.nonzero(bits_inside))
    chosen = rng.choice(len(voxels), min(JUDGED, len(voxels)), replace=False)
    poses = poses_of(reach, voxels[chosen], turns[chosen])
    if reach.record["proved"]:
        found = np.nan_to_num(model.solve_all_batch(poses).q[:, 0], nan=np.inf)
    else:
        found = model.solve_batch(poses, restarts=1000).q
    false = 0
    for q, pose in zip(found, poses, strict=True):
        there = robot.pose(q)
        turn = there[:3, :3].T @ pose[:3, :3]
        off = max(
            np.linalg.norm(there[:3, 3] - pose[:3, 3]), np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))
        )
        is_inside = np.all((q >= robot.lower - 1e-12) & (q <= robot.upper + 1e-12))
        false += not (off < EXACT + 2e-8 and is_inside)
    away = np.argwhere(~bits & (inside <= reach.record["radius"])[:, None])
    away = away[rng.choice(len(away), ATTACKED, replace=False)]
    attacked = poses_of(reach, away[:, 0], away[:, 1])
    missed = model.solve_batch(attacked, restarts=RESTARTS, iterations=ITERATIONS).success.sum()
    return [f"{false} of {len(chosen):,}", f"{missed} of {ATTACKED:,}"]


def lookups(rng: np.random.Generator) -> list[list[Any]]:
    """How often a map of a UR5e is right about random poses; the truth is from closed forms."""
    model, rows = limbik.load("ur5e"), []
    for voxel, count in LOOKUPS:
        progress(f"lookups, voxels of {voxel:g} m, {count} orientations")
        with tempfile.TemporaryDirectory() as folder:
            reach = reach_map(model, folder, voxel=voxel, orientations=count)
            directions, turns = rng.normal(size=(LOOKED_UP, 3)), rng.normal(size=(LOOKED_UP, 4))
            distances = reach.record["radius"] * np.cbrt(rng.random(LOOKED_UP))
            directions *= (distances / np.linalg.norm(directions, axis=1))[:, None]
            poses = np.tile(np.eye(4), (LOOKED_UP, 1, 1))
            poses[:, :3, 3] = reach.record["center"] + directions
            poses[:, :3, :3] = quat_to_matrix(turns / np.linalg.norm(turns, axis=1, keepdims=True))
            is_true = model.solve_all_batch(poses).count > 0
            began = time.perf_counter()
            said = reach.is_reached(poses)
            seconds = time.perf_counter() - began
            false = (said & ~is_true).sum() / said.sum()
            rows.append(
                [
                    f"{100 * voxel:g}",
                    str(count),
                    f"{100 * (said == is_true).mean():.1f}",
                    f"{100 * false:.1f}",
                    number(1e6 * seconds / LOOKED_UP),
                ]
            )
    return rows


def datasets() -> list[list[Any]]:
    """The time and the size of datasets."""
    rows: list[list[Any]] = []
    for name, solutions in DATASETS:
        progress(f"dataset of {name}, solutions {solutions}")
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            data = make_dataset(limbik.load(name), folder, poses=DRAWN, solutions=solutions)
            seconds = time.perf_counter() - began
            size = sum(file.stat().st_size for file in data.files)
            found = np.unique(data.table(["pose"])["pose"].to_numpy()).size
            rows.append(
                [
                    name,
                    str(solutions),
                    f"{100.0 * found / DRAWN:.4f}",
                    number(data.rows / 1e6),
                    number(seconds),
                    number(data.rows / 1e6 / seconds),
                    number(size / data.rows),
                ]
            )
    return rows


def engines() -> list[list[Any]]:
    """Rates of a UR5e's map by engine and number of workers, and of two maps made beside each other."""
    rows = [(name, _rate(name, 1), _rate(name, 2)) for name in ENGINES]
    rows.append(("two maps, a thread each", rows[0][1], _rate("threads", 1, maps=2)))
    return [[name, number(one), number(two), f"{50.0 * two / one:.0f}"] for name, one, two in rows]


def _rate(engine: str, workers: int, maps: int = 1) -> float:
    """Million poses per second of maps that are made at the same time, together."""
    progress(f"{maps} by {engine}, {workers} at work in each")
    voxel, count = map(str, BY_ENGINE_MAP)
    with tempfile.TemporaryDirectory() as folder:
        commands = [
            [sys.executable, "-c", BY_ENGINE, engine, str(workers), f"{folder}/{k}", voxel, count]
            for k in range(maps)
        ]
        running = [subprocess.Popen(each, stdout=subprocess.PIPE, text=True) for each in commands]
        return sum(float(each.communicate()[0].split()[-1]) for each in running)


def main() -> None:
    options = report.study_parser(__doc__, DOCUMENT).parse_args()
    rng = np.random.default_rng(options.seed)
    rows: list[list[Any]] = []
    for name, voxel, count in MAPS:
        progress(f"{name}, voxels of {voxel:g} m, {count} orientations")
        with tempfile.TemporaryDirectory() as folder:
            seconds, memory = made(name, Path(folder) / "map", voxel, count)
            reach = Reach.open(Path(folder) / "map")
            poses = reach.grid.size * count
            size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
            rows.append(
                [
                    name,
                    f"{100 * voxel:g}",
                    number(poses / 1e6),
                    number(seconds),
                    number(poses / 1e6 / seconds),
                    f"{memory:.0f}",
                    number(size / 1e6),
                    f"{100 * reach.fraction.sum() / (reach.fraction > 0.0).sum():.1f}",
                    *(checked(name, reach, rng) if poses <= CHECKED else ["-", "-"]),
                ]
            )
    around = surroundings()
    head = [
        "robot", "voxel [cm]", "million poses", "s", "million/s", "memory [MB]", "disk [MB]",
        "orientations reached %", "false", "missed",
    ]  # fmt: skip
    machine = (
        f"Python {sys.version.split()[0]}, limbik {limbik.__version__}, zarr {version('zarr')}, pinocchio "
        f"{version('pin')}, {around['machine']}, load {around['load average']}, {around['date']}."
    )
    data_head = ["robot", "solutions", "poses solved %", "million rows", "s", "million rows/s", "bytes a row"]
    data_machine = machine.replace("pinocchio", f"pyarrow {version('pyarrow')}, pinocchio")
    tables = {
        "maps": f"{report.table(head, rows)}\n\n{machine}",
        "lookups": report.table(
            ["voxel [cm]", "orientations", "right %", "false of those said to be reached %", "us per pose"],
            lookups(rng),
        ),
        "engines": report.table(["engine", "one worker, million/s", "two", "% of twice"], engines()),
        "datasets": f"{report.table(data_head, datasets())}\n\n{data_machine}",
    }
    report.publish(DOCUMENT, SCRIPT, tables, options.write)


if __name__ == "__main__":
    main()
