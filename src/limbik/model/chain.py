"""`Chain`: the moving joints from the world to one frame, with fixed transforms folded in."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from limbik.locks import cached_property
from limbik.model.joints import Joint, JointKind
from limbik.model.model import Model
from limbik.model.reach import reach_range
from limbik.spatial import Matrix4


@dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """The moving joints on the path to a frame.

    The `origin` of each joint is its pose in the moved frame of the joint before it (of the world, for the
    first). A floating joint has become three prismatic joints and a ball joint, which read the same
    seven numbers.

    With `has_mimic`, some joint's value is a multiple of another's (`Joint.mimic`, whose leader need not be
    on the path): `joints` then has no part of q for each, and only what asks for `has_mimic` may solve it.
    """

    joints: tuple[Joint, ...]  # revolute, continuous, prismatic and ball
    tool: Matrix4  # pose of the frame in the moved frame of the last joint
    q_indices: NDArray[np.intp]  # [nq of the chain]: where the numbers that move it lie in the model's q

    @property
    def nq(self) -> int:
        """Numbers in the chain's q."""
        return self.q_indices.size

    @property
    def has_mimic(self) -> bool:
        """Whether some joint on the path follows another, on the path or off it."""
        return any(joint.mimic for joint in self.joints)

    @property
    def has_limits(self) -> bool:
        """Whether some joint cannot take every value."""
        return any(joint.has_limits for joint in self.joints)

    @cached_property
    def reach_range(self) -> tuple[float, float]:
        """Smallest and greatest distance [m] of the frame from the first joint; see `model.reach`."""
        travels = [(joint.lower, joint.upper) for joint in self.joints]
        return reach_range(self.joints, [joint.origin for joint in self.joints], travels, self.tool)

    @property
    def reach(self) -> float:
        """[m] upper bound of the distance from the first joint to the frame, at any configuration."""
        return self.reach_range[1]

    @property
    def shortest_reach(self) -> float:
        """[m] lower bound of the distance from the first joint to the frame, at any configuration."""
        return self.reach_range[0]

    def without_limits(self) -> Chain:
        """The same chain, no revolute or prismatic joint with limits, for bounds that hold without them."""
        return replace(
            self,
            joints=tuple(
                joint if joint.kind is JointKind.BALL else replace(joint, lower=-math.inf, upper=math.inf)
                for joint in self.joints
            ),
        )


def chain_to(model: Model, frame: str | None = None) -> Chain:
    """The chain from the world to a frame of the model (default: its end effector)."""
    name = model.end_effector if frame is None else frame
    joints: list[Joint] = []
    indices: list[int] = []
    pending = np.eye(4)
    for joint in model.path(name):
        pending = pending @ joint.origin
        if joint.kind is JointKind.FIXED:
            continue
        here = replace(joint, origin=pending)
        joints.extend(_floating_parts(here) if joint.kind is JointKind.FLOATING else [here])
        span = model.q_slice(joint.name)
        indices.extend(range(span.start, span.stop))
        pending = np.eye(4)
    return Chain(
        joints=tuple(joints),
        tool=pending @ model.frame(name).pose_link_frame,
        q_indices=np.array(list(dict.fromkeys(indices)), dtype=np.intp),
    )


def _floating_parts(joint: Joint) -> list[Joint]:
    """A floating joint as prismatic joints along x, y and z, then a ball joint."""
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
