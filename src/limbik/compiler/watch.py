"""Watches that end a solve at its time limit or once machine code is ready; runs a program interpreted until
it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter, sleep

import numpy as np

from limbik.compiler import native
from limbik.compiler.kernel import Watch
from limbik.compiler.program import Program
from limbik.spatial import Array

# NumPy gives up the interpreter's lock and takes it again so fast that the thread which is to start the
# compiler may wait for it forever: what Python itself runs has to pause.
PAUSE = 1e-4  # [s]
BETWEEN_PAUSES = 5e-3  # [s]


def watch_until(deadline: float) -> Watch:
    """A watch that ends what is not done at a deadline [s of `perf_counter`]; it lets Python hear of Ctrl-C,
    too.
    """
    return lambda: perf_counter() >= deadline


class Takeover:
    """The watch of a solve that Python itself runs until there is machine code, which then begins it again.

    watch: what else ends it.
    """

    def __init__(self, program: Program, watch: Watch) -> None:
        self._program = program
        self._watch = watch
        self._pause_at = perf_counter() + BETWEEN_PAUSES
        self.is_due = False

    def __call__(self) -> bool:
        self.is_due = native.compiled(self._program) is not None
        if self.is_due or self._watch():
            return True
        if perf_counter() > self._pause_at:
            sleep(PAUSE)
            self._pause_at = perf_counter() + BETWEEN_PAUSES
        return False


def run_compiled_or_interpreted(
    program: Program,
    watch: Watch,
    run: Callable[[], object],
    interpret: Callable[[Watch], object],
    changed: Sequence[Array] = (),
) -> None:
    """Run a program, or let Python interpret it while it is being compiled.

    run: by machine code. interpret: takes what ends it. changed: arrays that a solve changes, and
    is to find as they were if it begins again.
    """
    if native.compiled(program) is None:
        copies = [each.copy() for each in changed]
        takeover = Takeover(program, watch)
        with np.errstate(over="ignore", invalid="ignore"):  # of which machine code says nothing either
            interpret(takeover)
        if not takeover.is_due:
            return
        for each, before in zip(changed, copies, strict=True):
            each[:] = before
    run()
