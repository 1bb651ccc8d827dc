"""How long one iteration of a solver takes by itself, without what every call costs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from limbik.model import Model
from limbik.spatial import Array

MANY = 64  # iterations of a long solve
PROBLEMS = 8
REPEATS = 12
FEW = 4  # repeats that are made although they take longer than
ENOUGH = 10e-3  # [s]
TOO_LONG = 0.1  # [s] after which no further solve begins
TOLERANCE = 1e-12  # [m, rad] so small that a solver goes on, and there are many iterations to measure

# Takes a start [nq], a configuration [nq] that is to be found again, and a budget; returns how many
# iterations were made.
Solve = Callable[[Array, Array, int], int]


def iteration_microseconds(model: Model, solve: Solve) -> float:
    """How much longer solves with many iterations take than those with one, for each iteration more.

    The problems can be solved, and are the same ones every time. Of several runs the shortest counts, so that
    what else the machine does is left out. NaN: the difference is too small to be measured.
    """
    rng = np.random.default_rng(0)
    problems = [(model.random(rng), model.random(rng)) for _ in range(PROBLEMS)]
    for budget in (1, MANY):
        solve(*problems[0], budget)  # what is made once is made now
    began = time.perf_counter()
    many, one = np.full(PROBLEMS, np.inf), np.full(PROBLEMS, np.inf)
    more = np.zeros(PROBLEMS)
    for turn in range(PROBLEMS * REPEATS):
        if time.perf_counter() - began > (TOO_LONG if turn < PROBLEMS * FEW else ENOUGH):
            break
        k = turn % PROBLEMS
        long, made = _timed(solve, problems[k], MANY)
        short, least = _timed(solve, problems[k], 1)
        many[k], one[k], more[k] = min(many[k], long), min(one[k], short), made - least
    measured = more > 0
    seconds = float((many[measured] - one[measured]).sum())
    return 1e6 * seconds / float(more[measured].sum()) if seconds > 0.0 else math.nan


def _timed(solve: Solve, problem: tuple[Array, Array], budget: int) -> tuple[float, int]:
    """[s] and iterations."""
    began = time.perf_counter()
    made = solve(*problem, budget)
    return time.perf_counter() - began, made
