"""`BatchJob`: many poses in the fast core, in lanes on every core, in double or in single precision."""

from __future__ import annotations

import functools
import math
import os
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from limbik.compiler import native
from limbik.compiler.call import Call
from limbik.compiler.kernel import Watch
from limbik.compiler.watch import run_compiled_or_interpreted, watch_until
from limbik.errors import GoalError
from limbik.numerics.aligned_arrays import aligned
from limbik.numerics.end_codes import RUNNING, SETTLED, SOLVED, SPENT, UNREACHABLE
from limbik.serial import batch
from limbik.serial.kernels import WIDTHS, many_interpreted
from limbik.serial.lanes import HEADER
from limbik.serial.layout import Layout
from limbik.serial.programs import many_problems
from limbik.serial.seed_table import Shape
from limbik.solvers.serial_plan import SerialPlan
from limbik.spatial import Array, as_poses

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Indices: TypeAlias = NDArray[np.intp]  # of problems

COARSE = 1e-4  # of the arm's size, and [rad]: the finest tolerance of single precision
FINISH = 20  # iterations in double precision after single
SOON = 100  # iterations, in which all but one of a thousand problems are solved
COUNTS = slice(3, 5)  # of an answer: iterations and restarts
AROUND = 3  # configurations sampled about a start from which no solution was found
MIN_SPREAD, WIDENING = 0.5, 2.0  # [rad or m] of the first of them; from one to the next
FEW = 100  # problems that Python solves sooner than it waits for machine code
PATIENCE = 0.5  # [s] that it waits
MIN_PIECE = 2048  # problems that a thread takes at a time
MIN_HARD_PIECE = 16  # and of those that take long
AT_A_TIME = 16384  # problems that are copied for another look, between two looks at the clock
WIDTH_INTERPRETED = 256  # lanes while the driver is being compiled


