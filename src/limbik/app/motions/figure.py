"""What a skeleton without a mesh looks like: rounded bones from joint to joint, left and right in colours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from limbik.errors import ModelError
from limbik.formats.motions import Motion
from limbik.formats.visual import Visual
from limbik.model import JointKind
from limbik.motion.body.humanoid import humanoid
from limbik.spatial import Array, norm, pose_from, rotation_between

MIDDLE, LEFT, RIGHT = (0.50, 0.54, 0.62, 1.0), (0.22, 0.52, 0.86, 1.0), (0.90, 0.49, 0.18, 1.0)
JOINT = (0.86, 0.88, 0.91, 1.0)
SLENDER = 0.13  # radius of a bone per length
LEAST, MOST = 0.007, 0.026  # radius per height of the whole
SHORT = 0.004  # of the height, from which a bone is seen
HEAD = 0.052  # radius per height of the whole
KNOB = 1.25  # radius of a joint per radius of the bone


def figure(motion: Motion) -> tuple[Visual, ...]:
    """The bones of a skeleton."""
    return tuple(_visuals(motion))


def _visuals(motion: Motion) -> Iterator[Visual]:
    model, q = motion.model, motion.q[0]
    moving = set(_moving(motion))
    ends = [frame.name for frame in model.frames if frame.name != frame.link and frame.link in moving]
    names = [*moving, *ends]
    places = dict(zip(names, model.poses(q, names), strict=True))
    points = np.array([pose[:3, 3] for pose in places.values()])
    height = float(np.ptp(points, axis=0).max()) or 1.0
    colours, head = _colours(motion), _head(motion)
    for name in names:
        parent = _parent(motion, name, moving)
        if parent is None:
            continue
        local = np.linalg.inv(places[parent]) @ places[name]
        length = float(norm(local[:3, 3]))
        if length < SHORT * height:
            continue
        radius = float(np.clip(SLENDER * length, LEAST * height, MOST * height))
        colour = colours.get(parent, MIDDLE)
        if parent == head:
            middle = pose_from(translation=0.5 * local[:3, 3])
            yield Visual(
                link=parent, shape="sphere", pose_link_visual=middle, size=(HEAD * height,), color=colour
            )
            continue
        yield Visual(
            link=parent,
            shape="capsule",
            pose_link_visual=_along(local[:3, 3]),
            size=(radius, length),
            color=colour,
        )
        yield Visual(
            link=parent, shape="sphere", pose_link_visual=np.eye(4), size=(KNOB * radius,), color=JOINT
        )


def _along(way: Array) -> Array:
    """The pose of a shape along z whose ends are at the origin and at `way`."""
    return pose_from(rotation_between(np.array([0.0, 0.0, 1.0]), way), 0.5 * way)


def _moving(motion: Motion) -> Iterator[str]:
    """The links of joints that something moves."""
    for link in motion.links:
        if any(joint.kind is not JointKind.FIXED for joint in motion.model.path(link)):
            yield link


def _parent(motion: Motion, name: str, moving: set[str]) -> str | None:
    """The link that a bone comes from; None where it is the first."""
    frame = motion.model.frame(name)
    if frame.name != frame.link:
        return frame.link
    path = [joint.child for joint in motion.model.path(name)][:-1]
    return next((link for link in reversed(path) if link in moving), None)


def _head(motion: Motion) -> str:
    try:
        return humanoid(motion).frames.get("head", "")
    except ModelError:
        return ""


def _colours(motion: Motion) -> dict[str, tuple[float, float, float, float]]:
    """Of the limbs of both sides, down to the ends of fingers and toes."""
    try:
        roles = humanoid(motion).frames
    except ModelError:
        return {}
    sides = {
        frame: LEFT if role.startswith("left") else RIGHT
        for role, frame in roles.items()
        if role[:4] in ("left", "righ")
    }
    found = {}
    for link in motion.links:
        above = [link, *(joint.child for joint in reversed(motion.model.path(link)))]
        side = next((sides[each] for each in above if each in sides), None)
        if side is not None:
            found[link] = side
    return found
