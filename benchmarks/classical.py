"""The classical solvers against each other, against other packages and against a plain C++ loop, in one run.

    python benchmarks/classical.py                   print everything
    python benchmarks/classical.py --write           and store the tables in docs/benchmarks.md
    python benchmarks/classical.py --quick --only limbik

All methods get the same problems in the same order and take turns. Every answer is judged by kinematics of
our own (`arms.py`), never by what the method says of itself.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # small matrices: threads only cost the NumPy peers time

import argparse
import datetime
import json
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import findings
import peers
import report
import tables
from arms import Arm, ball, planar
from kernel_baseline import baseline
from machine import processor, progress
from measure import Row, iteration_cost, open_session, race
from peers.common import Missing, Peer, version_of
from problems import Problem, out_of_reach, reachable
from results import TOLERANCES, OutOfReach, Results

SCRIPT = "benchmarks/classical.py"
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
LIMIT = np.pi / 3.0  # [rad]
SIZES = (5, 10, 20, 50, 100)
OUT_ARMS = ("ball-10", "planar-10", "planar-50")
TRACED, TRACE = 8, 400  # traces out of reach, and their iterations
FRAMES, PER_FRAME = 60, 16  # a playground-like session out of reach


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="few problems, arms of ten joints only")
    parser.add_argument(
        "--only",
        default="",
        help="comma-separated: methods by the start of their name (limbik, numpy) and arms (ball-10)",
    )
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    parser.add_argument("--json", type=Path, help="store the numbers in this file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--problems", type=int, help="reachable targets per arm (default 1000, quick 40)")
    parser.add_argument("--seconds", type=float, help="of solving per method and list (default 1, quick 0.2)")
    options = parser.parse_args(argv)
    options.problems = options.problems or (40 if options.quick else 1000)
    options.seconds = options.seconds or (0.2 if options.quick else 1.0)
    if options.write and (options.quick or options.only):
        parser.error("--write needs the whole run: leave out --quick and --only")
    return options


def chosen(options: argparse.Namespace) -> tuple[list[Arm], list[Peer], list[Missing]]:
    """Arms, methods and missing packages that the options ask for."""
    arms = [ball(), *(planar(n) for n in ((10,) if options.quick else SIZES))]
    words = [w.strip() for w in options.only.split(",") if w.strip()]
    arm_words = [w for w in words if any(arm.name == w for arm in arms)]
    method_words = [w for w in words if w not in arm_words]
    arms = [arm for arm in arms if not arm_words or arm.name in arm_words]
    found, missing = peers.available()
    if options.write and missing:  # the tables would lose them without a word
        raise SystemExit("--write needs every peer: " + "; ".join(each.command for each in missing))
    kept = [p for p in found if not method_words or any(p.name.startswith(w) for w in method_words)]
    if not kept:
        raise SystemExit(
            f"no method is called {', '.join(method_words)}; there are: {', '.join(p.name for p in found)}"
        )
    return arms, kept, missing


def measure_solves(
    arms: Sequence[Arm], methods: Sequence[Peer], lists: dict[Any, list[Problem]], seconds: float
) -> Results:
    results = Results()
    for arm in arms:
        results.reaches[arm.name] = arm.reach
        for tolerance in TOLERANCES:
            progress(f"{findings.place(arm, tolerance)}")
            rows = race(arm, lists[arm.name, arm.limit], methods, tolerance * arm.reach, seconds)
            for row in (row for row in rows if row.failure):
                progress(f"{row.peer.name} failed: {row.failure}")
            results.solves[arm.name, arm.limit, tolerance] = rows
    return results


def measure_iterations(
    results: Results,
    arms: Sequence[Arm],
    methods: Sequence[Peer],
    lists: dict[Any, list[Problem]],
    quick: bool,
) -> None:
    """Kernel time per iteration of limbik's solvers, and of the C++ loop on the same problems."""
    count, repeats = (10, 3) if quick else (60, 9)
    for arm in arms:
        problems = lists[arm.name, arm.limit]
        progress(f"{findings.place(arm)}, time per iteration")
        for peer in methods:
            if not peer.name.startswith("limbik"):
                continue
            session = peer.open(arm, 1e-6 * arm.reach)
            if session is not None:
                cost = iteration_cost(session, problems[:count], repeats)
                results.iteration_costs[arm.name, arm.limit, peer.name] = cost
        if arm.limit is None:
            try:
                results.baseline[arm.name] = baseline.run(arm, problems[: 10 * count])
            except baseline.NoCompiler as reason:
                progress(f"no C++ baseline: {reason}")


