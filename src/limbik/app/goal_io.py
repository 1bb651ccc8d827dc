"""Converts goals of the protocol to limbik's goals; errors of configurations, and proofs that goals are out
of reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from limbik.app.protocol.space import FrameGoal, SpaceSettings
from limbik.errors import GoalError
from limbik.goals import Direction, Goal, Pose, Position
from limbik.measure import errors_at
from limbik.model import JointKind, Model
from limbik.request import Request
from limbik.solvers.bounds import proof
from limbik.spatial import (
    Array,
    Matrix3,
    Matrix4,
    pose_from,
    quat_from_matrix,
    quat_normalise,
    quat_to_matrix,
    rotation_between,
)

AXES = {"x": 0, "y": 1, "z": 2}


class GoalErrors(NamedTuple):
    """How far goals are from being met, for any number of configurations."""

    metres: Array  # [k, goals]
    radians: Array  # [k, goals]

    @property
    def worst_metres(self) -> Array:
        """[k] the largest distance."""
        return np.asarray(self.metres.max(axis=1, initial=0.0))

    @property
    def total(self) -> float:
        """Metres and radians of all goals together, for one configuration."""
        return float(self.metres.sum() + self.radians.sum())

    @property
    def each(self) -> Array:
        """[k, 2 * goals] metres and radians of each goal."""
        return np.stack([self.metres, self.radians], axis=2).reshape(len(self.metres), -1)

    @property
    def last(self) -> Array:
        """[2 * goals] metres and radians of each goal, for the last configuration."""
        return np.asarray(self.each[-1])

    def first_within(self, metres: float, radians: float) -> int:
        """The first configuration that meets all goals; -1 where none does."""
        is_met = (self.metres <= metres).all(axis=1) & (self.radians <= radians).all(axis=1)
        within = np.flatnonzero(is_met)
        return int(within[0]) if within.size else -1


def as_goals(wanted: Sequence[FrameGoal]) -> list[Goal]:
    """What solvers get: a direction is two goals."""
    goals: list[Goal] = []
    for wanted_goal in wanted:
        if wanted_goal.quat_xyzw is None:
            goals.append(Position(frame=wanted_goal.frame, target=wanted_goal.position))
            continue
        rotation = _rotation(wanted_goal)
        if wanted_goal.kind == "pose":
            goals.append(Pose(frame=wanted_goal.frame, target=pose_from(rotation, wanted_goal.position)))
        else:
            axis = np.eye(3)[AXES[wanted_goal.axis]]
            goals.append(Position(frame=wanted_goal.frame, target=wanted_goal.position))
            goals.append(Direction(frame=wanted_goal.frame, axis=axis, target=rotation[:, 2]))
    return goals


def as_they_are(model: Model, wanted: Sequence[FrameGoal], q: Array) -> list[FrameGoal]:
    """The same goals, each where its frame is at q [nq]."""
    return [_as_it_is(wanted_goal, model.pose(q, wanted_goal.frame)) for wanted_goal in wanted]


def _as_it_is(wanted_goal: FrameGoal, pose: Matrix4) -> FrameGoal:
    rotation = pose[:3, :3]
    if wanted_goal.kind == "direction":  # its target is the z axis of a rotation
        rotation = rotation_between(np.array([0.0, 0.0, 1.0]), rotation[:, AXES[wanted_goal.axis]])
    quat_xyzw = None if wanted_goal.quat_xyzw is None else quat_from_matrix(rotation)
    return replace(wanted_goal, position=pose[:3, 3], quat_xyzw=quat_xyzw)


def check(model: Model, wanted: Sequence[FrameGoal]) -> None:
    """Raise ModelError for a frame that the model has not, GoalError for one that no joint moves."""
    for wanted_goal in wanted:
        model.frame(wanted_goal.frame)
        if all(joint.kind is JointKind.FIXED for joint in model.path(wanted_goal.frame)):
            raise GoalError(
                f"frame {wanted_goal.frame!r} of {model.name!r} cannot move: no joint lies before it"
            )


def legal(model: Model, q: Array, limits: bool) -> Array:
    """q [nq] within the limits where they count, with quaternions of length 1 in any case."""
    return model.clip(q) if limits else model.integrate(q, np.zeros(model.nv))


def goal_errors(model: Model, wanted: Sequence[FrameGoal], q: Array) -> GoalErrors:
    """How far the goals are from being met at q [k, nq]."""
    metres, radians = np.zeros((len(q), len(wanted))), np.zeros((len(q), len(wanted)))
    for k, wanted_goal in enumerate(wanted):
        for goal in as_goals([wanted_goal]):
            position, rotation = errors_at(model, goal, q)
            metres[:, k] += position
            radians[:, k] += rotation
    return GoalErrors(metres, radians)


def out_of_reach(model: Model, wanted: Sequence[FrameGoal], settings: SpaceSettings) -> list[float]:
    """By how much each goal is proved to be out of reach, at least [m]; 0 where nothing is proved."""
    return [
        distance_out_of_reach(model, as_goals([one]), settings.tolerance, settings.limits) for one in wanted
    ]


def distance_out_of_reach(model: Model, goals: Sequence[Goal], tolerance: float, limits: bool) -> float:
    """By how much one of the goals is proved to be out of reach, at least; 0 where nothing is proved.

    In the model's unit of length, as the tolerance is.
    """
    options = {"tolerance": tolerance, "limits": limits}
    bound = proof(Request(model=model, goals=tuple(goals), solver="", options=options))
    return 0.0 if bound is None else bound.missing


def _rotation(wanted_goal: FrameGoal) -> Matrix3:
    assert wanted_goal.quat_xyzw is not None, "only called for goals that have one"
    return quat_to_matrix(quat_normalise(wanted_goal.quat_xyzw))
