"""The fast core as machine code in files: built by a process of its own, loaded without importing Numba.

A file holds the drivers for one shape of chain. Its name tells what went into it (the sources, the compiler, the
processor), so a file is never wrong, only absent. Until it is there, the same drivers run interpreted (`core.programs`):
the caller does not wait.

`$LIMBIK_COMPILE` says when: "background" (the default), "first" (the first solve waits for it) or "never".
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from limbik.core.compiled import cache_folder, can_keep
from limbik.core.seeds import CANDIDATES, Shape
from limbik.errors import LimbikError

# What a file's content is decided by, besides the compiler and the processor.
SOURCES = ("batch", "compiled", "emit", "lanes", "layout", "native", "programs", "seeds", "step", "symbols")
WHEN = ("background", "first", "never")

Address = ctypes.c_void_p
Number = ctypes.c_int64
Code = ctypes.c_char_p
# How the drivers are called. One problem holds the interpreter's lock, being shorter than letting go of it.
SIGNATURES: dict[str, Any] = {
    # plan, table, pose, start, mode, work
    "one": ctypes.PYFUNCTYPE(None, Address, Address, Code, Code, Number, Address),
    # plan, table, poses, starts, how many, whether starts are given, first, last, answers, work, counters
    "many": ctypes.CFUNCTYPE(
        None, Address, Address, Address, Address, Number, Number, Number, Number, Address, Address, Address
    ),
}
SIGNATURES["many_single"] = SIGNATURES["many"]
PROGRAMS = tuple(SIGNATURES)


@dataclass(frozen=True)
class Program:
    """A driver for one shape of chain."""

    name: str  # of PROGRAMS
    shape: Shape


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
            self.function = SIGNATURES[self.program.name](self._engine.get_function_address(self.program.name))
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


def compiled_program(name: str, shape: Shape) -> Any:
    """The driver for a shape of chain; None while it is being compiled, or where `$LIMBIK_COMPILE` forbids it."""
    program = Program(name, shape)
    return (_builds.get(program) or _begin(program)).function


def compile_now(name: str, shape: Shape) -> None:
    """Have the driver for a shape of chain compiled. Takes about 10 s where it is not in the cache.

    Raises LimbikError where the compiler fails.
    """
    program = Program(name, shape)
    build = _builds.get(program) or _begin(program, ahead=True)
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
        file = _file(program)
        if file is not None and file.exists():
            build.finish(file.read_bytes)
        elif when == "never" and not ahead:
            return build
        else:
            _waiting.put(build)
            _start_builder()
        _builds[program] = build
    if when == "first":
        build.done.wait()
    return build


@functools.cache
def _start_builder() -> threading.Thread:
    thread = threading.Thread(target=_build_all, name="limbik compiler", daemon=True)
    thread.start()
    return thread


def _build_all() -> None:
    """One compilation after the other, each in a process of its own."""
    while True:
        build = _waiting.get()
        build.finish(functools.partial(_compiled_elsewhere, build.program))


def _compiled_elsewhere(program: Program) -> bytes:
    """The machine code, from another process, which leaves it in the cache too."""
    file, shape = _file(program), program.shape
    with tempfile.TemporaryDirectory(prefix="limbik-") as folder:
        target = file if file is not None and can_keep() else Path(folder) / "code.o"
        arguments = [program.name, shape.kinds, str(shape.turntable), str(target)]
        command = [sys.executable, "-m", "limbik.core.native", *arguments]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            last = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise LimbikError(last[-1])
        return target.read_bytes()


def _file(program: Program) -> Path | None:
    folder, shape = cache_folder(), program.shape
    name = f"{program.name}-{shape.kinds}-{shape.turntable}-{_fingerprint()}.o"
    return None if folder is None else folder / name


@functools.cache
def _fingerprint() -> str:
    """A hash of everything that decides what the machine code is."""
    import llvmlite
    import llvmlite.binding as llvm

    digest = hashlib.sha256(f"{llvmlite.__version__} {llvm.get_host_cpu_name()}".encode())
    digest.update(llvm.get_host_cpu_features().flatten().encode())
    for name in SOURCES:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


def _engine(code: bytes) -> Any:
    """An execution engine that holds the code."""
    import llvmlite.binding as llvm

    _prepare_llvm()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


@functools.cache
def _prepare_llvm() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine() -> Any:
    import llvmlite.binding as llvm

    _prepare_llvm()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


# ------------------------------------------------------------------------------------------------ the other process


def main(name: str, kinds: str, turntable: str, path: str) -> None:
    """Compile a driver for one shape and write the machine code, whole or not at all."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(10)
    code = machine_code(Program(name, Shape(kinds, None if turntable == "None" else int(turntable))))
    target = Path(path)
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
        file.write(code)
    os.replace(file.name, target)


