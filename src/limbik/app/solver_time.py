"""Measures the time of a solve without the making of its plans, and of one iteration without setup and
calls.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from typing import TypeVar

import numpy as np

from limbik.model import Model
from limbik.model.slots import Slot
from limbik.spatial import Array

ITERATIONS = 64  # of a solve, at most
PROBLEMS = 8
REPEATS = 12
FEW = 4  # repeats that are made although they take longer than
ENOUGH = 10e-3  # [s]
MIN = 1e-8  # [s] of an iteration: what is shorter was lost in what else the machine did
TOO_LONG = 0.1  # [s] after which no further solve begins
FINE = time.get_clock_info("thread_time").resolution < 1e-6  # [s]
TOLERANCE = 1e-12  # [m, rad] so small that a solver goes on, and there are many iterations to measure

Answer = TypeVar("Answer")
_PLANNED: Slot[set[Hashable]] = Slot()  # keys of the solves that have been made

# Takes a start [nq] and a configuration [nq] that is to be found again; returns how many iterations it made.
Solve = Callable[[Array, Array], int]


def timed(model: Model, key: Hashable, solve: Callable[[], Answer]) -> tuple[Answer, float]:
    """What a solve returns, and its time [us] without the making of plans.

    key: what the plans of the solve depend on. The first solve of a model with a key is made twice.
    """
    planned = _PLANNED.of(model, set)
    if key not in planned:
        solve()
        planned.add(key)
    began = time.perf_counter()
    answer = solve()
    return answer, 1e6 * (time.perf_counter() - began)


def iteration_microseconds(model: Model, solve: Solve) -> float | None:
    """How much longer solves take than those that begin at their goal, for each of their iterations.

    The median of problems that can be solved, the same ones every time. Of several runs the shortest counts,
    so that what else the machine does is left out. None: it did too much. NaN: there are no iterations.
    """
    rng = np.random.default_rng(0)
    problems = [(model.random(rng), model.random(rng)) for _ in range(PROBLEMS)]
    solve(*problems[0])  # what is made once is made now
    began = time.perf_counter()
    some, none = np.full(PROBLEMS, np.inf), np.full(PROBLEMS, np.inf)
    iterations = np.zeros(PROBLEMS)
    for turn in range(PROBLEMS * REPEATS):
        if time.perf_counter() - began > (TOO_LONG if turn < PROBLEMS * FEW else ENOUGH):
            break
        k = turn % PROBLEMS
        start, end = problems[k]
        seconds, iterations[k] = _timed(solve, start, end)
        some[k], none[k] = min(some[k], seconds), min(none[k], _timed(solve, end, end)[0])
    measured = iterations > 0
    if not measured.any():
        return math.nan
    each = float(np.median((some[measured] - none[measured]) / iterations[measured]))
    return 1e6 * each if each > MIN else None


def _timed(solve: Solve, start: Array, end: Array) -> tuple[float, int]:
    """[s] and iterations."""
    began = _clock()
    iterations = solve(start, end)
    return _clock() - began, iterations


def _clock() -> float:
    """[s] that this thread has computed, where the system counts that finely: other programs are left out."""
    return time.thread_time() if FINE else time.perf_counter()
