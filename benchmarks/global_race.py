"""Problems, turns, clocks and the check of every answer, for `global_ik.py`."""

from __future__ import annotations

import gc
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from global_peers.common import Peer, Refused
from robots import Robot

LEVELS = ((1e-4, 1e-3), (1e-6, 1e-5))  # [m], [rad]
LIMIT_SLACK = 1e-9  # [rad or m]
NEARBY, NEARBY_SLIDE = 0.1, 0.03  # [rad], [m] largest change of a joint from a tracking start to the solution
CHUNK = 50  # problems that a method solves before the next one has its turn
WARMING = 10  # other problems, not timed, with which it begins its turn
MODES = ("global", "tracking")


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """A pose to reach and a configuration to start from."""

    pose: np.ndarray  # [4, 4]
    start: np.ndarray  # [n]


def problems(robot: Robot, mode: str, count: int, seed: int) -> list[Problem]:
    """Poses of random configurations; starts are random (global) or near the configuration (tracking).

    A tracking start is the configuration plus a step in a random direction whose largest entry is 0.1 rad
    (prismatic joints: 0.03 m in the place of 0.1 rad), clipped to the limits. The poses are the same in both
    modes.
    """
    label = zlib.crc32(robot.name.encode())
    at, starts = (np.random.default_rng([seed, label, stream]) for stream in (0, 1 + MODES.index(mode)))
    scale = np.array([NEARBY_SLIDE if joint.is_prismatic else NEARBY for joint in robot.joints])
    found = []
    for _ in range(count):
        q = robot.random(at)
        if mode == "global":
            start = robot.random(starts)
        else:
            direction = starts.normal(size=robot.size)
            start = np.clip(q + scale * direction / np.abs(direction).max(), robot.lower, robot.upper)
        found.append(Problem(pose=robot.pose(q), start=start))
    return found


@dataclass
class Row:
    """What one method did on one list."""

    peer: Peer
    microseconds: list[float] = field(default_factory=list)  # of one call, by problem
    coarse: list[bool] = field(default_factory=list)  # within 1e-4 m, 1e-3 rad and the limits
    fine: list[bool] = field(default_factory=list)  # within 1e-6 m, 1e-5 rad and the limits
    false_claims: int = 0  # said success, is not within the coarse level or not within the limits
    outside: int = 0  # answers outside the limits that were called a success
    failure: str = ""  # why it does not take part

    @property
    def count(self) -> int:
        return len(self.microseconds)

    def mean(self, count: int | None = None) -> float:
        """Mean time [us], of the first `count` problems."""
        return float(np.mean(self.microseconds[:count]))

    def quantile(self, share: float) -> float:
        return float(np.quantile(self.microseconds, share))

    def success(self, count: int | None = None) -> float:
        """Share of answers within the fine level."""
        return float(np.mean(self.fine[:count]))

    def judge(self, robot: Robot, problem: Problem, q: np.ndarray | None, claims: bool) -> None:
        coarse = fine = inside = False
        if q is not None and q.shape == (robot.size,) and np.all(np.isfinite(q)):
            inside = bool(np.all(q >= robot.lower - LIMIT_SLACK) and np.all(q <= robot.upper + LIMIT_SLACK))
            errors = pose_error(robot.pose(q), problem.pose)
            coarse, fine = (inside and errors[0] < length and errors[1] < angle for length, angle in LEVELS)
            self.outside += claims and not inside
        self.false_claims += claims and not coarse
        self.coarse.append(coarse)
        self.fine.append(fine)


def pose_error(found: np.ndarray, wanted: np.ndarray) -> tuple[float, float]:
    """Largest distance [m] and angle [rad] between poses [..., 4, 4]."""
    turn = np.swapaxes(found[..., :3, :3], -1, -2) @ wanted[..., :3, :3]
    across = turn[..., (2, 0, 1), (1, 2, 0)] - turn[..., (1, 2, 0), (2, 0, 1)]
    sine = 0.5 * np.linalg.norm(across, axis=-1)
    cosine = 0.5 * (np.trace(turn, axis1=-2, axis2=-1) - 1.0)
    apart = np.linalg.norm(found[..., :3, 3] - wanted[..., :3, 3], axis=-1)
    return float(apart.max()), float(np.arctan2(sine, cosine).max())


