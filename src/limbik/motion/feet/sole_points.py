"""The lowest points of a foot, from its shapes or frames."""

from __future__ import annotations

import math

import numpy as np

from limbik.collision.convex import ConvexPiece
from limbik.collision.pieces import pieces_of
from limbik.model import JointKind, Model
from limbik.spatial import Array, Vector3

CORNERS = 3  # frames of a foot, from which on they are those of its sole
LOW = 0.01  # [m] above the lowest point of a foot that is sole, too
RIM = np.array([(math.cos(angle), math.sin(angle), 0.0) for angle in np.arange(8) * math.pi / 4.0])


def sole_of(model: Model, frame: str, q: Array, up: Vector3) -> Array:
    """[k, 3, m] points of the sole in the axes of a foot's frame, of which `up` [3] is up at q [nq].

    Of the shapes of the foot's link and of all that it carries; without shapes, the origins of frames there.
    Raises CollisionError for a mesh that cannot be read, and MissingExtra for one that needs a library.
    """
    links, inverse = _carried_by(model, frame), np.linalg.inv(model.pose(q, frame))
    corners = []
    for shape in model.shapes:
        if shape.link in links and not shape.is_attached:
            pose = inverse @ model.pose(q, shape.link) @ shape.pose_link_shape
            for piece in pieces_of(shape.shape):
                corners.append(_corners(piece) @ pose[:3, :3].T + pose[:3, 3] - piece.radius * up)
    if not corners:
        frames = [each.name for each in model.frames if each.link in links]
        corners = [(inverse @ model.pose(q, name))[None, :3, 3] for name in frames]
    points = np.concatenate(corners)
    heights = points @ up
    return np.asarray(points[heights <= heights.min() + LOW])


def has_sole(model: Model, link: str) -> bool:
    """Whether a foot has shapes, or frames at the corners of its sole, not only one at its end."""
    links = _carried_by(model, link)
    fixed = [joint for joint in model.joints if joint.parent == link and joint.kind is JointKind.FIXED]
    own = [frame for frame in model.frames if frame.link == link != frame.name]
    return len(fixed) + len(own) >= CORNERS or any(shape.link in links for shape in model.shapes)


def _corners(piece: ConvexPiece) -> Array:
    if not piece.disc:
        return piece.vertices
    return np.asarray((piece.vertices[:, None] + piece.disc * RIM).reshape(-1, 3))


def _carried_by(model: Model, frame: str) -> set[str]:
    """The link of a frame, and all links that it carries."""
    links = {model.frame(frame).link}
    for joint in model.joints:
        if joint.parent in links:
            links.add(joint.child)
    return links