def machine_code(program: Program) -> bytes:
    """The object file with a driver."""
    import llvmlite.binding as llvm

    _prepare_llvm()
    machine = _target_machine()
    function, signature = (_one if program.name == "one" else _many)(program)
    module = llvm.parse_assembly(_entry(program.name, function, signature))
    for part in module.functions:
        if not part.is_declaration and part.name != program.name:
            part.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return bytes(machine.emit_object(module))


def _entry(name: str, function: Callable[..., None], signature: Any) -> str:
    """A compiled function in LLVM's language, behind a plain C function of that name.

    Numba's own wrapper reports exceptions to Python; the drivers raise none.
    """
    import numba

    compiled = numba.cfunc(signature, nopython=True, error_model="numpy")(function)
    types = [str(numba.core.registry.cpu_target.target_context.get_value_type(each)) for each in signature.args]
    types = ["ptr" if each.endswith("*") else each for each in types]
    given = ", ".join(f"{each} %a{i}" for i, each in enumerate(types))
    return f"""{compiled.inspect_llvm()}

define void @{name}({given}) {{
  %result = alloca ptr
  %error = alloca ptr
  %status = call i32 @{compiled.native_name.removeprefix("cfunc.")}(ptr %result, ptr %error, {given})
  ret void
}}
"""


def _one(program: Program) -> tuple[Callable[..., None], Any]:
    """`core.lanes.solve` as a function of addresses, and its signature."""
    from numba import carray, types

    from limbik.core import lanes
    from limbik.core.layout import Layout
    from limbik.core.programs import one_problem

    shape, layout = program.shape, Layout(program.shape)
    n, plan_size, table_size = shape.n, layout.places["SIZE"], shape.cells * shape.depth * CANDIDATES
    work_size = lanes.working_places(n, layout.rows)["WORK_SIZE"]
    solve = one_problem(shape).dispatcher

    def one(plan, table, pose, start, mode, work):  # type: ignore[no-untyped-def]
        solve(
            carray(plan, plan_size),
            carray(table, table_size),
            carray(pose, 16),
            carray(start, n),
            mode,
            carray(work, work_size),
        )

    doubles, singles = types.CPointer(types.float64), types.CPointer(types.float32)
    return one, types.void(doubles, singles, doubles, doubles, types.int64, doubles)


def _many(program: Program) -> tuple[Callable[..., None], Any]:
    """`core.batch.solve_many` as a function of addresses, and its signature."""
    from numba import carray, types

    from limbik.core import batch
    from limbik.core.lanes import HEADER
    from limbik.core.layout import Layout
    from limbik.core.programs import WIDTHS, many_problems

    shape, layout = program.shape, Layout(program.shape)
    is_single = program.name == "many_single"
    n, plan_size, table_size = shape.n, layout.places["SIZE"], shape.cells * shape.depth * CANDIDATES
    width = WIDTHS[is_single]
    work_size = batch.working_places(n, layout.rows, width)["WORK_SIZE"]
    counters_size, answer_size = batch.COUNTERS * width, HEADER + n
    solve = many_problems(shape, width, is_single).dispatcher

    def many(plan, table, poses, starts, count, has_starts, first, last, answers, work, counters):  # type: ignore[no-untyped-def]
        solve(
            carray(plan, plan_size),
            carray(table, table_size),
            carray(poses, 16 * count),
            carray(starts, n * count),
            has_starts,
            first,
            last,
            carray(answers, answer_size * count),
            carray(work, work_size),
            carray(counters, counters_size),
        )

    doubles, whole = types.CPointer(types.float64), types.int64
    singles = types.CPointer(types.float32)
    numbers = singles if is_single else doubles
    signature = types.void(
        numbers, singles, doubles, doubles, whole, whole, whole, whole, doubles, numbers, types.CPointer(whole)
    )
    return many, signature


if __name__ == "__main__":
    main(*sys.argv[1:])
