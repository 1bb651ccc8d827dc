"""Compiles kernels to bitcode by Numba: those of the package, and methods of users.

Numba types and lowers the functions, and no more: the processor that they will run on, and the shape of a
chain, are not known yet. Names that are `OPEN` become constants and functions that are only declared.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import itertools
import lzma
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types as numba_types
from numba.core import cgutils
from numba.core.codegen import AOTCodeLibrary, AOTCPUCodegen
from numba.core.registry import cpu_target
from numba.core.typing.templates import signature
from numba.extending import intrinsic
from numba.np import arrayobj
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import from_dtype

from limbik.compiler.arrays import WATCH_KIND, ArrayType, Kind, kinds
from limbik.compiler.build import file_made_whole
from limbik.compiler.callables import llvm_types
from limbik.compiler.kernel import OPEN, Kernel, Primitive, inner
from limbik.compiler.program import KERNEL, WATCH, Program

INTEGER = ir.IntType(64)
POINTER = ir.PointerType()
CACHE_LINE = 64  # bytes
# For which vectors are chosen; others can have them too.
ANY_PROCESSOR = "x86_64-unknown-linux-gnu", "x86-64-v3"
WATCHED = 64  # counts of a loop for each look at its watch


def bitcode(program: Program) -> bytes:
    """The program's kernel under the name `KERNEL`, compressed."""
    cpu_target.target_context._internal_codegen = _Codegen("limbik", "host")
    arguments = (np.int64, None) if program.arguments is None else program.arguments
    argument_types = [numba_types.int64 if each is None else _pointer(each) for each in arguments]
    make = numba.cfunc(numba_types.int64(*argument_types), error_model="numpy", _nrt=False)  # type: ignore[call-arg]
    with contextlib.nullcontext() if program.is_closed else _indices_as_they_are():
        compiled = make(_function(program.kernel) if program.arguments else _unpacking(program))
    compiled_name = compiled.native_name.removeprefix("cfunc.")
    module = llvm.parse_assembly(compiled.inspect_llvm() + _entry(compiled_name, llvm_types(arguments)))
    for part in module.functions:
        if not part.is_declaration and part.name != KERNEL:
            part.linkage = "internal"
    if program.is_closed:
        _optimise(module)
    else:
        _simplify(module)
    return lzma.compress(module.as_bitcode())


@contextlib.contextmanager
def _indices_as_they_are() -> Iterator[None]:
    """Without code for negative indices, which the fast core has none of."""

    def index(context: Any, builder: Any, kind: Any, value: Any, size: Any) -> Any:
        return context.cast(builder, value, kind, numba_types.intp)

    usual = arrayobj.fix_integer_index
    arrayobj.fix_integer_index = index
    try:
        yield
    finally:
        arrayobj.fix_integer_index = usual


def main(location: str, argument: str, path: str) -> None:
    """Make the bitcode of a program as `Program.source` names it, whole or not at all."""
    module, _, function = location.partition(":")
    program = getattr(importlib.import_module(module), function)(argument)
    with file_made_whole(Path(path)) as file:
        file.write(bitcode(program))


def _entry(name: str, kinds: list[str]) -> str:
    """A C function for one of Numba's, whose arguments follow addresses for the result and for an error."""
    arguments = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(kinds))
    return f"""
define i64 @{KERNEL}({arguments}) {{
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @{name}(ptr %result, ptr %error, {arguments})
  %code = load i64, ptr %result
  ret i64 %code
}}
"""


def _unpacking(program: Program) -> Callable[[Any, int], int]:
    """A function of what `compiler.call` writes down, and of the watch."""
    kernel = _dispatcher(inner(program.kernel, {}))
    unpacked = _unpacked(program)

    def run(numbers: Any, watch: int) -> int:
        return kernel(*unpacked(numbers, watch))

    def run_for_nothing(numbers: Any, watch: int) -> int:
        kernel(*unpacked(numbers, watch))
        return 0

    return run if get_type_hints(program.kernel.function)["return"] is int else run_for_nothing


