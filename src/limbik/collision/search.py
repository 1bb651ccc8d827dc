"""The search for near pairs (`collision.nearest`), by machine code or by Python."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from limbik.chain.joints import FRAME_SIZE, ROTATION
from limbik.collision import nearest
from limbik.collision.entries import SCRATCH, WORKSPACE
from limbik.collision.gjk import Scratch
from limbik.collision.nearest import RESULT_SIZE, SETTINGS_SIZE, Workspace
from limbik.collision.pack import Packed
from limbik.collision.programs import collisions
from limbik.collision.records import Shapes
from limbik.compiler import native
from limbik.compiler.callables import Arguments
from limbik.compiler.kernel import Floats, Records
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
        self.q, self.settings = np.zeros(nq), np.zeros(SETTINGS_SIZE)
        self.frames = np.zeros((len(links) + 1 + len(poses)) * FRAME_SIZE)
        world = self.frames[len(links) * FRAME_SIZE :]
        world[ROTATION:FRAME_SIZE] = np.eye(3).ravel()
        self._links, self._bodies, self._poses, self._pairs, self._nv = links, bodies, poses, pairs, nv
        self._lock = threading.Lock()
        self._function: Any = self._not_yet_compiled
        self._make_room(MOST_RESULTS)

    def run(self, q: Array | None, mode: int, horizon: float, has_rows: bool = False) -> Results:
        """Search at a configuration [nq]; at None the frames of the links have been written."""
        with self._lock:
            self._ask(q, mode, horizon, has_rows)
            count = self._function(self._address, _go_on)
            if count > len(self._results):
                self._make_room(2 * count)
                self._function(self._address, _go_on)
            return Results(self._results[:count].copy(), self._rows[:count].copy())

    def is_any(self, q: Array | None, horizon: float) -> bool:
        """Whether a pair is not farther apart than the horizon [m]."""
        with self._lock:
            self._ask(q, nearest.ANY, horizon, False)
            return bool(self._function(self._address, _go_on))

    def _ask(self, q: Array | None, mode: int, horizon: float, has_rows: bool) -> None:
        if q is not None:
            self.q[:] = q
        self.settings[:] = mode, horizon, q is None, has_rows

    def _make_room(self, count: int) -> None:
        bodies, pieces, vertices = self._bodies
        sizes = {
            "n_links": len(self._links), "n_objects": len(self._poses), "n_bodies": len(bodies),
            "n_pieces": len(pieces), "n_vertices": len(vertices), "n_pairs": len(self._pairs),
            "n_results": count, "nq": len(self.q), "nv": self._nv,
        }  # fmt: skip
        self._workspace = Workspace(*_zeros(WORKSPACE, sizes))
        self._scratch = Scratch(*_zeros(SCRATCH, sizes))
        self._results, self._rows = np.zeros((count, RESULT_SIZE)), np.zeros((count, self._nv))
        arrays = (
            self._links, *self._bodies, self.frames, self._poses, self._pairs, self.settings, self.q,
            *self._workspace, *self._scratch, self._results, self._rows,
        )  # fmt: skip
        self._arguments = Arguments(*(array.ctypes.data for array in arrays), *sizes.values())
        self._address = self._arguments.address

    def _not_yet_compiled(self, address: int, watch: object) -> int:
        """The search: once there is machine code, by that; until then run by Python itself."""
        function = native.compiled(collisions())
        if function is None:
            return self._interpreted()
        self._function = function
        return int(function(address, watch))

    def _interpreted(self) -> int:
        bodies, pieces, vertices = self._bodies
        return nearest.search.interpreted(
            self._links.view(np.recarray),
            Shapes(bodies.view(np.recarray), pieces.view(np.recarray), vertices, self.frames),
            self._poses.reshape(-1, 16),
            self._pairs,
            self.settings,
            self.q,
            self._workspace,
            self._scratch,
            self._results,
            self._rows,
        )


def _zeros(shapes: dict[str, str], sizes: dict[str, int]) -> list[Floats]:
    return [np.zeros(eval(shape, nearest.CONSTANTS, sizes)) for shape in shapes.values()]


def _go_on() -> bool:
    """A search is not stopped."""
    return False
