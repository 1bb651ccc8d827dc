"""Prepares the collision shapes of opened arms in a process of its own, before a page needs them.

Meshes are cut into convex pieces once, which may take minutes, and libraries do it: nobody waits for that,
and what hangs or dies in it is not the server.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from weakref import WeakKeyDictionary

from limbik.app.open_scene import OpenedArm
from limbik.app.threads import Threads
from limbik.collision.check import checker_of
from limbik.collision.geometry import geometry_of, keep_geometry
from limbik.errors import FormatError, LimbikError
from limbik.formats.separate_process import apart
from limbik.locks import fork_safe

SECONDS = 600.0  # that the shapes of one arm may take


class PreparedShapes:
    """May be used by any thread."""

    def __init__(self) -> None:
        self._threads = Threads(1, "limbik-shapes")
        self._lock = fork_safe(threading.Lock())
        self._made: WeakKeyDictionary[OpenedArm, Future[None]] = WeakKeyDictionary()

    def are_ready(self, arm: OpenedArm) -> bool:
        """Whether the shapes of an arm are there; they are being made from the first question on.

        Raises LimbikError where they cannot be made.
        """
        with self._lock:
            made = self._made.get(arm)
            if made is None:
                made = self._made[arm] = self._threads.submit(_make, arm)
        if made.done():
            made.result()
        return made.done()

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown()


def _make(arm: OpenedArm) -> None:
    model = arm.model
    try:
        keep_geometry(model, apart(arm.title, SECONDS, geometry_of, model))
    except FormatError as error:
        raise LimbikError(f"the collision shapes of {arm.title} were not made: {error.problem}") from None
    checker_of(model)  # which pairs are looked at takes a while, too
