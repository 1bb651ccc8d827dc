"""`with_hinges`: the motion of a robot that was written as BVH or glTF, with the robot's hinges again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbik.formats.motions import Motion
from limbik.formats.skeleton import Skeleton, skeleton_of
from limbik.model import Joint, JointKind, Model
from limbik.spatial import (
    Array,
    Matrix3,
    cross,
    dot,
    norm,
    perpendicular,
    pose_from,
    quat_from_matrix,
    rotation_between,
)

POSTURES = 50  # of a motion, in which joints are looked at
MOVES = 1e-5  # [rad] of a joint from rest, the root of the mean square
CLEARLY = 20.0  # of what is beside the axis
OFF_AXIS, ROUNDING = 1e-3, 2e-4  # of what it moves, or [rad]: what files round of a rotation about one axis
HALF_TURNED = -0.9  # the mean cosine of a joint's angle
SLIDES = 1e-3  # of the longest bone
INDEPENDENT = 0.05  # of the greatest: a singular value of all angles over time
CROSSING = 0.5  # sine of the angle between the axes of neighbours
NEAR = 0.3  # of the longest bone


def with_hinges(motion: Motion) -> Motion:
    """The motion of a robot from BVH or glTF, y up, with a hinge in place of each joint, which could turn
    freely but rotates about one axis; any other motion as it is.

    It is a robot's where all but its first bones rotate about or slide along one axis, three hinges near each
    other cross in two limbs, and the clip is no mere change from one posture to another. Links and frames
    keep their names. What stands as at rest is fixed or, beyond all hinges, one too, as of a wrist.
    """
    if motion.hierarchy is None and motion.scene is None:
        return motion
    some = motion.q[:: max(1, len(motion) // POSTURES)]
    bones = skeleton_of(motion.model, some, motion.up, motion.links)
    rest = bones.rest.copy()
    if motion.hierarchy is not None:  # without rotations at rest: as in the first frame, and upright
        for k in np.flatnonzero(np.array(bones.parents) < 0):
            rest[k] = _upright(bones.rotations[0, k])
    hinges = _RobotBones.of(bones, rest)
    return hinges.motion(motion) if hinges is not None and hinges.are_of_a_robot() else motion


@dataclass(frozen=True, eq=False)
class _RobotBones:
    """What rotates about one axis or slides along one, of bones in some postures."""

    bones: Skeleton
    rest: Array  # [n, 3, 3] rotations in the parent, from which angles count
    axes: Array  # [n, 3] in the bone
    sines: Array  # [T, n] of the angles
    are_known: NDArray[np.bool_]  # [n] none of the first bones
    slides: NDArray[np.bool_]  # [n] these do not rotate

    @staticmethod
    def of(bones: Skeleton, rest: Array) -> _RobotBones | None:
        """Those from a rest [n, 3, 3] or, where no hinge reaches that, from the first posture; None where a
        bone does both, or about or along several axes.
        """
        inner = np.array(bones.parents) >= 0
        if not inner.any():
            return None
        still = SLIDES * norm(bones.offsets).max()
        slides = inner & (np.ptp(bones.translations, axis=0).max(axis=1) > still)
        directions, _, aside = _main_axes(bones.translations - bones.offsets)
        vectors, cosines = _vectors(rest, bones.rotations)
        half_turned = cosines.mean(axis=0) < HALF_TURNED  # of which no sine tells
        is_away = slides | inner & (half_turned | ~_is_about_one(*_main_axes(vectors)[1:]))
        rest = np.where(is_away[:, None, None], bones.rotations[0], rest)
        vectors, _ = _vectors(rest, bones.rotations)
        axes, along, beside = _main_axes(vectors)
        slides_alone = (along <= ROUNDING) & (aside <= still)
        is_single = np.where(slides, slides_alone, _is_about_one(along, beside))
        if not is_single[inner].all():
            return None
        axes[slides] = (np.swapaxes(rest, -1, -2) @ directions[..., None])[slides, :, 0]
        are_known = inner & ~slides & (along > np.maximum(MOVES, CLEARLY * beside))
        return _RobotBones(bones, rest, axes, dot(vectors, axes), are_known, slides)

    def are_of_a_robot(self) -> bool:
        """Whether angles are independent, and two limbs have three hinges near each other that cross."""
        known = self.sines[:, self.are_known]
        spread = np.linalg.svd(known - known.mean(axis=0), compute_uv=False)
        if (spread > INDEPENDENT * spread.max(initial=0.0)).sum() < 3:
            return False
        parents, offsets = self.bones.parents, norm(self.bones.offsets)
        follows = [  # whether a hinge crosses the one before it, which carries nothing else
            parent >= 0
            and bool(self.are_known[[k, parent]].all())
            and parents.count(parent) == 1
            and offsets[k] < NEAR * offsets.max()
            and norm(cross(self.rest[k] @ self.axes[k], self.axes[parent])) > CROSSING
            for k, parent in enumerate(parents)
        ]
        lines = {k: parents[parent] for k, parent in enumerate(parents) if follows[k] and follows[parent]}
        return len(set(lines.values())) > 1

    def motion(self, motion: Motion) -> Motion:
        """The motion that these postures are of."""
        bones = skeleton_of(motion.model, motion.q, motion.up, motion.links)
        vectors, cosines = _vectors(self.rest, bones.rotations)
        angles = np.unwrap(np.arctan2(dot(vectors, self.axes), cosines), axis=0)
        root, carries = motion.model.root, set[int]()  # what carries a hinge or a slide
        for k, parent in reversed(list(enumerate(bones.parents))):
            carries |= {parent} if self.are_known[k] or self.slides[k] or k in carries else set()
        joints, columns = [], []
        for k, (link, parent) in enumerate(zip(bones.names, bones.parents, strict=True)):
            kind, axis, offset = JointKind.CONTINUOUS, self.axes[k], bones.offsets[k]
            if parent < 0:
                kind, offset = JointKind.FLOATING, np.zeros(3)
                columns.append(bones.translations[:, k] @ self.rest[k])
                columns.append(quat_from_matrix(self.rest[k].T @ bones.rotations[:, k]))
            elif self.are_known[k]:
                columns.append(angles[:, k, None])
            elif self.slides[k]:
                kind = JointKind.PRISMATIC
                columns.append((bones.translations[:, k] - offset) @ (self.rest[k] @ axis)[:, None])
            elif k in carries:
                kind = JointKind.FIXED
            else:
                axis = perpendicular(offset) if offset.any() else axis
                columns.append(np.zeros((len(motion), 1)))
            above, origin = bones.names[parent] if parent >= 0 else root, pose_from(self.rest[k], offset)
            joints.append(Joint(name=link, kind=kind, parent=above, child=link, origin=origin, axis=axis))
        frames = [each for each in motion.model.frames if each.link in bones.names and each.name != each.link]
        model = Model(motion.model.name, joints, frames, root=root)
        return Motion(model, np.concatenate(columns, axis=1), motion.dt, "y", roles=motion.roles)


def _upright(rotation: Matrix3) -> Matrix3:
    """The nearest rotation of which one axis is up, along y."""
    k = int(np.argmax(np.abs(rotation[1])))
    up = np.array([0.0, 1.0, 0.0])
    return rotation_between(math.copysign(1.0, rotation[1, k]) * rotation[:, k], up) @ rotation


def _is_about_one(along: Array, beside: Array) -> NDArray[np.bool_]:
    """[n] whether rotations are about one axis, as far as files round."""
    return np.asarray(beside <= np.maximum(OFF_AXIS * along, ROUNDING))


def _main_axes(vectors: Array) -> tuple[Array, Array, Array]:
    """Of vectors [T, n, 3] the main axes [n, 3], and roots of the mean squares along and beside them [n]."""
    squares, axes = np.linalg.eigh(np.einsum("tni,tnj->nij", vectors, vectors) / len(vectors))
    beside, along = np.sqrt(np.maximum(squares[:, 1:], 0.0)).T
    return axes[:, :, 2], along, beside


def _vectors(rest: Array, rotations: Array) -> tuple[Array, Array]:
    """Of rotations [T, n, 3, 3] from rest: their axes, as long as the sine, [T, n, 3], and cosines [T, n]."""
    moved = np.swapaxes(rest, -1, -2) @ rotations
    vectors = 0.5 * (moved - np.swapaxes(moved, -1, -2))[:, :, [2, 0, 1], [1, 2, 0]]
    return vectors, 0.5 * (np.trace(moved, axis1=-2, axis2=-1) - 1.0)
