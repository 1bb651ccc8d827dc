"""Joints that move a request's goals and joints that stay still, as names and as indices in q and v; also
which still joints could move colliding bodies apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from limbik.collision.checker import Checker
from limbik.collision.geometry import geometry_of
from limbik.goals import CenterOfMass, Goal, JointValue, Posture, frames_of
from limbik.model.joints import JointKind
from limbik.model.model import Model
from limbik.solvers.request import Request
from limbik.spatial import Array


def moving_joints(model: Model, goals: Sequence[Goal]) -> set[str]:
    """The names of the joints that move what goals ask for."""
    if any(isinstance(goal, CenterOfMass | Posture) for goal in goals):
        return set(model.joint_names)
    joints = [joint for frame in frames_of(goals) for joint in model.path(frame)]
    joints += [model.joint(goal.joint) for goal in goals if isinstance(goal, JointValue)]
    return {joint.mimic.joint if joint.mimic else joint.name for joint in joints}


def free_to_move(request: Request) -> set[str]:
    """The names of those joints that are not locked."""
    return moving_joints(request.model, request.goals) - set(request.options.get("locked", ()))


def moving_velocities(request: Request) -> Array:
    """Which numbers of a velocity [nv] these joints have."""
    return velocities_of(request.model, free_to_move(request))


def velocities_of(model: Model, joints: Iterable[str]) -> Array:
    """Which numbers of a velocity [nv] joints have."""
    is_moving = np.zeros(model.nv, dtype=bool)
    for name in joints:
        is_moving[model.v_slice(name)] = True
    return is_moving


def still_indices(request: Request) -> NDArray[np.intp]:
    """Indices in q [nq] of the joints that goals do not move, and of those that are locked."""
    is_still = np.ones(request.model.nq, dtype=bool)
    for name in free_to_move(request):
        is_still[request.model.q_slice(name)] = False
    return np.flatnonzero(is_still)


def still_joints(checker: Checker, pairs: Array, moving: Array) -> tuple[str, ...]:
    """The joints that move bodies of these pairs but for now keep still.

    moving [nv]: what may move.
    """
    return those_still(checker.model, set[str]().union(*paths_to_bodies(checker, pairs)), moving)


def paths_to_bodies(checker: Checker, pairs: Array) -> Iterable[set[str]]:
    """The joints that move the robot's bodies in pairs, for each body."""
    bodies = geometry_of(checker.model).bodies  # whose indices come first among those of the checker
    for index in np.unique(checker.pairs[pairs]):
        if index < len(bodies):
            yield {joint.name for joint in checker.model.path(bodies[index].link)}


def those_still(model: Model, names: Collection[str], moving: Array) -> tuple[str, ...]:
    """Those of the joints that keep still but could move; for a follower the one that it follows."""
    still = [
        joint.name if joint.mimic is None else joint.mimic.joint
        for joint in model.joints
        if joint.name in names and joint.kind is not JointKind.FIXED
        if not moving[model.v_slice(joint.name)].any()
    ]
    return tuple(dict.fromkeys(still))
