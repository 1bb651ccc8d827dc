"""`diagnose`: why a solve failed: out of reach, cut short, locked joints, limits, orientation or conflicting
goals, proved by a solution where there is one.

In this order, and the first that holds is the reason:

1. a bound proves the position out of reach (`bounds`);
2. a longer search finds a solution within the limits: the solve was cut short;
3. there is a solution with locked joints free: the locks are in the way;
4. there is a solution without limits: the limits bind, and by how much is told;
5. with orientations left aside there is a solution within the limits: the orientation is not available;
6. the error still falls when the descent goes on: the solve was cut short;
7. otherwise the goal is likely unreachable. Of several goals that can be met alone, those that can not be met
   together are named.

Where a bound proves a pose out of reach, 2 is left out, and 7 says unreachable.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from limbik.diagnosis import Diagnosis, Excess, Nearest, Standing
from limbik.goals import (
    ONE6,
    Direction,
    Goal,
    LookAt,
    Orientation,
    Pose,
    Position,
    evenly,
)
from limbik.measure import goal_errors, half_reach, tool_of
from limbik.model.joints import JointKind
from limbik.model.margins import readings, unwound
from limbik.model.model import Model
from limbik.request import Request, moving_joints
from limbik.solution import Solution
from limbik.solvers.bounds import proof, proof_of_pose
from limbik.solvers.goal_words import described
from limbik.solvers.pulls import pulls
from limbik.spatial import Array, pose_from, rotation_exp, rotation_log
from limbik.status import Status

SEARCH = 1000  # iterations of a search over the whole space
SHORT = 100  # of a descent from a configuration nearby
SEED = 1  # not that of the solve, whose restarts have failed
STARTS = 6  # from which solutions beyond the limits are looked for
HALVINGS = 6  # of the angle to a rotation
ALTERNATIONS = 8  # between the limits and the solutions
FALLING = 0.9  # an error that goes on falls below this fraction of it
LEGAL = 1e-9  # [rad or m] beyond a limit, and it is rounding

# What an extra solve leaves aside of the options: how it was to search.
OF_THE_SEARCH = ("solver", "iterations", "restarts", "mode", "prefer", "rest_bias")


def diagnose(request: Request, solution: Solution) -> Diagnosis:
    """Find the reason; milliseconds where the solve failed, next to nothing where it did not."""
    case = _Case(request, solution)
    if solution.success:
        return case.report(Status.SOLVED)
    if solution.ended is Status.CONVERGED:
        return case.report(Status.CONVERGED, pulls=pulls(request, solution))
    bound = proof(case.request)
    if bound is not None:
        return case.report(Status.UNREACHABLE, bound=bound, **case.slides_too_short())
    bound = proof_of_pose(case.request)
    q_within = case.within_limits() if bound is None else None
    if q_within is not None:
        return case.report(Status.BUDGET_SPENT, q_found=q_within)
    unlocked = case.unlocked()
    if unlocked:
        return case.report(Status.LOCKED, **unlocked)
    beyond = case.beyond_limits()
    if beyond is not None and not beyond.excesses:
        return case.report(Status.BUDGET_SPENT, q_found=beyond.q)
    aside = case.without_orientations()
    if beyond is not None:
        return case.report(
            Status.LIMITS_BIND,
            bound=bound,
            excesses=beyond.excesses,
            q_beyond_limits=beyond.q,
            **case.position(aside),
        )
    if aside is not None:
        conflict = case.conflict() if bound is None else ()
        return case.report(
            Status.ORIENTATION_UNAVAILABLE, bound=bound, conflict=conflict, **case.position(aside)
        )
    if bound is not None:
        return case.report(Status.UNREACHABLE, bound=bound)
    if solution.ended is Status.BUDGET_SPENT and case.is_descending():
        return case.report(Status.BUDGET_SPENT, is_descending=True)
    return case.report(Status.LIKELY_UNREACHABLE, conflict=case.conflict())


class _Beyond(NamedTuple):
    """A solution without limits."""

    q: Array
    excesses: tuple[Excess, ...]
    size: float  # of the excesses together [rad], metres counted in half reaches


class _Case:
    """A solution and what can be tried to tell more about it."""

    def __init__(self, request: Request, solution: Solution) -> None:
        self.solution = solution
        # Which weights there are does not decide whether a goal can be met.
        self.request = dataclasses.replace(request, goals=tuple(map(evenly, request.goals)))
        self.model = self.request.model
        remaining = {k: v for k, v in self.request.options.items() if k not in OF_THE_SEARCH}
        self.options: Mapping[str, Any] = remaining

    def within_limits(self) -> Array | None:
        """What a search of the whole space finds."""
        return self._solved(self.request.goals, start=self.solution.q, iterations=SEARCH)

    def unlocked(self) -> dict[str, Any]:
        """What is reported where there is a solution with one of the locked joints free, or with all."""
        moving = moving_joints(self.model, self.request.goals)
        locked = tuple(name for name in self.options.get("locked", ()) if name in moving)
        alone = [(name,) for name in locked]
        for free in [*alone, locked] if len(locked) > 1 else alone:
            remaining = [name for name in locked if name not in free]
            q = self._solved(self.request.goals, start=self.solution.q, iterations=SEARCH, locked=remaining)
            if q is not None:
                held = standing(self.model, self.solution.q, free)
                return {"unlocked": free, "q_unlocked": q, "held": held}
        return {}

    def slides_too_short(self) -> dict[str, Any]:
        """What is reported where only the travel of prismatic joints puts a goal out of reach."""
        if proof(dataclasses.replace(self.request, options={**self.request.options, "limits": False})):
            return {}
        beyond = self.beyond_limits()
        return {} if beyond is None else {"excesses": beyond.excesses, "q_beyond_limits": beyond.q}

    def without_orientations(self) -> Array | None:
        """What a search finds for the positions alone, where positions and something else are requested."""
        goals = positions_alone(self.request.goals)
        return self._solved(goals, start=self.solution.q, iterations=SEARCH) if goals else None

    def beyond_limits(self) -> _Beyond | None:
        """The solution without limits that is nearest to them, of those from several starts."""
        if not self.model.has_limits or not self.request.options.get("limits", True):
            return None
        first = self._solved(self.request.goals, start=self.solution.q, iterations=SEARCH, limits=False)
        if first is None:
            return None
        best = self._toward_limits(first)
        for start in self.model.random(SEED, STARTS - 1):
            if not best.excesses:
                break
            q = self._solved(self.request.goals, start=self._held(start), iterations=SHORT, limits=False)
            if q is not None:
                best = min(best, self._toward_limits(q), key=lambda beyond: beyond.size)
        return self._legal(best)

    def is_descending(self) -> bool:
        """Whether the error falls when the descent goes on from where it ended."""
        options = {**self.request.options, "restarts": 0, "iterations": SHORT}
        goes_on = self.model.solve(self._goal(self.request.goals), start=self.solution.q, **options)
        return self._off(goes_on) < FALLING * self._off(self.solution)

    def conflict(self) -> tuple[int, ...]:
        """Indices of goals that are met without one of them, but not all together; () if there are none."""
        everyone = range(len(self.request.goals))
        if len(everyone) < 2 or any(self._met([index]) is None for index in everyone):
            return ()
        needed = list(everyone)
        for index in everyone:
            fewer = [other for other in needed if other != index]
            if len(fewer) > 1 and self._met(fewer) is None:
                needed = fewer
        return tuple(needed)

    def position(self, q: Array | None) -> dict[str, Any]:
        """What is reported of a solution for the positions alone, turned as near to the goal as can be."""
        if q is None:
            return {}
        q = self._turned(q)
        return {"q_position": q, "errors_position": goal_errors(self.request, q)}

    def _turned(self, q: Array) -> Array:
        """A solution for the position of one pose, turned toward its rotation as far as that is
        free."""
        goal = self.request.goals[0]
        if len(self.request.goals) > 1 or type(goal) is not Pose:
            return q
        here = (self.model.pose(q, goal.frame) @ tool_of(self.request, goal))[:3, :3]
        rotation = rotation_log(here.T @ goal.target[:3, :3])
        reached, missed = 0.0, 1.0  # fractions of the rotation
        for _ in range(HALVINGS):
            fraction = 0.5 * (reached + missed)
            target = pose_from(here @ rotation_exp(fraction * rotation), goal.target[:3, 3])
            nearer = self._solved([dataclasses.replace(goal, target=target)], start=q, iterations=SHORT)
            if nearer is None:
                missed = fraction
            else:
                reached, q = fraction, nearer
        return q

    def report(self, status: Status, **reason: Any) -> Diagnosis:  # fields of a Diagnosis
        """The diagnosis."""
        nearest = _nearest(self.model, self.solution.q)
        return reported(self.request, self.solution, status, nearest=nearest, **reason)

    def _solved(self, goals: Sequence[Goal], **options: Any) -> Array | None:  # of `solve`
        """A configuration that meets the goals."""
        answer = self.model.solve(self._goal(goals), seed=SEED, **{**self.options, **options})
        return answer.q if answer.success else None

    def _met(self, indices: Sequence[int]) -> Array | None:
        goals = [self.request.goals[index] for index in indices]
        return self._solved(goals, start=self.solution.q, iterations=SEARCH)

    def _goal(self, goals: Sequence[Goal]) -> Any:
        return goals[0] if len(goals) == 1 else list(goals)

    def _off(self, answer: Solution) -> float:
        """[rad] how far an answer is off, metres counted in half reaches."""
        return answer.error / half_reach(self.request) + answer.error_rotation

    def _held(self, q: Array) -> Array:
        """q with the joints where the answer has them that are locked, or move nothing that is requested."""
        moving = moving_joints(self.model, self.request.goals)
        still = [joint.name for joint in self.model.joints if joint.nq and joint.name not in moving]
        for name in (*self.options.get("locked", ()), *still):
            part = self.model.q_slice(name)
            q[part] = self.solution.q[part]
        return q

    def _toward_limits(self, q: Array) -> _Beyond:
        """A solution nearer to the limits than q: alternately to the nearest legal configuration and back."""
        best = self._beyond(q)
        for _ in range(ALTERNATIONS):
            if not best.excesses:
                break
            start = self.model.clip(best.q)
            nearer = self._solved(self.request.goals, start=start, iterations=SHORT, restarts=0, limits=False)
            if nearer is None:
                break
            beyond = self._beyond(nearer)
            if beyond.size >= best.size:
                break
            best = beyond
        return best

    def _beyond(self, q: Array) -> _Beyond:
        unwound_q = unwound(self.model, q)
        if _off(self.request, unwound_q) <= _off(self.request, q) + LEGAL:  # revolutions may be requested
            q = unwound_q
        excesses = tuple(
            Excess(
                joint=reading.joint.name,
                quantity=reading.quantity,
                value=reading.value,
                limit=reading.lower if reading.value < reading.lower else reading.upper,
            )
            for reading in readings(self.model, q)
            if reading.margin < -LEGAL
        )
        sizes = [one.beyond / (half_reach(self.request) if one.unit == "m" else 1.0) for one in excesses]
        return _Beyond(q, excesses, math.hypot(*sizes))

    def _legal(self, beyond: _Beyond) -> _Beyond:
        """The same, or without excess where the goals can be met within the limits close by."""
        start = self.model.clip(beyond.q)
        legal = self._solved(self.request.goals, start=start, iterations=SHORT, restarts=0)
        return beyond if legal is None else _Beyond(legal, (), 0.0)


def _off(request: Request, q: Array) -> float:
    """[m and rad together] how far the worst goal is from being met at q."""
    return max(sum(miss) for miss in goal_errors(request, q))


def reported(request: Request, solution: Solution, status: Status, **reason: Any) -> Diagnosis:  # its fields
    """The diagnosis of a solution."""
    return Diagnosis(
        status=status,
        goals=tuple(described(request, goal) for goal in request.goals),
        wishes=request.wishes,
        errors=solution.goal_errors,
        q=solution.q,
        iterations=solution.iterations,
        **reason,
    )


def positions_alone(goals: Sequence[Goal]) -> list[Goal]:
    """What of goals asks for positions; nothing where that is all of them."""
    alone = [_position_alone(goal) for goal in goals]
    is_all = all(new is old for new, old in zip(alone, goals, strict=True))
    return [] if is_all else [goal for goal in alone if goal is not None]


def _position_alone(goal: Goal) -> Goal | None:
    """The goal without the orientation that it asks for; itself where it asks for none, None if for all."""
    if isinstance(goal, Orientation | Direction | LookAt):
        return None
    if not isinstance(goal, Pose):
        return goal
    weights = goal.weights or ONE6
    position, rotation = weights[:3], weights[3:]
    if not any(rotation):
        return goal
    if type(goal) is Pose and weights == ONE6 and not any(goal.tolerance or ()):
        return Position(frame=goal.frame, target=goal.target[:3, 3], priority=goal.priority)
    return dataclasses.replace(goal, weights=(*position, 0.0, 0.0, 0.0)) if any(position) else None


def standing(model: Model, q: Array, joints: Iterable[str]) -> tuple[Standing, ...]:
    """Where joints that keep still are at q [nq]."""
    return tuple(
        Standing(
            joint=name,
            values=tuple(q[model.q_slice(name)].tolist()),
            unit="m" if model.joint(name).kind is JointKind.PRISMATIC else "rad",
        )
        for name in joints
    )


def _nearest(model: Model, q: Array) -> Nearest | None:
    nearest = min(readings(model, q), key=lambda reading: reading.margin, default=None)
    if nearest is None or math.isinf(nearest.margin):
        return None
    unit = "m" if nearest.quantity == "travel" else "rad"
    return Nearest(joint=nearest.joint.name, margin=nearest.margin, unit=unit)
