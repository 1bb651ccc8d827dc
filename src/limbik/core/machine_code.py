"""Machine code for one shape of chain, made in a process of its own: `python -m limbik.core.machine_code`."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from limbik.core.compiled import file_made_whole
from limbik.core.entries import MEMSET, plain_entry, python_entry
from limbik.core.methods import Method
from limbik.core.seeds import CANDIDATES, Shape

# What the machine code is decided by, besides the compiler and the processor.
SOURCES = (
    "ahead", "batch", "branched", "compiled", "descent", "desk", "emit", "entries", "hierarchy", "lanes",
    "layout", "linear", "machine_code", "methods", "native", "placing", "programs", "pulls", "random_numbers",
    "rotation", "seeds", "spatial_chain", "start", "step", "symbols", "tasks", "tree", "trigonometry",
    "whole_body",
)  # fmt: skip


def _hash_of_sources() -> bytes:
    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return digest.digest()


OF_TREES = ("tree", "branched")
BYTES_OF_ONE = (2, 3)  # the arguments of "one" that come as bytes: pose and start


# As they are when they are imported: files that change later are not what this process runs.
SOURCES_HASH = _hash_of_sources()


@dataclass(frozen=True)
class Program:
    """A driver for one shape of chain, or for all models."""

    name: str  # one, many, many_single; tree; branched
    shape: Shape | Method | None  # a method for "branched", None for "tree": both are the same for all models

    @property
    def described(self) -> tuple[str, str]:
        """Its shape or method, in words for another process."""
        if isinstance(self.shape, Shape):
            return self.shape.kinds, str(self.shape.turntable)
        return ("", "") if self.shape is None else ("", self.shape.text)

    @classmethod
    def of(cls, name: str, kinds: str, rest: str) -> Program:
        """The program of that description."""
        if kinds:
            return cls(name, Shape(kinds, None if rest == "None" else int(rest)))
        return cls(name, Method(rest) if rest else None)

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides what its machine code is."""
        if not isinstance(self.shape, Method):
            return fingerprint()
        return hashlib.sha256((fingerprint() + self.shape.kernel.fingerprint).encode()).hexdigest()[:16]


@functools.cache
def fingerprint() -> str:
    """A hash of everything that decides what machine code is, but for the kernels of a method."""
    import llvmlite
    import llvmlite.binding as llvm

    digest = hashlib.sha256(f"{llvmlite.__version__} {llvm.get_host_cpu_name()}".encode())
    digest.update(llvm.get_host_cpu_features().flatten().encode())
    digest.update(SOURCES_HASH)
    return digest.hexdigest()[:16]


