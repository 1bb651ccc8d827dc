"""Where the time of the fast core goes: the parts of a single solve, and of a problem in a batch.

    python benchmarks/parts.py               print the tables
    python benchmarks/parts.py --write       and store them in docs/performance.md

Each part is timed by itself, many times over, and the fastest run counts. What processor and compiler can do
at best is measured by straight-line code that only multiplies and adds, rows of lanes side by side.
"""

# ruff: noqa: E402  (limbik may be a checkout that is not installed)

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import llvmlite.binding as llvm
import numpy as np

import limbik
import report
from limbik.compiler import native
from limbik.compiler.call import Call
from limbik.compiler.emit import Emitted, Numbers
from limbik.goals import Pose
from limbik.serial import batch, kernels, programs
from limbik.serial.lanes import ANYWHERE, FROM_START, HEADER
from limbik.serial.layout import Layout
from limbik.solvers.plans import plan_for
from limbik.solvers.serial_plan import SerialPlan, aligned
from machine import surroundings
from machine_code import looped
from operations import operations
from tables import facts, number

SCRIPT = "benchmarks/parts.py"
DOCUMENT = HERE.parent / "docs" / "performance.md"
ROBOT = "panda"
PROBLEMS = 2000
RUNS = 60
# Rows of the code that only multiplies and adds: as many as 16 registers hold, of two to a row, or 32.
CHAINS = 6, 12
LINKS = 100  # how often each does


def fastest(run: Callable[[], Any], count: int) -> float:
    """Nanoseconds of the fastest of many runs, over `count`."""
    best = np.inf
    for _ in range(RUNS):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return 1e9 * best / count


def single(model: Any, plan: SerialPlan, poses: np.ndarray, starts: np.ndarray) -> str:
    """The parts of a call of `model.solve(pose)`."""
    native.compile_now(plan.program)
    solve_one, work = native.compiled(plan.program), plan._any_work()
    targets, begins = [pose.tobytes() for pose in poses], [start.tobytes() for start in starts]

    def kernel(mode: int, **settings: float) -> float:
        numbers = plan.numbers(mode == FROM_START, restarts=10**9)
        for name, value in settings.items():
            numbers[plan.offsets[name]] = value
        places = numbers.ctypes.data, plan.table.ctypes.data

        def run() -> None:
            for target, begin in zip(targets, begins, strict=True):
                solve_one(*places, target, begin, mode, work.address)

        return fastest(run, len(targets))

    def calls(named: Sequence[dict[str, Any]]) -> float:
        def run() -> None:
            for pose, options in zip(poses, named, strict=True):
                model.solve(pose, **options)

        return fastest(run, len(poses))

    def nothing() -> None:
        for _ in zip(targets, begins, strict=True):
            pass

    rows = []
    modes = (("from anywhere", ANYWHERE, [{}] * len(poses)), ("from 0.1 rad away", FROM_START, None))
    for name, mode, named in modes:
        named = named or [{"start": start} for start in starts]
        iterations = float(
            np.mean([model.solve(p, **o).iterations for p, o in zip(poses, named, strict=True)])
        )
        call, whole, ends = calls(named), kernel(mode), kernel(mode, SET_BUDGET=0)
        rows.append(
            [
                name,
                number(call),
                number(call - whole),
                number(ends - fastest(nothing, len(targets))),
                number(iterations),
                number((whole - ends) / iterations),
            ]
        )
    header = [
        "`model.solve`, ns",
        "a call",
        "Python",
        "entry, goal, seeds, answer",
        "iterations",
        "each iteration, its checks and the look ahead",
    ]
    return report.table(header, rows)


