"""Compiles the solvers in the background when the server starts, and says how far it is."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterable

from limbik.app.protocol import Notice
from limbik.errors import LimbikError

logger = logging.getLogger(__name__)


class Kernels:
    """The solvers' kernels while they are being compiled, one after the other, in a thread.

    Args:
        names: solvers, in the order in which they are compiled while no page waits for a certain one.
        compile: compiles the solver of one name.
    """

    def __init__(self, names: Iterable[str], compile: Callable[[str], None]) -> None:
        self._compile = compile
        self._queue = list(names)
        self._lock = threading.Lock()  # for the queue; all else is touched by the event loop only
        self._ready = {name: asyncio.Event() for name in self._queue}
        self._current = self._queue[0]
        self._changed = asyncio.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to compile. Call it inside the event loop."""
        # A daemon: Ctrl-C need not wait until the compiler has finished.
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, args=(loop,), name="limbik-kernels", daemon=True)
        self._thread.start()

    @property
    def is_compiling(self) -> bool:
        """Whether the thread is at work, or will be."""
        return self._thread is not None and self._thread.is_alive()

    def hasten(self, names: Collection[str]) -> bool:
        """Compile these solvers before those that nobody asked for; whether they are compiled already."""
        if all(self._ready[name].is_set() for name in names):
            return True
        with self._lock:
            self._queue.sort(key=lambda name: name not in names)
        return False

    async def wait(self, names: Collection[str]) -> None:
        """Return as soon as these solvers are compiled; they come before those that nobody waits for."""
        self.hasten(names)
        for name in names:
            await self._ready[name].wait()

    @property
    def notice(self) -> Notice:
        """What to tell the pages now."""
        count = sum(event.is_set() for event in self._ready.values())
        if count == len(self._ready):
            return Notice(state="ready", message="All solvers are ready.")
        place = f"{count + 1} of {len(self._ready)}"
        return Notice(
            state="compiling",
            message=f"Compiling solver {self._current} ({place}), once for this machine.",
        )

    async def notices(self) -> AsyncIterator[Notice]:
        """The notice now and after each change, until all solvers are ready."""
        while True:
            changed, notice = self._changed, self.notice
            yield notice
            if notice.state == "ready":
                return
            await changed.wait()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        done = None
        while True:
            with self._lock:
                name = self._queue.pop(0) if self._queue else None
            try:
                loop.call_soon_threadsafe(self._advance, done, name)
            except RuntimeError:  # the server has stopped meanwhile
                return
            if name is None:
                return
            try:
                self._compile(name)
            # The first solve with this solver will say what is wrong to the person who asked for it.
            except LimbikError as error:
                logger.warning("solver %s could not be compiled ahead: %s", name, error)
            except Exception:
                logger.exception("solver %s could not be compiled ahead", name)
            done = name

    def _advance(self, done: str | None, current: str | None) -> None:
        if done is not None:
            self._ready[done].set()
        if current is not None:
            self._current = current
        self._changed.set()
        self._changed = asyncio.Event()
