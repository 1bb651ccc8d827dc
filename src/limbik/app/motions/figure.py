"""A figure of rounded bones for a skeleton without a mesh."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from limbik.formats.motions import Motion
from limbik.formats.visual import Visual
from limbik.motion.body.bones import bones_of
from limbik.spatial import Array, norm, pose_from, rotation_between

COLOURS = {"": (0.50, 0.54, 0.62, 1.0), "left": (0.22, 0.52, 0.86, 1.0), "right": (0.90, 0.49, 0.18, 1.0)}
JOINT = (0.86, 0.88, 0.91, 1.0)
SLENDER = 0.13  # radius of a bone per length
MIN, MAX = 0.007, 0.026  # radius per height of the whole
SHORT = 0.004  # of the height, from which a bone is seen
HEAD = 0.052  # radius per height of the whole
KNOB = 1.25  # radius of a joint per radius of the bone


def figure(motion: Motion) -> tuple[Visual, ...]:
    """The bones of a skeleton."""
    return tuple(_visuals(motion))


def _visuals(motion: Motion) -> Iterator[Visual]:
    bones = bones_of(motion)
    names = list(dict.fromkeys(name for bone in bones for name in (bone.link, bone.end)))
    if not names:
        return
    poses = dict(zip(names, motion.model.poses(motion.q[0], names), strict=True))
    points = np.array([pose[:3, 3] for pose in poses.values()])
    height = float(np.ptp(points, axis=0).max()) or 1.0
    for bone in bones:
        direction = (np.linalg.inv(poses[bone.link]) @ poses[bone.end])[:3, 3]
        length = float(norm(direction))
        if length < SHORT * height:
            continue
        colour = COLOURS[bone.side]
        if bone.is_head:
            middle = pose_from(translation=0.5 * direction)
            yield Visual(
                link=bone.link, shape="sphere", pose_link_visual=middle, size=(HEAD * height,), color=colour
            )
            continue
        radius = float(np.clip(SLENDER * length, MIN * height, MAX * height))
        yield Visual(
            link=bone.link,
            shape="capsule",
            pose_link_visual=_along(direction),
            size=(radius, length),
            color=colour,
        )
        yield Visual(
            link=bone.link, shape="sphere", pose_link_visual=np.eye(4), size=(KNOB * radius,), color=JOINT
        )


def _along(direction: Array) -> Array:
    """The pose of a shape along z whose ends are at the origin and at `direction`."""
    return pose_from(rotation_between(np.array([0.0, 0.0, 1.0]), direction), 0.5 * direction)
