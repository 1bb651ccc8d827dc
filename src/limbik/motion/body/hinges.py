"""`with_hinges`: the motion of a robot that was written as BVH or glTF, with the robot's hinges again."""

from __future__ import annotations

import numpy as np

from limbik.formats.motions import Motion
from limbik.formats.skeleton import Skeleton, skeleton_of
from limbik.model import Joint, JointKind, Model
from limbik.spatial import Array, cross, dot, norm, pose_from, quat_from_matrix

POSTURES = 50  # of a motion, in which joints are looked at
MOVES = 1e-3  # [rad] of a joint in these, the root of the sum of squares
OFF_AXIS = 1e-3  # of a rotation about one axis: what files round
INDEPENDENT = 0.05  # of the greatest: a singular value of all angles over time
NEAR = 0.3  # of the longest bone
CROSSING = 0.5  # sine of the angle between the axes of neighbours


def with_hinges(motion: Motion) -> Motion:
    """The motion of a robot from BVH or glTF, y up, with a hinge in place of each joint, which could turn
    freely but rotates about one axis; any other motion as it is.

    It is a robot's where nothing but its first bones rotates about several axes or slides, somewhere three
    hinges near each other cross, and the clip is no mere change from one posture to another. Links and frames
    keep their names; a joint that stands still becomes a hinge, too.
    """
    if motion.hierarchy is None and motion.scene is None:
        return motion
    some = motion.q[:: max(1, len(motion) // POSTURES)]
    bones = skeleton_of(motion.model, some, motion.up, motion.links)
    inner = [k for k, parent in enumerate(bones.parents) if parent >= 0]
    for rest in (bones.rest, bones.rotations[0]):  # that of a BVH may be one that no hinge reaches
        axes, sines, off_axis = _axes(rest, bones.rotations)
        if (off_axis[inner] <= OFF_AXIS).all() and not bones.slides[inner].any():
            break
    else:
        return motion
    spread = np.linalg.svd(sines[:, inner], compute_uv=False)
    if (spread > INDEPENDENT * spread.max(initial=0.0)).sum() < 3 or not _has_three_in_a_row(
        bones, rest, axes, sines
    ):
        return motion
    bones = skeleton_of(motion.model, motion.q, motion.up, motion.links)
    return _motion_of(motion, bones, rest, axes)


def _vectors(rest: Array, rotations: Array) -> tuple[Array, Array]:
    """Of rotations [T, n, 3, 3] from rest: their axes, as long as the sine, [T, n, 3], and cosines [T, n]."""
    moved = np.swapaxes(rest, -1, -2) @ rotations
    vectors = 0.5 * (moved - np.swapaxes(moved, -1, -2))[:, :, [2, 0, 1], [1, 2, 0]]
    return vectors, 0.5 * (np.trace(moved, axis1=-2, axis2=-1) - 1.0)


def _axes(rest: Array, rotations: Array) -> tuple[Array, Array, Array]:
    """Of each joint the main axis of its rotations [n, 3], the sines of its angles about it [T, n], and the
    part of the rotations beside it [n].
    """
    vectors, _ = _vectors(rest, rotations)
    squares, axes = np.linalg.eigh(np.einsum("tni,tnj->nij", vectors, vectors))
    beside, along = np.sqrt(np.maximum(squares[:, 1:], 0.0)).T
    main = axes[:, :, 2]
    return main, dot(vectors, main), beside / np.maximum(along, MOVES)


def _has_three_in_a_row(bones: Skeleton, rest: Array, axes: Array, sines: Array) -> bool:
    """Whether three hinges that move, near each other, turn about crossing axes, as those of a hip do."""
    near = NEAR * norm(bones.offsets).max()
    follows = [
        parent >= 0
        and norm(bones.offsets[k]) < near
        and min(norm(sines[:, k]), norm(sines[:, parent])) > MOVES
        and norm(cross(rest[k] @ axes[k], axes[parent])) > CROSSING
        for k, parent in enumerate(bones.parents)
    ]
    return any(first and follows[parent] for first, parent in zip(follows, bones.parents, strict=True))


def _motion_of(motion: Motion, bones: Skeleton, rest: Array, axes: Array) -> Motion:
    vectors, cosines = _vectors(rest, bones.rotations)
    angles = np.unwrap(np.arctan2(dot(vectors, axes), cosines), axis=0)
    root = motion.model.root
    joints, columns = [], []
    for k, (link, parent) in enumerate(zip(bones.names, bones.parents, strict=True)):
        if parent < 0:
            joints.append(Joint(name=link, kind=JointKind.FLOATING, parent=root, child=link))
            columns += [bones.translations[:, k], quat_from_matrix(bones.rotations[:, k])]
            continue
        above, origin = bones.names[parent], pose_from(rest[k], bones.offsets[k])
        hinge = JointKind.CONTINUOUS
        joints.append(Joint(name=link, kind=hinge, parent=above, child=link, origin=origin, axis=axes[k]))
        columns.append(angles[:, k, None])
    frames = [each for each in motion.model.frames if each.link in bones.names and each.name != each.link]
    model = Model(motion.model.name, joints, frames, root=root)
    return Motion(model, np.concatenate(columns, axis=1), motion.dt, "y", roles=motion.roles)
