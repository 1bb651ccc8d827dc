"""Solves one arm of a scene for its goals with one solver, and measures the answer for the page."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from limbik import solvers
from limbik.app.goal_io import GoalErrors, as_goals, as_they_are, check, goal_errors, legal, out_of_reach
from limbik.app.null_space import null_directions
from limbik.app.open_scene import OpenedArm
from limbik.app.page_world import Around
from limbik.app.parameters import parameters
from limbik.app.protocol.space import ArmMove, ArmMoveReply, MeasureOptions, MoveRequest, SpaceSettings
from limbik.app.solver_time import ITERATIONS, TOLERANCE, iteration_microseconds, timed
from limbik.errors import SolverError
from limbik.goals import Goal, Posture
from limbik.measure import velocity_ellipsoid
from limbik.model import Model
from limbik.request import clipped, deadline_after
from limbik.scene import tasks_of
from limbik.solution import Solution
from limbik.solvers import trace
from limbik.solvers.free_plan import made_free
from limbik.solvers.solver import Solver
from limbik.spatial import Array
from limbik.status import Status

FIRST_SEARCH = 150  # iterations, after which it is known how long one takes
SEARCH_ITERATIONS = 64 * FIRST_SEARCH  # the full budget of a search, over all its descents
MAX_ROWS = 2000  # of a trace that is sent
LIMIT_SLACK = 1e-9  # [rad or m], rounding that does not count as a violation

ROUNDING = 1.0 + 1e-9  # of a tolerance

WITH_PRIORITIES = ("lm",)
_COLLIDES = tuple(
    status.name.lower()
    for status in (Status.GOAL_IN_COLLISION, Status.BASE_IN_COLLISION, Status.NO_FREE_SOLUTION)
)
# A part that is solved while the wishes are not: branches pulled it away again.
_ENDS = {status: status.name.lower() for status in Status} | {Status.SOLVED: "likely_unreachable"}


@dataclass(frozen=True, eq=False)
class WatchedAnswer:
    """An answer and the configurations on the path to it."""

    q: Array  # [nq]
    rows: Array  # [k+1, nq], q the last
    ended: str  # as in the protocol


def move(
    arm: OpenedArm,
    arm_move: ArmMove,
    name: str,
    q: Array,
    request: MoveRequest,
    seconds: float,
    time_limit: float | None = None,
    around: Around | None = None,
) -> ArmMoveReply:
    """Move the arm from q [nq], for at most about so many seconds if it is to search.

    time_limit [s]: of each solve. around: what it is not to collide with.

    Raises LimbikError where the solver cannot do it, ModelError and GoalError for goals that have no meaning.
    """
    model = arm.model
    check(model, arm_move.goals)
    start = legal(model, q, request.settings.limits)
    if not arm_move.goals:
        return _still(arm_move, name, start, request.measure, model, around)
    ask = _Ask(arm, arm_move, name, request, time_limit, around)
    if request.search:
        began = time.perf_counter()
        result = ask.search(start, seconds)
        microseconds = 1e6 * (time.perf_counter() - began)
    elif time_limit is None:
        result, microseconds = timed(ask.model, ask.plan_key, lambda: ask.drag(start))
    else:  # while solvers are interpreted, their time says nothing about them
        result, microseconds = ask.drag(start), math.nan
    is_timed = request.timing and time_limit is None
    alone = iteration_microseconds(model, ask.iterations) if is_timed else None
    return _measured(ask, result, microseconds, alone)


class _Ask:
    """The request to one solver."""

    def __init__(
        self,
        arm: OpenedArm,
        arm_move: ArmMove,
        name: str,
        request: MoveRequest,
        time_limit: float | None,
        around: Around | None,
    ) -> None:
        self.model = arm.model if around is None else around.model
        self.arm_move, self.name, self.request, self.around = arm_move, name, request, around
        settings = request.settings
        self.options: dict[str, Any] = {
            "solver": solver(name, settings),
            "tolerance": settings.tolerance,
            "tolerance_rotation": settings.tolerance_rotation,
            "limits": settings.limits,
            "time_limit": time_limit,
        }
        goals = as_goals(arm_move.goals)
        if arm_move.posture is not None and name in WITH_PRIORITIES:
            goals.append(Posture(q=arm_move.posture.q, weight=arm_move.posture.weight))
        self.parts: list[tuple[list[Goal], list[str]]] = [(goals, [])]
        # What is free of collision is requested of the whole arm at once.
        if arm.arm.branches and arm_move.branches == "independent" and around is None:
            self.parts = tasks_of(replace(arm.arm, goals=tuple(goals)))

    @property
    def plan_key(self) -> Hashable:
        """What the solver's plans depend on."""
        goals = tuple((type(goal), goal.frame) for goal in self.arm_move.goals)
        limits = self.request.settings.limits
        return self.name, goals, tuple(self.arm_move.locked), limits, self.arm_move.posture is None

    def drag(self, start: Array) -> WatchedAnswer:
        """From where the arm is, without restarts."""
        return self._all_parts(start, 0, self.request.settings.iterations, restarts=0)

    def search(self, start: Array, seconds: float) -> WatchedAnswer:
        """From anywhere, until the goals are met or the budget or the time is spent; the best answer."""
        began = time.perf_counter()
        done, budget, nearest = 0, FIRST_SEARCH, math.inf
        best: WatchedAnswer | None = None
        if self.around is not None:
            self.options["time_limit"] = seconds
        for seed in itertools.count():
            watched = self._all_parts(start, seed, budget, restarts=None)
            missed = goal_errors(self.model, self.arm_move.goals, watched.q[None])
            if best is None or missed.total < nearest:
                best, nearest = watched, missed.total
            done += budget
            passed = time.perf_counter() - began
            affordable = (seconds - passed) * done / passed
            if self.is_met(missed) or done >= SEARCH_ITERATIONS or affordable < FIRST_SEARCH:
                break  # what meets the goals and collides has been searched for as long as there was time
            budget = budget if 2 * budget > affordable else done  # twice as many in all, while there is time
        assert best is not None, "at least one search is made"
        return best

    def iterations(self, start: Array, end: Array) -> int:
        """How many iterations a solve makes from one configuration to goals that are met at another."""
        options = {**self.options, "tolerance": TOLERANCE, "tolerance_rotation": TOLERANCE}
        goals = as_goals(as_they_are(self.model, self.arm_move.goals, end))
        options |= {"start": start, "locked": self.arm_move.locked, "iterations": ITERATIONS, "restarts": 0}
        return solvers.solve(self.model, goals, **options).iterations

    def is_met(self, missed: GoalErrors) -> bool:
        """Whether the last configuration meets the wishes of the page."""
        return self.first_met(GoalErrors(missed.metres[-1:], missed.radians[-1:])) == 0

    def first_met(self, missed: GoalErrors) -> int:
        """The first configuration that meets the wishes; -1 where none does."""
        settings = self.request.settings
        return missed.first_within(ROUNDING * settings.tolerance, ROUNDING * settings.tolerance_rotation)

    def _all_parts(self, q: Array, seed: int, iterations: int, restarts: int | None) -> WatchedAnswer:
        """The arm, then its branches one after the other; or all at once."""
        rows: list[Array] = []
        ended = Status.SOLVED
        for goals, still in self.parts:
            locked = tuple(dict.fromkeys([*self.arm_move.locked, *still]))
            options = {**self.options, "iterations": iterations, "restarts": restarts}
            start = clipped(self.model, q, still) if options["limits"] else q
            seen = trace(self.model, goals, start=start, seed=seed, locked=locked, **options)
            q = seen.solution.q
            rows.append(seen.q)
            ended = seen.solution.ended if ended is Status.SOLVED else ended
        if self.around is not None and ended is Status.SOLVED:
            q, ended = self._freed(seen.solution, seed)
            rows.append(q[None])
        return WatchedAnswer(q, np.concatenate(rows), _ENDS[ended])

    def _freed(self, solution: Solution, seed: int) -> tuple[Array, Status]:
        """A solution of the same goals that is free of collision; what comes nearest where none is found."""
        assert self.around is not None, "there is something to be free of"
        began, deadline = time.perf_counter(), deadline_after(self.options["time_limit"])
        free = made_free(self.model, solution, self.around.options, seed, began, deadline)
        return free.q, free.ended


