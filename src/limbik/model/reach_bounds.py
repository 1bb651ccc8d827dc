"""Bounds of where the end of a chain can be: between two spheres about the first joint and, for revolute
joints with parallel axes, in one plane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbik.model.chain import Chain
from limbik.model.joints import HINGES
from limbik.spatial import Array, Vector3

PARALLEL = 1e-12  # sine of the angle under which axes count as parallel: a nanometre in a kilometre


class ReachBounds(NamedTuple):
    """Bounds of where a frame can be, whatever the joints do."""

    origin: Vector3  # [m, world] the centre; of a chain in a plane at the frame's height
    min_reach: float  # [m] from there
    max_reach: float  # [m]
    normal: Vector3 | None  # of the plane in which the frame moves; None: in space


def reach_bounds(chain: Chain) -> ReachBounds:
    """The bounds of the end of a chain of one joint or more."""
    origin = chain.joints[0].origin[:3, 3]
    normal = normal_of_plane(chain)
    if normal is None:
        return ReachBounds(origin, *chain.reach_range, None)
    steps = np.diff([pose[:3, 3] for pose in poses_at_zero(chain)], axis=0)
    heights = steps @ normal
    lengths = np.linalg.norm(steps - np.outer(heights, normal), axis=1)
    total = float(lengths.sum())
    # Links may stand at different heights: what counts is the height of the end effector.
    shortest = max(0.0, 2.0 * float(lengths.max()) - total)
    return ReachBounds(origin + heights.sum() * normal, shortest, total, normal)


def normal_of_plane(chain: Chain) -> Vector3 | None:
    """The common axis of revolute joints with parallel axes; None for any other chain."""
    if any(joint.kind not in HINGES for joint in chain.joints):
        return None
    poses = poses_at_zero(chain)[:-1]
    axes = np.array([pose[:3, :3] @ joint.axis for pose, joint in zip(poses, chain.joints, strict=True)])
    is_parallel = np.linalg.norm(np.cross(axes, axes[0]), axis=1).max() <= PARALLEL
    return axes[0] if is_parallel else None


def poses_at_zero(chain: Chain) -> list[Array]:
    """World poses of every joint and of the tool with all joints at zero."""
    poses = []
    pose = np.eye(4)
    for origin in [*(joint.origin for joint in chain.joints), chain.tool]:
        pose = pose @ origin
        poses.append(pose)
    return poses
