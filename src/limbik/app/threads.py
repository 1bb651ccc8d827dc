"""A pool of threads for work that takes too long for the event loop."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


class Threads(Executor):
    """At most so many threads, which take work in the order in which it comes.

    They are daemons, which those of the standard library's executors are not: Python does not wait at its end
    for what they have begun, so Ctrl-C need not wait for a search either. To be used by one thread.
    """

    def __init__(self, max_count: int, name: str) -> None:
        self._max = max_count
        self._name = name
        self._count = 0
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(
        self, work: Callable[Arguments, Returned], /, *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Future[Returned]:
        """The result, in future; it can be cancelled until the work begins."""
        future: Future[Returned] = Future()
        self._waiting.put((future, functools.partial(work, *arguments, **named)))
        if self._count < self._max:
            self._count += 1
            Thread(target=self._run, name=f"{self._name}-{self._count}", daemon=True).start()
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:
        """Begin nothing more; the threads end with what they have begun."""
        with contextlib.suppress(Empty):
            while (task := self._waiting.get_nowait()) is not None:
                task[0].cancel()
        for _ in range(self._count):
            self._waiting.put(None)

    def _run(self) -> None:
        while (task := self._waiting.get()) is not None:
            _carry_out(*task)
            del task  # and what it holds, while the next is waited for


def _carry_out(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
