"""ssik: solutions in closed form, by a solver that `ssik build` makes for the robot (its documented way).

Building takes a second where axes meet or are parallel and up to twenty minutes otherwise; what takes longer
than the patience below is left out. Built solvers are kept in the user's cache. Global mode asks for one
solution without a seed and without other turns of the same joints, which is quicker than with a seed;
tracking mode asks for the one nearest to the start.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from robots import BASE, TOOL, Robot

from .common import Peer, Refused, require, version_of, written_urdf

PATIENCE = float(os.environ.get("LIMBIK_BENCH_SSIK_PATIENCE", "150"))  # [s]


class Ssik(Peer):
    name = "ssik"
    note = "built solver; max_solutions=1, global: enumerate_windings=False, tracking: q_seed=start"

    def __init__(self) -> None:
        self.version = version_of("ssik")

    def open(self, robot: Robot, is_tracking: bool) -> Any:
        if any(joint.is_prismatic for joint in robot.joints) or robot.size not in (6, 7):
            raise Refused("six or seven revolute joints only")
        solver = _imported(_built(robot, self.version))
        return _Tracking(solver.solve) if is_tracking else _Global(solver.solve)


def _built(robot: Robot, version: str) -> Path:
    source = written_urdf(robot, continuous=True)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    path = root / "limbik-bench" / f"ssik-{version}" / f"{robot.name.replace('-', '_')}_{digest}_ik.py"
    late = path.with_suffix(".late")  # says how long was waited in vain
    if path.exists():
        return path
    if late.exists() and float(late.read_text()) >= PATIENCE:
        raise Refused(f"ssik build takes longer than {PATIENCE:g} s")
    path.parent.mkdir(parents=True, exist_ok=True)
    program = "import sys; from ssik.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "build", str(source), "--base", BASE, "--ee", TOOL]
    try:
        done = subprocess.run(
            [*command, "--no-validate", "--out", str(path)], timeout=PATIENCE, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        late.write_text(f"{PATIENCE:g}")
        raise Refused(f"ssik build takes longer than {PATIENCE:g} s") from None
    if done.returncode or not path.exists():
        raise Refused(f"ssik build: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    return path


def _imported(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise Refused(f"cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Global:
    def __init__(self, solve: Any) -> None:
        self.call = solve

    def prepare(self, pose: np.ndarray) -> np.ndarray:
        return pose

    def solve(self, target: np.ndarray, start: np.ndarray) -> Any:
        return self.call(target, max_solutions=1, enumerate_windings=False)

    def answer(self, result: Any) -> tuple[np.ndarray | None, bool]:
        return (np.array(result[0].q), True) if result else (None, False)


class _Tracking(_Global):
    def solve(self, target: np.ndarray, start: np.ndarray) -> Any:
        return self.call(target, max_solutions=1, q_seed=start)


def load() -> list[Peer]:
    require("ssik", "pip install 'ssik[urdf]'")
    require("urchin", "pip install 'ssik[urdf]'")
    return [Ssik()]
