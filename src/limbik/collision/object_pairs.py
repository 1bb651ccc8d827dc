"""`ObjectPairs`: distances and collisions between the objects of a world."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from limbik.checks import Contact
from limbik.collision.nearest import ALL, DISTANCE, NEAREST, NORMAL, PAIR, POINTS, RESULT_SIZE
from limbik.collision.object_bodies import body_of
from limbik.collision.pack import PlacedBody, packed
from limbik.collision.pieces import measured_pieces_of
from limbik.collision.search import Search
from limbik.errors import listed
from limbik.model.shapes import Shape
from limbik.spatial import Array
from limbik.tree.joints import FRAME_SIZE
from limbik.tree.kinematics import LINK
from limbik.tree.pack import WORLD


class ObjectPairs:
    """The pairs of objects that may not touch.

    poses [n, 4, 4] in the order of the objects. may_touch: pairs of names that are left out. note: where the
    bodies are not the shapes themselves.
    """

    def __init__(self, objects: dict[str, Shape], poses: Array, may_touch: set[frozenset[str]]) -> None:
        made = ((name, measured_pieces_of(shape)) for name, shape in objects.items())
        notes = [f"{name}: {note}" for name, each in made for note in (each.gap, each.note) if note]
        self.note = listed(notes, limit=5, between="; ")
        placed = [
            PlacedBody(name, body_of(shape), 1 + k, WORLD) for k, (name, shape) in enumerate(objects.items())
        ]
        self._pairs = [
            pair for pair in itertools.combinations(objects, 2) if frozenset(pair) not in may_touch
        ]
        indices = {name: k for k, name in enumerate(objects)}
        pairs = np.array([[indices[a], indices[b]] for a, b in self._pairs], np.int64).reshape(-1, 2)
        self._search = Search(np.zeros(0, LINK), packed(placed, FRAME_SIZE), poses, pairs, 0, 0)

    def nearest(self) -> tuple[Contact, ...]:
        """The nearest pair; empty where there is none."""
        return self._contacts(NEAREST, np.inf)

    def nearer_than(self, within: float) -> tuple[Contact, ...]:
        """All pairs nearer than `within` [m], the nearest first."""
        return self._contacts(ALL, within)

    def _contacts(self, mode: int, horizon: float) -> tuple[Contact, ...]:
        numbers, rows = self._search.run(None, mode, horizon)
        order: Sequence[int] = np.argsort(numbers[:, DISTANCE], kind="stable").tolist()
        return tuple(
            Contact(
                pair=self._pairs[int(numbers[k, PAIR])],
                distance=float(numbers[k, DISTANCE]),
                normal=numbers[k, NORMAL : NORMAL + 3],
                points=numbers[k, POINTS:RESULT_SIZE].reshape(2, 3),
                gradient=rows[k],
            )
            for k in order
        )
