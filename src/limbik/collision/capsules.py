"""Fits capsules along the links of a model without collision shapes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from limbik.model import Model
from limbik.model.shapes import Capsule, LinkShape
from limbik.spatial import Vector3, norm, pose_from, rotation_between

SLENDERNESS = 0.05  # radius of a capsule by the size of the model
SHORTEST = 1e-6  # of a segment, by the size of the model


def shapes_or_capsules(model: Model) -> tuple[tuple[LinkShape, ...], str]:
    """The shapes of a model, and no note; where no link has any of its own, capsules instead of them, from
    the origin of each link to those of its joints and frames, and a note that says so. A root that is called
    "world" is no body: an arm begins where it is mounted there.
    """
    attached = tuple(shape for shape in model.shapes if shape.is_attached)
    if len(attached) < len(model.shapes):
        return model.shapes, ""
    ends = _ends(model)
    size = max((float(norm(offset)) for offset in _offsets(model)), default=0.0)
    radius = SLENDERNESS * size
    capsules = [_capsule(link, end, radius) for link, end in ends if norm(end) > SHORTEST * max(size, 1e-300)]
    note = "the description has no shapes that collide"
    if capsules:
        note += f"; capsules of radius {radius:.3g} m along the links stand for them"
    return (*capsules, *attached), note


def _capsule(link: str, end: Vector3, radius: float) -> LinkShape:
    rotation = rotation_between(np.array([0.0, 0.0, 1.0]), end)
    return LinkShape(
        link=link,
        shape=Capsule(radius, float(norm(end))),
        pose_link_shape=pose_from(rotation, 0.5 * end),
    )


def _ends(model: Model) -> list[tuple[str, Vector3]]:
    """Links, and what is joined to them in their frames [m]."""
    joined = [(joint.parent, joint.origin[:3, 3]) for joint in model.joints]
    placed = [(frame.link, frame.pose_link_frame[:3, 3]) for frame in model.frames]
    return [(link, end) for link, end in (*joined, *placed) if not _is_world(model, link)]


def _offsets(model: Model) -> Iterator[Vector3]:
    """Of each frame from where its arm begins [m]."""
    positions = dict(zip(model.frame_names, model.forward(model.neutral)[:, :3, 3], strict=True))
    for name, position in positions.items():
        path = model.path(name)
        if not _is_world(model, model.root):
            yield position
        elif path:
            yield position - positions[path[0].child]


def _is_world(model: Model, link: str) -> bool:
    return link == model.root == "world"
