"""Whether the last three revolute joints of an arm form a wrist, and whether it is spherical.

Where they meet in one point, position and orientation can be solved one after the other (Pieper 1968).
"""

from __future__ import annotations

import enum
from typing import NamedTuple

import numpy as np

from limbik.model.chain import Chain, chain_to
from limbik.model.joints import HINGES
from limbik.model.model import Model
from limbik.spatial import Array, Vector3

MEET = 1e-6  # [m] axes that pass a point so near go through it
PARALLEL = 1e-6  # sine of the angle under which axes are taken as parallel


class WristKind(enum.Enum):
    """How the last three joints stand to each other."""

    SPHERICAL = "spherical"  # three revolute joints whose axes meet in one point
    OFFSET = "offset"  # three revolute joints whose axes do not
    NONE = "none"  # fewer revolute joints, joints of other kinds, or neighbours with parallel axes


class Wrist(NamedTuple):
    """The last three joints before a frame."""

    kind: WristKind
    joints: tuple[str, ...]  # their names; empty for NONE
    miss: float  # [m] how far the axes pass each other, see _miss; 0 for NONE


def wrist_of(model: Model, frame: str | None = None) -> Wrist:
    """The wrist before a frame (default: the end effector)."""
    chain = chain_to(model, frame)
    last = chain.joints[-3:]
    if len(last) < 3 or any(joint.kind not in HINGES or joint.mimic for joint in last):
        return Wrist(WristKind.NONE, (), 0.0)
    points, directions = _axes(chain)
    between = np.cross(directions[:2], directions[1:])
    if (np.linalg.norm(between, axis=1) < PARALLEL).any():
        return Wrist(WristKind.NONE, (), 0.0)
    miss = _miss(points, directions)
    kind = WristKind.SPHERICAL if miss <= MEET else WristKind.OFFSET
    return Wrist(kind, tuple(joint.name for joint in last), miss)


def _axes(chain: Chain) -> tuple[Array, Array]:
    """Points on the last three axes and their directions [3, 3], in the frame before them, at q = 0.

    Lines that meet in one point do so at any q, because a turn about one of them leaves the point in place.
    """
    pose = np.eye(4)
    points, directions = np.empty((3, 3)), np.empty((3, 3))
    for k, joint in enumerate(chain.joints[-3:]):
        pose = pose @ joint.origin
        points[k], directions[k] = pose[:3, 3], pose[:3, :3] @ joint.axis
    return points, directions


def _miss(points: Array, directions: Array) -> float:
    """How far the middle axis is from its neighbours, and the feet of the two common normals from each other:
    the greatest of the three. It does not depend on q.
    """
    (before, foot_before), (after, foot_after) = (
        common_normal(points[k], directions[k], points[1], directions[1]) for k in (0, 2)
    )
    return max(before, after, float(np.linalg.norm(foot_before - foot_after)))


def common_normal(
    point: Vector3, direction: Vector3, other: Vector3, along: Vector3
) -> tuple[float, Vector3]:
    """The distance of two lines, and the foot of their common normal on the other one."""
    normal = np.cross(direction, along)
    between = point - other
    foot = other + along * float(np.cross(between, direction) @ normal) / float(-normal @ normal)
    return abs(float(between @ normal)) / float(np.linalg.norm(normal)), foot