class _Runner:
    """One method in the race."""

    def __init__(self, peer: Peer, robot: Robot, mode: str, others: Sequence[Problem]) -> None:
        self.row = Row(peer)
        self.robot = robot
        self.spent = 0.0  # [s]
        self.kept: dict[int, tuple[list[int], list[Any]]] = {}  # by first problem: times [ns] and answers
        self.session: Any = None
        try:
            self.session = peer.open(robot, mode == "tracking")
            first = others[0]
            self.session.answer(self.session.solve(self.session.prepare(first.pose), first.start))  # warm
        except Refused as reason:
            self.fail(str(reason))
        except Exception as error:  # a peer may raise anything; the others go on
            self.fail(f"{type(error).__name__}: {error}")

    def fail(self, reason: str) -> None:
        self.session, self.row.failure = None, (reason.strip().splitlines() or ["failed"])[0]

    def turn(self, first: int, chunk: Sequence[Problem], others: Sequence[Problem]) -> None:
        """Solve the chunk that begins at problem `first`; its quickest turn so far is kept.

        `others` are solved before, not timed: they bring the code into the processor's caches, not the
        chunk's own numbers.
        """
        session = self.session
        try:
            for problem in others:
                session.solve(session.prepare(problem.pose), problem.start)
            targets = [session.prepare(problem.pose) for problem in chunk]
            times, results = _timed(session.solve, targets, chunk)
            self.spent += 1e-9 * sum(times)
            if first not in self.kept or sum(times) < sum(self.kept[first][0]):
                self.kept[first] = times, [session.answer(result) for result in results]
        except Exception as error:  # see above
            self.fail(f"{type(error).__name__}: {error}")

    def finished(self, listed: Sequence[Problem]) -> Row:
        """The row, with every answer judged."""
        for first, (times, answers) in sorted(self.kept.items()):
            for k, (nanoseconds, answer) in enumerate(zip(times, answers, strict=True)):
                self.row.microseconds.append(1e-3 * nanoseconds)
                self.row.judge(self.robot, listed[first + k], *answer)
        return self.row


def _timed(solve: Any, targets: Sequence[Any], chunk: Sequence[Problem]) -> tuple[list[int], list[Any]]:
    clock = time.perf_counter_ns
    times, results = [], []
    for target, problem in zip(targets, chunk, strict=True):
        began = clock()
        result = solve(target, problem.start)
        times.append(clock() - began)
        results.append(result)
    return times, results


def race(
    robot: Robot,
    mode: str,
    listed: Sequence[Problem],
    others: Sequence[Problem],
    peers: Sequence[Peer],
    *,
    passes: int,
    slow_problems: int,
    seconds: float,
) -> list[Row]:
    """Every method on the list, in turns, chunk by chunk, so that what else the machine does hits all alike.

    The whole list is gone through `passes` times and the faster turn of each chunk counts. The passes lie far
    apart on purpose: a chunk solved twice in a row would find its own numbers in the processor's caches and
    its branches foreseen, which no user's problems do and which helps the quickest methods most. `others`
    is a list of different problems to begin a turn with. A slow method makes one pass; it, or one that has
    used up its `seconds`, stops after the first `slow_problems`.
    """
    runners = [_Runner(peer, robot, mode, others) for peer in peers]
    gc.collect()
    gc.disable()
    try:
        for number in range(passes):
            for first in range(0, len(listed), CHUNK):
                chunk = listed[first : first + CHUNK]
                for runner in runners:
                    is_slow = runner.row.peer.is_slow
                    is_over = (is_slow or runner.spent > seconds) and (number > 0 or first >= slow_problems)
                    if runner.session is not None and not is_over:
                        runner.turn(first, chunk, others)
                gc.collect()
    finally:
        gc.enable()
    return [runner.finished(listed) for runner in runners]
