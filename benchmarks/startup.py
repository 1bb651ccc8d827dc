"""How long a new process waits for limbik: import and first calls, with an empty cache and with a filled one.

python benchmarks/startup.py             print the tables
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import limbik
import report
from machine import progress
from report import table
from tables import number

SOURCE = Path(limbik.__file__).resolve().parents[1]  # new processes import the same limbik
SCRIPT = "benchmarks/startup.py"
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
ROBOT = "panda"
COLD, WARM = 2, 5  # processes of which the fastest counts
PROGRAM = f"""
import time
began = time.perf_counter()
import limbik
imported = time.perf_counter()
robot = limbik.load("{ROBOT}")
pose = robot.pose(robot.neutral)
pose[2, 3] -= 0.1
ready = time.perf_counter()
robot.solve(pose)
solved = time.perf_counter()
robot.solve(pose)
again = time.perf_counter()
import json
print(json.dumps([imported - began, ready - imported, solved - ready, again - solved]))
"""

# First calls of a process with an empty cache, repeated until nothing is being compiled any more.
CALLS = {
    "solve, Panda": "robot.solve(pose)",
    "solve, a chain that does not come along": "own.solve(own_pose)",
    "several goals": "robot.solve([limbik.Pose(target=pose), limbik.Posture(q=robot.neutral, priority=1)])",
    "ccd": "robot.solve(pose, solver='ccd', iterations=200)",
    "fabrik": "robot.solve(pose, solver='fabrik', iterations=200)",
    "dls": "robot.solve(pose, solver='dls', iterations=200)",
    "dls, plane": "plane.solve([0.5, 0.4, 0.0], solver='dls')",
    "fabrik, ball joints": "balls.solve([0.5, 0.4, 0.3], solver='fabrik')",
    "solve_batch, 1,000 poses": "robot.solve_batch(poses[:1000])",
    "solve_batch, 1,000,000 poses": "robot.solve_batch(poses)",
    "all solutions, UR5e": "ur.solve_all(ur_pose)",
    "a tracker's step": "tracker.step(pose)",
    "solve beside a world": "robot.solve(pose, world=world)",
    "hands of a G1": "g1.solve(g1_goals)",
    "solve, Panda, after 14 other methods": "robot.solve(pose)",
}
# What a process has asked for just before, and nobody asks for again.
BEFORE = {
    "solve, Panda, after 14 other methods": """
for solver in ("ccd", "fabrik", "dls", "jt", "sdls"):
    for model, goal in ((plane, [0.5, 0.4, 0.0]), (balls, [0.5, 0.4, 0.3]), (robot, pose[:3, 3])):
        if (solver, model) != ("sdls", robot):
            model.solve(goal, solver=solver, iterations=5, restarts=0)
""",
}
FIRST_CALLS = """
import json, time
import numpy as np
import limbik
from limbik.compiler import native
robot = limbik.load("panda")
pose = robot.pose(robot.neutral)
pose[2, 3] -= 0.1
builder = limbik.ModelBuilder("own")
for k in range(9):
    place = (0.1 if k else 0.0, 0.02 * k, 0.03)
    add = builder.prismatic if k == 4 else builder.revolute
    builder = add(f"j{{k}}", axis="zyx"[k % 3], origin=place, limits=(-0.5, 0.9))
own = builder.frame("tip", pose=(0.1, 0.0, 0.05)).build(end_effector="tip")
own_pose = own.pose(own.random(0))
plane, balls = limbik.planar_arm(5, 0.2), limbik.ball_arm([0.3, 0.3, 0.3])
call = lambda: {call}
if "ur" in {call!r}:
    ur = limbik.load("ur5e")
    ur_pose = ur.pose(ur.random(0))
if "tracker" in {call!r}:
    tracker = robot.tracker(limbik.Pose(target=pose))
if "world" in {call!r}:
    world = limbik.collision.World()
    world.add("box", limbik.collision.Box((0.1, 0.1, 0.1)), (0.6, 0.3, 0.2))
if "g1" in {call!r}:
    g1 = limbik.load("g1")
    hands = ("left_rubber_hand", "right_rubber_hand")
    g1_goals = [limbik.Position(frame=hand, target=g1.pose(g1.random(0), hand)[:3, 3]) for hand in hands]
{before}
others = set(native._builds)
poses = robot.pose(robot.random(0, size=1_000_000)) if "poses" in {call!r} else None
times, began = [], time.perf_counter()
while True:
    before = time.perf_counter()
    call()
    times.append(time.perf_counter() - before)
    if not any(native.is_compiling(program) for program in list(native._builds) if program not in others):
        break
    time.sleep(0.001)
ready = time.perf_counter() - began
before = time.perf_counter()
call()
print(json.dumps([times[0], max(times), ready, time.perf_counter() - before]))
"""


def cold_table() -> str:
    """Seconds of first calls in processes of their own, each with an empty cache."""
    header = ["s", "first call", "longest call meanwhile", "at full speed after", "a call then"]
    lines = []
    for name, call in CALLS.items():
        progress(f"{name} with an empty cache")
        program = FIRST_CALLS.format(call=call, before=BEFORE.get(name, ""))
        with tempfile.TemporaryDirectory(prefix="limbik-cache-") as folder:
            lines.append([name, *map(number, _said(program, folder, 4))])
    return table(header, lines)


def command_seconds() -> float:
    """Seconds of `limbik solve panda` with an empty cache, the whole process."""
    command = [sys.executable, "-m", "limbik.cli", "solve", ROBOT, "--position", "0.4", "-0.2", "0.5"]
    with tempfile.TemporaryDirectory(prefix="limbik-cache-") as folder:
        began = time.perf_counter()
        done = subprocess.run(command, env=_environment(folder), capture_output=True)
        return time.perf_counter() - began if done.returncode == 0 else math.nan


def startup_table() -> str:
    """Seconds of each part; without and with a filled cache."""
    header = ["s", "import limbik", "load a preset", "first solve", "second solve"]
    lines = []
    cold = []
    for _ in range(COLD):
        with tempfile.TemporaryDirectory(prefix="limbik-cache-") as folder:
            progress("start-up with an empty cache")
            cold.append(_parts(folder))
            warm = [_parts(folder) for _ in range(WARM)]
    for name, found in (("empty cache", cold), ("filled cache", warm)):
        lines.append([name, *(number(min(parts)) for parts in zip(*found, strict=True))])
    return table(header, lines)


def _parts(cache: str) -> list[float]:
    """Seconds of import, preset, first and second solve in a new process."""
    return _said(PROGRAM, cache, 4)


def _said(program: str, cache: str, count: int) -> list[float]:
    """The numbers that a program prints in a new process; not a number where it fails."""
    done = subprocess.run(
        [sys.executable, "-c", program], env=_environment(cache), capture_output=True, text=True
    )
    if done.returncode:
        progress(f"a new process fails: {done.stderr.strip().splitlines()[-1]}")
        return [math.nan] * count
    found: list[float] = json.loads(done.stdout)
    return found


def _environment(cache: str) -> dict[str, str]:
    paths = [str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "LIMBIK_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(paths)}


def main() -> None:
    """Print the table of first calls; with --write store it."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "llvmlite"))
    machine = f"Python {sys.version.split()[0]}, {versions}, {os.cpu_count()} cores"
    command = f"`limbik solve {ROBOT}`, the whole process: {command_seconds():.2f} s."
    report.publish(
        DOCUMENT, SCRIPT, {"cold": f"{cold_table()}\n\n{command} {machine}."}, "--write" in sys.argv
    )


if __name__ == "__main__":
    main()
