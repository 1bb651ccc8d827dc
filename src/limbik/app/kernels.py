"""Compiles the solvers in the background when the server starts, and says how far it is."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterable

from limbik.app.protocol import Notice
from limbik.errors import LimbikError
from limbik.locks import fork_safe

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
        self._lock = fork_safe(threading.Lock())  # for the queue; all else is touched by the event loop only
        self._count = len(self._queue)
        self._ready: set[str] = set()
        self._current = self._queue[0]
        self._changed = asyncio.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to compile. Call it inside the event loop."""
        # A daemon: Ctrl-C need not wait until the compiler has finished.
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, args=(loop,), name="limbik-kernels", daemon=True)
        self._thread.start()

    def hasten(self, names: Collection[str]) -> bool:
        """Compile these solvers before those that nobody waits for; whether they are compiled already."""
        if self._ready.issuperset(names):
            return True
        with self._lock:
            self._queue.sort(key=lambda name: name not in names)
        return False

    @property
    def notice(self) -> Notice:
        """What to tell the pages now."""
        count = len(self._ready)
        if count == self._count:
            return Notice(state="ready", message="All solvers are ready.")
        progress = f"{count + 1} of {self._count}"
        return Notice(
            state="compiling",
            message=f"Compiling solver {self._current} ({progress}), once for this machine.",
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
            # The first solve with this solver will say what is wrong to the person who chose it.
            except LimbikError as error:
                logger.warning("solver %s could not be compiled ahead: %s", name, error)
            except Exception:
                logger.exception("solver %s could not be compiled ahead", name)
            done = name

    def _advance(self, done: str | None, current: str | None) -> None:
        if done is not None:
            self._ready.add(done)
        if current is not None:
            self._current = current
        self._changed.set()
        self._changed = asyncio.Event()