def measure_out_of_reach(
    results: Results, arms: Sequence[Arm], methods: Sequence[Peer], options: argparse.Namespace
) -> None:
    count = 8 if options.quick else 60
    for arm in arms:
        progress(f"{findings.place(arm)}, out of reach")
        problems = out_of_reach(arm, count, options.seed)
        outcomes = []
        for peer in methods:
            row = Row(peer)
            session = open_session(row, arm, 1e-3 * arm.reach)
            if row.failure:
                progress(f"{peer.name} failed: {row.failure}")
            if session is not None:
                outcomes.append(one_out_of_reach(peer, session, arm, problems, options.seconds))
        results.out_of_reach[arm.name, arm.limit] = outcomes


def one_out_of_reach(
    peer: Peer, session: Any, arm: Arm, problems: Sequence[Problem], seconds: float
) -> OutOfReach:
    row = race(arm, problems, [Opened(peer, session)], 1e-3 * arm.reach, seconds)[0]
    excess = [(e - p.optimum) / arm.reach for e, p in zip(row.errors, problems, strict=False)]
    traced = problems[:TRACED]
    unsettled = rise = frames = None
    if hasattr(session, "trace"):
        traces = [session.trace(p, TRACE) for p in traced]
        unsettled = max(spread(errors, TRACE, arm) for errors in traces)
        rise = max(float(np.max(errors - np.minimum.accumulate(errors))) for errors in traces) / arm.reach
    if hasattr(session, "follow"):
        frames = max(spread(session.follow(p, FRAMES, PER_FRAME), FRAMES, arm) for p in traced)
    return OutOfReach(
        name=peer.name,
        count=len(row.seconds),
        excess=max(excess),
        excess_median=statistics.median(excess),
        unsettled=unsettled,
        rise=rise,
        frames_unsettled=frames,
        median_us=row.median_us,
        false_claims=sum(bool(a.claims_success) for a in row.answers),
    )


class Opened(Peer):
    """A peer whose session is there already."""

    def __init__(self, peer: Peer, session: Any) -> None:
        self.name, self.method, self.version = peer.name, peer.method, peer.version
        self.may_hang = peer.may_hang
        self.session = session

    def open(self, arm: Arm, tolerance: float) -> Any:
        return self.session


def spread(errors: np.ndarray, length: int, arm: Arm) -> float:
    """Largest minus smallest error over the last quarter of `length`, as a fraction of the reach.

    A trace that ended earlier stays where it ended; errors that are no distances of this scene give 1e9.
    """
    whole = np.append(errors, np.full(max(0, length - len(errors)), errors[-1]))
    if not np.all(np.isfinite(errors)) or np.max(errors) > 10.0 * arm.reach or np.min(errors) < 0.0:
        return 1e9
    last = whole[-(length // 4) :]
    return float(last.max() - last.min()) / arm.reach


def machine(options: argparse.Namespace, methods: Sequence[Peer], missing: Sequence[Missing]) -> str:
    """Where, when and with what the numbers were measured."""
    versions = {}
    for peer in methods:
        versions.setdefault(peer.name.split()[0], peer.version)
    pairs = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()}",
        "Python": f"{platform.python_version()}, numpy {np.__version__}, numba {version_of('numba')}",
        "methods": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "C++": compiler(),
        "problems": f"{options.problems} reachable per arm, seed {options.seed}; "
        f"a slow method solves the first of them, {options.seconds:g} s per list",
    }
    if missing:
        pairs["missing"] = "; ".join(f"{m.name} ({m.command})" for m in missing)
    return tables.facts(pairs)


