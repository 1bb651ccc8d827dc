"""The way from the world to one frame: moving joints only, everything fixed folded in."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from limbik.model.joints import Joint, JointKind
from limbik.model.model import Model
from limbik.spatial import Matrix4


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """The moving joints on the path to a frame.

    The `origin` of each joint is its place in the moved frame of the joint before it (of the world, for the
    first). A floating joint has become three slides and a ball joint, which read the same seven numbers.
    """

    joints: tuple[Joint, ...]  # revolute, continuous, prismatic and ball
    tool: Matrix4  # pose of the frame in the moved frame of the last joint
    q_places: NDArray[np.intp]  # [nq of the chain]: where its numbers lie in the model's q
    reach: float  # [m] upper bound of the distance from the first joint to the frame

    @property
    def nq(self) -> int:
        """Numbers in the chain's q."""
        return self.q_places.size

    @property
    def has_limits(self) -> bool:
        """Whether some joint cannot take every value."""
        return any(joint.has_limits for joint in self.joints)

    @property
    def segments(self) -> NDArray[np.float64]:
        """[n joints, 3] from each joint to the next, at last to the frame, in the joint's moved frame [m]."""
        ends = [joint.origin[:3, 3] for joint in self.joints[1:]] + [self.tool[:3, 3]]
        return np.array(ends).reshape(-1, 3)

    @property
    def shortest_reach(self) -> float:
        """[m] lower bound of the distance from the first joint to the frame: the longest segment less all
        others.

        Holds at any configuration, because a turn about a joint changes no distance between neighbouring
        joints; a slide does, so with one the bound is 0.
        """
        if any(joint.kind is JointKind.PRISMATIC for joint in self.joints):
            return 0.0
        lengths = np.linalg.norm(self.segments, axis=1)
        return max(0.0, 2.0 * float(lengths.max(initial=0.0)) - float(lengths.sum()))


def chain_to(model: Model, frame: str | None = None) -> Chain:
    """The chain from the world to a frame of the model (default: its end effector)."""
    name = model.end_effector if frame is None else frame
    joints: list[Joint] = []
    places: list[int] = []
    pending = np.eye(4)
    for joint in model.path(name):
        pending = pending @ joint.origin
        if joint.kind is JointKind.FIXED:
            continue
        here = replace(joint, origin=pending)
        joints.extend(_floating_parts(here) if joint.kind is JointKind.FLOATING else [here])
        span = model.q_slice(joint.name)
        places.extend(range(span.start, span.stop))
        pending = np.eye(4)
    return Chain(
        joints=tuple(joints),
        tool=pending @ model.frame(name).pose_link_frame,
        q_places=np.array(places, dtype=np.intp),
        reach=model.reach(name),
    )


def _floating_parts(joint: Joint) -> list[Joint]:
    """A floating joint as slides along x, y and z, then a ball joint."""
    parts = [
        Joint(
            name=f"{joint.name}.{letter}",
            kind=JointKind.PRISMATIC,
            parent=joint.parent,
            child=joint.child,
            origin=joint.origin if letter == "x" else np.eye(4),
            axis=axis,
        )
        for letter, axis in zip("xyz", np.eye(3), strict=True)
    ]
    ball = Joint(
        name=f"{joint.name}.turn",
        kind=JointKind.BALL,
        parent=joint.parent,
        child=joint.child,
        lower=-math.inf,
        upper=math.inf,
    )
    return [*parts, ball]
