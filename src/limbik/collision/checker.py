"""Checks of one model against one world, for those who ask often: solvers, trackers, paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limbik.chain.joints import FRAME_SIZE, ROTATION
from limbik.collision.geometry import bounding_sphere
from limbik.collision.nearest import ALL, DISTANCE, NEAREST, NORMAL, PAIR, POINTS, RESULT_SIZE
from limbik.collision.pack import Placed, packed
from limbik.collision.pairs import pairs_of
from limbik.collision.pieces import pieces_of
from limbik.collision.robot_bodies import robot_bodies, tree_of
from limbik.collision.search import Results, Search
from limbik.collision.world import World
from limbik.model import JointKind, Model
from limbik.spatial import Array, Matrix4, pose_inverse, quat_to_matrix
from limbik.tree.pack import WORLD


class NearPairs(NamedTuple):
    """Pairs of bodies, and how far they are apart."""

    pairs: Array  # [m] places in `Checker.pairs`
    distances: Array  # [m] signed, in metres
    normals: Array  # [m, 3] unit vectors from the second body to the first, in world axes
    points: Array  # [m, 2, 3] nearest points of the first and of the second, in metres
    rows: Array  # [m, nv] derivatives of the distances with respect to v, as `Model.jacobian` has it


class Checker:
    """Checks a model against itself and a world, as long as the world's objects and their names are the same.

    Objects may move: every check takes them where they are. Threads may ask, one after the other.

    names: of the bodies, those of the model first. pairs: [n, 2] places of names, which are checked. links,
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
        self._search = self._search_of(self.pairs)
        self._fixed: dict[str, FixedChecker] = {}
        self.floating = [joint.name for joint in model.joints if joint.kind is JointKind.FLOATING]

    def is_free(self, q: Array, clearance: float = 0.0) -> bool:
        """Whether every pair is farther apart than the clearance [m], at q [nq]."""
        return not self._search.is_any(q, clearance)

    def near_pairs(self, q: Array, within: float) -> NearPairs:
        """All pairs nearer than `within` [m], at q [nq]."""
        return self._near(q, self._search.run(q, ALL, within, has_rows=True))

    def nearest(self, q: Array, within: float = np.inf) -> NearPairs:
        """The nearest pair, where one is nearer than `within` [m]."""
        return self._near(q, self._search.run(q, NEAREST, within, has_rows=True))

    def distance(self, q: Array) -> float:
        """Of the nearest pair [m], at q [nq]; infinite where no pair is checked."""
        numbers, _ = self._search.run(q, NEAREST, np.inf)
        return float(numbers[0, DISTANCE]) if len(numbers) else np.inf

    def distances(self, q: Array, within: float = np.inf) -> Array:
        """Of the nearest pair [m], at each of many q [N, nq]; infinite where none is nearer than `within`.

        Ctrl-C is heard.
        """
        return self._search.run_each(q, within, _go_on)[:, DISTANCE]

    def fixed_with(self, frame: str) -> FixedChecker:
        """Checks of what is rigid with a frame against what no joint moves: for goals of that frame."""
        if frame not in self._fixed:
            self._fixed[frame] = FixedChecker(self, frame)
        return self._fixed[frame]

    def pair_names(self, place: int) -> tuple[str, str]:
        """The names of a pair's bodies, the model's first."""
        first, second = self.pairs[place]
        return self.names[first], self.names[second]

    def _near(self, q: Array, results: Results) -> NearPairs:
        numbers, rows = results
        for name in self.floating:
            # The tree counts the translation of a floating joint along other axes than the model.
            at, end = self.model.v_slice(name).start, self.model.q_slice(name).stop
            rows[:, at : at + 3] = rows[:, at : at + 3] @ quat_to_matrix(q[end - 4 : end])
        return near_pairs(numbers, rows)

    def _objects(self) -> list[Placed]:
        first = len(self._tree.links) + 1
        found = []
        for k, (name, shape) in enumerate(zip(self.world.names, self.world.shapes, strict=True)):
            pieces = pieces_of(shape)
            found.append(Placed(name, pieces, first + k, WORLD, np.eye(4), *bounding_sphere(pieces)))
        return found

    def _search_of(self, pairs: Array) -> Search:
        return Search(self.links, self.bodies, self.world.poses, pairs, self.model.nq, self.model.nv)


class FixedChecker:
    """Checks what is rigid with a frame, and what hangs on the base, against what no joint moves.

    A pair that it finds touching touches at every configuration that brings the frame there.
    """

    def __init__(self, checker: Checker, frame: str) -> None:
        tree = checker._tree
        self._checker = checker
        self._link, pose_link_frame = tree.place(checker.model, frame)
        self._pose_frame_link = pose_inverse(pose_link_frame)
        links = checker.bodies.bodies["link"][checker.pairs]
        is_fixed = (links == self._link) | (links == WORLD)
        self.places = np.flatnonzero(is_fixed.all(axis=1))  # of the pairs, in those of the checker
        self._search = checker._search_of(_as_pairs(checker.pairs[self.places]))

    def is_free(self, pose: Matrix4, clearance: float = 0.0) -> bool:
        """Whether every pair is farther apart than the clearance [m], the frame being at a pose."""
        self._place(pose)
        return not self._search.is_any(None, clearance)

    def near_pairs(self, pose: Matrix4, within: float) -> NearPairs:
        """The pairs nearer than `within` [m]; their rows are zeros."""
        self._place(pose)
        numbers, rows = self._search.run(None, ALL, within)
        found = near_pairs(numbers, np.zeros_like(rows))
        return found._replace(pairs=self.places[found.pairs])

    def _place(self, pose: Matrix4) -> None:
        if self._link != WORLD:
            placed = np.asarray(pose) @ self._pose_frame_link
            frame = self._search.frames[self._link * FRAME_SIZE :]
            frame[:ROTATION] = placed[:3, 3]
            frame[ROTATION:FRAME_SIZE] = placed[:3, :3].ravel()


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