def _unpacked(program: Program) -> Any:
    """The arguments of a program, as a tuple."""
    taken = kinds(program.kernel.function).values()

    def type_of(kind: Kind) -> Any:
        if isinstance(kind, ArrayType):
            dtype = program.types[kind.dtype] if isinstance(kind.dtype, str) else kind.dtype
            return numba_types.Array(from_dtype(dtype), len(kind.shape), "C")
        if kind is int or kind == WATCH_KIND:
            return numba_types.int64
        return numba_types.NamedTuple([type_of(part) for part in kinds(kind).values()], kind)

    whole = numba_types.Tuple([type_of(kind) for kind in taken])

    def unpack(typing: Any, numbers: Any, watch: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            count = itertools.count()

            def number() -> Any:
                return builder.load(builder.gep(arguments[0], [INTEGER(next(count))]))

            def argument(kind: Kind) -> Any:
                if isinstance(kind, ArrayType):
                    data = builder.inttoptr(number(), POINTER)
                    shape = [(size, number()) for size in kind.shape]
                    sizes = [INTEGER(size) if isinstance(size, int) else told for size, told in shape]
                    return _array(context, builder, type_of(kind), data, sizes)
                if kind == WATCH_KIND:
                    return arguments[1]
                if kind is int:
                    return number()
                parts = [argument(part) for part in kinds(kind).values()]
                return context.make_tuple(builder, type_of(kind), parts)

            return context.make_tuple(builder, whole, [argument(kind) for kind in taken])

        return signature(whole, numbers, watch), code

    return intrinsic(unpack)


def _pointer(dtype: Any) -> Any:
    return numba_types.CPointer(from_dtype(dtype))


def _simplify(module: Any) -> None:
    """Leave out what is not needed. Nothing is inlined yet, which would make files large."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    machine = llvm.Target.from_default_triple().create_target_machine()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))


def _optimise(module: Any) -> None:
    """All that LLVM does before it has to know the processor."""
    machine = llvm.Target.from_triple(ANY_PROCESSOR[0]).create_target_machine(cpu=ANY_PROCESSOR[1], opt=3)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    # Measured: half the code, in half the time, that runs as fast or faster.
    options.loop_unrolling = options.loop_interleaving = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    for _ in range(2):  # kernels hand on whole structures, most of which is known or not needed
        passes.add_ipsccp_pass()
        passes.add_dead_arg_elimination_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    passes.run(module, builder)


def _dispatcher(kernel: Kernel[..., Any]) -> Any:
    """Numba's own form of a kernel, for those that call it."""
    if isinstance(kernel, Primitive):
        return PRIMITIVES[kernel.function.__qualname__]
    if kernel not in _dispatchers:
        options = {**kernel.options, "forceinline": bool(kernel.options["forceinline"])}
        options |= {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        _dispatchers[kernel] = numba.njit(error_model="numpy", **options)(_function(kernel))
    return _dispatchers[kernel]


_dispatchers: dict[Kernel[..., Any], Any] = {}


def _function(kernel: Kernel[..., Any]) -> Any:
    """A kernel as a function that Numba can compile: its open names are calls of intrinsics."""
    scope = {**kernel.function.__globals__, **kernel.scope}
    is_open = {name for name, value in kernel.scope.items() if value is OPEN}
    for name, value in kernel.scope.items():
        if isinstance(value, Kernel):
            scope[name] = _dispatcher(inner(value, kernel.bindings))
    code = kernel.function.__code__
    if is_open:
        tree = kernel.tree
        functions = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        for name in is_open:
            scope[name] = _open_function(name) if name in functions else _open_constant(name)
        module = ast.Module([_Calls(is_open - functions).visit(tree)], [])
        compiled = compile(ast.fix_missing_locations(module), code.co_filename, "exec")
        code = next(each for each in compiled.co_consts if isinstance(each, types.CodeType))
    return types.FunctionType(code, scope, kernel.function.__name__, kernel.function.__defaults__)


class _Calls(ast.NodeTransformer):
    """Makes calls of names."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Call(node, [], []) if node.id in self.names else node


@functools.cache
def _open_constant(name: str) -> Any:
    def constant(typing: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            module = builder.module
            if name not in module.globals:
                ir.GlobalVariable(module, INTEGER, name).global_constant = True
            return builder.load(module.globals[name], typ=INTEGER)

        return signature(numba_types.int64), code

    return intrinsic(constant)


@functools.cache
def _open_function(name: str) -> Any:
    def function(typing: Any, *arrays: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values = cgutils.unpack_tuple(builder, arguments[0])
            data = [
                builder.bitcast(make_array(kind)(context, builder, value).data, POINTER)
                for kind, value in zip(arrays, values, strict=True)
            ]
            kind = ir.FunctionType(ir.VoidType(), [POINTER] * len(data))
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), data)
            return context.get_dummy_value()

        return signature(numba_types.none, numba_types.StarArgTuple.from_types(arrays)), code

    return intrinsic(function)


@intrinsic
def _empty(typing: Any, *shape: Any) -> Any:
    kind = numba_types.Array(numba_types.float64, len(shape), "C")

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sizes = cgutils.unpack_tuple(builder, arguments[0])
        count = functools.reduce(builder.mul, sizes)
        data = builder.alloca(ir.DoubleType(), size=count)
        data.align = CACHE_LINE
        return _array(context, builder, kind, data, sizes)

    return signature(kind, _integers(shape)), code


@intrinsic
def _view(typing: Any, pointer: Any, *shape: Any) -> Any:
    kind = numba_types.Array(pointer.dtype, len(shape), "C")

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _array(context, builder, kind, arguments[0], cgutils.unpack_tuple(builder, arguments[1]))

    return signature(kind, pointer, _integers(shape)), code


def _integers(shape: Any) -> Any:
    return numba_types.StarArgTuple.from_types([numba_types.int64] * len(shape))


def _array(context: Any, builder: Any, kind: Any, data: Any, shape: Any) -> Any:
    array = make_array(kind)(context, builder)
    size = context.get_constant(numba_types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for each in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], each))
    data = builder.bitcast(data, array.data.type)
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


@intrinsic
def _is_stopped(typing: Any, watch: Any, count: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        watch, count = arguments
        kind = ir.FunctionType(INTEGER, [INTEGER])
        ask = cgutils.get_or_insert_function(builder.module, kind, WATCH)
        slot = cgutils.alloca_once_value(builder, cgutils.false_bit)
        is_due = builder.icmp_unsigned("==", builder.and_(count, INTEGER(WATCHED - 1)), INTEGER(WATCHED - 1))
        with builder.if_then(is_due, likely=False):
            builder.store(builder.icmp_unsigned("!=", builder.call(ask, [watch]), INTEGER(0)), slot)
        return builder.load(slot)

    return signature(numba_types.boolean, numba_types.int64, numba_types.int64), code


@intrinsic
def _prefetch(typing: Any, array: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = make_array(array)(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), POINTER)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [POINTER, number, number, number])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(fetch, [address, number(0), number(3), number(1)])  # to be read, kept near, data
        return context.get_dummy_value()

    return signature(numba_types.none, array, index), code


PRIMITIVES: dict[str, Callable[..., Any]] = {
    "empty": _empty,
    "view": _view,
    "is_stopped": _is_stopped,
    "prefetch": _prefetch,
}


class _Library(AOTCodeLibrary):
    """A function with those that it calls, as text in LLVM's language."""

    def _optimize_functions(self, module: Any) -> None:
        """Nothing: see `_simplify`."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Nothing."""

    def get_pointer_to_function(self, name: str) -> int:
        """0, for no machine code, when all functions are linked."""
        self._ensure_finalized()
        return 0


class _Codegen(AOTCPUCodegen):
    """Makes such libraries."""

    _library_class = _Library

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing: it serves exceptions, and kernels raise none."""


if __name__ == "__main__":
    main(*sys.argv[1:])
