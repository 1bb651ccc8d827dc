"""A node process that is kept alive: one JSON line asks, one JSON line answers. It times inside node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arms import Answer, Arm, directions_from_positions
from problems import Problem

from .common import Missing, Peer

HERE = Path(__file__).resolve().parent
DEFAULT_MODULES = HERE.parent / "node_modules"
COMMAND = "npm install --prefix benchmarks --no-save three @aminere/fullik closed-chain-ik"


def modules_folder() -> Path:
    """Where npm put the packages: LIMBIK_BENCH_NODE_MODULES, or benchmarks/node_modules."""
    return Path(os.environ.get("LIMBIK_BENCH_NODE_MODULES", DEFAULT_MODULES))


class NodeProcess:
    def __init__(self, script: str, package: str) -> None:
        folder = modules_folder()
        self.name = package
        if shutil.which("node") is None:
            raise Missing(package, f"node, then {COMMAND}")
        manifest = folder / package / "package.json"
        if not manifest.exists():
            raise Missing(package, COMMAND)
        self.version = json.loads(manifest.read_text())["version"]
        self.process = subprocess.Popen(
            ["node", str(HERE / script), str(folder.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, request: dict[str, Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"node stopped while running {self.name}")
        return json.loads(line)


class NodeSession:
    def __init__(self, process: NodeProcess, arm: Arm, tolerance: float) -> None:
        self.process = process
        self.arm = arm
        self.tolerance = tolerance

    def solve_many(self, problems: Sequence[Problem], seconds: float) -> list[tuple[float, Answer]]:
        starts = [p.start.tolist() for p in problems]
        results = self.process.ask(
            {
                "lengths": list(self.arm.lengths),
                "planar": self.arm.planar,
                "limit": self.arm.limit,
                "tolerance": self.tolerance,
                "seconds": seconds,
                "problems": [
                    {"target": p.target.tolist(), "start": start}
                    for p, start in zip(problems, starts, strict=True)
                ],
            }
        )
        return [(r["seconds"], self.answer(r)) for r in results]

    def answer(self, result: dict[str, Any]) -> Answer:
        positions = np.array(result["positions"], dtype=float)  # null becomes nan
        return Answer(directions=directions_from_positions(positions), iterations=result["iterations"])


class NodePeer(Peer):
    def __init__(self, name: str, method: str, script: str, package: str, note: str) -> None:
        self.name = name
        self.method = method
        self.process = NodeProcess(script, package)
        self.version = self.process.version
        self.note = note + "; timed inside node"

    def open(self, arm: Arm, tolerance: float) -> Any:
        return NodeSession(self.process, arm, tolerance)
