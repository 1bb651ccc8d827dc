"""The joints that goals need."""

from __future__ import annotations

from collections.abc import Sequence

from limbik.goals import CenterOfMass, Goal, JointValue, Posture, frames_of
from limbik.model.model import Model


def moving_joints(model: Model, goals: Sequence[Goal]) -> set[str]:
    """The names of the joints that move what goals ask for."""
    if any(isinstance(goal, CenterOfMass | Posture) for goal in goals):
        return set(model.joint_names)
    found = [joint for frame in frames_of(goals) for joint in model.path(frame)]
    found += [model.joint(goal.joint) for goal in goals if isinstance(goal, JointValue)]
    return {joint.mimic.joint if joint.mimic else joint.name for joint in found}
