"""Runs the methods on the same problems, taking turns, and judges every answer independently."""

from __future__ import annotations

import gc
import signal
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from arms import Answer, Arm, check
from peers.common import Peer
from problems import Problem

CHUNK = 100  # problems that one method solves before the next has its turn
PATIENCE = 4.0  # [s] a call that takes longer is stopped and counts as a failure
NO_ANSWER = Answer(directions=np.full((1, 3), np.nan))
WARM_UP = 0.005  # [s] at the beginning of a turn; node's adapters do the same


@dataclass
class Row:
    """What one method did on one list of problems; entry k of every list belongs to problem k."""

    peer: Peer
    seconds: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)  # [m], from our own kinematics
    legal: list[bool] = field(default_factory=list)  # inside every limit
    answers: list[Answer] = field(default_factory=list)
    is_supported: bool = True
    failure: str = ""

    def success(self, tolerance: float) -> list[bool]:
        bound = tolerance * (1.0 + 1e-9)
        return [e <= bound and legal for e, legal in zip(self.errors, self.legal, strict=True)]

    @property
    def iterations(self) -> list[int] | None:
        counts = [a.iterations for a in self.answers]
        return None if not counts or None in counts else [c for c in counts if c is not None]

    @property
    def median_us(self) -> float:
        return 1e6 * statistics.median(self.seconds)

    @property
    def mean_us(self) -> float:
        return 1e6 * statistics.fmean(self.seconds)

    @property
    def us_per_iteration(self) -> float | None:
        """Time over iterations, calls included; see `iteration_cost` for the kernel alone."""
        counts = self.iterations
        return 1e6 * sum(self.seconds) / sum(counts) if counts and sum(counts) > 0 else None


def race(
    arm: Arm, problems: Sequence[Problem], peers: Iterable[Peer], tolerance: float, seconds: float
) -> list[Row]:
    """Every peer on the problems in the same order, in turns of a chunk, until its `seconds` are spent.

    A slow peer gets through fewer problems, always the first of the list, and at least one.
    """
    rows, sessions = [], {}
    for peer in peers:
        row = Row(peer)
        rows.append(row)
        session = open_session(row, arm, tolerance)
        if session is not None:
            sessions[peer.name] = session
    spent = {row.peer.name: 0.0 for row in rows}
    for first in range(0, len(problems), CHUNK):
        chunk = problems[first : first + CHUNK]
        for row in rows:
            name = row.peer.name
            if name in sessions and len(row.seconds) == first and spent[name] < seconds:
                spent[name] += run_chunk(arm, sessions[name], chunk, row, seconds - spent[name])
    return rows


def open_session(row: Row, arm: Arm, tolerance: float) -> Any:
    """The row's session; None where the peer cannot do this, or failed, which the row then says."""
    try:
        session = row.peer.open(arm, tolerance)
    except Exception as error:  # a peer that breaks must not end the run
        row.failure = f"{type(error).__name__}: {error}"
        return None
    row.is_supported = session is not None
    return session


def warm_up(session: Any, problems: Sequence[Problem]) -> None:
    """A few solves at the beginning of every turn that do not count: caches, lazily built tables."""
    started = time.perf_counter()
    for problem in problems[:20]:
        session.solve(session.prepare(problem))
        if time.perf_counter() - started > WARM_UP:
            return


def run_chunk(arm: Arm, session: Any, chunk: Sequence[Problem], row: Row, seconds: float) -> float:
    """Solves a chunk into the row; returns the time that the solves took."""
    if hasattr(session, "solve_many"):
        results = session.solve_many(chunk, seconds)
    else:
        results = timed(session, chunk, seconds, row.peer.may_hang)
    for (elapsed, answer), problem in zip(results, chunk, strict=False):
        error, legal = check(arm, problem.target, answer)
        row.seconds.append(elapsed)
        row.errors.append(error)
        row.legal.append(legal)
        row.answers.append(answer)
    return float(sum(elapsed for elapsed, _ in results))


def timed(
    session: Any, chunk: Sequence[Problem], seconds: float, may_hang: bool
) -> list[tuple[float, Answer]]:
    """Prepares all, solves all with only the call inside the clock, reads all answers."""
    prepared = [session.prepare(problem) for problem in chunk]
    solve = session.solve
    clock = time.perf_counter
    times, results = [], []
    gc.collect()
    if may_hang:
        solve = interrupted(solve)
    else:
        warm_up(session, chunk)
    began = clock()
    for item in prepared:
        before = clock()
        result = solve(item)
        after = clock()
        times.append(after - before)
        results.append(result)
        if after - began > seconds:
            break
    return [
        (t, NO_ANSWER if r is None else session.answer(p, r))
        for t, p, r in zip(times, prepared, results, strict=False)
    ]


class Expired(Exception):
    """A call took longer than PATIENCE."""


def interrupted(solve: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same call, stopped after PATIENCE, the answer then None. Without timers it runs on."""
    if not hasattr(signal, "setitimer"):
        return solve

    def expire(number: int, frame: FrameType | None) -> None:
        raise Expired

    def call(item: Any) -> Any:
        signal.signal(signal.SIGALRM, expire)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            return solve(item)
        except Expired:
            return None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    return call


def ratio(
    row: Row, reference: Row, average: Callable[[Sequence[float]], float] = statistics.median
) -> float | None:
    """Median (or mean) time of the row over the reference's on the same first problems."""
    count = min(len(row.seconds), len(reference.seconds))
    if count == 0:
        return None
    return average(row.seconds[:count]) / average(reference.seconds[:count])


def iteration_cost(session: Any, problems: Sequence[Problem], repeats: int = 7) -> float | None:
    """Microseconds of one iteration of a compiled method: what a larger budget adds, per added iteration.

    The same problems are solved with two budgets that both run out; the call around the loop cancels.
    """
    prepared = [session.prepare(problem) for problem in problems]
    few = [session.solve_for(item, 2).iterations for item in prepared]
    for budget in (20, 12, 8, 5):
        many = [session.solve_for(item, budget).iterations for item in prepared]
        kept = [k for k, (a, b) in enumerate(zip(few, many, strict=True)) if a == 2 and b == budget]
        if len(kept) >= max(5, len(prepared) // 4):
            chosen = [prepared[k] for k in kept]
            added = best_total(session, chosen, budget, repeats) - best_total(session, chosen, 2, repeats)
            return 1e6 * added / (len(chosen) * (budget - 2))
    return None


def best_total(session: Any, prepared: Sequence[Any], budget: int, repeats: int) -> float:
    """Seconds for all the problems with this budget, each at its fastest of some repeats."""
    clock = time.perf_counter
    best = np.full(len(prepared), np.inf)
    for _ in range(repeats):
        for k, item in enumerate(prepared):
            before = clock()
            session.solve_for(item, budget)
            best[k] = min(best[k], clock() - before)
    return float(best.sum())


def growth_exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Slope of log(value) over log(size): 1 is linear."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
