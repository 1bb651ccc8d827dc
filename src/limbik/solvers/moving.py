"""The joints that goals need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limbik.goals import CenterOfMass, Goal, JointValue, Posture, frames_of
from limbik.model.model import Model
from limbik.solvers.request import Request
from limbik.spatial import Array


def moving_joints(model: Model, goals: Sequence[Goal]) -> set[str]:
    """The names of the joints that move what goals ask for."""
    if any(isinstance(goal, CenterOfMass | Posture) for goal in goals):
        return set(model.joint_names)
    found = [joint for frame in frames_of(goals) for joint in model.path(frame)]
    found += [model.joint(goal.joint) for goal in goals if isinstance(goal, JointValue)]
    return {joint.mimic.joint if joint.mimic else joint.name for joint in found}


def free_to_move(request: Request) -> set[str]:
    """The names of those joints that are not locked."""
    return moving_joints(request.model, request.goals) - set(request.options.get("locked", ()))


def moving_velocities(request: Request) -> Array:
    """Which numbers of a velocity [nv] these joints have."""
    found = np.zeros(request.model.nv, dtype=bool)
    for name in free_to_move(request):
        found[request.model.v_slice(name)] = True
    return found


def still_places(request: Request) -> NDArray[np.intp]:
    """Places in q [nq] of the joints that goals do not move, and of those that are locked."""
    is_still = np.ones(request.model.nq, dtype=bool)
    for name in free_to_move(request):
        is_still[request.model.q_slice(name)] = False
    return np.flatnonzero(is_still)
