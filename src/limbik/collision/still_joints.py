"""Joints that keep still in a solve but could move colliding bodies apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from limbik.collision.checker import Checker
from limbik.collision.geometry import geometry_of
from limbik.model.joints import JointKind
from limbik.model.model import Model
from limbik.spatial import Array


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
