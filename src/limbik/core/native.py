"""The fast core as machine code in files: built by a process of its own, loaded without importing Numba.

A file holds the drivers for one shape of chain. Its name tells what went into it (the sources, the compiler,
the processor), so a file is never wrong, only absent. Until it is there, the same drivers run interpreted
(`core.programs`): the caller does not wait.

`$LIMBIK_COMPILE` says when: "background" (the default), "first" (the first solve waits for it) or "never".
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import queue
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from limbik.core.compiled import cache_folder, can_keep
from limbik.core.desk import Desk
from limbik.core.entries import plain_callable, python_callable
from limbik.core.machine_code import OF_TREES, Program, fingerprint, target_machine, unsealed
from limbik.core.methods import Method
from limbik.core.seeds import Shape
from limbik.errors import LimbikError

WHEN = ("background", "first", "never")

Address, Number = ctypes.c_void_p, ctypes.c_int64
# Arguments of a batch: plan, table, poses, starts, how many, whether starts are given, first, last, answers,
# work, counters.
MANY = (Address, Address, Address, Address, Number, Number, Number, Number, Address, Address, Address)
TREE = (Address,) * (15 + len(Desk._fields)) + (Number,) * 8  # see `core.machine_code`


class Build:
    """A program that is compiled, or will be."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.function: Any = None
        self.failure: str | None = None
        self.done = threading.Event()

    def finish(self, make: Callable[[], bytes]) -> None:
        """Load what `make` gives; where that fails, say so once."""
        try:
            self._engine = _engine(make())
            name = self.program.name
            if name == "one":
                self.function = python_callable(self._engine, name)
            else:
                self.function = plain_callable(self._engine, name, TREE if name in OF_TREES else MANY)
        except Exception as error:
            self.failure = str(error)
            warnings.warn(
                f"limbik could not compile its fast core and goes on without it, slower: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
        finally:
            self.done.set()


_builds: dict[Program, Build] = {}
_waiting: queue.SimpleQueue[Build] = queue.SimpleQueue()
_lock = threading.Lock()


def _begin_anew() -> None:
    """In a forked process, which has no builder: forget what it was to do."""
    global _waiting, _lock
    _waiting, _lock = queue.SimpleQueue(), threading.Lock()
    start_building.cache_clear()
    for program in [program for program, build in _builds.items() if not build.done.is_set()]:
        del _builds[program]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def compiled_program(name: str, shape: Shape | Method | None) -> Any:
    """The driver for a shape of chain or a method ("tree": None); None where it is not compiled (yet)."""
    program = Program(name, shape)
    return (_builds.get(program) or _begin(program)).function


def is_under_way(name: str, shape: Shape | Method | None) -> bool:
    """Whether the driver is being compiled."""
    build = _builds.get(Program(name, shape))
    return build is not None and not build.done.is_set()


def wait_for(name: str, shape: Shape | Method | None) -> None:
    """Return when the driver is compiled, or cannot be."""
    build = _builds.get(Program(name, shape))
    if build is not None:
        start_building()
        build.done.wait()


def wait_for_all() -> bool:
    """Return when all that is being compiled is done; whether there was anything to wait for."""
    under_way = [build for build in list(_builds.values()) if not build.done.is_set()]
    if under_way and os.environ.get("LIMBIK_COMPILE") != "never":
        start_building()
        for build in under_way:
            build.done.wait()
        return True
    return False


def compile_now(name: str, shape: Shape | Method | None) -> None:
    """Have the driver for a shape of chain compiled. Takes 10 to 30 s where it is not in the cache.

    Raises LimbikError where the compiler fails.
    """
    program = Program(name, shape)
    build = _builds.get(program)
    if build is None or build.failure:
        build = _begin(program, ahead=True)
    start_building()
    build.done.wait()
    if build.function is None:
        raise LimbikError(f"the fast core could not be compiled: {build.failure}")


def _begin(program: Program, ahead: bool = False) -> Build:
    when = os.environ.get("LIMBIK_COMPILE", "background")
    if when not in WHEN:
        raise LimbikError(f"LIMBIK_COMPILE needs one of {', '.join(WHEN)}; found {when!r}")
    with _lock:
        if program in _builds and not (ahead and _builds[program].failure):
            return _builds[program]
        build = Build(program)
        code = _kept(program)
        if code is not None:
            build.finish(lambda: code)
        elif when == "never" and not ahead:
            return build
        else:
            _waiting.put(build)
        _builds[program] = build
    if when == "first":
        start_building()
        build.done.wait()
    return build


@functools.cache
def start_building() -> threading.Thread:
    """Begin to compile what was asked for.

    A caller who goes on interpreted calls it after the first solve, which has the processor for itself.
    """
    fingerprint()  # two threads that import LLVM at the same time would be in each other's way
    thread = threading.Thread(target=_build_all, name="limbik compiler", daemon=True)
    thread.start()
    return thread


def _build_all() -> None:
    """One compilation after the other, each in a process of its own."""
    waiting = _waiting
    while True:
        build = waiting.get()
        with contextlib.suppress(Warning):  # where warnings are errors, this thread has nobody to tell
            build.finish(functools.partial(_compiled_elsewhere, build.program))


def _compiled_elsewhere(program: Program) -> bytes:
    """The machine code, from another process, which leaves it in the cache too."""
    kept = cache_folder()
    if kept is not None and can_keep():
        return _compiled_into(kept, program)
    with tempfile.TemporaryDirectory(prefix="limbik-") as folder:
        return _compiled_into(Path(folder), program)


def _compiled_into(folder: Path, program: Program) -> bytes:
    target = folder / _file_name(program)
    arguments = [program.name, *program.described, str(target), program.fingerprint]
    command = [sys.executable, "-P", "-m", "limbik.core.machine_code", *arguments]
    places = [path or str(Path.cwd()) for path in sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode < 0:
        raise LimbikError(f"the compiler was ended by signal {-done.returncode}")
    if done.returncode > 0:
        last = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise LimbikError(last[-1])
    code = unsealed(target.read_bytes(), target.name)
    if code is None:
        raise LimbikError(f"{target} is damaged")
    return code


def _kept(program: Program) -> bytes | None:
    """The machine code on disk; None where there is none, or it is damaged."""
    folder = cache_folder()
    if folder is None or not any(folder.glob(f"{_stem(program)}-*.o")):
        return None  # without asking the compiler for its version, which takes longer than a solve
    file = folder / _file_name(program)
    with contextlib.suppress(OSError):
        return unsealed(file.read_bytes(), file.name)
    return None


def _stem(program: Program) -> str:
    shape = program.shape
    return program.name if shape is None else f"{program.name}-{shape.stem}"


def _file_name(program: Program) -> str:
    return f"{_stem(program)}-{program.fingerprint}.o"


def _engine(code: bytes) -> Any:
    """An execution engine that holds the code."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
