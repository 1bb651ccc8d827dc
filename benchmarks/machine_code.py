"""Machine code for measuring: of one kernel by itself, and of programs that limbik does not have."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from limbik.compiler import build, make, native
from limbik.compiler.emit import Emitted
from limbik.compiler.program import Program

LOOP = """
define void @loop(ptr %block, ptr %constants, i64 %count) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %after, %next ]
  call void @kernel(ptr %block, ptr %constants)
  %after = add i64 %i, 1
  %more = icmp ult i64 %after, %count
  br i1 %more, label %next, label %done
done:
  ret void
}
"""

_engines: list[Any] = []


def looped(kernel: Emitted) -> Callable[[Any, Any, int], None]:
    """A function of a block, constants and how often the kernel is to run on them."""
    module = llvm.parse_assembly(kernel.text("kernel").replace("{", "noinline {", 1) + LOOP)
    machine = build.target_machine()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    _engines.append(engine)
    types = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
    function = ctypes.CFUNCTYPE(None, *types)(engine.get_function_address("loop"))
    return lambda block, constants, count: function(block.ctypes.data, constants.ctypes.data, count)


def loaded(program: Program) -> Any:
    """A program that does not come with the package, compiled from its kernels."""
    code = build.machine_code(make.bitcode(program), native._linked(program), program.is_closed)
    made = native.Build(program)
    made.finish(lambda: code)
    _engines.append(made)
    return made.function
