"""Writes a skeleton as BVH: bones in centimetres, angles in the order Z, X, Y that most programs write."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from limbik.formats.bvh import BvhFile, BvhJoint
from limbik.formats.skeleton import Skeleton
from limbik.spatial import Array, nearest_angles

PER_METRE = 100.0
POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
LOCKED = 1e-7  # cosine of the second angle, below which the other two are about one axis


def bvh_of(skeleton: Skeleton, dt: float) -> BvhFile:
    """The file of a skeleton; blanks in names become underscores, as most programs cut names there."""
    names = _names(skeleton.names)
    offsets = PER_METRE * skeleton.offsets
    joints: list[BvhJoint] = []
    order: list[int] = []  # bones as they stand in the file

    def put(bone: int, parent: int) -> None:
        here = len(joints)
        order.append(bone)
        channels = (*POSITIONS, *ROTATIONS) if skeleton.slides[bone] or parent < 0 else ROTATIONS
        joints.append(BvhJoint(names[bone], parent, _numbers(offsets[bone]), channels))
        children = [k for k, above in enumerate(skeleton.parents) if above == bone]
        waiting.extend((child, here) for child in reversed(children))
        for end in skeleton.ends[bone]:
            joints.append(BvhJoint("", here, _numbers(PER_METRE * end), (), is_end=True))

    waiting = [(k, -1) for k, above in reversed(list(enumerate(skeleton.parents))) if above < 0]
    while waiting:
        put(*waiting.pop())
    angles = np.degrees(angles_of(skeleton.rotations))
    columns = list(_columns(skeleton, order, angles))
    return BvhFile(tuple(joints), np.concatenate(columns, axis=1), dt)


def angles_of(rotations: Array) -> Array:
    """Angles [T, ..., 3] about Z, X and Y [rad] of rotations [T, ..., 3, 3], of those that make the same the
    ones nearest to the frame before, in gimbal lock, too; if they begin in it, to the first one out of it.
    """
    angles = np.empty(rotations.shape[:-1])
    is_free = np.hypot(rotations[..., 0, 1], rotations[..., 1, 1]) >= LOCKED
    first = is_free.argmax(axis=0)[None, ..., None, None]
    before = _nearest(np.take_along_axis(rotations, first, axis=0)[0], np.zeros(angles.shape[1:]))
    for k, R in enumerate(rotations):
        before = angles[k] = _nearest(R, before)
    return angles


def _nearest(R: Array, before: Array) -> Array:
    """Of rotations [..., 3, 3]: R = Rz(first) Rx(second) Ry(third)."""
    sine = np.clip(R[..., 2, 1], -1.0, 1.0)
    cosine = np.hypot(R[..., 0, 1], R[..., 1, 1])
    is_locked = cosine < LOCKED
    about_one = np.arctan2(R[..., 1, 0], R[..., 0, 0]) - np.sign(sine) * before[..., 2]
    first = np.where(is_locked, about_one, np.arctan2(-R[..., 0, 1], R[..., 1, 1]))
    second = np.arctan2(sine, cosine)
    third = np.where(is_locked, before[..., 2], np.arctan2(-R[..., 2, 0], R[..., 2, 2]))
    one = np.stack([first, second, third], axis=-1)
    other = np.stack([first + np.pi, np.pi - second, third + np.pi], axis=-1)
    one, other = (before + nearest_angles(each - before) for each in (one, other))
    is_other = np.abs(other - before).sum(axis=-1) < np.abs(one - before).sum(axis=-1)
    return np.asarray(np.where(is_other[..., None], other, one))


def _columns(skeleton: Skeleton, order: list[int], angles: Array) -> Iterator[Array]:
    """[T, 3 or 6] of each bone."""
    for bone in order:
        if skeleton.slides[bone] or skeleton.parents[bone] < 0:
            yield PER_METRE * skeleton.translations[:, bone]
        yield angles[:, bone]


def _names(names: tuple[str, ...]) -> list[str]:
    """Without blanks, braces and what does not print, and each once."""
    bone_names: list[str] = []
    for name in names:
        word = re.sub(r"[\s{}\x00-\x1f]+", "_", name)
        bone_names.append(word if word not in bone_names else f"{word}_{len(bone_names)}")
    return bone_names


def _numbers(position: Array) -> tuple[float, float, float]:
    x, y, z = (position + 0.0).tolist()
    return x, y, z