def _measured(ask: _Ask, watched: WatchedAnswer, microseconds: float, alone: float | None) -> ArmMoveReply:
    model, arm_move, request = ask.model, ask.arm_move, ask.request
    rows = watched.rows
    if not np.isfinite(rows).all():
        raise SolverError(f"{ask.name} left the numbers: it answered with a value that is not finite")
    missed = goal_errors(model, arm_move.goals, rows)
    return ArmMoveReply(
        arm=arm_move.arm,
        solver=ask.name,
        q=watched.q,
        errors=missed.worst_metres,
        iterations=len(rows) - 1,
        iterations_to_tolerance=ask.first_met(missed),
        status=watched.ended if watched.ended in _COLLIDES or not ask.is_met(missed) else "solved",
        microseconds=microseconds,
        violations=count_violations(rows, model) if request.settings.limits else 0,
        goal_errors=missed.last,
        out_of_reach=out_of_reach(model, arm_move.goals, request.settings),
        nullity=null_directions(model, arm_move.goals, watched.q, arm_move.locked).shape[1],
        trace=rows[-MAX_ROWS:] if request.trace else None,
        goal_trace=missed.each[-MAX_ROWS:] if request.trace else None,
        iteration_microseconds=alone,
        near=None if ask.around is None else ask.around.near(watched.q),
        **_ellipsoid(model, request.measure, arm_move, watched.q),
    )


