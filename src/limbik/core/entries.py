"""The way from Python into machine code: entries in LLVM's language, and what Python calls once they are
loaded.

A batch is called through ctypes. A single solve takes about a microsecond, and ctypes a third of one
more: its entry is a function as CPython calls its own built-in ones (METH_FASTCALL, of the stable interface).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

FASTCALL = 0x80
TO_ADDRESS, TO_NUMBER, TO_BYTES, FROM_NUMBER = range(4)
PYTHON_FUNCTIONS = ("PyLong_AsVoidPtr", "PyLong_AsLongLong", "PyBytes_AsString", "PyLong_FromLongLong")
PYTHON = "python_functions"  # their addresses: a variable beside the entry, filled in when it is loaded


class Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


# LLVM calls the C library's function where numbers are set to 0, and an object file of ours cannot: it brings
# its own. Sizes are those of whole numbers of 8 bytes.
MEMSET = """
define ptr @memset(ptr %to, i32 %value, i64 %size) {
entry:
  %byte = and i32 %value, 255
  %wide = zext i32 %byte to i64
  %word = mul i64 %wide, 72340172838076673
  %words = lshr i64 %size, 3
  br label %check
check:
  %i = phi i64 [ 0, %entry ], [ %next, %write ]
  %more = icmp ult i64 %i, %words
  br i1 %more, label %write, label %done
write:
  %place = getelementptr i64, ptr %to, i64 %i
  store i64 %word, ptr %place
  %next = add i64 %i, 1
  br label %check
done:
  ret ptr %to
}
"""


def plain_entry(name: str, function: str, types: Sequence[str]) -> str:
    """A C function with the same arguments."""
    given = ", ".join(f"{each} %a{i}" for i, each in enumerate(types))
    return f"""
define i64 @{name}({given}) {{
{_call(function, types)}
  ret i64 %code
}}
"""


def python_entry(name: str, function: str, types: Sequence[str], as_bytes: Sequence[int]) -> str:
    """A function for `python_callable`: all arguments come as int, those `as_bytes` as bytes."""
    lines = []
    for i, each in enumerate(types):
        convert = TO_NUMBER if each != "ptr" else TO_BYTES if i in as_bytes else TO_ADDRESS
        lines += [
            f"  %place{i} = getelementptr ptr, ptr %arguments, i64 {i}",
            f"  %object{i} = load ptr, ptr %place{i}",
            _load_function(f"convert{i}", convert),
            f"  %a{i} = call {each} %convert{i}(ptr %object{i})",
        ]
    converted = "\n".join(lines)
    return f"""
@{PYTHON} = global [{len(PYTHON_FUNCTIONS)} x ptr] zeroinitializer

define ptr @{name}(ptr %self, ptr %arguments, i64 %count) {{
{converted}
{_call(function, types)}
{_load_function("convert", FROM_NUMBER)}
  %answer = call ptr %convert(i64 %code)
  ret ptr %answer
}}
"""


def _load_function(name: str, place: int) -> str:
    return f"  %{name} = load ptr, ptr getelementptr (ptr, ptr @{PYTHON}, i64 {place})"


def _call(function: str, types: Sequence[str]) -> str:
    """Numba's calling convention: two places for results stand before the arguments; `%code` is the first."""
    given = ", ".join(f"{each} %a{i}" for i, each in enumerate(types))
    return f"""  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @{function}(ptr %result, ptr %error, {given})
  %code = load i64, ptr %result"""


def python_callable(engine: Any, name: str) -> Any:
    """A built-in function of Python; it holds the interpreter's lock."""
    functions = [getattr(ctypes.pythonapi, each) for each in PYTHON_FUNCTIONS]
    addresses = (ctypes.c_void_p * len(functions)).from_address(engine.get_global_value_address(PYTHON))
    addresses[:] = [ctypes.cast(function, ctypes.c_void_p).value for function in functions]
    method = Method(name.encode(), engine.get_function_address(name), FASTCALL, None)
    _methods.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    return make(ctypes.addressof(method), None, None)


def plain_callable(engine: Any, name: str, types: Sequence[Any]) -> Any:
    """A function of ctypes, which lets go of the interpreter's lock."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, *types)(engine.get_function_address(name))


_methods: list[Method] = []  # which Python holds by their addresses
