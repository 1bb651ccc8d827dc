"""Maps the links of a preset robot to those of another description of the same robot.

The description need not have the same links. Where its joints, one for one, move as those of the model do,
each of its links stands still in one of the model's. Fingers and other joints that the model does not have
stay at the description's neutral configuration.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from limbik.model import JointKind, Model
from limbik.model.joints import Joint
from limbik.spatial import Array, Matrix4, pose_from, pose_inverse

SAME = 2e-3  # [m, and of a rotation matrix's entries] descriptions are rounded to millimetres
SAMPLES = 5
QUARTER_ROTATIONS = [
    pose_from([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    for cosine, sine in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
]


def standing(model: Model, other: Model, links: Iterable[str]) -> dict[str, tuple[str, Matrix4]] | None:
    """For each of some links of the other model the link of this one that it stands still in, and where
    [4, 4]; None where the two do not move alike.

    The two may stand on the ground turned from each other by multiples of pi/2, as those of Universal Robots
    do in their own and in the ROS convention.
    """
    pairs = _pairs(model, other)
    if pairs is None:
        return None
    q = model.random(0, SAMPLES)
    others_q = np.tile(other.neutral, (SAMPLES, 1))
    for joint, twin in pairs:
        others_q[:, other.q_slice(twin.name)] = q[:, model.q_slice(joint.name)]
    poses, others = _links(model, q), _links(other, others_q)
    moved_by = {twin.child: joint.child for joint, twin in pairs}
    carriers = {link: _carrier(other, link, moved_by) or model.root for link in links}
    for base in QUARTER_ROTATIONS:
        stands = {link: _still(poses[own], base @ others[link]) for link, own in carriers.items()}
        carried = {link: (carriers[link], stand) for link, stand in stands.items() if stand is not None}
        if len(carried) == len(carriers):
            return carried
    return None


def _pairs(model: Model, other: Model) -> list[tuple[Joint, Joint]] | None:
    """The joints of a model, each with that of the other which does the same: of its name, or of its index
    on the path to the end effector.
    """
    own = [joint for joint in model.joints if joint.nq]
    if any(joint.nq != 1 for joint in own):
        return None
    named = {joint.name: joint for joint in other.joints if joint.nq == 1}
    if all(joint.name in named for joint in own):
        return [(joint, named[joint.name]) for joint in own]
    movers = [joint for joint in other.path() if joint.nq == 1]
    if len(movers) < len(own) or any(a.kind is JointKind.PRISMATIC for a in own):
        return None
    return list(zip(own, movers, strict=False))


def _links(model: Model, q: Array) -> dict[str, Array]:
    """pose_world_link [samples, 4, 4] by name."""
    poses = model.forward(q)
    return {frame.name: poses[:, k] for k, frame in enumerate(model.frames)}


def _carrier(other: Model, link: str, moved_by: dict[str, str]) -> str | None:
    """The model's link that moves as a link of the other one does; None where no joint moves it."""
    for joint in reversed(other.path(link)):
        if joint.child in moved_by:
            return moved_by[joint.child]
    return None


def _still(poses: Array, others: Array) -> Array | None:
    """Where something stands in a link [4, 4]; None where it moves in it."""
    inside = np.stack([pose_inverse(a) @ b for a, b in zip(poses, others, strict=True)])
    return inside[0] if np.abs(inside - inside[0]).max() <= SAME else None
