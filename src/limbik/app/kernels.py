"""Compiles the solvers in the background when the server starts, and says how far it is."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Sequence

from limbik.app.protocol import Notice

logger = logging.getLogger(__name__)


class Kernels:
    """The solvers' kernels while they are being compiled. Everything but the thread lives in the event loop.

    Args:
        names: solvers, in the order in which they are compiled.
        compile: compiles the solver of one name; it runs in a thread of its own.
    """

    def __init__(self, names: Sequence[str], compile: Callable[[str], None]) -> None:
        self._names = tuple(names)
        self._compile = compile
        self._ready = {name: asyncio.Event() for name in self._names}
        self._changed = asyncio.Event()

    def start(self) -> None:
        """Begin to compile. Call it inside the event loop."""
        # A daemon: Ctrl-C need not wait until the compiler has finished.
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, args=(loop,), name="limbik-kernels", daemon=True).start()

    async def wait(self, names: Iterable[str]) -> None:
        """Return as soon as these solvers are compiled."""
        for name in names:
            await self._ready[name].wait()

    @property
    def notice(self) -> Notice:
        """What to tell the pages now."""
        waiting = [name for name in self._names if not self._ready[name].is_set()]
        if not waiting:
            return Notice(state="ready", message="All solvers are ready.")
        place = len(self._names) - len(waiting) + 1
        return Notice(
            state="compiling",
            message=f"Compiling solver {waiting[0]} ({place} of {len(self._names)}), once for this machine.",
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
        for name in self._names:
            try:
                self._compile(name)
            except Exception:
                # The first solve with this solver will say what is wrong to the person who asked for it.
                logger.exception("solver %s could not be compiled ahead", name)
            try:
                loop.call_soon_threadsafe(self._finish, name)
            except RuntimeError:  # the server has stopped meanwhile
                return

    def _finish(self, name: str) -> None:
        self._ready[name].set()
        self._changed.set()
        self._changed = asyncio.Event()
