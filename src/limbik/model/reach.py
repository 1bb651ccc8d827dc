"""How near and how far a frame can be from the first joint on its path, whatever the joints do.

Between two joints that turn, the path is one vector: links, and prismatic joints that do not turn against
them. Over the travels of the prismatic joints its length has a smallest and a greatest value. The path to the
frame is the sum of such vectors, each turned in some direction, so the triangle inequality bounds its length:
at most the sum of the greatest lengths; at least the smallest length of any one vector, less the greatest
lengths of all others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from limbik.model.joints import Joint, JointKind
from limbik.spatial import Array, Matrix4, Vector3

MAX_PRISMATIC = (
    3  # in one vector, for the number of corners; a fourth part begins another vector, which holds too
)


class PrismaticPart(NamedTuple):
    """A travel within one vector."""

    direction: Vector3
    lower: float  # [m]
    upper: float  # [m]


class ReachSegment(NamedTuple):
    """The vector from one turning joint to the next: a fixed part and prismatic joints."""

    offset: Vector3
    prismatic: tuple[PrismaticPart, ...]


def reach_range(
    joints: Sequence[Joint], origins: Sequence[Matrix4], travels: Sequence[tuple[float, float]], tool: Matrix4
) -> tuple[float, float]:
    """Smallest and greatest distance [m] of the tool from where the first joint stands at zero.

    origins: of each moving joint in the moved frame of the one before it. travels: what each takes as value;
    read for prismatic joints. tool: in the moved frame of the last joint. The greatest may be infinite.
    """
    spans = np.array([_span(segment) for segment in _segments(joints, origins, travels, tool)])
    nearest, greatest = spans[:, 0], spans[:, 1]
    endless = np.flatnonzero(np.isinf(greatest))
    if endless.size > 1:
        return 0.0, math.inf
    if endless.size == 1:
        others = float(np.delete(greatest, endless).sum())
        return max(0.0, float(nearest[endless[0]]) - others), math.inf
    total = float(greatest.sum())
    return max(0.0, float((nearest + greatest).max()) - total), total


def _segments(
    joints: Sequence[Joint], origins: Sequence[Matrix4], travels: Sequence[tuple[float, float]], tool: Matrix4
) -> Iterator[ReachSegment]:
    pose, prismatic = (
        np.eye(4),
        list[PrismaticPart](),
    )  # in the axes of the turning joint before, or of the first joint
    for k, (joint, origin, travel) in enumerate(zip(joints, origins, travels, strict=True)):
        if k > 0:
            pose = pose @ origin
        if joint.kind is JointKind.PRISMATIC and len(prismatic) < MAX_PRISMATIC:
            prismatic.append(PrismaticPart(pose[:3, :3] @ joint.axis, *travel))
            continue
        yield ReachSegment(pose[:3, 3], tuple(prismatic))
        pose, prismatic = np.eye(4), []
        if joint.kind is JointKind.PRISMATIC:
            prismatic.append(PrismaticPart(joint.axis, *travel))
        elif joint.kind is JointKind.FLOATING:
            prismatic += [PrismaticPart(axis, -math.inf, math.inf) for axis in np.eye(3)]
    yield ReachSegment((pose @ tool)[:3, 3], tuple(prismatic))


def _span(segment: ReachSegment) -> tuple[float, float]:
    """Smallest and greatest length [m]."""
    if not segment.prismatic:
        length = float(np.linalg.norm(segment.offset))
        return length, length
    ends = [(part.lower, part.upper) for part in segment.prismatic]
    if np.isinf(ends).any():
        return _min_reach(segment), math.inf
    directions = np.array([part.direction for part in segment.prismatic])
    corners = segment.offset + np.array(list(itertools.product(*ends))) @ directions
    return _min_reach(segment), float(np.linalg.norm(corners, axis=1).max())


def _min_reach(segment: ReachSegment) -> float:
    """The smallest length [m]: there, each prismatic joint is at an end of its travel, or where its
    derivative is 0.

    Every such position within the travels is looked at.
    """
    nearest = math.inf
    choices = [[None, *(end for end in part[1:] if math.isfinite(end))] for part in segment.prismatic]
    for chosen in itertools.product(*choices):
        held = [
            end * part.direction
            for part, end in zip(segment.prismatic, chosen, strict=True)
            if end is not None
        ]
        rest = segment.offset + sum(held, start=np.zeros(3))
        free = [part for part, end in zip(segment.prismatic, chosen, strict=True) if end is None]
        nearest = min(nearest, _length_left(rest, free))
    return nearest


def _length_left(rest: Vector3, free: Sequence[PrismaticPart]) -> float:
    """The length [m] that free prismatic joints leave of a vector; infinite where their travel does not allow
    it.
    """
    if not free:
        return float(np.linalg.norm(rest))
    directions: Array = np.array([part.direction for part in free]).T
    travel = np.linalg.lstsq(directions, -rest, rcond=None)[0]
    for part, value in zip(free, travel, strict=True):
        if not part.lower <= value <= part.upper:
            return math.inf
    return float(np.linalg.norm(rest + directions @ travel))
