"""`Worlds`: the collision worlds that a service holds by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from limbik.collision import World, load_world
from limbik.errors import CollisionError, did_you_mean, shortened
from limbik.formats.source import Source
from limbik.model.shapes import Mesh
from limbik.service.messages import EMPTY
from limbik.service.shelf import Shelf

MAX_OBJECTS = 10_000


class Worlds:
    """Worlds by name. None is ever changed: a request goes on with the world that it began with."""

    def __init__(self) -> None:
        self._empty = World()
        self._put: Shelf[World] = Shelf("world", CollisionError)

    def names(self) -> list[str]:
        """Of all that are there."""
        return sorted([EMPTY, *self._put])

    def world(self, name: str) -> World:
        """Raises CollisionError for a name that none has."""
        world = self._empty if name == EMPTY else self._put.get(name)
        if world is None:
            raise CollisionError(f"there is no world {name!r}; {did_you_mean(name, self.names())}")
        return world

    def put(self, name: str, document: Mapping[str, Any]) -> World:
        """The world in a document, limbik's own or a planning scene of MoveIt, under a name.

        Raises FormatError or CollisionError for what has no meaning, and for a mesh in a file.
        """
        if name == EMPTY:
            raise CollisionError(f"{EMPTY!r} is the world without objects: take another name")
        text = json.dumps(document)
        world = load_world(Source("world", text, files={}))
        for each in world:
            if isinstance(each.shape, Mesh) and each.shape.path is not None:
                path = shortened(str(each.shape.path))
                raise CollisionError(
                    f"object {each.name!r}: no file is read here, found the path {path}; "
                    "give `vertices` and `triangles`"
                )
        if len(world) > MAX_OBJECTS:
            raise CollisionError(f"a world needs at most {MAX_OBJECTS:,} objects, found {len(world):,}")
        self._put.put(name, world, len(text))
        return world

    def remove(self, name: str) -> None:
        """Forget one. Raises CollisionError where there is none of that name, and for the empty one."""
        if name == EMPTY:
            raise CollisionError(f"{EMPTY!r} is the world without objects, which stays")
        self._put.remove(name)