def target_machine() -> Any:
    """LLVM's description of this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def main(name: str, kinds: str, rest: str, path: str, expected: str) -> None:
    """Compile a driver and write the machine code, whole or not at all.

    kinds, rest: as `Program.described` has them. expected: the fingerprint of the process that will run it.
    """
    program = Program.of(name, kinds, rest)
    if program.fingerprint != expected:
        sys.exit("limbik or its compiler has changed since the process was started")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the caller; the next one has the code
    with contextlib.suppress(AttributeError, OSError):
        os.nice(10)
    code = machine_code(program)
    with file_made_whole(Path(path)) as file:
        file.write(sealed(code, Path(path).name))


def sealed(code: bytes, name: str) -> bytes:
    """Machine code as it is kept under a name: behind a digest of both, because a damaged file, or that of
    another driver, would take the process down."""
    return hashlib.sha256(name.encode() + code).digest() + code


def unsealed(content: bytes, name: str) -> bytes | None:
    """The machine code of a file; None where it is damaged."""
    code = content[32:]
    return code if sealed(code, name) == content else None


def machine_code(program: Program) -> bytes:
    """The object file with a driver."""
    import llvmlite.binding as llvm

    from limbik.core.ahead import lower_only

    lower_only()
    machine = target_machine()
    if not isinstance(program.shape, Shape):
        function, signature = _tree(program.shape)
    elif program.name == "one":
        function, signature = _one(program.shape)
    else:
        function, signature = _many(program.shape, is_single=program.name == "many_single")
    module = llvm.parse_assembly(_with_entry(program.name, function, signature))
    for part in module.functions:
        if not part.is_declaration and part.name not in (program.name, "memset"):
            part.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    if program.name in OF_TREES:  # whose kernels hand on a whole desk, most of which is known or not needed
        passes.add_ipsccp_pass()
        passes.add_dead_arg_elimination_pass()
        passes.add_instruction_combine_pass()
        passes.add_dead_arg_elimination_pass()
        passes.add_simplify_cfg_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return bytes(machine.emit_object(module))


def _with_entry(name: str, function: Callable[..., int], signature: Any) -> str:
    """A compiled function in LLVM's language, behind an entry of that name.

    Numba's own wrapper reports exceptions to Python; the drivers raise none.
    """
    import numba

    compiled = numba.cfunc(signature, error_model="numpy")(function)
    value_type = numba.core.registry.cpu_target.target_context.get_value_type
    types = [
        "ptr" if str(value_type(each)).endswith("*") else str(value_type(each)) for each in signature.args
    ]
    plain_name = compiled.native_name.removeprefix("cfunc.")
    if name == "one":
        entry = python_entry(name, plain_name, types, BYTES_OF_ONE)
    else:
        entry = plain_entry(name, plain_name, types)
    return compiled.inspect_llvm() + entry + (MEMSET if name in OF_TREES else "")


def _one(shape: Shape) -> tuple[Callable[..., int], Any]:
    """`core.lanes.solve` of addresses, returning the code of the answer; and its signature."""
    from numba import types
    from numba.np.numpy_support import carray

    from limbik.core import lanes
    from limbik.core.layout import Layout
    from limbik.core.programs import one_problem

    layout = Layout(shape)
    n, plan_size, table_size = shape.n, layout.places["SIZE"], shape.cells * shape.depth * CANDIDATES
    places = lanes.working_places(n, layout.rows)
    work_size, answer = places["WORK_SIZE"], places["AT_ANSWER"]
    solve = one_problem(shape).dispatcher

    def one(plan, table, pose, start, mode, work):  # type: ignore[no-untyped-def]
        numbers = carray(work, work_size)
        solve(
            carray(plan, plan_size),
            carray(table, table_size),
            carray(pose, 16),
            carray(start, n),
            mode,
            numbers,
        )
        return int(numbers[answer])

    doubles, singles = types.CPointer(types.float64), types.CPointer(types.float32)
    return one, types.int64(doubles, singles, doubles, doubles, types.int64, doubles)


def _many(shape: Shape, *, is_single: bool) -> tuple[Callable[..., int], Any]:
    """`core.batch.solve_many` of addresses, returning 0; and its signature."""
    from numba import types
    from numba.np.numpy_support import carray

    from limbik.core import batch
    from limbik.core.lanes import HEADER
    from limbik.core.layout import Layout
    from limbik.core.programs import WIDTHS, many_problems

    layout = Layout(shape)
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
        return 0

    doubles, whole = types.CPointer(types.float64), types.int64
    singles = types.CPointer(types.float32)
    numbers = singles if is_single else doubles
    signature = types.int64(
        numbers,
        singles,
        doubles,
        doubles,
        whole,
        whole,
        whole,
        whole,
        doubles,
        numbers,
        types.CPointer(whole),
    )
    return many, signature


def _tree(method: Method | None) -> tuple[Callable[..., int], Any]:
    """`core.branched.solve` by a method, or `core.whole_body.solve`, of addresses and sizes, returning 0; and
    its signature.
    """
    import numba
    from numba import types
    from numba.np.numpy_support import carray, from_dtype

    from limbik.core import branched, whole_body
    from limbik.core.desk import HISTORY_ROWS, ROOM_SIZE, Asked, Desk, Tree
    from limbik.core.pulls import PULL_SIZE
    from limbik.core.spatial_chain import FRAME_SIZE, JOINT
    from limbik.core.tasks import SPOT_SIZE, TARGET_SIZE, TASK
    from limbik.core.tree import LINK, SCREW_SIZE

    answer_size = whole_body.ANSWER_SIZE
    if method is not None:
        settings_size, solve = branched.SETTINGS_SIZE, method.kernel.dispatcher
    else:
        settings_size, by_levels = whole_body.SETTINGS_SIZE, whole_body.solve.dispatcher

        @numba.njit(error_model="numpy")
        def solve(tree, asked, desk, roles, settings, q, misses, answer, trace_q, trace_error):  # type: ignore[no-untyped-def]
            by_levels(tree, asked, desk, settings, q, misses, answer, trace_q, trace_error)

    def tree(  # type: ignore[no-untyped-def]
        links, movers, units, fixed_mass, roles, tasks, targets, level_tasks, level_rows,
        frames, screws, sums, total, spot, errors, wrenches, both_misses, costs, J, P, A, basis, y, rest,
        free, damping, dx, dq, trial, best, start, pulls, kept, before, rest_q, work, history, room,
        settings, q, misses, answer, trace_q, trace_error,
        n_links, nq, nv, n_rows, n_tasks, n_levels, n_movers, n_trace,
    ):  # fmt: skip
        solve(
            Tree(carray(links, n_links), carray(movers, n_movers), carray(units, nv), carray(fixed_mass, 4)),
            Asked(
                carray(tasks, n_tasks),
                carray(targets, (n_tasks, TARGET_SIZE)),
                carray(level_tasks, n_levels + 1),
                carray(level_rows, n_levels + 1),
            ),
            Desk(
                carray(frames, FRAME_SIZE * n_links),
                carray(screws, (3 * n_links, SCREW_SIZE)),
                carray(sums, (n_links, 4)),
                carray(total, 4),
                carray(spot, SPOT_SIZE),
                carray(errors, (2, n_rows)),
                carray(wrenches, (n_rows, SCREW_SIZE)),
                carray(both_misses, (2, n_tasks)),
                carray(costs, (2, n_levels)),
                carray(J, (n_rows, nv)),
                carray(P, (n_rows, nv)),
                carray(A, (n_rows, n_rows)),
                carray(basis, (nv, nv)),
                carray(y, n_rows),
                carray(rest, n_rows),
                carray(free, nv),
                carray(damping, n_levels),
                carray(dx, nv),
                carray(dq, nv),
                carray(trial, nq),
                carray(best, nq),
                carray(start, nq),
                carray(pulls, (n_tasks, PULL_SIZE)),
                carray(kept, nq),
                carray(before, nq),
                carray(rest_q, nq),
                carray(work, (2 * n_rows + 2, max(n_rows, nv))),
                carray(history, (HISTORY_ROWS, nq)),
                carray(room, (n_links + n_tasks + 1, ROOM_SIZE)),
            ),
            carray(roles, n_links),
            carray(settings, settings_size),
            carray(q, nq),
            carray(misses, n_tasks),
            carray(answer, answer_size),
            carray(trace_q, (n_trace, nq)),
            carray(trace_error, n_trace),
        )
        return 0

    doubles, whole = types.CPointer(types.float64), types.int64
    links, movers, tasks = (types.CPointer(from_dtype(dtype)) for dtype in (LINK, JOINT, TASK))
    arrays = [links, movers, *[doubles] * 3, tasks, *[doubles] * (3 + len(Desk._fields) + 6)]
    return tree, types.int64(*arrays, *[whole] * 8)


if __name__ == "__main__":
    main(*sys.argv[1:])