def _still(
    arm_move: ArmMove,
    name: str,
    q: Array,
    measure: MeasureOptions | None,
    model: Model,
    around: Around | None,
) -> ArmMoveReply:
    """The answer for an arm without goals."""
    return ArmMoveReply(
        arm=arm_move.arm,
        solver=name,
        q=q,
        errors=[0.0],
        iterations=0,
        iterations_to_tolerance=0,
        status="still",
        microseconds=0.0,
        violations=0,
        goal_errors=[],
        out_of_reach=[],
        nullity=0,
        near=None if around is None else around.near(q),
        **_ellipsoid(model, measure, arm_move, q),
    )


def _ellipsoid(model: Model, measure: MeasureOptions | None, arm_move: ArmMove, q: Array) -> dict[str, Any]:
    if measure is None or measure.arm != arm_move.arm:
        return {}
    matrix, manipulability = velocity_ellipsoid(model, q, measure.frame, arm_move.locked)
    return {"ellipsoid": matrix.ravel(), "manipulability": manipulability}


def count_violations(rows: Array, model: Model) -> int:
    """How many joints were outside their limits in any of the configurations [k, nq].

    Ball joints outside theirs count as one together.
    """
    outside = (rows < model.lower - LIMIT_SLACK) | (rows > model.upper + LIMIT_SLACK)
    count = int(outside.any(axis=0).sum())
    are_legal = np.all(model.is_within_limits(rows, -LIMIT_SLACK))
    return count if count or are_legal else 1


def solver(name: str, settings: SpaceSettings) -> Solver:
    """The solver with what the settings say of its parameters."""
    offered = {
        "damping": settings.damping,
        "gamma": settings.gamma,
        "lambda_": settings.lambda_,
        "anneal": settings.anneal,
    }
    known = parameters()[name]
    return solvers.get(
        name, **{key: value for key, value in offered.items() if value is not None and key in known}
    )
