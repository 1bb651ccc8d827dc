"""Loads machine code of programs from the cache, or has another process compile it.

A program's bitcode comes with the package; what a shape of chain adds to it is written in LLVM's language,
and LLVM takes about a second for both together. The file's name tells what went into it (the bitcode, the
text, LLVM and the processor), so a file is never wrong, only absent. Until it is there the same kernels are
run by Python, then by code that LLVM makes in a tenth of a second: the caller does not wait.

`$LIMBIK_COMPILE` says when: "background" (the default), "first" (the first solve waits for it) or "never".
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from limbik.compiler.build import LENGTH, keep, machine_code, target_machine, unsealed
from limbik.compiler.cache import cache_folder, can_keep, hash_of_sources, read_regular, warn_of_cache
from limbik.compiler.callables import Entry, entry
from limbik.compiler.program import Program
from limbik.errors import LimbikError, MissingExtra

WHEN = ("background", "first", "never")


# The rooms whose functions are written out in LLVM's language, and what writes them.
EMITTING = ("compiler", "numerics", "serial", "analytic")


# Of the sources that machine code, and tables of starts, depend on: as they are when they are imported,
# because files that change later are not what this process runs.
SOURCES_HASH = hash_of_sources(
    file for folder in EMITTING for file in sorted((Path(__file__).parents[1] / folder).glob("*.py"))
)

BITCODE = Path(__file__).with_name("bitcode")
SCRIPT = Path(__file__).with_name("build.py")
AT_ONCE = 2  # processes
BETWEEN_LOOKS = 0.01  # [s] at a watch


class Build:
    """A program that is compiled, or will be."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.function: Any = None
        self._entry: Entry | None = None
        self.failure: str | None = None
        self.is_usable = threading.Event()  # or never will be
        self.done = threading.Event()

    def load(self, code: bytes) -> None:
        """Have calls run this machine code."""
        with _at_work:
            engine = _engine(code)
        if self._entry is None:
            self._entry = Entry(engine)
            self.function = self._entry.function
            self.is_usable.set()
        else:
            self._entry.lead_to(engine)

    def finish(self, make: Callable[[], bytes]) -> None:
        """Load what `make` gives; where that fails, say so once."""
        failure = None
        try:
            self.load(make())
        except Exception as error:
            failure = str(error)
            warnings.warn(
                f"limbik could not compile one of its programs and goes on without it, slower: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
        finally:
            self.end(failure)

    def end(self, failure: str | None) -> None:
        """Nobody has to wait any longer."""
        self.failure = failure
        self.is_usable.set()
        self.done.set()


_builds: dict[Program, Build] = {}
_waiting: list[Build] = []  # the latest request last, and the next to be compiled
_changed = threading.Condition()  # guards `_waiting`
_lock = threading.Lock()
# Held while builders import modules and LLVM works, whose own locks a forked process could never open: a fork
# waits for it.
_at_work = threading.Lock()


def _begin_anew() -> None:
    """In a forked process, which has no builders: forget what they were to do."""
    global _changed, _lock
    _waiting.clear()
    _changed, _lock = threading.Condition(), threading.Lock()
    _at_work.release()
    _start_builders.cache_clear()
    for program in [program for program, build in _builds.items() if not build.done.is_set()]:
        del _builds[program]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_at_work.acquire, after_in_parent=_at_work.release, after_in_child=_begin_anew)


def compiled(program: Program) -> Any:
    """The program as a function; None where it is not compiled (yet), and then it is the next to be."""
    build = _builds.get(program) or _begin(program)
    if build.function is None and not build.done.is_set():
        _prefer(build)
    return build.function


def await_function(program: Program, seconds: float, watch: Callable[[], bool]) -> None:
    """Wait until there is machine code of a program that is being compiled; for so long at most, and no
    longer than a watch allows.
    """
    if compiled(program) is None and (build := _builds.get(program)) is not None:
        end = perf_counter() + seconds
        while not build.is_usable.wait(BETWEEN_LOOKS) and perf_counter() < end and not watch():
            pass


def is_compiling(program: Program) -> bool:
    """Whether the program is being compiled."""
    build = _builds.get(program)
    return build is not None and not build.done.is_set()


def compile_ahead(program: Program) -> Build:
    """Have the program compiled in the background, also where `$LIMBIK_COMPILE` is "never"."""
    build = _builds.get(program)
    return _begin(program, ahead=True) if build is None or build.failure else build


def compile_now(program: Program) -> None:
    """Have the program compiled, and wait for it.

    Raises LimbikError where the compiler fails.
    """
    build = compile_ahead(program)
    _prefer(build)
    build.done.wait()
    if build.function is None:
        raise LimbikError(f"the program {program.name!r} could not be compiled: {build.failure}")


def _begin(program: Program, ahead: bool = False) -> Build:
    when = os.environ.get("LIMBIK_COMPILE", "background")
    if when not in WHEN:
        raise LimbikError(f"LIMBIK_COMPILE needs one of {', '.join(WHEN)}; found {when!r}")
    with _lock:
        if program in _builds and not (ahead and _builds[program].failure):
            return _builds[program]
        build = Build(program)
        code = _stored(program)
        if code is not None:
            build.finish(lambda: code)
        elif when == "never" and not ahead:
            return build
        elif not _has_llvm():
            build.end("llvmlite is not installed")
        else:
            _start_builders()
            with _changed:
                _waiting.append(build)
                _changed.notify()
        _builds[program] = build
    if when == "first":
        build.done.wait()
    return build


def _prefer(build: Build) -> None:
    """Have a program compiled before all others that wait: somebody runs it now."""
    with _changed:
        if build in _waiting:
            _waiting.remove(build)
            _waiting.append(build)


