"""The search for near pairs (`collision.nearest`), by machine code or by Python."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbik.chain.joints import FRAME_SIZE, ROTATION
from limbik.collision import nearest
from limbik.collision.entries import SCRATCH, WORKSPACE
from limbik.collision.gjk import Scratch
from limbik.collision.nearest import PAIR, RESULT_SIZE, SETTINGS_SIZE, Workspace
from limbik.collision.pack import Packed
from limbik.collision.programs import collisions
from limbik.collision.records import Cores, Shapes
from limbik.compiler import native
from limbik.compiler.callables import Arguments
from limbik.compiler.kernel import Floats, Records, Watch
from limbik.locks import fork_safe
from limbik.spatial import Array

MOST_RESULTS = 32  # until more are asked for


class Results(NamedTuple):
    """What a search has found."""

    numbers: Array  # [m, RESULT_SIZE]
    rows: Array  # [m, nv] with respect to velocities as `tree.pack` has them; zeros where not asked for


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
        bodies_, pieces, vertices, neighbours, _ = bodies
        self.sizes = {
            "n_links": len(links), "n_objects": len(poses), "n_bodies": len(bodies_), "n_pieces": len(pieces),
            "n_vertices": len(vertices), "n_neighbours": len(neighbours), "n_pairs": len(pairs),
        }  # fmt: skip
        self._links, self._bodies, self._poses, self._pairs = links, bodies, poses, pairs
        self._workspace = Workspace(*_zeros(WORKSPACE, self.sizes))
        self._scratch = Scratch(*_zeros(SCRATCH, self.sizes))
        self.lock = fork_safe(threading.Lock())  # held by who uses the arrays
        self._function: Any = self._not_yet_compiled
        before = (links, *bodies, self.frames, poses, pairs, self.settings)
        between = (*self._workspace, *self._scratch)
        self._addresses = [[each.ctypes.data for each in part] for part in (before, between)]
        self._one = self._call(np.zeros((1, nq)), np.zeros((MOST_RESULTS, RESULT_SIZE)), nv)

    @property
    def arrays(self) -> tuple[Shapes, Array, Any, Floats, Workspace, Scratch]:
        """What a search works on, after the links: for a kernel that searches."""
        bodies, pieces, vertices, neighbours, latest = self._bodies
        shapes = Shapes(bodies, pieces, Cores(vertices, neighbours, latest), self.frames)
        return shapes, self._poses, self._pairs, self.settings, self._workspace, self._scratch

    @property
    def addresses(self) -> list[int]:
        """Of these arrays, in that order."""
        return [*self._addresses[0][1:], *self._addresses[1]]

    def run(self, q: Array | None, mode: int, horizon: float, has_rows: bool = False) -> Results:
        """Search at a configuration [nq]; at None the frames of the links have been written."""
        with self.lock:
            self._ask(q, mode, horizon, has_rows)
            count = self._function(self._one, _go_on)
            if count > len(self._one.results):
                self._one = self._call(
                    self._one.q, np.zeros((2 * count, RESULT_SIZE)), self._one.rows.shape[1]
                )
                self._function(self._one, _go_on)
            return Results(self._one.results[:count].copy(), self._one.rows[:count].copy())

    def is_any(self, q: Array | None, horizon: float) -> bool:
        """Whether a pair is not farther apart than the horizon [m]."""
        with self.lock:
            self._ask(q, nearest.ANY, horizon, False)
            return bool(self._function(self._one, _go_on))

    def run_each(self, q: Array, horizon: float, watch: Watch) -> Array:
        """The nearest pair of each of many configurations [n, nq]: numbers [n, RESULT_SIZE], in which the
        place of the pair is -1 and the distance infinite where none is nearer than the horizon [m].
        """
        return self._run_many(q, len(q), nearest.EACH, horizon, watch)[1]

    def is_any_of_each(self, q: Array, horizon: float, watch: Watch) -> NDArray[np.bool_]:
        """Whether a pair is not farther apart than the horizon [m], for each of many q [n, nq]."""
        return self._run_many(q, len(q), nearest.EACH_ANY, horizon, watch)[1][:, PAIR] >= 0.0

    def first_free(self, q: Array, horizon: float) -> int:
        """The place of the first among many q [n, nq] where all pairs are farther apart than the horizon [m];
        n where there is none.
        """
        return self._run_many(q, 0, nearest.FIRST_FREE, horizon, _go_on)[0]

    def _run_many(
        self, q: Array, n_results: int, mode: int, horizon: float, watch: Watch
    ) -> tuple[int, Array]:
        """What the search returns, and the numbers that it has written."""
        call = self._call(np.ascontiguousarray(q), np.zeros((n_results, RESULT_SIZE)), 0)
        with self.lock:
            self.settings[:] = mode, horizon, False, False
            return self._function(call, watch), call.results

    def _ask(self, q: Array | None, mode: int, horizon: float, has_rows: bool) -> None:
        if q is not None:
            self._one.q[0] = q
        self.settings[:] = mode, horizon, q is None, has_rows

    def _call(self, q: Array, results: Array, nv: int) -> _Call:
        rows = np.zeros((len(results), nv))
        before, between = self._addresses
        addresses = *before, q.ctypes.data, *between, results.ctypes.data, rows.ctypes.data
        sizes = (*self.sizes.values(), len(results), *q.shape, nv)
        return _Call(q, results, rows, Arguments(*addresses, *sizes))

    def _not_yet_compiled(self, call: _Call, watch: Watch) -> int:
        """The search: once there is machine code, by that; until then run by Python itself."""
        function = native.compiled(collisions())
        if function is None:
            return self._interpreted(call, watch)
        self._function = lambda call, watch: function(call.arguments.address, watch)
        return int(function(call.arguments.address, watch))

    def _interpreted(self, call: _Call, watch: Watch) -> int:
        bodies, pieces, vertices, neighbours, latest = self._bodies
        return nearest.search.interpreted(
            self._links.view(np.recarray),
            Shapes(
                bodies.view(np.recarray),
                pieces.view(np.recarray),
                Cores(vertices, neighbours, latest),
                self.frames,
            ),
            self._poses.reshape(-1, 16),
            self._pairs,
            self.settings,
            call.q,
            self._workspace,
            self._scratch,
            call.results,
            call.rows,
            watch,
        )


class _Call(NamedTuple):
    """What differs from one search to the next."""

    q: Array  # [n, nq]
    results: Array  # [m, RESULT_SIZE]
    rows: Array  # [m, nv]
    arguments: Arguments


def _zeros(shapes: dict[str, str], sizes: dict[str, int]) -> list[Floats]:
    return [np.zeros(eval(shape, nearest.CONSTANTS, sizes)) for shape in shapes.values()]


def _go_on() -> bool:
    """A search is not stopped."""
    return False