class BatchJob:
    """One batch on its way."""

    def __init__(self, plan: SerialPlan, targets: Array, threads: int, seed: int, deadline: float) -> None:
        self.plan = plan
        self.targets = targets
        self.threads = threads
        self.seed = seed
        self.deadline, self.watch = deadline, watch_until(deadline)
        self._unsolved: dict[int, Indices] = {}  # by where a piece of the problems begins

    @property
    def unsolved(self) -> Indices:
        """Indices of the problems without a solution after the latest run of the driver, in order."""
        return np.concatenate(
            [np.empty(0, np.intp), *(self._unsolved[begin] for begin in sorted(self._unsolved))]
        )

    def part(self, chosen: Indices, deadline: float | None = None) -> BatchJob:
        """The same for some of the problems; deadline: another one [s of `perf_counter`]."""
        deadline = self.deadline if deadline is None else deadline
        return BatchJob(self.plan, self.targets[chosen], self.threads, self.seed, deadline)

    def solve(self, starts: Array | None, is_single: bool) -> Array:
        """Answers [N, HEADER + n] of the rows."""
        rows = None if starts is None else self.plan.rows_of(starts)
        if not is_single or self.plan.options.budget < 2 * FINISH:
            return self._in_double(rows)
        coarse = COARSE * self.plan.length, COARSE
        numbers = self.plan.numbers(
            starts is not None, seed=self.seed, tolerance=coarse, iterations=self.plan.options.budget - FINISH
        )
        near = self._pass(numbers, rows, is_single=True)
        # Finish in double precision, from where single precision came to.
        begin = np.ascontiguousarray(near[:, HEADER:])
        answers = self._pass(self.plan.numbers(False, restarts=0, iterations=FINISH), begin)
        answers[:, COUNTS] += near[:, COUNTS]
        left = self.unsolved
        if left.size:
            answers[left] = self.part(left).solve(None if starts is None else starts[left], False)
        return answers

    def _in_double(self, rows: Array | None) -> Array:
        """Answers from starts for every row. What is not found soon is looked for with careful steps."""
        plan, has_starts = self.plan, rows is not None
        numbers = plan.numbers(has_starts, seed=self.seed)
        budget = int(numbers[plan.offsets["SET_BUDGET"]])
        numbers[plan.offsets["SET_BUDGET"]] = min(budget, SOON)
        answers = self._pass(numbers, rows)
        looks_elsewhere = has_starts and plan.options.restarts != 0
        hard = (SPENT,) if looks_elsewhere else (SETTLED, SPENT)
        left = self.unsolved
        left = left[np.isin(answers[left, 0], hard) & ~np.isnan(answers[left, 1])]
        if left.size == 0 or budget <= SOON:
            return answers
        for restarts, some in self._by_restarts_left(answers, left):
            careful = plan.numbers(
                has_starts, seed=self.seed, restarts=restarts, iterations=budget - SOON, is_careful=True
            )
            soon, late = answers[some], self.part(some)._pass(careful, None if rows is None else rows[some])
            is_over = late[:, 0] == RUNNING
            is_better = (late[:, 0] == SOLVED) | (plan.distances(late) < plan.distances(soon))
            answers[some] = np.where((is_better & ~is_over)[:, None], late, soon)
            answers[some[is_over], 0] = SPENT
            answers[some, COUNTS] = soon[:, COUNTS] + late[:, COUNTS]
        return answers

    def _by_restarts_left(self, answers: Array, left: Indices) -> Iterator[tuple[int | None, Indices]]:
        """Each number of restarts that problems `left` still have, and the indices of those that have it: the
        answer of one does not depend on others.
        """
        allowed = self.plan.options.restarts
        if allowed is None:
            yield None, left
            return
        remaining = np.maximum(allowed - answers[left, COUNTS][:, 1], 0.0)
        for each in np.unique(remaining):
            yield int(each), left[remaining == each]

    def from_starts(self, starts: Array) -> tuple[Array, Array]:
        """Outcomes [N, HEADER] and configurations [N, nq] that a start [nq] for each problem leads to soon.

        Locked joints stand in all starts where they do in the first.
        """
        rows, numbers = self.plan.rows_of(starts), self.plan.numbers(True, restarts=0, iterations=SOON)
        if len(rows):
            self.plan.lock(numbers, rows[0])
        answers = self._pass(numbers, rows)
        return answers[:, :HEADER], self.plan.whole(answers[:, HEADER:], starts)

    def look_elsewhere(self, answers: Array, starts: Array) -> None:
        """Solve the problems without a solution again: from configurations about their starts, with the
        nearest solution, then from anywhere. Within the restarts, and if the budget is large enough.
        """
        allowed = self.plan.options.restarts
        count = AROUND if allowed is None else min(AROUND, allowed)
        if self.plan.options.budget < (1 + count) * SOON:
            return
        if count:
            for left in self._open(answers):
                self._look_around(answers, left, self.plan.rows_of(starts[left]), count)
        if allowed is None or allowed > count:
            for left in self._open(answers):
                new = self.part(left).solve(None, False)
                new[:, HEADER:] = self.plan.toward(new[:, HEADER:], self.plan.rows_of(starts[left]))
                self._take(answers, left, new)

    def _open(self, answers: Array) -> Iterator[Indices]:
        """Indices of problems without a solution that are not proved unreachable, some at a time; none after
        the limit.
        """
        left = self.unsolved
        left = left[np.isin(answers[left, 0], (SETTLED, SPENT)) & ~np.isnan(answers[left, 1])]
        for first in range(0, len(left), AT_A_TIME):
            if self.watch():
                return
            yield left[first : first + AT_A_TIME]

    def _look_around(self, answers: Array, left: Indices, starts: Array, count: int) -> None:
        """Solve the problems `left` from `count` configurations about each of the rows' starts [k, n], with
        growing offsets that are the same for all: an answer does not depend on other problems.
        """
        unit = np.random.default_rng(self.seed).uniform(-1.0, 1.0, (count, starts.shape[1]))
        offsets = MIN_SPREAD * WIDENING ** np.arange(count)[:, None] * unit
        about = starts[:, None] + offsets
        numbers = self.plan.numbers(True, restarts=0, iterations=SOON)
        sampled = self.part(np.repeat(left, count))._pass(numbers, about.reshape(-1, starts.shape[1]))
        change = sampled[:, HEADER:].reshape(about.shape) - starts[:, None]
        away = np.einsum("kin,kin->ki", change, change).ravel()
        away[sampled[:, 0] != SOLVED] = np.inf
        each = np.arange(len(left)) * count
        nearest = sampled[each + away.reshape(-1, count).argmin(axis=1)]
        nearest[:, COUNTS] = sampled[:, COUNTS].reshape(-1, count, 2).sum(axis=1)
        nearest[:, COUNTS.stop - 1] += count
        self._take(answers, left, nearest)

    def _take(self, answers: Array, index: Indices, new: Array) -> None:
        """Replace answers of some problems by new ones that are solved; iterations and restarts add up."""
        new[:, COUNTS] += answers[index, COUNTS]
        answers[index, COUNTS] = new[:, COUNTS]
        is_solved = new[:, 0] == SOLVED
        answers[index[is_solved]] = new[is_solved]

    def mend(self, answers: Array, starts: Array | None) -> None:
        """Solve again where a pose was off by rounding, and, one at a time, where a start led nowhere."""
        left = self.unsolved
        bad = left[np.isnan(answers[left, 1])]
        if bad.size:
            self.targets = self.targets.copy()  # which may be the caller's
            self.targets[bad] = as_poses(self.targets[bad], [f"poses[{i}]" for i in bad], error=GoalError)
            answers[bad] = self.part(bad).solve(None if starts is None else starts[bad], False)
            for i in bad[np.isnan(answers[bad, 1])]:  # farther away than single precision can say
                self._solve_one(int(i), answers, starts)
        far = left[answers[left, 0] == UNREACHABLE]
        if far.size:
            measured = answers[far]
            self.plan.measure(measured, self.targets[far])
            answers[far] = measured
        if starts is not None and self.plan.options.restarts != 0:
            for i in left[answers[left, 0] != SOLVED]:
                if self.watch():
                    break
                self._solve_one(int(i), answers, starts)

    def say_spent(self, answers: Array, starts: Array | None) -> None:
        """What the clock has left unsolved: the first configuration, and how far it is off."""
        left = self.unsolved
        left = left[answers[left, 0] == RUNNING]
        if left.size:
            job = self.part(left, math.inf)
            rows = None if starts is None else self.plan.rows_of(starts[left])
            answers[left] = job._pass(self.plan.numbers(rows is not None, seed=self.seed, iterations=1), rows)

    def _solve_one(self, i: int, answers: Array, starts: Array | None) -> None:
        start = None if starts is None else starts[i]
        solution = self.plan.solve_pose(self.targets[i], start, self.seed, self.deadline)
        answers[i] = self.plan.outcome_row(solution)

    def _pass(self, numbers: Array, rows: Array | None, is_single: bool = False) -> Array:
        """One run of the driver over all problems."""
        shape, count = self.plan.shape, len(self.targets)
        answers = np.zeros((count, HEADER + shape.n))
        start_rows = np.zeros(1) if rows is None else np.ascontiguousarray(rows)
        typed = numbers.astype(np.float32 if is_single else np.float64)
        problems = (
            *(each.reshape(-1) for each in (typed, self.plan.table, self.targets, start_rows)),
            rows is not None,
        )
        program = many_problems(shape, is_single)

        def solve(begin: int, end: int, drive: Callable[[], object]) -> None:
            """A piece, and what is unsolved of it while it is in the cache of this core."""
            answers[begin:end, 0] = RUNNING
            drive()
            code, error = answers[begin:end, 0], answers[begin:end, 1]
            self._unsolved[begin] = begin + np.flatnonzero((code != SOLVED) | np.isnan(error))

        def run() -> None:
            def piece(begin: int, end: int, watch: Watch) -> None:
                work = _working_arrays(shape, WIDTHS[is_single], typed.dtype)
                call = Call(program, *problems, begin, end, answers.reshape(-1), *work)
                solve(begin, end, lambda: call.run(watch))

            self._unsolved = {}
            is_careful = numbers[self.plan.offsets["SET_CAREFUL"]] > 0.0
            self._in_threads(piece, MIN_HARD_PIECE if is_careful else MIN_PIECE)

        def interpret(watch: Watch) -> None:
            work = _working_arrays(shape, WIDTH_INTERPRETED, typed.dtype)
            driver = _interpreted(shape, is_single)
            solve(0, count, lambda: driver(*problems, 0, count, answers.reshape(-1), *work, watch))

        if count > FEW:
            native.await_function(program, PATIENCE, self.watch)
        run_compiled_or_interpreted(program, self.watch, run, interpret)
        return answers

    def _in_threads(self, run: Callable[[int, int, Watch], None], min_piece: int) -> None:
        """Run pieces of the problems, cut up among this thread and others; Ctrl-C ends them all."""
        pieces = list(_pieces(len(self.targets), self.threads, min_piece))
        if len(pieces) == 1:
            run(0, len(self.targets), self.watch)
            return
        left, is_over = iter(pieces), threading.Event()

        def watch() -> bool:
            return is_over.is_set() or self.watch()

        def work() -> None:
            try:
                while piece := next(left, None):
                    run(*piece, watch)
            except BaseException:
                is_over.set()
                raise

        helpers = [_pool().submit(work) for _ in range(min(self.threads, len(pieces)) - 1)]
        try:
            work()
        finally:
            for each in helpers:
                if not each.cancel():  # it has begun
                    each.result()


