"""Many goals at once, in the fast core: lanes on every core, in double or in single precision."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import numpy as np

from limbik.core import batch, native
from limbik.core.lanes import HEADER, SOLVED, UNREACHABLE
from limbik.core.layout import Layout
from limbik.core.programs import WIDTHS, many_problems
from limbik.core.seeds import Shape
from limbik.core.start import MANY_TURNS, ROUNDING
from limbik.errors import ConfigurationError, GoalError, SolverError, is_one_of, shortened
from limbik.goals import Pose
from limbik.model.model import Model, as_model
from limbik.solution import BatchSolution
from limbik.solvers.fast import MOST_ROWS, MOVED, FastPlan, aligned
from limbik.solvers.plan import plan_for
from limbik.solvers.tree_plan import TreePlan
from limbik.spatial import Array, as_numbers, as_poses

PRECISIONS = ("double", "single")
COARSE = 1e-4  # of the arm's size, and [rad]: what single precision is asked for at most
FINISH = 20  # iterations in double precision after single
PIECE = 2048  # problems that a thread takes at a time
WIDTH_INTERPRETED = 256  # lanes while the driver is being compiled
BUDGET_INTERPRETED = 60  # iterations after which a problem waits for it


def solve_batch(
    model: Model,
    poses: Any,
    *,
    start: Any = None,
    frame: str | None = None,
    threads: int | None = None,
    precision: str = "double",
    seed: int = 0,
    **options: Any,
) -> BatchSolution:
    """Configurations that meet many poses, each as `limbik.solve` would find one.

    poses:
        [N, 4, 4] of the frame (default: the end effector).
    start:
        One configuration [nq], or [N, nq]; then every solve stays on the branch of its start where it can.
    threads:
        How many cores to use; None: all of them. The answers do not depend on it.
    precision:
        "single" finds the way in single precision, which is faster, and finishes in double precision. Success
        is checked in double precision either way.

    Further options as in `limbik.solve`: tolerance, tolerance_rotation, iterations, restarts, limits, tool.

    Raises GoalError, ConfigurationError or SolverError where the request has no meaning.
    """
    began = perf_counter()
    model = as_model(model)
    _check(threads, precision, seed)
    for name in ("prefer", "locked", "time_limit", "rest_bias"):
        if options.get(name) is not None:
            raise SolverError(f"solve_batch() does not take `{name}`; use solve() for one goal at a time")
    targets = as_numbers(poses, "`poses`", "an array of shape (N, 4, 4)", GoalError)
    if targets.shape == (0,):
        targets = targets.reshape(0, 4, 4)
    if targets.ndim != 3 or targets.shape[1:] != (4, 4):
        raise GoalError(f"`poses` needs an array of shape (N, 4, 4), found shape {targets.shape}")
    found = plan_for(model, frame, Pose, {**options, "solver": options.get("solver", "lm")})
    plan = None if isinstance(found, TreePlan) else found.fast
    if plan is None:
        raise SolverError(
            f"solve_batch() needs solver 'lm' and a chain of up to {MOST_ROWS} hinges and slides; "
            "use solve() for one goal at a time"
        )
    starts = None if start is None else _starts(model, start, len(targets))
    if len(targets) == 0:
        return BatchSolution(np.empty((0, model.nq)), np.empty((0, HEADER)), perf_counter() - began, "lm")
    job = _Job(plan, targets, threads or os.cpu_count() or 1, seed)
    answers = job.solve(starts, precision == "single")
    job.mend(answers, starts)
    if starts is not None and plan.uses_limits:
        inside = model.clip(starts)
        answers[:, MOVED] = ((np.abs(inside - starts) > ROUNDING) | (np.abs(starts) > MANY_TURNS)).any(axis=1)
    q = plan.whole(answers[:, HEADER:], starts)
    return BatchSolution(q, answers[:, :HEADER], perf_counter() - began, "lm")


def _check(threads: Any, precision: Any, seed: Any) -> None:
    for name, value, least in (("threads", threads, 1), ("seed", seed, 0)):
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least
        if not (is_whole or (value is None and name == "threads")):
            raise SolverError(f"`{name}` needs a whole number of at least {least}, found {shortened(value)}")
    if not is_one_of(precision, PRECISIONS):
        raise SolverError(f'`precision` needs "double" or "single", found {shortened(precision)}')


def _starts(model: Model, start: Any, count: int) -> Array:
    needed = f"{model.nq} numbers (nq), or {count} rows of them"
    starts = as_numbers(start, "`start`", needed, ConfigurationError)
    if starts.shape not in ((model.nq,), (count, model.nq)):
        raise ConfigurationError(f"`start` needs {needed}, found shape {starts.shape}")
    if not np.isfinite(starts).all():
        row = np.atleast_2d(starts)[~np.isfinite(np.atleast_2d(starts)).all(axis=1)][0]
        raise ConfigurationError(f"`start` needs finite numbers, found {row.tolist()}")
    return np.ascontiguousarray(np.broadcast_to(starts, (count, model.nq)))


class _Job:
    """One batch on its way."""

    def __init__(self, plan: FastPlan, targets: Array, threads: int, seed: int) -> None:
        self.plan = plan
        self.targets = np.ascontiguousarray(targets)
        self.threads = threads
        self.seed = seed

    def solve(self, starts: Array | None, is_single: bool) -> Array:
        """Answers [N, HEADER + n] of the rows."""
        rows = None if starts is None else self.plan.rows_of(starts)
        if not is_single or self.plan.options.budget < 2 * FINISH:
            return self._pass(self.plan.numbers(starts is not None, seed=self.seed), rows)
        coarse = COARSE * self.plan.length, COARSE
        numbers = self.plan.numbers(
            starts is not None, seed=self.seed, tolerance=coarse, iterations=self.plan.options.budget - FINISH
        )
        near = self._pass(numbers, rows, is_single=True)
        # Finish in double precision, from where single precision came to.
        begin = np.ascontiguousarray(near[:, HEADER:])
        answers = self._pass(self.plan.numbers(False, restarts=0, iterations=FINISH), begin)
        answers[:, 3:5] += near[:, 3:5]
        left = np.flatnonzero(answers[:, 0] != SOLVED)
        if left.size:
            job = _Job(self.plan, self.targets[left], self.threads, self.seed)
            answers[left] = job.solve(None if starts is None else starts[left], False)
        return answers

    def mend(self, answers: Array, starts: Array | None) -> None:
        """Solve again where a pose was off by rounding, and, one at a time, where a start led nowhere."""
        bad = np.flatnonzero(np.isnan(answers[:, 1]))
        if bad.size:
            self.targets[bad] = as_poses(self.targets[bad], [f"poses[{i}]" for i in bad], error=GoalError)
            job = _Job(self.plan, self.targets[bad], self.threads, self.seed)
            answers[bad] = job.solve(None if starts is None else starts[bad], False)
            for i in bad[np.isnan(answers[bad, 1])]:  # farther away than single precision can say
                self._solve_one(int(i), answers, starts)
        far = answers[:, 0] == UNREACHABLE
        if far.any():
            measured = answers[far]
            self.plan.measure(measured, self.targets[far])
            answers[far] = measured
        if starts is not None and self.plan.options.restarts != 0:
            for i in np.flatnonzero(answers[:, 0] != SOLVED):
                self._solve_one(int(i), answers, starts)

    def _solve_one(self, i: int, answers: Array, starts: Array | None) -> None:
        solution = self.plan.solve(self.targets[i], None if starts is None else starts[i], self.seed)
        answers[i] = self.plan.row_facts(solution)

    def _pass(self, numbers: Array, rows: Array | None, is_single: bool = False) -> Array:
        """One run of the driver over all problems, cut up among the threads."""
        count = len(self.targets)
        answers = np.zeros((count, HEADER + self.plan.shape.n))
        begins = range(0, count, PIECE)
        run = functools.partial(self._piece, numbers, rows, is_single, answers)
        if self.threads == 1 or len(begins) == 1:
            for begin in begins:
                run(begin)
        else:
            with ThreadPoolExecutor(min(self.threads, len(begins))) as pool:
                list(pool.map(run, begins))
        return answers

    def _piece(self, numbers: Array, rows: Array | None, is_single: bool, answers: Array, begin: int) -> None:
        plan, end = self.plan, min(begin + PIECE, len(self.targets))
        name = "many_single" if is_single else "many"
        driver = native.compiled_program(name, plan.shape)
        if driver is None:
            self._piece_interpreted(name, numbers, rows, answers, begin, end)
            return
        width, kind = WIDTHS[is_single], np.dtype(np.float32 if is_single else np.float64)
        work, counters = _work(plan.shape, width, kind), np.zeros(batch.COUNTERS * width, np.int64)
        typed = numbers.astype(kind)
        given = self.targets if rows is None else rows
        driver(
            typed.ctypes.data,
            plan.table.ctypes.data,
            self.targets.ctypes.data,
            given.ctypes.data,
            len(self.targets),
            rows is not None,
            begin,
            end,
            answers.ctypes.data,
            work.ctypes.data,
            counters.ctypes.data,
        )

    def _piece_interpreted(
        self, name: str, numbers: Array, rows: Array | None, answers: Array, begin: int, end: int
    ) -> None:
        """The same by Python; while the driver is being compiled, problems that take long wait for it."""
        plan, is_coming = self.plan, native.is_under_way(name, self.plan.shape)
        if not is_coming:
            _interpret(plan, numbers, self.targets, rows, begin, end, answers)
            return
        short = numbers.copy()
        budget = plan.places["SET_BUDGET"]
        short[budget] = min(short[budget], BUDGET_INTERPRETED)
        _interpret(plan, short, self.targets, rows, begin, end, answers)
        native.start_building()
        is_left = (answers[begin:end, 0] != SOLVED) & (answers[begin:end, 0] != UNREACHABLE)
        left = begin + np.flatnonzero(is_left & ~np.isnan(answers[begin:end, 1]))
        if left.size and short[budget] < numbers[budget]:
            native.wait_for(name, plan.shape)
            job = _Job(plan, self.targets[left], 1, self.seed)
            answers[left] = job._pass(numbers, None if rows is None else rows[left], name == "many_single")


def _work(shape: Shape, width: int, kind: np.dtype[Any]) -> Any:
    size = batch.working_places(shape.n, Layout(shape).rows, width)["WORK_SIZE"]
    return aligned(size * kind.itemsize // 8 + 1).view(kind)[:size]


def _interpret(
    plan: FastPlan, numbers: Array, targets: Array, rows: Array | None, begin: int, end: int, answers: Array
) -> None:
    """The same driver run by Python, with more lanes, for the time that it takes to compile."""
    width = WIDTH_INTERPRETED
    given = np.zeros(1) if rows is None else np.ascontiguousarray(rows).reshape(-1)
    _interpreted(plan.shape)(
        numbers,
        plan.table,
        targets.reshape(-1),
        given,
        rows is not None,
        begin,
        end,
        answers.reshape(-1),
        _work(plan.shape, width, np.dtype(np.float64)),
        np.zeros(batch.COUNTERS * width, np.int64),
    )


@functools.cache
def _interpreted(shape: Shape) -> Callable[..., None]:
    return many_problems(shape, WIDTH_INTERPRETED).interpreted
