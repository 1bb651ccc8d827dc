"""All configurations of an arm with a spherical shoulder, an elbow and a spherical wrist, by swivel angle."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from limbik.all_solutions.answers_plan import DEFAULTS, FULL_TURN, AnswersPlan, PlanRequest, SearchOptions
from limbik.all_solutions.result import AllSolutions, FreeMotion, ends_in_words
from limbik.analytic.kernels import AT_LIMIT
from limbik.analytic.subproblems import Turn
from limbik.analytic.swivel import (
    Elbow,
    SwivelArm,
    SwivelPose,
    critical_angles,
    elbow,
    error,
    flips,
    reached,
    rotations,
    swivel_of,
)
from limbik.errors import GoalError
from limbik.model.chain import Chain
from limbik.model.model import Model
from limbik.spatial import Array, as_pose, nearest_angles

SAMPLES = 64  # swivel angles of a whole circle
MET = 1e-9  # [m] and sine, from the pose
MISSED = 1e-7  # the same, of an answer whose joints were brought to their limits
MIN = 1e-9  # [rad] of an interval; a shorter one is the touch of a limit
STRAIGHT = 2e-4  # [rad] between the two bends of an elbow under which they are one
IN_LINE = 1e-6  # [rad] between them under which the elbow in the middle is as far: to 1e-12 of the arm's size
REFINEMENTS, PIECES = 10, 16  # cuts of a piece of the circle in which a limit is, each into so many
FLIPPED = 1e-6  # [rad] between two flips of a start under which they are one
SAME = 1e-3  # [rad] from the start's swivel angle, within which a sampled one is the same
AT_END = (
    1e-6  # [rad] from an interval, within which the start's swivel angle is at its end: a joint at a limit
)
STEP = 0.03  # [rad] between two configurations of a curve
CHOICES = tuple(itertools.product((1.0, -1.0), repeat=2))  # shoulder and wrist


class Interval(NamedTuple):
    """Swivel angles at which one branch is within all limits."""

    begin: float  # [rad]
    end: float  # at least begin, at most a turn later
    bend: int  # of the elbow, 0 or 1
    choice: int  # of shoulder and wrist, an index into CHOICES

    @property
    def is_closed(self) -> bool:
        """Whether it is the whole circle."""
        return self.end - self.begin >= FULL_TURN - MIN


class Swiveling:
    """One pose: what it asks for, the two bends of the elbow, and the legal intervals of all branches."""

    def __init__(self, plan: SwivelPlan, pose: Array, near: Array) -> None:
        self.plan = plan
        self.near = near
        self.wanted: SwivelPose = reached(plan.arm, pose)
        self.elbows: list[Elbow] = [elbow(plan.arm, self.wanted, bend) for bend in (1.0, -1.0)]
        first, fifth = (Turn(math.cos(near[k]), math.sin(near[k])) for k in (0, 4))
        self._free = first, fifth  # of joints that may have any angle
        between = abs(self.elbows[0].turn.sine - self.elbows[1].turn.sine)
        self.is_straight = between < STRAIGHT
        if between < IN_LINE:
            self.elbows = [elbow(plan.arm, self.wanted, 0.0)] * 2
        self.intervals = list(self._intervals(0))
        if not (self.is_straight and self.intervals):  # else both bends are one
            self.intervals += self._intervals(1)
        if self.is_straight:
            self.intervals = list(self._distinct(self.intervals))

    def q(self, intervals: Sequence[Interval], swivels: Sequence[Array]) -> Array:
        """The chain's configurations [k, 7] at swivel angles of some intervals, one after the other."""
        counts = [len(each) for each in swivels]
        solutions = np.empty((sum(counts), 7))
        bends = np.repeat([each.bend for each in intervals], counts)
        signs = np.array([CHOICES[each.choice] for each in intervals]).reshape(-1, 2)
        shoulder, wrist = np.repeat(signs, counts, axis=0).T
        along = np.concatenate([np.empty(0), *swivels])
        for bend in (0, 1):
            of = bends == bend
            solutions[of] = self._within(bend, along[of], shoulder[of], wrist[of])[0]
        return solutions

    def are_met(self, q: Array) -> Any:
        """Which configurations [k, 7] of the chain reach the pose, by forward kinematics."""
        angles = [Turn(np.cos(values), np.sin(values)) for values in q.T]
        return np.sqrt(error(self.plan.arm, self.wanted, angles)) < MISSED

    def swivel_of(self, q: Array) -> float:
        """The swivel angle [rad] of a configuration [7] of the chain."""
        bent = self.elbows[0]
        return swivel_of(self.plan.arm, bent, bent.own[1] if self.is_straight else self.plan.arm.upper, q)

    def _within(self, bend: int, swivel: Array, shoulder: Any, wrist: Any) -> tuple[Array, Any]:
        """The chain's configurations [..., 7], and which of them [...] reach the pose within the limits."""
        turn = Turn(np.cos(swivel), np.sin(swivel))
        rows = rotations(self.plan.arm, self.wanted, self.elbows[bend], turn, shoulder, wrist, self._free)
        angles = np.broadcast_arrays(*(np.arctan2(each.sine, each.cosine) for each in rows))
        q, excess = self.plan.within_limits(np.stack(angles, axis=-1), self.near)
        return q, (excess <= AT_LIMIT) & (np.sqrt(error(self.plan.arm, self.wanted, rows)) < MET)

    def _distinct(self, intervals: Sequence[Interval]) -> Iterator[Interval]:
        """Those that differ: where axes are in line, the two flips of a shoulder or a wrist are one."""
        middles = [self.q([each], [np.array([0.5 * (each.begin + each.end)])])[0] for each in intervals]
        for k, interval in enumerate(intervals):
            if all(np.abs(nearest_angles(middles[k] - other)).max() > STRAIGHT for other in middles[:k]):
                yield interval

    def _limits_of_straight(self, bend: int) -> list[float]:
        """The swivel angles at which a branch enters or leaves the limits, each within them, by cutting.

        Where the first or the last axes are in line with a straight elbow, one joint takes the motion of two,
        and the equations of `critical_angles` hold at any angle.
        """
        low = np.linspace(-math.pi, math.pi, 4 * SAMPLES, endpoint=False)
        signs = np.array(CHOICES)
        is_legal = self._within(bend, low, signs[:, :1], signs[:, 1:])[1]
        choice, at = np.nonzero(is_legal != np.roll(is_legal, -1, axis=1))
        low, shoulder, wrist, is_legal = low[at], *signs[choice].T, is_legal[choice, at]
        length = FULL_TURN / (4 * SAMPLES)
        for _ in range(REFINEMENTS if low.size else 0):
            length /= PIECES
            inner = low + length * np.arange(1, PIECES)[:, None]
            is_same = self._within(bend, inner, shoulder, wrist)[1] == is_legal
            low = low + length * np.logical_and.accumulate(is_same).sum(axis=0)
        limits: list[float] = np.where(is_legal, low, low + length).tolist()
        return limits

    def _intervals(self, bend: int) -> Iterator[Interval]:
        bounds = self.plan.lower, self.plan.upper
        if self.is_straight:
            critical = self._limits_of_straight(bend)
        else:
            critical = list(critical_angles(self.plan.arm, self.wanted, self.elbows[bend], *bounds))
        begins = np.array(sorted(critical) or [-math.pi])
        ends = np.append(begins[1:], begins[0] + FULL_TURN)
        signs = np.array(CHOICES)[:, :, None]
        _, is_legal = self._within(bend, 0.5 * (begins + ends), signs[:, 0], signs[:, 1])
        for choice, legal in enumerate(is_legal):
            for first, last in _runs(legal):
                end = ends[last % len(ends)] + FULL_TURN * (last // len(ends))
                yield Interval(float(begins[first]), float(end), bend, choice)


class SwivelPlan(AnswersPlan):
    """Everything about the solutions of a frame's pose that does not depend on the pose or the start."""

    def __init__(self, model: Model, chain: Chain, frame: str | None, arm: SwivelArm, limits: bool) -> None:
        super().__init__(model, chain, frame, limits)
        self.arm = arm

    def solve(self, pose: Array, start: Array | None, options: SearchOptions = DEFAULTS) -> AllSolutions:
        """Solutions for a pose [4, 4] of float64 at swivel angles over all legal intervals, `samples` of them
        to a circle and at least one in each; with a start [nq], at its own swivel angle too.
        """
        began = perf_counter()
        pose = as_pose(pose, "`pose`", error=GoalError)
        near = self.near(start)
        swiveling = Swiveling(self, pose, near)
        at_start = None if start is None else swiveling.swivel_of(near)
        step = FULL_TURN / (SAMPLES if options.samples is None else options.samples)
        values = [_samples(each, step, at_start) for each in swiveling.intervals]
        q = swiveling.q(swiveling.intervals, values)
        q = q[swiveling.are_met(q)] if values else self.searched(pose, start, options.deadline)
        if start is not None and np.abs(flips(self.arm, near[None])).min() < FLIPPED:
            q = q[np.unique(np.round(q / FLIPPED), axis=0, return_index=True)[1]]
        return self.answered(q, (pose.tobytes(), start), start, options.revolutions, began)

    def is_complete(self, request: Any, /) -> bool:
        """False: there are infinitely many."""
        return False

    def method(self, request: Any, /) -> str:
        """In words."""
        return (
            "in closed form at sampled swivel angles: spherical shoulder (axes 1, 2 and 3 meet), "
            "spherical wrist (axes 5, 6 and 7 meet)"
        )

    def branches(self, request: PlanRequest, q: Array, /) -> tuple[str, ...]:
        """The names of the branches: how shoulder, elbow and wrist are turned."""
        return tuple(
            ", ".join(
                f"{part} {'not flipped' if side >= 0.0 else 'flipped'}"
                for part, side in zip(("shoulder", "elbow", "wrist"), sides, strict=True)
            )
            for sides in flips(self.arm, q[:, self.indices])
        )

    def free(self, request: PlanRequest, q: Array, /) -> tuple[FreeMotion, ...]:
        """The swivel of each branch over its legal intervals, which are exact."""
        pose, start = np.frombuffer(request[0]).reshape(4, 4), request[1]
        near = self.near(start)
        swiveling = Swiveling(self, pose, near)
        names = [joint.name for joint in self.chain.joints]
        motions = []
        for each in swiveling.intervals:
            along = np.linspace(each.begin, each.end, max(math.ceil((each.end - each.begin) / STEP), 1) + 1)
            curve = swiveling.q([each], [along])
            is_met = swiveling.are_met(curve)  # not at an end where a joint may have any angle
            along, curve = along[is_met], curve[is_met]
            if not along.size:
                continue
            ends = (
                ("", "")
                if each.is_closed
                else tuple(ends_in_words(names, end, self.lower, self.upper) for end in (curve[0], curve[-1]))
            )
            nearest = np.abs(nearest_angles(q[:, None, self.indices] - curve))
            motions.append(
                FreeMotion(
                    solution=int(nearest.max(axis=2).min(axis=1).argmin()),
                    joints=tuple(name for k, name in enumerate(names) if k != 3),
                    q=curve if self.is_whole else self.whole(curve, start),
                    parameter="swivel angle [rad]",
                    along=along,
                    closed=each.is_closed,
                    ends=(ends[0], ends[1]),
                )
            )
        return tuple(motions)

    def remark(self, request: PlanRequest, count: int, /) -> str:
        """What is known of so many solutions."""
        if not count:
            return "No configuration within the limits reaches the pose. " + self.failure(request)
        return (
            f"{count} solutions, found {self.method(request)}. There are infinitely many: the elbow can "
            "swivel while the pose stays. `free` has the exact intervals."
        )


def _samples(interval: Interval, step: float, at_start: float | None) -> Array:
    """Swivel angles evenly inside an interval, and that of the start where it lies there."""
    count = max(math.floor((interval.end - interval.begin) / step), 1)
    values = interval.begin + (np.arange(count) + 0.5) * (interval.end - interval.begin) / count
    if at_start is not None:
        shifted = interval.begin - AT_END + (at_start - interval.begin + AT_END) % FULL_TURN
        if shifted <= interval.end + AT_END:
            own = min(max(shifted, interval.begin), interval.end)
            values = np.append(values[np.abs(values - own) > SAME], own)
    return values


def _runs(is_legal: Any) -> Iterator[tuple[int, int]]:
    """(first, last) of the runs of legal pieces of a circle; last may be beyond the end of the list."""
    n = len(is_legal)
    if is_legal.all():
        yield 0, n - 1
        return
    begin = int(np.argmin(is_legal)) + 1  # behind a piece that is not
    k = begin
    while k < begin + n:
        if is_legal[k % n]:
            first = k
            while is_legal[(k + 1) % n]:
                k += 1
            yield first % n, first % n + k - first
        k += 1
