"""`PageWorld`: the obstacles of a page as a `World`, models of arms that carry objects, and the pairs of
bodies nearest to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from limbik.app.protocol.world import PageObject, WorldContents
from limbik.app.shape_store import StoredShapes
from limbik.collision.capsules import shapes_or_capsules
from limbik.collision.check import checker_of, contacts
from limbik.collision.free_options import FreeOptions
from limbik.collision.world import World
from limbik.locks import cached_property
from limbik.model import Model
from limbik.model.shapes import Box, Capsule, Cylinder, Shape, Sphere
from limbik.spatial import Array, Matrix4, pose_from, quat_normalise, quat_to_matrix

NEAR = 0.05  # [m] beyond the clearance, within which pairs are told
MAX_NEAR = 12  # of an arm


@dataclass(frozen=True, kw_only=True, eq=False)
class Around:
    """What one arm is not to collide with."""

    model: Model  # of the arm, with what it carries
    world: World
    clearance: float  # [m]

    @property
    def options(self) -> FreeOptions:
        """As solvers take them."""
        return FreeOptions(self.world, self.clearance)

    def near(self, q: Array) -> list[Mapping[str, Any]]:
        """The nearest pairs at q [nq], as the page is told of them."""
        checker = checker_of(self.model, self.world)
        near = contacts(checker, checker.near_pairs(q, self.clearance + NEAR))
        return [
            {
                "pair": list(each.pair),
                "links": [self._links.get(name, "") for name in each.pair],
                "distance": each.distance,
                "points": each.points.ravel().tolist(),
            }
            for each in near[:MAX_NEAR]
        ]

    @cached_property
    def _links(self) -> dict[str, str]:
        """The link of each body that is a part of the arm, and not called by it alone."""
        shapes, _ = shapes_or_capsules(self.model)
        return {shape.name: shape.link for shape in shapes if not shape.is_attached}

    def collision(self, q: Array) -> str:
        """What is too near at q [nq], in words; "" where nothing is."""
        checker = checker_of(self.model, self.world)
        nearest = contacts(checker, checker.nearest(q, self.clearance + NEAR))
        if not nearest or nearest[0].distance > self.clearance:
            return ""
        return " and ".join(nearest[0].pair)


class PageWorld:
    """The objects of one page, made into a world and changed as little as can be: what is only moved is only
    moved. To be used by one thread.
    """

    def __init__(self, shapes: StoredShapes) -> None:
        self._stored = shapes
        self._world = World()
        self._things: tuple[PageObject, ...] = ()  # in the world
        self._carrying: dict[int, tuple[tuple[object, ...], Model]] = {}  # by the number of an arm

    def around(self, number: int, model: Model, requested: WorldContents) -> Around:
        """What an arm is not to collide with.

        Raises CollisionError for shapes and names that have no meaning, and LimbikError for shapes that the
        server no longer has.
        """
        self._update([_touching(thing, requested.things) for thing in requested.things if thing.held is None])
        held = [thing for thing in requested.things if thing.held is not None and thing.held.arm == number]
        carrying = self._carried(number, model, held)
        return Around(model=carrying, world=self._world, clearance=requested.clearance)

    def _update(self, things: Sequence[PageObject]) -> None:
        if tuple(map(_identity, things)) != tuple(map(_identity, self._things)):
            world = World()
            for thing in things:
                world.add(thing.name, self.shape(thing), pose_of(thing), touch=thing.touch)
            self._world = world
        else:
            for thing, before in zip(things, self._things, strict=True):
                if thing != before:
                    self._world.move(thing.name, pose_of(thing))
        self._things = tuple(things)

    def _carried(self, number: int, model: Model, held: Sequence[PageObject]) -> Model:
        key = (model, *held)
        carried = self._carrying.get(number)
        if carried is not None and carried[0] == key:
            return carried[1]
        carrying = model
        for thing in held:
            assert thing.held is not None, "chosen above"
            bodies = {*carrying.frame_names, *(shape.name for shape in carrying.shapes)}
            touch = [name for name in thing.touch if name in bodies]
            carrying = carrying.attach(
                thing.name, self.shape(thing), frame=thing.held.frame, pose=pose_of(thing), touch=touch
            )
        self._carrying[number] = key, carrying
        return carrying

    def shape(self, thing: PageObject) -> Shape:
        """The shape of an object."""
        if thing.kind == "box":
            return Box(thing.size)  # type: ignore[arg-type]  # three, as the protocol says
        if thing.kind == "sphere":
            return Sphere(*thing.size)
        if thing.kind == "cylinder":
            return Cylinder(*thing.size)
        if thing.kind == "capsule":
            return Capsule(*thing.size)
        return self._stored.shape(thing.token, thing.name)


def pose_of(thing: PageObject) -> Matrix4:
    """[4, 4] in the world, or in the frame that carries the object."""
    return pose_from(quat_to_matrix(quat_normalise(np.array(thing.quat_xyzw))), np.array(thing.position))


def _touching(thing: PageObject, others: Sequence[PageObject]) -> PageObject:
    """An object that may touch what is carried and may touch it."""
    carried = [other.name for other in others if other.held is not None and thing.name in other.touch]
    return replace(thing, touch=(*thing.touch, *carried)) if carried else thing


def _identity(thing: PageObject) -> tuple[object, ...]:
    """What of an object is the same wherever it stands."""
    return thing.name, thing.kind, thing.size, thing.token, thing.touch
