"""Finds and checks the pairs of bodies fixed by a frame's pose alone: no joint can end their collision."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from limbik.collision.checker import Checker, NearPairs, near_pairs
from limbik.collision.nearest import ALL
from limbik.compiler.kernel import Records
from limbik.spatial import Array, Matrix4, pose_from, pose_inverse
from limbik.tree.joints import FRAME_SIZE, ROTATION, SPHERICAL
from limbik.tree.pack import WORLD


class FixedPairs:
    """Which pairs of a checker are fixed by a frame's pose, where only some joints move.

    moving [nv]: what may move. on_base, with_frame [pairs]: whether both bodies of a pair hang on the base,
    or on the base and the frame.
    """

    def __init__(self, checker: Checker, frame: str, moving: Array) -> None:
        self.link, self.pose_link_frame = checker.attachment(frame)
        self.holders = _holders(checker.links, moving)
        of_pairs = self.holders[checker.bodies.bodies["link"][checker.pairs]]
        on_base = of_pairs == WORLD
        self.on_base: NDArray[np.bool_] = on_base.all(axis=1)
        self.with_frame: NDArray[np.bool_] = (on_base | (of_pairs == self.holders[self.link])).all(axis=1)


_KNOWN: WeakKeyDictionary[Checker, dict[tuple[str, bytes], FixedPairs]] = WeakKeyDictionary()


def fixed_pairs(checker: Checker, frame: str, moving: Array) -> FixedPairs:
    """The same, found once for a checker."""
    known = _KNOWN.setdefault(checker, {})
    key = frame, moving.tobytes()
    fixed = known.get(key)
    if fixed is None:
        fixed = known[key] = FixedPairs(checker, frame, moving)
    return fixed


class FixedChecker:
    """Checks the pairs that are fixed by a frame's pose.

    A pair that it finds touching touches at every configuration that brings the frame there, and has the
    joints that do not move where q [nq] has them. moving [nv]: what may move.
    """

    def __init__(self, checker: Checker, frame: str, q: Array, moving: Array) -> None:
        fixed = fixed_pairs(checker, frame, moving)
        self.indices = np.flatnonzero(fixed.with_frame)  # of the pairs, in those of the checker
        self._search = checker.search_of(checker.pairs[self.indices])
        self._search.is_any(q, -np.inf)
        holder = fixed.holders[fixed.link]
        rigid = () if holder == WORLD else np.flatnonzero(fixed.holders[:-1] == holder)
        pose_frame_world = pose_inverse(self._pose(fixed.link) @ fixed.pose_link_frame)
        self._rigid = [(int(link), pose_frame_world @ self._pose(int(link))) for link in rigid]

    def near_pairs(self, pose: Matrix4, within: float) -> NearPairs:
        """The pairs nearer than `within` [m], the frame being at a pose; their rows are zeros."""
        for link, pose_frame_link in self._rigid:
            placed = np.asarray(pose) @ pose_frame_link
            frame = self._search.frames[link * FRAME_SIZE :]
            frame[:ROTATION] = placed[:3, 3]
            frame[ROTATION:FRAME_SIZE] = placed[:3, :3].ravel()
        numbers, rows = self._search.run(None, ALL, within)
        near = near_pairs(numbers, np.zeros_like(rows))
        return near._replace(pairs=self.indices[near.pairs])

    def _pose(self, link: int) -> Matrix4:
        if link == WORLD:
            return np.eye(4)
        frame = self._search.frames[link * FRAME_SIZE : (link + 1) * FRAME_SIZE]
        return pose_from(frame[ROTATION:].reshape(3, 3), frame[:ROTATION])


def _holders(links: Records, moving: Array) -> Array:
    """[n + 1] the link with a moving joint that carries each link, itself or one before it; WORLD where there
    is none, as for the world, which comes last.
    """
    holders = np.full(len(links) + 1, WORLD)
    for k, link in enumerate(links):
        width = 3 if link["kind"] == SPHERICAL else 1
        holders[k] = k if moving[link["v"] : link["v"] + width].any() else holders[link["parent"]]
    return holders
