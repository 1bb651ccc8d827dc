"""Room on the stack for programs that need much of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

from limbik.locks import fork_safe

STACK = 1 << 20  # bytes that every thread has
_widening = fork_safe(threading.Lock())


def with_stack(size: int, run: Callable[[], object]) -> None:
    """Run something that needs so many bytes of the stack: in a thread of its own where they are many."""
    if size <= STACK // 2:
        run()
        return
    done: Future[object] = Future()

    def work() -> None:
        try:
            done.set_result(run())
        except BaseException as error:
            done.set_exception(error)

    with _widening:
        before = threading.stack_size(STACK + (size + 4095) // 4096 * 4096)
        try:
            threading.Thread(target=work, daemon=True).start()
        finally:
            threading.stack_size(before)
    done.result()
