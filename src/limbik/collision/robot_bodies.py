"""Packs the collision bodies of a model, once for each model."""

from __future__ import annotations

from limbik.collision.geometry import geometry_of
from limbik.collision.pack import PlacedBody, packed_body
from limbik.model import Model
from limbik.model.slots import Slot
from limbik.tree.pack import WORLD, tree_of

_BODIES: Slot[list[PlacedBody]] = Slot(of_shapes=True)


def robot_bodies(model: Model) -> list[PlacedBody]:
    """The bodies of a model, on the frames of its tree, packed once for it."""
    return _BODIES.of(model, lambda: _packed_bodies(model))


def _packed_bodies(model: Model) -> list[PlacedBody]:
    tree = tree_of(model)
    bodies = []
    for body in geometry_of(model).bodies:
        link, pose = tree.link_poses[body.link]
        frame = len(tree.links) if link == WORLD else link
        bodies.append(
            PlacedBody(body.name, packed_body(body.pieces, body.center, body.radius, pose), frame, link)
        )
    return bodies
