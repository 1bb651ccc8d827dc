"""Builds `baseline.cpp` with g++ where there is one, and runs it on the benchmark's own problems."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from arms import Arm
from problems import Problem

SOURCE = Path(__file__).resolve().with_name("baseline.cpp")
FLAGS = ("-O3", "-march=native", "-std=c++17")


class NoCompiler(Exception):
    """There is no g++ here, or it could not build the baseline."""


@cache
def program() -> Path:
    """The compiled baseline, in a folder of its own that lives as long as the process."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise NoCompiler("g++ is not installed: apt install g++")
    folder = tempfile.mkdtemp(prefix="limbik-baseline-")
    binary = Path(folder) / "baseline"
    build = subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(binary)], capture_output=True, text=True)
    if build.returncode != 0:
        raise NoCompiler(build.stderr.strip())
    return binary


def version() -> str:
    line = subprocess.run(
        ["g++", "-dumpfullversion"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return f"g++ {line} {' '.join(FLAGS)}"


def run(arm: Arm, problems: Sequence[Problem]) -> dict[str, dict[str, Any]]:
    """Per method: microseconds per iteration and per solve, iterations and success. Unlimited arms only."""
    dimension = 2 if arm.planar else 3
    parts = [
        np.array((dimension, arm.size, len(problems)), dtype=np.int32).tobytes(),
        np.asarray(arm.lengths, dtype=float).tobytes(),
    ]
    for problem in problems:
        parts.append(np.ascontiguousarray(problem.target[:dimension], dtype=float).tobytes())
        parts.append(np.ascontiguousarray(problem.start[:, :dimension], dtype=float).tobytes())
    done = subprocess.run([str(program())], input=b"".join(parts), capture_output=True, check=True)
    answer: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return answer
