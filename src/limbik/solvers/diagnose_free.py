"""Diagnosis of a collision-free solve: which pairs collide, and what would help (another target, fewer
obstacles), found by solving again.

For an answer: the pair that is nearest. For what is proved to be in collision: the pairs, and the shift of
the target that frees them. Where no free solution was found: what blocks how many of the solutions, and
whether there is one without it, with another orientation, or with the target a little elsewhere.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from limbik.checks import Contact
from limbik.collision.check import checker_of, contacts
from limbik.collision.checker import Checker, NearPairs
from limbik.collision.fixed_pairs import FixedChecker
from limbik.collision.free_options import FreeOptions
from limbik.collision.geometry import geometry_of
from limbik.collision.pieces import measured_pieces_of
from limbik.collision.shortest_change import shortest_change
from limbik.collision.still_joints import still_joints
from limbik.collision.world import World
from limbik.diagnosis import Diagnosis, Obstacle
from limbik.goals import Goal, Orientation, Pose, Position
from limbik.request import Request, moving_velocities
from limbik.solution import Solution
from limbik.solvers.diagnose import diagnose, positions_alone, reported, standing
from limbik.solvers.fixed_collisions import Blocked, extent_around, fixed_goal
from limbik.spatial import Array, Matrix4
from limbik.status import Status

MAX_EXAMINED = 200  # solutions that are looked at again
MAX_TRIED = 3  # obstacles without which is solved, and shifts
SAME = 1e-3  # [rad or m] two solutions that differ by less in every joint are one
EXTRA_SHIFT = 1e-3  # [m] that a shift leaves
FARTHEST_SHIFT = 0.5  # [m]


class Seen(NamedTuple):
    """What a search that has failed has looked at."""

    q: Array  # [k, nq] solutions, all in collision
    is_complete: bool  # whether there are no others
    is_cut_short: bool  # by the time limit
    blocked: Blocked | None  # the proof that no configuration will do


def diagnose_free(request: Request, free: FreeOptions, solution: Solution, seen: Seen | None) -> Diagnosis:
    """Find the reason; `seen` of a search that has failed."""
    case = _FreeCase(request, free, solution)
    if seen is None:
        return dataclasses.replace(diagnose(request, solution), contacts=case.nearest_pair())
    if seen.blocked is not None:
        status, near, joints = seen.blocked
        shifts = case.shifts_of_goal() if status is Status.GOAL_IN_COLLISION else []
        held = standing(request.model, solution.q, joints)
        names = {name for pair in near.pairs for name in case.checker.pair_names(int(pair))}
        overshoot = case.overshoot(names)
        return case.report(status, near, held=held, overshoot=overshoot, **case.solved_at(shifts))
    near_each = [case.checker.near_pairs(each, free.clearance) for each in case.distinct(seen.q)]
    still = still_joints(
        case.checker, np.concatenate([near.pairs for near in near_each]), moving_velocities(request)
    )
    return case.report(
        Status.NO_FREE_SOLUTION,
        case.checker.near_pairs(solution.q, free.clearance),
        held=standing(request.model, solution.q, still),
        examined=len(near_each),
        is_complete=seen.is_complete,
        is_cut_short=seen.is_cut_short,
        overshoot=case.overshoot(case.checker.names),
        obstacles=case.obstacles(near_each),
        q_turned=case.turned(),
        **case.solved_at(case.shifts_of_answer()),
    )


class _FreeCase:
    """A solution, and what can be tried to tell more about it."""

    def __init__(self, request: Request, free: FreeOptions, solution: Solution) -> None:
        self.request, self.free, self.solution = request, free, solution
        self.checker: Checker = checker_of(request.model, free.world)

    def nearest_pair(self) -> tuple[Contact, ...]:
        """Of the answer."""
        return contacts(self.checker, self.checker.nearest(self.solution.q))

    def report(self, status: Status, near: NearPairs, **reason: Any) -> Diagnosis:  # its fields
        """The diagnosis."""
        reason |= {"contacts": contacts(self.checker, near), "clearance": self.free.clearance}
        return reported(self.request, self.solution, status, **reason)

    def overshoot(self, names: Collection[str]) -> float:
        """Distance [m] by which the convex pieces of two of these bodies may extend beyond their shapes."""
        robot = [body.overshoot for body in geometry_of(self.request.model).bodies if body.name in names]
        objects = [
            measured_pieces_of(self.free.world[name].shape).overshoot
            for name in names
            if name in self.free.world
        ]
        return sum(sorted([*robot, *objects, 0.0])[-2:])

    def distinct(self, q: Array) -> Array:
        """Those of [k, nq] that differ, up to a number."""
        _, first = np.unique(np.round(q / SAME), axis=0, return_index=True)
        return q[np.sort(first)[:MAX_EXAMINED]]

    def obstacles(self, near_each: Iterable[NearPairs]) -> tuple[Obstacle, ...]:
        """What blocks solutions with these pairs too near."""
        counts: collections.Counter[tuple[str, ...]] = collections.Counter()
        for near in near_each:
            names = map(self.checker.pair_names, near.pairs)
            counts.update({(b,) if b in self.free.world else (a, b) for a, b in names})
        return tuple(
            Obstacle(names=names, count=count, q_without=self._without(names) if index < MAX_TRIED else None)
            for index, (names, count) in enumerate(counts.most_common())
        )

    def turned(self) -> Array | None:
        """A free configuration for the positions alone, where orientations are requested, too."""
        goals = positions_alone(self.request.goals)
        return self._solved(goals, self.free.world) if goals else None

    def shifts_of_goal(self) -> list[Array]:
        """[3, m] shifts of the only goal that free what is rigid with its frame, the shortest first."""
        goal = fixed_goal(self.request)
        if goal is None:
            return []
        frame, pose = goal
        q = self.solution.q
        fixed = FixedChecker(self.checker, frame, q, moving_velocities(self.request))
        wanted = self.free.clearance + float(extent_around(self.request, frame, q))
        directions = [*fixed.near_pairs(pose, wanted).normals, *np.eye(3), *-np.eye(3)]
        lengths = (_free_length(fixed, pose, direction, wanted) for direction in directions)
        shifts = [n * direction for n, direction in zip(lengths, directions, strict=True) if n is not None]
        return sorted(shifts, key=lambda shift: float(np.linalg.norm(shift)))

    def shifts_of_answer(self) -> list[Array]:
        """[3, m] the shift that brings the pairs at the answer apart."""
        near = self.checker.near_pairs(self.solution.q, self.free.clearance)
        missing = self.free.clearance + EXTRA_SHIFT - near.distances
        shift = shortest_change(near.normals, missing, np.full(len(missing), 1e-6))
        return [shift] if 0.0 < np.linalg.norm(shift) <= FARTHEST_SHIFT else []

    def solved_at(self, shifts: Sequence[Array]) -> dict[str, Any]:
        """What is reported of a shift of all targets: the first with which they can be met."""
        goals = self.request.goals
        if not all(isinstance(goal, Pose | Position | Orientation) for goal in goals):
            return {}
        for shift in shifts[:MAX_TRIED]:
            q = self._solved([_shifted(goal, shift) for goal in goals], self.free.world)
            if q is not None:
                return {"shift": shift, "q_shifted": q}
        return {}

    def _without(self, names: tuple[str, ...]) -> Array | None:
        if len(names) > 1:
            return None
        return self._solved(self.request.goals, self.free.world.without(*names))

    def _solved(self, goals: Sequence[Goal], world: World) -> Array | None:
        options: dict[str, Any] = {**self.request.options, **self.free._replace(world=world).explicit}
        answer = self.request.model.solve(goals, start=self.solution.start, **options)
        return answer.q if answer.success else None


def _free_length(fixed: FixedChecker, pose: Matrix4, direction: Array, wanted: float) -> float | None:
    """[m] by which a pose is moved along a direction until everything is farther apart than wanted; None
    where that is too far. No step is longer than what is missing, so that nothing free is passed over.
    """
    length = 0.0
    while length < FARTHEST_SHIFT:
        moved = pose.copy()
        moved[:3, 3] += length * direction
        near = fixed.near_pairs(moved, wanted)
        if not len(near.pairs):
            return length
        length += float(wanted - near.distances.min()) + EXTRA_SHIFT
    return None


def _shifted(goal: Goal, shift: Array) -> Goal:
    if isinstance(goal, Pose):
        target = goal.target.copy()
        target[:3, 3] += shift
        return dataclasses.replace(goal, target=target)
    if isinstance(goal, Position):
        return dataclasses.replace(goal, target=goal.target + shift[: goal.target.size])
    return goal