def compiler() -> str:
    try:
        baseline.program()
        return baseline.version()
    except baseline.NoCompiler as reason:
        return f"no baseline ({reason})"


def all_tables(results: Results, arms: Sequence[Arm], methods: Sequence[Peer]) -> dict[str, str]:
    """Every table of the run by its name in the document."""
    free = [arm for arm in arms if arm.limit is None]
    limited = [arm for arm in arms if arm.limit is not None]
    built = {}
    for arm in (a for a in arms if a.size == 10):
        built[f"solve-{arm.name}" + ("-limits" if arm.limit else "")] = tables.solve_table(results, arm)
    for suffix, group in (("", free), ("-limits", limited)):
        plane = [arm for arm in group if arm.planar]
        if len(plane) > 1:
            for tolerance, label in zip(TOLERANCES, ("1e-3", "1e-6"), strict=True):
                built[f"success-{label}{suffix}"] = tables.growth_table(results, plane, "success", tolerance)
                built[f"time-{label}{suffix}"] = tables.growth_table(results, plane, "median", tolerance)
    names = [p.name for p in methods if p.name.startswith("limbik") and p.method != "auto"]
    plane = [arm for arm in free if arm.planar]
    if len(plane) > 1 and names:
        built["iteration"] = tables.iteration_table(results, plane, names)
    if results.baseline and names:
        built["kernel"] = tables.kernel_table(results, [a for a in free if a.size == 10])
    out_arms = [arm for arm in arms if arm.name in OUT_ARMS]
    for what in ("excess", "rise", "unsettled", "frames_unsettled", "median_us"):
        if out_arms:
            built[f"out-{what.replace('_', '-')}"] = tables.out_table(results, out_arms, what)
    return built


def all_findings(results: Results, arms: Sequence[Arm], lists: dict[Any, list[Problem]]) -> str:
    free = [arm for arm in arms if arm.limit is None]
    plane = [arm for arm in free if arm.planar]
    sections = {
        "Slower than a peer": findings.slower(results, arms),
        "Missed": findings.missed(results, arms, lists),
        "Not linear in the number of links": findings.growth(results, plane),
        "Kernels slower than 1.3x the C++ loop": findings.kernels(results, free),
        "Out of reach": findings.out_of_reach(results, arms),
    }
    return "\n\n".join(
        f"{title}: none." if not lines else f"{title}:\n\n" + "\n".join(f"- {line}" for line in lines)
        for title, lines in sections.items()
    )


def main(argv: Sequence[str] | None = None) -> None:
    options = arguments(argv)
    began = time.perf_counter()
    shapes, methods, missing = chosen(options)
    arms = [shape.limited(limit) for shape in shapes for limit in (None, LIMIT)]
    for package in missing:
        progress(f"{package.name} is missing: {package.command}")
    lists = {(arm.name, arm.limit): reachable(arm, options.problems, options.seed) for arm in arms}
    results = measure_solves(arms, methods, lists, options.seconds)
    measure_iterations(
        results, [a for a in arms if a.limit is None or a.size == 10], methods, lists, options.quick
    )
    out_arms = [arm for arm in arms if arm.name in OUT_ARMS]
    measure_out_of_reach(results, out_arms, methods, options)
    written = {"machine": machine(options, methods, missing), **all_tables(results, arms, methods)}
    written["findings"] = all_findings(results, arms, lists)
    for name, text in written.items():
        print(f"\n## {name}\n\n{text}")
    print(f"\n{time.perf_counter() - began:.0f} s")
    if options.json:
        options.json.write_text(json.dumps(results.as_json(), indent=1) + "\n")
    if options.write:
        report.write(DOCUMENT, SCRIPT, written)


if __name__ == "__main__":
    main()
