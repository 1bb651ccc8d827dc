"""limbik beside mink and Pink on a whole humanoid: two hands, two feet and the centre of mass, in one run.

    python benchmarks/whole_body.py                              print everything, about five minutes
    python benchmarks/whole_body.py --write                      and store the tables in docs/benchmarks.md
    python benchmarks/whole_body.py --kinds near --peers limbik,mink --problems 200

The robot is a Unitree G1: 29 joints and a floating pelvis. A problem wants the poses of both hands and both
feet and the place of the centre of mass as they are in a random configuration, from a start that is drawn
independently in the same way. In both, the pelvis is within 0.2 m and 0.3 rad of its place when standing; the
joints are near (0.3 of half of their ranges to either side of standing), far (0.5) or anywhere within the
limits. mink and Pink give one differential step; the loop around them stands in `whole_body_peers/loop.py`
with what was tried to make them quick. All get the same problems, called from Python one by one in turns of
50, twice, and the faster turn counts. Every answer is judged by pinocchio's kinematics and centre of mass and
the limits, never by what the method says of itself.
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
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import global_tables
import report
import tables
import whole_body_peers
from global_race import WARMING, Problem, Row, race
from humanoid import Humanoid, MissingRobot, opened
from machine import progress, surroundings
from whole_body_peers.common import Missing, Peer, Tolerance, require, version_of

SCRIPT = "benchmarks/whole_body.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
KINDS = {"near": 0.3, "far": 0.5, "anywhere": None}  # of postures; see `Humanoid.share`
TOLERANCES: tuple[Tolerance, ...] = ((1e-6, 1e-6), (1e-4, 1e-3))  # [m], [rad]
PASSES = 2  # of which the faster counts

Races = dict[tuple[str, Tolerance], list[Row]]  # by kind of postures and tolerance


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"comma-separated, of: {', '.join(KINDS)}")
    parser.add_argument("--peers", default="", help="comma-separated: limbik, mink, pink (default: all)")
    parser.add_argument("--problems", type=int, default=2000, help="per kind (default 2000)")
    parser.add_argument("--slow-problems", type=int, default=500, help="where time is up (default 500)")
    parser.add_argument("--seconds", type=float, default=10.0, help="per method and list (default 10)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    options = parser.parse_args(argv)
    options.kinds = _known(parser, "kinds", options.kinds, KINDS)
    options.peers = _known(parser, "peers", options.peers or "limbik,mink,pink", ("limbik", "mink", "pink"))
    if options.write and (len(options.kinds) < len(KINDS) or len(options.peers) < 3):
        parser.error("--write needs the whole run: leave out --kinds and --peers")
    return options


def _known(parser: argparse.ArgumentParser, name: str, text: str, known: Any) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    unknown = [word for word in words if word not in known]
    if unknown or not words:
        parser.error(f"--{name}: {', '.join(unknown) or 'none'}; there are: {', '.join(known)}")
    return words


def problems(robot: Humanoid, count: int, seed: int) -> list[Problem]:
    """Poses and centres of mass of random configurations, and starts drawn in the same way."""
    label = zlib.crc32(robot.name.encode())
    wanted, starts = (np.random.default_rng([seed, label, stream]) for stream in (0, 1))
    return [Problem(pose=robot.pose(robot.random(wanted)), start=robot.random(starts)) for _ in range(count)]


def measured_races(robot: Humanoid, peers: Sequence[Peer], options: argparse.Namespace) -> Races:
    """The same problems at every tolerance."""
    listed, others = (
        problems(robot, count, seed)
        for count, seed in ((options.problems, options.seed), (WARMING, options.seed + 1))
    )
    found: Races = {}
    for tolerance in TOLERANCES:
        progress(f"{robot.name}, {tolerance[0]:g} m, {tolerance[1]:g} rad")
        for peer in peers:
            peer.tolerance = tolerance
        found[robot.name, tolerance] = race(
            robot,  # type: ignore[arg-type]  # has all that a race asks of a robot
            "global",
            listed,
            others,
            peers,  # type: ignore[arg-type]
            passes=PASSES,
            slow_problems=options.slow_problems,
            seconds=options.seconds,
        )
        for row in found[robot.name, tolerance]:
            if row.failure:
                progress(f"  {row.peer.name} takes no part: {row.failure}")
    return found


def races_table(races: Races) -> str:
    """One line per kind of postures, tolerance and method."""
    header = [
        "postures, tolerance",
        "method",
        "problems",
        "success %",
        "false claims",
        "outside limits",
        "us per call mean",
        "median",
        "p99",
        "over limbik mean",
        "median",
    ]
    lines = []
    for (kind, tolerance), rows in races.items():
        own = global_tables.limbik_row(rows)
        for row in (row for row in rows if row.count):
            lines.append(
                [
                    f"{kind}, {tolerance[0]:g} m, {tolerance[1]:g} rad",
                    row.peer.name,
                    f"{row.count:,}",
                    tables.percent(solved(row, tolerance)),
                    str(row.false_claims),
                    str(row.outside),
                    tables.number(row.mean()),
                    tables.number(row.quantile(0.5)),
                    tables.number(row.quantile(0.99)),
                    tables.times(global_tables.over(row, own)),
                    tables.times(global_tables.over(row, own, np.median)),
                ]
            )
    return report.table(header, lines)


def solved(row: Row, tolerance: Tolerance) -> list[bool]:
    """Which answers the judge finds within the limits and at the level that was asked for."""
    return row.fine if tolerance == TOLERANCES[0] else row.coarse


def machine(options: argparse.Namespace, peers: Sequence[Peer], missing: Sequence[Missing]) -> str:
    """Where, when and with what the numbers were measured."""
    others = ("pin", "mujoco", "qpsolvers", "daqp", "example-robot-data")
    pairs = {
        **surroundings(),
        "Python": f"{platform.python_version()}, numpy {np.__version__}, numba {version_of('numba')}",
        "methods": ", ".join(f"{peer.name} {peer.version}" for peer in peers),
        "with": ", ".join(f"{name} {version_of(name)}" for name in others),
        "problems": f"{options.problems} of each kind, seed {options.seed}; a method that has solved for "
        f"{options.seconds:g} s stops after the first {options.slow_problems} or where it is",
        "times": f"of whole calls from Python; turns of 50 problems after {WARMING} others not timed, the "
        f"faster of {PASSES} passes over the whole list (one pass for a method that had to stop)",
    }
    if missing:
        pairs["missing packages"] = "; ".join(f"{m.name} ({m.command})" for m in missing)
    return tables.facts(pairs)


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(argv)
    began = time.perf_counter()
    logging.getLogger("mink").setLevel(logging.ERROR)  # it warns of limits missed by rounding
    try:
        require("pinocchio", "pip install pin")
        robots = opened({kind: KINDS[kind] for kind in options.kinds})
    except (Missing, MissingRobot) as reason:
        raise SystemExit(f"the humanoid and the judge of its answers need: {reason}") from None
    found, missing = whole_body_peers.available()
    peers = [peer for peer in found if peer.name in options.peers]
    for package in missing:
        progress(f"{package.name} is missing: {package.command}")
    races: Races = {}
    for robot in robots:
        races |= measured_races(robot, peers, options)
    built = {
        "settings": tables.facts({peer.name: peer.note for peer in peers}),
        "races": races_table(races),
        "machine": machine(options, peers, missing),
    }
    for name, text in built.items():
        print(f"\n## {name}\n\n{text}", flush=True)
    if options.write:
        failed = [row.peer.name for rows in races.values() for row in rows if not row.count]
        if failed or missing:
            raise SystemExit(f"nothing stored: {sorted({*failed, *(m.name for m in missing)})} took no part")
        report.write(DOCUMENT, SCRIPT, built)
    progress(f"done in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
