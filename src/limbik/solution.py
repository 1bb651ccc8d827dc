"""`Solution`, `BatchSolution` and `Trace`: what a solve, a solve of a batch and a trace of all iterations
return.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from limbik.diagnosis import Diagnosis
from limbik.errors import SolverError
from limbik.lazy import LazyModule
from limbik.spatial import Array
from limbik.status import PoseError, Status

if TYPE_CHECKING:
    from limbik import request as requests
    from limbik.solvers import question as questions
else:
    requests, questions = LazyModule("limbik.request"), LazyModule("limbik.solvers.question")

# From what a plan makes the request again, of a type of its own: goals, or the numbers of a pose.
PlanTarget: TypeAlias = Any


class Outcome(NamedTuple):
    """How a solve ended, in numbers; the fast core writes them as the first ones of an array."""

    status: float  # index in `STATUSES`
    error: float  # [m]
    chord: float  # of the rotation error: twice the sine of half the angle; of one beyond pi 2 and the rest
    iterations: float
    restarts: float
    start_was_moved: float  # 1 or 0


# What a solver itself can tell; the other reasons take a second look.
STATUSES = (
    Status.SOLVED,
    Status.UNREACHABLE,
    Status.LIKELY_UNREACHABLE,
    Status.BUDGET_SPENT,
    Status.GOAL_IN_COLLISION,
    Status.BASE_IN_COLLISION,
    Status.NO_FREE_SOLUTION,
    Status.CONVERGED,
)
# Their reason takes a search, or a look at whether the position alone is out of reach.
SECOND_LOOK = (Status.UNREACHABLE, Status.LIKELY_UNREACHABLE, Status.BUDGET_SPENT)


class Solution:
    """The configuration that a solver found, and how good it is.

    `success` was checked by forward kinematics at `q`. Where it is False, `q` is the nearest legal
    configuration found, and `explain()` says why there is none that meets the goal.
    """

    # Made a million times a second: what is derived waits until it is requested.
    __slots__ = ("_diagnosis", "_outcome", "_q", "_question", "_start", "_target", "_time")

    def __init__(
        self,
        q: Array,
        outcome: Outcome | Array,
        time: float,
        question: questions.Question,
        start: Array | bytes | None,
        target: PlanTarget,
    ) -> None:
        self._q = q
        self._outcome = outcome
        self._time = time
        self._question = question
        self._start = start
        self._target = target

    @property
    def q(self) -> Array:
        """[nq]"""
        return self._q

    @property
    def outcome(self) -> Outcome | Array:
        """The numbers from which status, errors and counts are read."""
        return self._outcome

    @property
    def question(self) -> questions.Question:
        """What it came from, for solvers that go on from there."""
        return self._question

    @property
    def target(self) -> PlanTarget:
        """The target of the question."""
        return self._target

    @property
    def request(self) -> requests.Request:
        """The request."""
        return self._question.request(self._target)

    @property
    def status(self) -> Status:
        """Why the solve ended.

        Known at once for what is solved or proved to be out of reach. For other failures the first look
        searches for the reason, which takes milliseconds; `ended` is what was known before.
        """
        ended = self.ended
        return self.explain().status if ended in SECOND_LOOK else ended

    @property
    def ended(self) -> Status:
        """How the descent ended, known at once.

        SOLVED, UNREACHABLE, LIKELY_UNREACHABLE (it settled) or BUDGET_SPENT (it was cut short). With a world
        also GOAL_IN_COLLISION, BASE_IN_COLLISION or NO_FREE_SOLUTION.
        """
        return STATUSES[int(self._outcome[0])]

    @property
    def success(self) -> bool:
        """Whether the goal is met within tolerance, within limits unless these were switched off, and with a
        world, free of collision.
        """
        return bool(self._outcome[0] == 0.0)

    @property
    def error(self) -> float:
        """[m] distance of the frame from the goal; 0 where no position was requested."""
        return float(self._outcome[1])

    @property
    def error_rotation(self) -> float:
        """[rad] angle between the frame and the goal; 0 where no rotation was requested."""
        chord = float(self._outcome[2])
        return 2.0 * math.asin(min(0.5 * chord, 1.0)) + max(chord - 2.0, 0.0)

    @property
    def goal_errors(self) -> tuple[PoseError, ...]:
        """How far each goal is from being met, in the order of the goals."""
        if len(self.request.goals) == 1:
            return (PoseError(self.error, self.error_rotation),)
        return self._question.goal_errors(self._target, self._q)

    @property
    def iterations(self) -> int:
        """Over all restarts."""
        return int(self._outcome[3])

    @property
    def restarts(self) -> int:
        """How often a descent began again elsewhere."""
        return int(self._outcome[4])

    @property
    def start_was_moved(self) -> bool:
        """The start was outside the limits, many revolutions away, or held a quaternion not of length 1."""
        return bool(self._outcome[5])

    @property
    def time(self) -> float:
        """[s]"""
        return self._time

    @property
    def solver(self) -> str:
        """Name of the method."""
        return self.request.solver

    @property
    def solver_reason(self) -> str:
        """Why it was this method, as the end of a sentence: "because ..."."""
        return self._question.reason(self._target)

    @property
    def start(self) -> Array | None:
        """[nq] as it was passed; None where the method chose its own."""
        return np.frombuffer(self._start) if isinstance(self._start, bytes) else self._start

    @property
    def limit_margins(self) -> Array:
        """[nq] how far each joint is from its nearer limit [rad or m]; infinite where it has none.

        Negative beyond a limit, which only happens with limits=False. The four numbers of a ball joint all
        have the smaller margin of its swing and its twist.
        """
        return self._question.limit_margins(self._target, self._q)

    @property
    def manipulability(self) -> float:
        """Yoshikawa's measure sqrt(det(J J^T)) at q, J being the rows that the goals ask for.

        In metres to the power of the rows of position for revolute joints (m^3 for a pose), 0 in a singular
        configuration. Of an arm that can move in fewer directions than that anywhere (planar arms, fewer
        joints than rows), the product of as many singular values as it can have.
        """
        return self._question.manipulability(self._target, self._q)

    @property
    def condition_number(self) -> float:
        """The largest singular value of J over the smallest: 1 at best, infinite in a singular configuration.

        J is that of `manipulability`, with lengths counted in half reaches, so that it has no unit.
        """
        return self._question.condition_number(self._target, self._q)

    def derivative(self) -> Array:
        """How fast the joints follow the target: D [nv, 6], or [nv, 3] for a Position or an Orientation.

        A twist of the target, its velocity [m/s] and its angular velocity [rad/s] in world axes, moves the
        joints by D @ twist: on an arm with joints to spare by the smallest motion, and joints at a limit stay
        there. See `limbik.solution_jacobian`.

        Raises SolverError where the goal is not met, or is not one Pose, Position or Orientation;
        SingularError where the solution has no derivative.
        """
        if not self.success:
            raise SolverError("only a solution that meets its goal has a derivative by it")
        return self._question.derivative(self._target, self._q)

    def explain(self) -> Diagnosis:
        """The request, how far off the answer is, why, and what could be done; `print` shows sentences.

        Looked for at the first call, which takes milliseconds where the solve failed.
        """
        try:
            return self._diagnosis
        except AttributeError:
            self._diagnosis: Diagnosis = self._question.diagnosis(self._target, self)
            return self._diagnosis

    def __bool__(self) -> bool:
        return self.success

    def __reduce__(self) -> tuple[Any, ...]:
        return Solution, (
            self._q,
            self._outcome,
            self._time,
            self._question.detached(self._target),
            self._start,
            None,
        )

    def __repr__(self) -> str:
        status = self._diagnosis.status if hasattr(self, "_diagnosis") else self.ended
        return (
            f"Solution(q={self.q!r}, status={status!s}, error={self.error!r}, "
            f"error_rotation={self.error_rotation!r}, iterations={self.iterations}, "
            f"restarts={self.restarts}, time={self.time!r}, solver={self.solver!r})"
        )


@dataclass(frozen=True, slots=True, eq=False)
class BatchSolution:
    """The answers to many goals, in their order; see `Solution` for what each means."""

    q: Array  # [N, nq]
    outcome: Array  # [N, 6] of `Outcome`
    time: float  # [s] of the whole batch
    solver: str  # name

    @property
    def success(self) -> NDArray[np.bool_]:
        """[N] whether each goal is met within tolerance and limits."""
        return np.asarray(self.outcome[:, 0] == 0.0)

    @property
    def status(self) -> list[Status]:
        """[N] how each solve ended, as in `Solution.ended`."""
        return [STATUSES[int(code)] for code in self.outcome[:, 0]]

    @property
    def error(self) -> Array:
        """[N, m] distances of the frame from the goals."""
        return np.asarray(self.outcome[:, 1])

    @property
    def error_rotation(self) -> Array:
        """[N, rad] angles between the frame and the goals."""
        return np.asarray(2.0 * np.arcsin(np.minimum(0.5 * self.outcome[:, 2], 1.0)))

    @property
    def iterations(self) -> NDArray[np.intp]:
        """[N]"""
        return self.outcome[:, 3].astype(np.intp)

    def __len__(self) -> int:
        return len(self.q)


@dataclass(frozen=True, slots=True, eq=False)
class Iterate:
    """What one iteration left."""

    iteration: int  # 0: the start
    q: Array  # [nq]
    error: float  # [m]; for goals with a rotation, metres and weighted radians together
    note: str  # "start", "step", "restart" or "end"


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """One of the attempts that the fast core makes side by side; see `Trace.lanes`."""

    q: Array  # [k + 1, nq]
    error: Array  # [k + 1], as in `Iterate`
    restarted_at: tuple[int, ...]  # rows in which it began again elsewhere


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Every iteration of one solve: k + 1 configurations and errors, the start first and the answer last.

    Where a solve gives up, its answer is the nearest configuration that it found, which it goes back to in
    the last row. Of the attempts that the fast core makes side by side, the rows are those of the one that
    gave the answer, from where it began.
    """

    q: Array  # [k + 1, nq]
    error: Array  # [k + 1], as in `Iterate`
    restarted_at: tuple[int, ...]  # rows that are the first ones of another descent
    solution: Solution
    lanes: tuple[Lane, ...] = ()  # all attempts side by side, where they were requested

    @property
    def iterations(self) -> int:
        """Number of iterations k."""
        return len(self.error) - 1

    def __len__(self) -> int:
        return len(self.error)

    def __iter__(self) -> Iterator[Iterate]:
        last = len(self.error) - 1
        for k, (q, error) in enumerate(zip(self.q, self.error, strict=True)):
            if k == 0:
                note = "start"
            elif k in self.restarted_at:
                note = "restart"
            else:
                note = "end" if k == last else "step"
            yield Iterate(k, q, float(error), note)
