"""`Search`: the arrays of a search for near pairs (`collision.nearest`), and its queries: all pairs, the
nearest, any, or those of many configurations.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.collision import nearest
from limbik.collision.gjk import GjkScratch
from limbik.collision.nearest import PAIR, RESULT_SIZE, SETTINGS_SIZE, SearchArrays
from limbik.collision.pack import Packed
from limbik.collision.programs import collisions
from limbik.collision.records import Cores, Shapes
from limbik.compiler.arrays import zeros
from limbik.compiler.call import Call, never
from limbik.compiler.kernel import Records, Watch
from limbik.locks import fork_safe
from limbik.spatial import Array
from limbik.tree.joints import FRAME_SIZE, ROTATION

MAX_RESULTS = 32  # until a search has more


class Results(NamedTuple):
    """What a search has found."""

    numbers: Array  # [m, RESULT_SIZE]
    rows: Array  # [m, nv] with respect to velocities as `tree.pack` has them; zeros where not requested


class Search:
    """Pairs of bodies that move with joints and with a world's objects.

    links: records of a tree. poses [objects, 4, 4]: read at every search, so that objects may move. pairs
    [n, 2]: of bodies.
    """

    def __init__(self, links: Records, bodies: Packed, poses: Array, pairs: Any, nq: int, nv: int) -> None:
        self.settings = np.zeros(SETTINGS_SIZE)
        self.frames = np.zeros((len(links) + 1 + len(poses)) * FRAME_SIZE)
        world = self.frames[len(links) * FRAME_SIZE :]
        world[ROTATION:FRAME_SIZE] = np.eye(3).ravel()
        bodies_, pieces, vertices, neighbours, latest = bodies
        self.shapes = Shapes(bodies_, pieces, Cores(vertices, neighbours, latest), self.frames)
        self.poses, self.pairs = poses.reshape(-1, 16), pairs
        sizes = {"n_links": len(links), "n_bodies": len(bodies_), "n_pairs": len(pairs)}
        self.workspace, self.scratch = zeros(SearchArrays, sizes), zeros(GjkScratch, sizes)
        self.lock = fork_safe(threading.Lock())  # held by who uses the arrays
        self._links, self._q, self._nv = links, np.zeros((1, nq)), nv
        self._reserve(MAX_RESULTS)

    def run(self, q: Array | None, mode: int, horizon: float, has_rows: bool = False) -> Results:
        """Search at a configuration [nq]; at None the frames of the links have been written."""
        with self.lock:
            self._ask(q, mode, horizon, has_rows)
            count = self._one.run()
            if count > len(self._results.numbers):
                self._reserve(2 * count)
                self._one.run()
            return Results(*(array[:count].copy() for array in self._results))

    def is_any(self, q: Array | None, horizon: float) -> bool:
        """Whether a pair is not farther apart than the horizon [m]."""
        with self.lock:
            self._ask(q, nearest.ANY, horizon, False)
            return bool(self._one.run())

    def run_each(self, q: Array, horizon: float, watch: Watch) -> Array:
        """The nearest pair of each of many configurations [n, nq]: numbers [n, RESULT_SIZE], in which the
        index of the pair is -1 and the distance infinite where none is nearer than the horizon [m].
        """
        return self._run_many(q, len(q), nearest.EACH, horizon, watch)[1]

    def is_any_of_each(self, q: Array, horizon: float, watch: Watch) -> NDArray[np.bool_]:
        """Whether a pair is not farther apart than the horizon [m], for each of many q [n, nq]."""
        return self._run_many(q, len(q), nearest.EACH_ANY, horizon, watch)[1][:, PAIR] >= 0.0

    def first_free(self, q: Array, horizon: float) -> int:
        """The index of the first among many q [n, nq] where all pairs are farther apart than the horizon [m];
        n where there is none.
        """
        return self._run_many(q, 0, nearest.FIRST_FREE, horizon, never)[0]

    def _run_many(
        self, q: Array, n_results: int, mode: int, horizon: float, watch: Watch
    ) -> tuple[int, Array]:
        """What the search returns, and the numbers that it has written."""
        results = _no_results(n_results, 0)
        call = self._one.changed(q=np.ascontiguousarray(q), results=results.numbers, rows=results.rows)
        with self.lock:
            self.settings[:] = mode, horizon, False, False
            return call.run(watch), results.numbers

    def _ask(self, q: Array | None, mode: int, horizon: float, has_rows: bool) -> None:
        if q is not None:
            self._q[0] = q
        self.settings[:] = mode, horizon, q is None, has_rows

    def _reserve(self, count: int) -> None:
        """Arrays for so many results of one search."""
        self._results = _no_results(count, self._nv)
        self._one = Call(
            collisions(), self._links, self.shapes, self.poses, self.pairs, self.settings, self._q,
            self.workspace, self.scratch, *self._results,
        )  # fmt: skip


def _no_results(count: int, nv: int) -> Results:
    return Results(np.zeros((count, RESULT_SIZE)), np.zeros((count, nv)))
