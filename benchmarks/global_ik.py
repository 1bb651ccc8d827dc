"""limbik beside other packages on whole poses of well-known robots: time, success, truthfulness, in one run.

    python benchmarks/global_ik.py                              print everything
    python benchmarks/global_ik.py --write                      and store the tables in docs/benchmarks.md
    python benchmarks/global_ik.py --robots panda,ur5e --peers limbik,ssik --problems 200

Problems are poses of random configurations within the limits. In global mode a method gets a random start
(limbik gets none), in tracking mode one within 0.1 rad of a solution. All methods get the same problems,
called from Python one by one, in turns of 50 problems; the list is gone through twice, far apart, and the
faster turn counts. Every answer is judged by pinocchio's kinematics and the limits, never by what the method
says of itself. How each package is set up stands in its file in `global_peers/`; what is not installed is
named and left out.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # small matrices: threads only cost time

import argparse
import json
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import global_batch
import global_peers
import global_tables
import report
import startup
import tables
from global_peers.common import Missing, Peer, require, version_of
from global_race import MODES, WARMING, Row, problems, race
from machine import progress, surroundings
from robots import NAMES, MissingRobot, Robot, open_robot

SCRIPT = "benchmarks/global_ik.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--robots", default="", help=f"comma-separated, of: {', '.join(NAMES)}")
    parser.add_argument("--peers", default="", help="comma-separated: methods by the start of their name")
    parser.add_argument("--problems", type=int, default=2000, help="per robot and mode (default 2000)")
    parser.add_argument("--slow-problems", type=int, default=200, help="for slow methods (default 200)")
    parser.add_argument("--passes", type=int, default=2, help="of which the faster counts (default 2)")
    parser.add_argument("--seconds", type=float, default=15.0, help="per method and list, then it is slow")
    parser.add_argument("--modes", default=",".join(MODES), help="global, tracking or both (default)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-races", action="store_true", help="no batches, no start-up")
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    parser.add_argument("--json", type=Path, help="store the numbers in this file")
    options = parser.parse_args(argv)
    for name, known in (("robots", NAMES), ("modes", MODES)):
        words = _words(getattr(options, name)) or list(known)
        unknown = [word for word in words if word not in known]
        if unknown:
            parser.error(f"--{name}: {', '.join(unknown)}; there are: {', '.join(known)}")
        setattr(options, name, words)
    is_part = options.peers or set(options.robots) != set(NAMES) or set(options.modes) != set(MODES)
    if options.write and (is_part or options.only_races):
        parser.error("--write needs the whole run: leave out --robots, --peers, --modes and --only-races")
    return options


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def chosen_peers(options: argparse.Namespace) -> tuple[list[Peer], list[Missing]]:
    """Methods that the options ask for and that can run here, and missing packages."""
    found, missing = global_peers.available()
    words = _words(options.peers)
    kept = [peer for peer in found if not words or any(peer.name.startswith(word) for word in words)]
    if not kept:
        raise SystemExit(
            f"no method is called {options.peers}; there are: {', '.join(peer.name for peer in found)}"
        )
    return kept, missing


def opened(names: Sequence[str]) -> tuple[list[Robot], dict[str, str]]:
    """Robots with all their forms checked, and why others are missing."""
    robots, missing = [], {}
    for name in names:
        try:
            robots.append(open_robot(name))
        except MissingRobot as reason:
            missing[name] = str(reason)
            progress(f"{name} is missing: {reason}")
    return robots, missing


def measured_race(robot: Robot, mode: str, peers: Sequence[Peer], options: argparse.Namespace) -> list[Row]:
    progress(f"{robot.name}, {mode}")
    rows = race(
        robot,
        mode,
        problems(robot, mode, options.problems, options.seed),
        problems(robot, mode, WARMING, options.seed + 1),
        peers,
        passes=options.passes,
        slow_problems=options.slow_problems,
        seconds=options.seconds,
    )
    for row in (row for row in rows if row.failure):
        progress(f"  {row.peer.name} takes no part: {row.failure}")
    return rows


def machine(
    options: argparse.Namespace, peers: Sequence[Peer], missing: Sequence[Missing], absent: dict[str, str]
) -> str:
    """Where, when and with what the numbers were measured."""
    versions = {}
    for peer in peers:
        versions.setdefault(peer.name.split()[0], peer.version)
    numbers = f"numpy {np.__version__}, numba {version_of('numba')}, pinocchio {version_of('pin')}"
    pairs = {
        **surroundings(),
        "Python": f"{platform.python_version()}, {numbers}",
        "methods": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "problems": f"{options.problems} per robot and mode, seed {options.seed}; a slow method, or one that "
        f"has solved for {options.seconds:g} s, stops after the first {options.slow_problems}",
        "times": f"of whole calls from Python; turns of 50 problems after {WARMING} others not timed, the "
        f"faster of {options.passes} passes over the whole list (slow methods: one pass)",
    }
    if missing:
        pairs["missing packages"] = "; ".join(f"{m.name} ({m.command})" for m in missing)
    if absent:
        pairs["missing robots"] = "; ".join(f"{name} ({reason})" for name, reason in absent.items())
    return tables.facts(pairs)


def settings(peers: Sequence[Peer]) -> str:
    return tables.facts({peer.name: peer.note for peer in peers})


def as_json(rows: dict[tuple[str, str], list[Row]]) -> list[dict[str, Any]]:
    return [
        {
            "robot": robot,
            "mode": mode,
            "method": row.peer.name,
            "problems": row.count,
            "coarse": float(np.mean(row.coarse)),
            "fine": row.success(),
            "false_claims": row.false_claims,
            "outside": row.outside,
            "mean_us": row.mean(),
            "median_us": row.quantile(0.5),
            "p99_us": row.quantile(0.99),
        }
        for (robot, mode), found in rows.items()
        for row in found
        if row.count
    ]


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(argv)
    began = time.perf_counter()
    try:
        require("pinocchio", "pip install pin")
    except Missing as reason:
        raise SystemExit(f"{reason.name} judges every answer: {reason}") from None
    peers, missing = chosen_peers(options)
    for package in missing:
        progress(f"{package.name} is missing: {package.command}")
    robots, absent = opened(options.robots)
    built: dict[str, str] = {}

    def show(name: str, text: str) -> None:
        built[name] = text
        print(f"\n## {name}\n\n{text}", flush=True)

    show("settings", settings(peers))
    show("robots", global_tables.robots_list(robots))
    rows: dict[tuple[str, str], list[Row]] = {}
    for robot in robots:
        for mode in options.modes:
            rows[robot.name, mode] = found = measured_race(robot, mode, peers, options)
            show(f"{mode}-{robot.name}", global_tables.race_table(found))
    for mode in options.modes:
        show(f"summary-{mode}", global_tables.summary_table(rows, mode))
    show("absent", global_tables.absent_list(rows))
    if options.json:
        options.json.write_text(json.dumps(as_json(rows), indent=1), encoding="utf-8")
    if not options.only_races and any(peer.name == "limbik" for peer in peers):
        show("batch", global_batch.batch_table(robots, options.problems, options.seed))
        show("startup", startup.startup_table())
    show("machine", machine(options, peers, missing, absent))
    if options.write:
        failed = sorted(place for place, found in rows.items() if global_tables.limbik_row(found) is None)
        if failed or absent:
            raise SystemExit(f"nothing stored: no limbik on {failed}, no robots {sorted(absent)}")
        report.write(DOCUMENT, SCRIPT, built)
    progress(f"done in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
