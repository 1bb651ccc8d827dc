"""How long a new process waits for limbik: import and first solve, without and with compiled kernels."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import limbik
from machine import progress
from report import table
from tables import number

SOURCE = Path(limbik.__file__).resolve().parents[1]  # new processes import the same limbik
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
    """Seconds of import, preset, first and second solve in a new process; not a number where it fails."""
    paths = [str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "LIMBIK_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    if done.returncode:
        progress(f"a new process fails: {done.stderr.strip().splitlines()[-1]}")
        return [math.nan] * 4
    found: list[float] = json.loads(done.stdout)
    return found