@functools.cache
def _has_llvm() -> bool:
    """Whether there is llvmlite; says once where there is none."""
    if importlib.util.find_spec("llvmlite") is not None:
        return True
    warnings.warn(
        "llvmlite is not installed: limbik goes on without machine code, and its solves are slower. "
        "`pip install llvmlite` brings it.",
        RuntimeWarning,
        stacklevel=2,
    )
    return False


@functools.cache
def _start_builders() -> None:
    for _ in range(AT_ONCE):
        threading.Thread(target=_build_all, name="limbik compiler", daemon=True).start()


def _build_all() -> None:
    """One program after the other, each in a process of its own."""
    while True:
        with _changed:
            _changed.wait_for(lambda: _waiting)
            build = _waiting.pop()
        with contextlib.suppress(Warning):  # where warnings are errors, this thread has nobody to tell
            build.finish(functools.partial(_compiled_elsewhere, build))


def _compiled_elsewhere(build: Build) -> bytes:
    """The machine code, from another process where one can be started, which sends what it makes quickly
    before, to be loaded at once. It is left in the cache, too.
    """
    program = build.program
    bitcode = _bitcode(program)
    if not bitcode.exists():
        _make(program, bitcode)
    folder = cache_folder() if can_keep() else None
    with _at_work:
        name, text = _file_name(program), _linked(program)
    if getattr(sys, "frozen", False) or not SCRIPT.exists():  # then there is no Python to start
        with _at_work:
            made = machine_code(bitcode.read_bytes(), text, program.is_closed)
        keep(str(folder or ""), name, made)
        return made
    size = str(len(text.encode()))
    arguments = [str(SCRIPT), str(bitcode), str(folder or ""), name, str(program.is_closed), size]

    def load(answer: bytes) -> None:
        quick = unsealed(answer, name)
        if quick is not None:
            build.load(quick)

    code = unsealed(_run(arguments, text, load), name)
    if code is None:
        raise LimbikError("the compiler has not answered in full")
    if folder is not None and not (folder / name).exists():
        warn_of_cache(folder.parent, "a file could not be written")
    return code


def _make(program: Program, bitcode: Path) -> None:
    """The bitcode of a method of the user's own."""
    if program.source is None:
        raise LimbikError(f"the package has no {bitcode.name}")
    if importlib.util.find_spec("numba") is None:
        raise MissingExtra("compiler", "a method of one's own that is to be compiled")
    _run(["-m", "limbik.compiler.make", *program.source, str(bitcode)], "")


def _run(arguments: list[str], text: str, on_first: Callable[[bytes], None] | None = None) -> bytes:
    """What Python writes in another process, with a text as its input.

    on_first: takes a first part, which then stands behind its length.
    """
    paths = [path or str(Path.cwd()) for path in sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    pipe = subprocess.PIPE
    command = [sys.executable, "-P", *arguments]
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin and process.stdout and process.stderr, "they are pipes"
        with contextlib.suppress(OSError):  # of a process that has ended, which says why below
            process.stdin.write(text.encode())
            process.stdin.close()
        if on_first is not None:
            on_first(process.stdout.read(int.from_bytes(process.stdout.read(LENGTH), "little")))
        answer, errors = process.stdout.read(), process.stderr.read()
    if process.returncode < 0:
        raise LimbikError(f"the compiler was ended by signal {-process.returncode}")
    if process.returncode > 0:
        last = errors.decode(errors="replace").strip().splitlines() or [f"exit status {process.returncode}"]
        raise LimbikError(last[-1])
    return answer


def _linked(program: Program) -> str:
    """What the bitcode leaves open, in LLVM's language."""
    constants = [f"@{name} = constant i64 {value}\n" for name, value in program.constants.items()]
    functions = [kernel.text(name) for name, kernel in program.functions.items()]
    return "".join([*constants, *functions, entry(program)])


def _bitcode(program: Program) -> Path:
    """Where the bitcode is: in the package, or in the cache for a method of the user's own."""
    shipped = BITCODE / f"{program.name}.bc.xz"
    if program.source is None or shipped.exists():
        return shipped
    folder = cache_folder() if can_keep() else None
    return (folder or _temporary_folder()) / f"{program.name}-{program.fingerprint[:16]}.bc.xz"


@functools.cache
def _temporary_folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="limbik-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _stored(program: Program) -> bytes | None:
    """The machine code on disk; None where there is none, or it is damaged."""
    folder = cache_folder()
    if folder is None or not any(folder.glob(f"{_stem(program)}-*.o")):
        return None  # without asking LLVM for its version, which takes longer than a solve
    if not _has_llvm():
        return None
    with contextlib.suppress(OSError):
        file = folder / _file_name(program)
        return unsealed(read_regular(file), file.name)
    return None


def _stem(program: Program) -> str:
    return f"{program.name}-{program.stem}" if program.stem else program.name


def _file_name(program: Program) -> str:
    digest = hashlib.sha256(_fingerprint().encode() + _bitcode(program).read_bytes())
    # What is written out for a shape of chain takes longer to write than a solve does.
    digest.update(SOURCES_HASH if program.functions else _linked(program).encode())
    return f"{_stem(program)}-{digest.hexdigest()[:16]}.o"


@functools.cache
def _fingerprint() -> str:
    """A hash of what decides what machine code is, besides what is linked: LLVM and the processor."""
    import llvmlite
    import llvmlite.binding as llvm

    digest = hashlib.sha256(f"{llvmlite.__version__} {llvm.get_host_cpu_name()}".encode())
    digest.update(llvm.get_host_cpu_features().flatten().encode())
    digest.update(hash_of_sources([SCRIPT]))
    return digest.hexdigest()


def _engine(code: bytes) -> Any:
    """An execution engine that holds the code."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
