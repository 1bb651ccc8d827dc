"""limbik's Tracker beside mink, Pink and OInK: one differential step every 10 ms, in one run.

    python benchmarks/tracking.py                            print everything, about three minutes
    python benchmarks/tracking.py --write                    and store the tables in docs/tracking.md
    python benchmarks/tracking.py --robots panda --peers limbik,mink

Tools and hands are to follow paths; every joint turns by 2 rad/s at most. Each method goes over each path
once to be judged, by pinocchio's kinematics and the limits, then, in turns with the others, repeatedly for
the clock: the fastest pass counts. The error is that after a step from the pose that was asked for in it.

The damping of the others' tasks was tried: with 0, 1e-6 and 1e-2 in place of 1e-3 their errors on the
arms' circles and figures of eight are the same to three digits.
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
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np
from scipy.spatial.transform import Rotation

import report
import tables
from machine import progress, surroundings
from peers.common import version_of
from tracking_peers import PEERS, Session, available
from tracking_scenes import DT, VELOCITY, Scene, scenes

SCRIPT = "benchmarks/tracking.py"
DOCUMENT = HERE.parent / "docs" / "tracking.md"
ROBOTS = ("panda", "ur5e", "g1")
OUTSIDE = 1e-4  # [rad, and part of the velocity] beyond a limit that counts: more than a QP's tolerance
TURNS, PASSES, SECONDS = 5, 8, 0.5  # for the clock: in turns, so many passes in each, or until time is up


@dataclass(frozen=True)
class Result:
    """One method on one path."""

    scene: Scene
    peer: Any
    metres: np.ndarray  # [steps] largest error of position
    radians: np.ndarray  # and of rotation
    outside: int  # steps beyond a limit of position or velocity
    failed: int  # steps without an answer
    travel: float  # [rad] of all joints
    microseconds: float  # of a step


def measured(scene: Scene, peers: Sequence[Any]) -> list[Result]:
    """All methods on one path."""
    sessions = [peer.open(scene.body) for peer in peers]
    prepared = [[session.prepare(wanted) for wanted in scene.path] for session in sessions]
    judged = [followed(*each, scene) for each in zip(sessions, prepared, strict=True)]
    times = np.full(len(peers), np.inf)
    for _ in range(TURNS):
        for k, session in enumerate(sessions):
            times[k] = min(times[k], timed(session, scene, prepared[k]))
    return [
        result_of(scene, peer, *found, float(time))
        for peer, found, time in zip(peers, judged, times, strict=True)
    ]


def result_of(
    scene: Scene, peer: Any, configurations: Sequence[np.ndarray], failed: int, microseconds: float
) -> Result:
    """The judgement."""
    body = scene.body
    arrived = np.array(configurations[1:])
    apart = [errors(body.poses(q), wanted) for q, wanted in zip(arrived, scene.path, strict=True)]
    moves = np.abs(np.diff([q[body.base_size :] for q in configurations], axis=0))
    is_outside = (arrived < body.lower - OUTSIDE) | (arrived > body.upper + OUTSIDE)
    is_too_fast = (moves > VELOCITY * DT * (1.0 + OUTSIDE)).any(axis=1)
    outside = int((is_outside.any(axis=1) | is_too_fast).sum())
    metres, radians = np.array(apart).T
    return Result(scene, peer, metres, radians, outside, failed, float(moves.sum()), microseconds)


def followed(session: Session, prepared: Sequence[Any], scene: Scene) -> tuple[list[np.ndarray], int]:
    """The configurations from the start on, and how many steps have failed."""
    session.place(scene.start)
    configurations, failed = [scene.start], 0
    for targets in prepared:
        try:
            session.step(targets)
        except Exception as problem:  # whatever a package raises where its QP has no solution
            failed += 1
            if failed == 1:
                progress(f"  a step has failed: {problem}")
        configurations.append(np.array(session.configuration()))
    return configurations, failed


def errors(poses: np.ndarray, wanted: np.ndarray) -> tuple[float, float]:
    """The largest distance [m] and angle [rad] between poses [frames, 4, 4]."""
    metres = np.linalg.norm(poses[:, :3, 3] - wanted[:, :3, 3], axis=1)
    turns = np.swapaxes(poses[:, :3, :3], 1, 2) @ wanted[:, :3, :3]
    return float(metres.max()), float(Rotation.from_matrix(turns).magnitude().max())


def timed(session: Session, scene: Scene, prepared: Sequence[Any]) -> float:
    """The least mean time of a step [us] over several passes."""
    best, ends = np.inf, perf_counter() + SECONDS
    for k in range(PASSES):
        session.place(scene.start)
        began = perf_counter()
        try:
            for targets in prepared:
                session.step(targets)
        except Exception:
            return float("nan")
        best = min(best, (perf_counter() - began) / len(prepared))
        if k > 1 and perf_counter() > ends:
            break
    return 1e6 * best


def table_of(results: Sequence[Result]) -> str:
    header = [
        "path", "method", "position error rms [mm]", "largest", "at the end", "rotation error rms [mrad]",
        "joint travel [rad]", "steps outside limits", "failed", "us per step", "over limbik",
    ]  # fmt: skip
    lines = []
    for result in results:
        own = next((r for r in results if r.scene is result.scene and r.peer.name == "limbik"), None)
        ratio = None if own is None or own is result else result.microseconds / own.microseconds
        rms = [float(np.sqrt(np.mean(np.square(each)))) for each in (result.metres, result.radians)]
        lines.append(
            [
                result.scene.name,
                result.peer.name,
                _small(1e3 * rms[0]),
                _small(1e3 * float(result.metres.max())),
                _small(1e3 * float(result.metres[-1])),
                _small(1e3 * rms[1]),
                tables.number(result.travel),
                str(result.outside),
                str(result.failed),
                tables.number(result.microseconds),
                tables.times(ratio),
            ]
        )
    return report.table(header, lines)


def _small(value: float) -> str:
    return f"{value:.1e}" if value < 0.01 else tables.number(value)


def findings(results: Sequence[Result]) -> str:
    """The least ratio of times over all paths, for each robot and method."""
    lines = {}
    for robot in dict.fromkeys(result.scene.body.name for result in results):
        here = [result for result in results if result.scene.body.name == robot]
        own = {result.scene.name: result for result in here if result.peer.name == "limbik"}
        parts = []
        for name in dict.fromkeys(result.peer.name for result in here if result.peer.name != "limbik"):
            ratios = [r.microseconds / own[r.scene.name].microseconds for r in here if r.peer.name == name]
            parts.append(f"{name} {min(ratios):.0f} to {max(ratios):.0f} times as long")
        lines[robot] = (
            "; ".join(parts) + f"; limbik outside limits in {sum(r.outside for r in own.values())} steps"
        )
    return tables.facts(lines)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--robots", default=",".join(ROBOTS), help=f"comma-separated, of: {', '.join(ROBOTS)}"
    )
    parser.add_argument("--peers", default=",".join(PEERS), help=f"comma-separated, of: {', '.join(PEERS)}")
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    options = parser.parse_args(argv)
    logging.disable(logging.WARNING)  # of limits missed by rounding
    peers, missing = available(options.peers.split(","))
    for package in missing:
        progress(f"{package.name} is missing: {package.command}")
    results = []
    for scene in scenes(options.robots.split(",")):
        progress(f"{scene.body.name}: {scene.name}")
        results += measured(scene, peers)
    names = dict.fromkeys(result.scene.body.name for result in results)
    built = {name: table_of([r for r in results if r.scene.body.name == name]) for name in names}
    built["findings"] = findings(results)
    built["machine"] = tables.facts(
        {
            **surroundings(),
            "Python": f"{platform.python_version()}, numpy {np.__version__}, pinocchio {version_of('pin')}",
            "methods": ", ".join(f"{peer.name} {peer.version}" for peer in peers),
            **{peer.name: peer.note for peer in peers},
        }
    )
    if options.write and (missing or set(names) != set(ROBOTS)):
        raise SystemExit("nothing stored: --write needs all robots and methods")
    report.publish(DOCUMENT, SCRIPT, built, options.write)


if __name__ == "__main__":
    main()
