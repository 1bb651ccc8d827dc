"""Base class of plans for all solutions: fits them into limits, adds revolutions, sorts, and reports whether
they are complete or why there are none.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from limbik.all_solutions.result import AllSolutions, AllSolutionsBatch, FreeMotion
from limbik.all_solutions.sampled_plan import STARTS
from limbik.all_solutions.self_motion import Mover, self_motions
from limbik.analytic.kernels import AT_LIMIT, BESIDE_LIMIT, SETTLED
from limbik.compiler.program import Program
from limbik.errors import GoalError, number_of
from limbik.goals import Goal, Pose
from limbik.locks import cached_property
from limbik.model.chain import Chain
from limbik.model.joints import JointKind
from limbik.model.margins import limit_margins
from limbik.model.model import Model
from limbik.request import time_left
from limbik.spatial import Array, Matrix4, as_poses, nearest_angles, norm
from limbik.status import Status

FULL_TURN = 2.0 * math.pi
WINDINGS_WITHOUT_LIMIT = 2.0 * FULL_TURN  # [rad] on either side of the start, where joints may turn forever

PlanRequest: TypeAlias = tuple[Any, ...]  # a pose [4, 4] in bytes, a start [nq] or None, and what a plan adds


class SearchOptions(NamedTuple):
    """Options of `solve_all` that a plan reads."""

    revolutions: bool = False  # whether q + 2 pi k within the limits are solutions of their own
    samples: int | None = None  # of the free joint or swivel angle of seven joints; None: default
    starts: int = STARTS  # of the search at poses where a joint may have any angle
    deadline: float = math.inf  # [s of `perf_counter`] of searches


DEFAULTS = SearchOptions()


class AnswersPlan(ABC):
    """All solutions of the pose of a frame, at the end of a chain of revolute and prismatic joints.

    lower, upper [n]: the limits of the chain's joints, infinite where they do not count.
    """

    rows = 6  # of a pose that the goal determines: 3 of its point, or 2
    programs: tuple[Program, ...] = ()  # that it runs
    _arguments: tuple[Any, ...]

    def __init__(self, model: Model, chain: Chain, frame: str | None, limits: bool) -> None:
        self.model = model
        self.chain = chain
        self.frame = frame
        self._limits = limits
        self.indices = chain.q_indices
        infinite = np.full(len(chain.joints), math.inf)
        self.lower = np.array([joint.lower for joint in chain.joints]) if limits else -infinite
        self.upper = np.array([joint.upper for joint in chain.joints]) if limits else infinite
        self.is_whole = np.array_equal(self.indices, np.arange(model.nq))
        self._slides = np.array([joint.kind is JointKind.PRISMATIC for joint in chain.joints])

    def __new__(cls, *arguments: Any) -> Self:
        plan = super().__new__(cls)
        plan._arguments = arguments
        return plan

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is a new plan: addresses and machine code are those of this process."""
        return type(self), self._arguments

    @abstractmethod
    def solve(self, pose: Array, start: Array | None, options: SearchOptions = DEFAULTS) -> AllSolutions:
        """All solutions for a pose [4, 4] of float64, sorted by distance to a start [nq]."""

    def near(self, start: Array | None) -> Array:
        """The chain's part [n] of a start [nq], or zeros."""
        return np.zeros(len(self.indices)) if start is None else start[self.indices]

    def searched(self, pose: Matrix4, start: Array | None, deadline: float) -> Array:
        """The chain's configuration [1, n] that a search finds for a pose, where a closed form that is not
        complete finds none; [0, n] where a search does not either. deadline: [s of `perf_counter`].
        """
        goal = self._goal((pose.tobytes(),))
        solution = self.model.solve(goal, start=start, limits=self._limits, time_limit=time_left(deadline))
        q = self.within_limits(solution.q[self.indices], self.near(start))[0]
        return q[None] if solution.success else np.empty((0, len(self.indices)))

    def is_unreachable(self, pose: Matrix4) -> bool:
        """Whether a pose is proved to be out of reach."""
        goal = Pose(target=pose, frame=self.frame)
        solution = self.model.solve(goal, limits=self._limits, iterations=1, restarts=0)
        return solution.status is Status.UNREACHABLE

    def answered(
        self, q: Array, request: PlanRequest, start: Array | None, revolutions: bool, began: float
    ) -> AllSolutions:
        """The chain's solutions [k, n], sorted by distance to a start [nq], as the model's."""
        near = self.near(start)
        if start is not None:
            q = q[np.argsort(norm(q - near), kind="stable")]
        if revolutions:
            q = self.with_windings(q, near)
        if not self.is_whole:
            q = self.whole(q, start)
        return AllSolutions(q, self, request, perf_counter() - began)

    def solve_batch(self, poses: Array, start: Array | None) -> AllSolutionsBatch:
        """All solutions for many poses [N, 4, 4]."""
        began = perf_counter()
        poses = checked_poses(poses)
        each = [self.solve(pose, start) for pose in poses]
        is_complete = all(answer.complete for answer in each)
        q, time = [answer.q for answer in each], perf_counter() - began
        return AllSolutionsBatch.of_each(q, self.model.nq, is_complete, self.method(None), time)

    @abstractmethod
    def is_complete(self, request: Any, /) -> bool:
        """Whether it is proved that there is no other solution."""

    @abstractmethod
    def method(self, request: Any, /) -> str:
        """In words."""

    @abstractmethod
    def branches(self, request: Any, q: Array, /) -> tuple[str, ...]:
        """The names of the branches of q [k, nq]."""

    def remark(self, request: PlanRequest, count: int, /) -> str:
        """What is known of so many solutions."""
        if not count:
            is_none = "No configuration within the limits is a solution."
            return (is_none if self.is_complete(request) else "None was found.") + " " + self.failure(request)
        number = number_of(count, "solution")
        return f"{number}, {self.known_rest(request)}: found {self.method(request)}."

    def known_rest(self, request: PlanRequest) -> str:
        """What is known of others."""
        return "and there is no other"

    def whole(self, q: Array, start: Array | None) -> Array:
        """The model's configurations [k, nq] for the chain's [k, n], the other joints as in the start."""
        rest = self.model.neutral if start is None else self.model.clip(start)
        whole = np.tile(rest, (len(q), 1))
        whole[:, self.indices] = q
        return whole

    def within_limits(self, q: Array, near: Array) -> tuple[Array, Array]:
        """The chain's configurations [..., n] with the revolutions that bring each revolute joint within its
        limits, the nearest to `near` [n], clipped to them; and by how much [...] each was beyond one.
        """
        turned = np.where(self._slides, q, near + nearest_angles(q - near))
        turn = np.where(self._slides, 0.0, FULL_TURN)
        above, below = turned - self.upper - AT_LIMIT, self.lower - AT_LIMIT - turned
        turned = turned - turn * np.ceil(np.where(above > 0.0, above, 0.0) / FULL_TURN)
        turned = turned + turn * np.ceil(np.where(below > 0.0, below, 0.0) / FULL_TURN)
        is_above = turned > self.upper + AT_LIMIT
        is_nearer_below = self.lower - (turned - turn) < turned - self.upper
        turned = np.where(is_above & is_nearer_below, turned - turn, turned)
        clipped = np.clip(turned, self.lower, self.upper)
        return clipped, np.abs(turned - clipped).max(axis=-1, initial=0.0)

    def legal(self, q: Array, near: Array, pose: Matrix4) -> Array | None:
        """The chain's configuration [n] within the limits for one [n] that meets a pose; None where it is
        beyond them. Joints that rounding has put beyond a limit are moved to it, and the others follow: near
        double roots rounding is large.
        """
        q, excess = self.within_limits(q, near)
        return q if excess <= AT_LIMIT else self.settled(q, near, pose) if excess < BESIDE_LIMIT else None

    def settled(self, q: Array, near: Array, pose: Matrix4) -> Array | None:
        """The chain's configuration [n] near q that meets a pose, with the joints at limits that q has there;
        None where there is none.
        """
        is_held = np.zeros(len(q), bool)
        for _ in q:
            is_held |= (q <= self.lower) | (q >= self.upper)
            mover = replace(self._mover, indices=self.indices[~is_held])
            met = mover.corrected(self.whole(q[None], None)[0], pose, SETTLED)
            if met is None:
                return None
            q, excess = self.within_limits(met[self.indices], near)
            if excess <= AT_LIMIT:
                return q
        return None

    def with_windings(self, q: Array, near: Array) -> Array:
        """The chain's configurations [k, n] with all revolutions of revolute joints that limits allow."""
        every = [turned for each in q for turned in itertools.product(*self._turned(each, near))]
        turned = np.array(every).reshape(-1, q.shape[1])
        return np.asarray(turned[np.argsort(np.linalg.norm(turned - near, axis=1), kind="stable")])

    def _turned(self, q: Array, near: Array) -> list[list[float]]:
        choices = []
        for joint, value, lower, upper, middle in zip(
            self.chain.joints, q, self.lower, self.upper, near, strict=True
        ):
            if joint.kind is JointKind.PRISMATIC:
                choices.append([value])
                continue
            lower = max(lower, middle - WINDINGS_WITHOUT_LIMIT) if math.isinf(lower) else lower
            upper = min(upper, middle + WINDINGS_WITHOUT_LIMIT) if math.isinf(upper) else upper
            first = math.ceil((lower - AT_LIMIT - value) / FULL_TURN)
            last = math.floor((upper + AT_LIMIT - value) / FULL_TURN)
            values = (value + FULL_TURN * k for k in range(first, last + 1))
            choices.append([min(max(each, lower), upper) for each in values])
        return choices

    def free(self, request: Any, q: Array, /) -> tuple[FreeMotion, ...]:
        """How joints may move together."""
        return self_motions(self._mover, q)

    @cached_property
    def _mover(self) -> Mover:
        return Mover(self.model, self.frame, self.indices, self.lower, self.upper, self.rows)

    def limit_margins(self, request: Any, q: Array, /) -> Array:
        """[nq] at q [nq]."""
        return limit_margins(self.model, q)

    def manipulability(self, request: PlanRequest, q: Array, /) -> float:
        """Yoshikawa's measure at q [nq]."""
        values = np.linalg.svd(self._mover.jacobian(q), compute_uv=False)
        return float(np.prod(values[: len(self.indices)]))

    def failure(self, request: PlanRequest) -> str:
        """Why there is no solution, in sentences."""
        goal = self._goal(request)
        return " ".join(self.model.solve(goal).explain().sentences)

    def _goal(self, request: PlanRequest) -> Goal:
        return Pose(target=np.frombuffer(request[0]).reshape(4, 4), frame=self.frame)


def checked_poses(poses: Array) -> Array:
    """Poses [N, 4, 4], repaired where they are rounded; raises GoalError for what is no pose."""
    return as_poses(poses, [f"`poses[{k}]`" for k in range(len(poses))], error=GoalError)
