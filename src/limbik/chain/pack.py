"""Chains packed into the records that kernels read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbik.chain.joints import JOINT, PRISMATIC, REVOLUTE, SPHERICAL, TOOL
from limbik.chain.planar import LINK
from limbik.chain.solve import PLACE
from limbik.compiler.kernel import Floats, Records
from limbik.model.chain import Chain
from limbik.model.joints import Joint, JointKind

_KINDS = {
    JointKind.REVOLUTE: REVOLUTE,
    JointKind.CONTINUOUS: REVOLUTE,
    JointKind.PRISMATIC: PRISMATIC,
    JointKind.BALL: SPHERICAL,
}
PARALLEL = 1e-12  # sine of the angle under which axes count as parallel: a nanometre in a kilometre


@dataclass(frozen=True, eq=False)
class PackedChain:
    """A chain as the kernels read it: `joints` are LINK or JOINT records, `place` is one PLACE record."""

    joints: Records
    place: Records
    is_planar: bool


def pack_space(chain: Chain, use_limits: bool = True) -> PackedChain:
    """Any chain, as JOINT records relative to the first joint's origin; without limits, prismatic joints go
    anywhere."""
    joints = np.zeros(len(chain.joints) + 1, JOINT)
    place = _place(chain if use_limits else chain.with_unlimited_prismatic(), np.eye(3))
    q = v = 0
    for record, joint in zip(joints, chain.joints, strict=False):
        record["kind"] = _KINDS[joint.kind]
        record["q"], record["v"] = q, v
        record["rotation"] = joint.origin[:3, :3].ravel()
        record["translation"] = joint.origin[:3, 3]
        record["axis"] = joint.axis
        record["lower"], record["upper"] = joint.lower, joint.upper
        if joint.kind is JointKind.BALL:
            pack_ball(record, joint)
        q += joint.nq
        v += joint.nv
    joints[0]["translation"] = 0.0
    joints[-1]["kind"] = TOOL
    joints[-1]["q"], joints[-1]["v"] = q, v
    joints[-1]["rotation"] = chain.tool[:3, :3].ravel()
    joints[-1]["translation"] = chain.tool[:3, 3]
    return PackedChain(joints, place, is_planar=False)


def pack_ball(record: Records, joint: Joint) -> None:
    """The axis and the limits of a ball joint, into its JOINT record."""
    record["axis"], record["cone"] = joint.axis, joint.swing
    record["lower"], record["upper"] = joint.lower, joint.upper
    if joint.euler is not None and joint.euler.has_limits:
        first, second, _ = joint.euler.axes
        record["order"] = 1 + 3 * first + second
        record["euler_lower"], record["euler_upper"] = joint.euler.bounds


def pack_plane(chain: Chain) -> PackedChain | None:
    """A chain of revolute joints with parallel axes, as LINK records; None for any other chain."""
    if any(_KINDS[joint.kind] != REVOLUTE for joint in chain.joints):
        return None
    poses = _poses_at_zero(chain)
    axes = np.array([pose[:3, :3] @ joint.axis for pose, joint in zip(poses, chain.joints, strict=False)])
    normal = axes[0]
    signs = axes @ normal
    if np.linalg.norm(np.cross(axes, normal), axis=1).max() > PARALLEL:
        return None
    x = _across(normal)
    basis = np.array([x, np.cross(normal, x), normal])
    points = np.array([pose[:3, 3] for pose in poses])
    steps = np.diff(points, axis=0) @ basis.T
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    headings = np.where(lengths > 0.0, np.arctan2(steps[:, 1], steps[:, 0]), 0.0)
    joints = np.zeros(len(chain.joints), LINK)
    joints["length"] = lengths
    joints["offset"] = np.diff(headings, prepend=0.0)
    joints["sign"] = np.sign(signs)
    joints["lower"] = [joint.lower for joint in chain.joints]
    joints["upper"] = [joint.upper for joint in chain.joints]
    # Links may stand at different heights: what counts is the height of the end effector.
    place = _place(chain, basis)
    place["origin"][0] += steps[:, 2].sum() * normal
    place["reach"] = lengths.sum()
    place["shortest_reach"] = max(0.0, 2.0 * lengths.max() - lengths.sum())
    return PackedChain(joints, place, is_planar=True)


def _poses_at_zero(chain: Chain) -> list[Floats]:
    """World poses of every joint and of the tool with all joints at zero."""
    poses = []
    pose = np.eye(4)
    for origin in [*(joint.origin for joint in chain.joints), chain.tool]:
        pose = pose @ origin
        poses.append(pose)
    return poses


def _across(normal: Floats) -> Floats:
    """The plane's x axis: the world's x, or its y where x is the normal, laid into the plane."""
    start = np.eye(3)[0 if abs(normal[0]) < 0.9 else 1]
    across = start - normal * (start @ normal)
    return np.asarray(across / np.linalg.norm(across))


def _place(chain: Chain, basis: Floats) -> Records:
    place = np.zeros(1, PLACE)
    place["origin"] = chain.joints[0].origin[:3, 3]
    place["x"], place["y"], place["z"] = basis
    place["reach"] = chain.reach
    place["shortest_reach"] = chain.shortest_reach
    return place