def from_starts(plan: SerialPlan, pose: Array, starts: Array, deadline: float) -> Array:
    """The configurations [k, nq] that meet one pose [4, 4], of those that starts [N, nq] lead to soon."""
    job = BatchJob(plan, np.broadcast_to(pose, (len(starts), 4, 4)).copy(), 1, 0, deadline)
    outcome, q = job.from_starts(starts)
    return q[outcome[:, 0] == SOLVED]


@functools.cache
def _pool() -> ThreadPoolExecutor:
    """Threads that wait for the next batch: to start new ones takes as long as 5,000 poses."""
    from concurrent.futures import ThreadPoolExecutor  # which cannot be imported once the main thread is over

    return ThreadPoolExecutor(os.cpu_count() or 1, "limbik batch")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _pieces(count: int, threads: int, min_piece: int) -> Iterator[tuple[int, int]]:
    """Where pieces of a batch begin and end: each a fraction of what is left, so that threads end together
    although the pieces are few, at whose ends lanes are idle (Polychronopoulos & Kuck 1987).
    """
    begin = 0
    while begin < count:
        size = count if threads == 1 else (count - begin) // (2 * threads)
        end = min(begin + max(size, min_piece), count)
        yield begin, end
        begin = end


def _working_arrays(shape: Shape, width: int, kind: np.dtype[Any]) -> tuple[Any, Any]:
    """What the driver works on, and its whole numbers."""
    size = batch.working_offsets(shape.n, Layout(shape).rows, width)["WORK_SIZE"]
    work = aligned(size * kind.itemsize // 8 + 1).view(kind)[:size]
    return work, np.zeros(batch.COUNTERS * width, np.int64)


@functools.cache
def _interpreted(shape: Shape, is_single: bool) -> Callable[..., None]:
    return many_interpreted(shape, WIDTH_INTERPRETED, is_single)
