"""`Checker`: one model in one world, prepared for many collision checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.collision.geometry import geometry_of
from limbik.collision.nearest import ALL, DISTANCE, NEAREST, NORMAL, PAIR, POINTS, RESULT_SIZE
from limbik.collision.object_bodies import body_of
from limbik.collision.pack import PlacedBody, packed
from limbik.collision.pairs import pairs_of
from limbik.collision.robot_bodies import robot_bodies
from limbik.collision.search import Results, Search
from limbik.collision.world import World
from limbik.errors import did_you_mean, listed, shortened
from limbik.locks import cached_property
from limbik.model import JointKind, Model
from limbik.spatial import Array, Matrix4, quat_to_matrix
from limbik.tree.joints import FRAME_SIZE
from limbik.tree.pack import WORLD, tree_of


class NearPairs(NamedTuple):
    """Pairs of bodies, and how far they are apart."""

    pairs: Array  # [m] indices in `Checker.pairs`
    distances: Array  # [m] signed, in metres
    normals: Array  # [m, 3] unit vectors from the second body to the first, in world axes
    points: Array  # [m, 2, 3] nearest points of the first and of the second, in metres
    rows: Array  # [m, nv] derivatives of the distances with respect to v, as `Model.jacobian` has it


class Checker:
    """Checks a model against itself and a world, as long as the world's objects and their names are the same.

    Objects may move: every check takes them where they are. Threads may ask, one after the other.

    names: of the bodies, those of the model first. pairs: [n, 2] indices of names, which are checked. links,
    bodies: as the kernels read them. floating: names of the floating joints.
    """

    def __init__(self, model: Model, world: World | None = None) -> None:
        self.model = model
        self.world = World() if world is None else world
        self.structure = self.world.revision.structure
        self._tree = tree_of(model)
        self.links = self._tree.links
        robot, objects = robot_bodies(model), self._objects()
        placed = [*robot, *objects]
        self.bodies = packed(placed, FRAME_SIZE)
        self.names = tuple(each.name for each in placed)
        touch = [self.world[each.name].touch for each in objects]
        with_objects = [
            (i, len(robot) + k)
            for i, body in enumerate(robot)
            for k in range(len(objects))
            if body.name not in touch[k]
        ]
        self.pairs = _as_pairs([*with_objects, *pairs_of(model).checked])
        self.search = self.search_of(self.pairs)
        self.floating = [joint.name for joint in model.joints if joint.kind is JointKind.FLOATING]

    @cached_property
    def note(self) -> str:
        """Where the bodies are not the shapes themselves, names that two have, and names in `touch` that
        nothing has.
        """
        known = {self.model.root, *(joint.child for joint in self.model.joints), *self.names}
        unknown = [
            f"object {each.name!r} may touch {shortened(name)}, which is no link and no object; "
            f"{did_you_mean(name, sorted(known))}"
            for each in self.world
            for name in each.touch
            if name not in known
        ]
        bodies = {body.name for body in geometry_of(self.model).bodies}
        twice = [
            f"{name!r} is an object of the world and of the robot"
            for name in self.world.names
            if name in bodies
        ]
        notes = [*filter(None, [geometry_of(self.model).note]), *twice, *unknown]
        return listed(notes, limit=5, between="; ")

    def is_free(self, q: Array, clearance: float = 0.0) -> bool:
        """Whether every pair is farther apart than the clearance [m], at q [nq]."""
        return not self.search.is_any(q, clearance)

    def are_free(self, q: Array, clearance: float = 0.0) -> NDArray[np.bool_]:
        """Whether every pair is farther apart than the clearance [m], at each of many q [N, nq].

        Ctrl-C is heard.
        """
        return ~self.search.is_any_of_each(q, clearance, _go_on)

    def first_free(self, q: Array, clearance: float = 0.0) -> int | None:
        """The index of the first among many q [N, nq] where every pair is farther apart than the clearance
        [m]; None where there is none.
        """
        index = self.search.first_free(q, clearance)
        return index if index < len(q) else None

    def near_pairs(self, q: Array, within: float) -> NearPairs:
        """All pairs nearer than `within` [m], at q [nq]."""
        return self._near(q, self.search.run(q, ALL, within, has_rows=True))

    def nearest(self, q: Array, within: float = np.inf) -> NearPairs:
        """The nearest pair, where one is nearer than `within` [m]."""
        return self._near(q, self.search.run(q, NEAREST, within, has_rows=True))

    def distance(self, q: Array) -> float:
        """Of the nearest pair [m], at q [nq]; infinite where no pair is checked."""
        numbers, _ = self.search.run(q, NEAREST, np.inf)
        return float(numbers[0, DISTANCE]) if len(numbers) else np.inf

    def distances(self, q: Array, within: float = np.inf, pairs: NDArray[np.bool_] | None = None) -> Array:
        """Of the nearest pair [m], at each of many q [N, nq]; infinite where none is nearer than `within`.

        pairs [n]: which ones count, of `Checker.pairs`. Ctrl-C is heard.
        """
        search = self.search if pairs is None else self.search_of(self.pairs[pairs])
        return search.run_each(q, within, _go_on)[:, DISTANCE]

    def attachment(self, frame: str) -> tuple[int, Matrix4]:
        """The link among `links` that carries a frame of the model, and the frame's pose in it."""
        return self._tree.attachment(self.model, frame)

    def pair_names(self, index: int) -> tuple[str, str]:
        """The names of a pair's bodies, the model's first."""
        first, second = self.pairs[index]
        return self.names[first], self.names[second]

    def _near(self, q: Array, results: Results) -> NearPairs:
        numbers, rows = results
        for name in self.floating:
            # The tree counts the translation of a floating joint along other axes than the model.
            at, end = self.model.v_slice(name).start, self.model.q_slice(name).stop
            rows[:, at : at + 3] = rows[:, at : at + 3] @ quat_to_matrix(q[end - 4 : end])
        return near_pairs(numbers, rows)

    def _objects(self) -> list[PlacedBody]:
        first = len(self._tree.links) + 1
        names = []
        for k, (name, shape) in enumerate(zip(self.world.names, self.world.shapes, strict=True)):
            names.append(PlacedBody(name, body_of(shape), first + k, WORLD))
        return names

    def search_of(self, pairs: Array) -> Search:
        """A search for some pairs [n, 2] of the bodies."""
        return Search(self.links, self.bodies, self.world.poses, pairs, self.model.nq, self.model.nv)


def _go_on() -> bool:
    """A batch goes on, unless asking this raises what a signal has to say."""
    return False


def near_pairs(numbers: Array, rows: Array) -> NearPairs:
    """Results of a search by name."""
    return NearPairs(
        numbers[:, PAIR].astype(np.intp),
        numbers[:, DISTANCE],
        numbers[:, NORMAL : NORMAL + 3],
        numbers[:, POINTS:RESULT_SIZE].reshape(-1, 2, 3),
        rows,
    )


def _as_pairs(pairs: Sequence[tuple[int, int]] | Array) -> Array:
    return np.ascontiguousarray(np.array(pairs, np.int64).reshape(-1, 2))