def many(plan: SerialPlan, poses: np.ndarray, is_single: bool) -> list[str]:
    """The parts of one problem of a batch, on one thread."""
    width, kind = kernels.WIDTHS[is_single], np.dtype(np.float32 if is_single else np.float64)
    program = programs.many_problems(plan.shape, is_single)
    native.compile_now(program)
    size = batch.working_offsets(plan.shape.n, Layout(plan.shape).rows, width)["WORK_SIZE"]
    work = aligned(size * kind.itemsize // 8 + 1).view(kind)[:size]
    counters = np.zeros(batch.COUNTERS * width, np.int64)
    tolerance = (1e-4 * plan.length, 1e-4) if is_single else None
    numbers = plan.numbers(False, tolerance=tolerance).astype(kind)
    answers = np.zeros((len(poses), HEADER + plan.shape.n))
    given = numbers, plan.table.reshape(-1), poses.reshape(-1), np.zeros(1)
    everything = Call(program, *given, 0, 0, len(poses), answers.reshape(-1), work, counters).run
    everything()
    iterations = float(answers[:, 3].mean())
    costs = []
    for name in ("step", "read_goal", "finish"):
        run = looped(program.functions[name])
        everything()  # so that the numbers are those of problems
        costs.append(fastest(lambda run=run: run(work, numbers, 1000), 1000 * width))
    total = fastest(everything, len(poses))
    by_kind, _ = operations(plan.shape)
    arithmetic = by_kind["+ -"] + by_kind["*"]
    best = multiply_add(width, is_single)
    used = iterations * arithmetic / (2.0 * total * best)  # a multiply-add is two operations
    parts = [iterations * costs[0], *costs[1:]]
    return [
        "single" if is_single else "double",
        number(iterations),
        *(number(part) for part in parts),
        number(total - sum(parts)),
        number(total),
        number(1e3 / total),
        number(best),
        f"{100.0 * used:.0f}",
    ]


def machine() -> str:
    """Where it ran, and how much the processor does at a time."""
    numbers = 8 if llvm.get_host_cpu_features().get("avx512f") else 4
    return facts({
        **surroundings(),
        "Python": f"{platform.python_version()}, limbik {limbik.__version__}, numpy {np.__version__}",
        "registers": f"vectors of {numbers} numbers in double precision",
    })  # fmt: skip


def multiply_add(width: int, is_single: bool) -> float:
    """Multiply-adds per nanosecond that emitted code reaches where nothing else is done."""

    def function(rows: list[Any], constants: list[Any]) -> list[tuple[int, Any]]:
        values = rows
        for _ in range(LINKS):
            values = [value * constants[0] + constants[1] for value in values]
        return list(enumerate(values))

    kind = np.float32 if is_single else np.float64
    constants, rates = np.array([0.5, 0.25], kind), []
    for chains in CHAINS:
        kernel = Emitted(function, inputs=chains, numbers=[Numbers(2)], lanes=width, single=is_single)
        run, block = looped(kernel), aligned(chains * width).view(kind)[: chains * width]
        time = fastest(lambda run=run, block=block: run(block, constants, 1000), 1000)
        rates.append(chains * LINKS * width / time)
    return max(rates)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables; with --write store them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    options = parser.parse_args(argv)
    model, rng = limbik.load(ROBOT), np.random.default_rng(5)
    q = np.array([model.random(rng) for _ in range(PROBLEMS)])
    starts = model.clip(q + rng.uniform(-0.1, 0.1, q.shape))
    poses = np.array([model.pose(each) for each in q])
    plan = plan_for(model, None, Pose, {})
    assert isinstance(plan, SerialPlan)
    header = [
        "a problem of a batch, ns",
        "iterations",
        "steps",
        "goal",
        "answer",
    ]
    header += ["rest", "all", "million per second", "best multiply-adds per ns", "of the best used %"]
    lines = [many(plan, np.tile(poses, (10, 1, 1)), is_single) for is_single in (False, True)]
    tables = {
        "machine": machine(),
        "single": single(model, plan, poses, starts),
        "many": report.table(header, lines),
    }
    report.publish(DOCUMENT, SCRIPT, tables, options.write)


if __name__ == "__main__":
    main()
